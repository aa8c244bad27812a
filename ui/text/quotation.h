// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace fermata {

// Old text as a Markdown quotation, every line of it, so that a model takes it for something that is spoken of and not
// for something that is said. Ends with an empty line; empty for text without anything to see.
QString asQuotation(const QString &text);

} // namespace fermata
