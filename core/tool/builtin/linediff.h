// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace fermata {

// The change from `before` to `after` as a unified diff with three lines of context, whole. An empty old name means that
// the file is new. Always right, and small where the change is small; of very different contents it says that all
// between the first and the last difference goes and comes.
QString unifiedDiff(const QByteArray &before, const QByteArray &after, const QString &oldName,
                    const QString &newName);

} // namespace fermata
