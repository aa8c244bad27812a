// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QString>

namespace fermata {

// The file below a database, looked at before SQLite does: SQLite would wait for a FIFO, and create or change what is
// not its own. What differs between systems is in this file alone.
enum class DatabaseFile { Missing, Empty, Present };

// An error for what is no regular file or does not begin as a database. It changes nothing.
Result<DatabaseFile> inspectDatabaseFile(const QString &path);

// True if a change of the whole file was cut, which SQLite undoes when it opens the file for writing, and the file is the
// application's own or has no table yet.
bool isOwnCutFile(const QString &path, quint32 applicationId);

// Makes the file, empty and only for its owner, and its folder with it if there is none.
Result<void> createDatabaseFile(const QString &path);

// Takes all rights from everybody but the owner. What belongs to somebody else stays as it is.
void makePrivate(const QString &path);

bool canWrite(const QString &path);

// What is in the file, and its name in the folder, is on the disk.
Result<void> syncFile(const QString &path);

} // namespace fermata
