// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/markdownblock.h"

namespace fermata {

// A paragraph that is longer is laid out in parts of half this length.
constexpr int MostParagraph = 8192;
// A longer table is laid out in parts of so many rows.
constexpr int MostTableRows = 32;

// Blocks that are laid out at once must stay small: what is long becomes several, each with `continued` and `goesOn` set.
MarkdownBlocks splitLong(MarkdownBlocks blocks);

} // namespace fermata
