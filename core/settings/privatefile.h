// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QByteArray>
#include <QString>

namespace fermata {

// A small file that only its owner reads (0600, its folder made with 0700 where it is missing).

// Temporary file, fsync, rename, fsync of the folder: after a crash the old or the new content, whole.
Result<void> writePrivateFile(const QString &path, const QByteArray &content);
// NotFound if there is none. A folder, a pipe or more than `mostBytes` is an error and is not read.
Result<QByteArray> readPrivateFile(const QString &path, qint64 mostBytes);
// What a write that was killed left beside `path`.
void removeUnfinishedWrites(const QString &path);

} // namespace fermata
