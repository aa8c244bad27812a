// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QDateTime>
#include <QString>

namespace fermata {

// For a damaged database. Both block, and need that nobody has it open.

// Gives the file, and those that belong to it, a name with ".corrupt-<UTC time>" in the same folder: nothing in them is
// changed, nothing is deleted, and no file is replaced. Returns the new name of the database.
Result<QString> setDatabaseAside(const QString &path, const QDateTime &now);

// Copies the file, and those that belong to it, as they are. An existing file is not replaced: that is an error.
Result<void> copyDatabaseTo(const QString &path, const QString &folder);

} // namespace fermata
