// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <QSqlError>

namespace fermata {

// What SQLite said, in a sentence for people that names the file; the driver's text is the detail.
Error storeError(const QSqlError &error, const QString &databasePath);

Error storeError(const QString &message, const QString &detail = {});
Error damagedStore(const QString &message, const QString &detail);

// The connection cannot be trusted after this one: what it has cached may differ from what is on the disk.
bool needsReopening(const QSqlError &error);

} // namespace fermata
