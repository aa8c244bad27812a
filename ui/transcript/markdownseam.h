// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace fermata {

// What the Markdown `continuation` has to be read after, because an answer was cut behind `cut` and goes on with it:
// the line that opened a block of code, if the cut is inside of one, or a character without a look that keeps the rest
// of a line from being taken for the beginning of a block. Empty if the continuation stands for itself.
QString openAtCut(const QString &cut, const QString &continuation);

} // namespace fermata
