// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace fermata {

// A file name from a title: no separators, no control characters, no leading dot, of a length every system takes.
// Never empty.
QString fileNameFor(const QString &title);

} // namespace fermata
