// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace fermata {

// `text` with each surrogate that has no partner replaced by U+FFFD, so that it survives UTF-8 unchanged.
// The same string, shared, if there is none.
QString validText(const QString &text);

// How much of a growing text can be written already: a high surrogate at its end waits for its partner.
qsizetype wholeCodePoints(const QString &text);

} // namespace fermata
