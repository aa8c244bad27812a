// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace fermata {

// What /proc tells, for tests of what is left behind. It knows nothing of how the program under test finds its own.

QStringList allPids();
QByteArray procFile(const QString &pid, const QString &name); // empty if it is gone

// A sleeping time that nobody else uses: what runs `sleep NUMBER` is found by it.
QString uniqueNumber();
// Processes with the number in their arguments. A zombie has none.
int aliveWith(const QString &number);
// Running or waiting to be reaped. A zombie alone proves nothing: the next child may become one a moment later.
int ownChildren();
int ownZombies();
int openDescriptors();
int ownThreads();
// Of this process. 0 under AddressSanitizer: what is freed is kept by it, and the figure says nothing.
qint64 residentKilobytes();
// What was allocated and not freed. 0 under a sanitizer, which has an allocator of its own.
qint64 heapKilobytes();

} // namespace fermata
