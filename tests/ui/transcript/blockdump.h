// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/markdownblock.h"

#include <QString>

namespace fermata {

// Blocks as lines of text, for tests: "text *2 [-] plain <bold|words>", without where they come from.
QString dump(const MarkdownBlocks &blocks);
QString dump(const MarkdownText &text);

} // namespace fermata
