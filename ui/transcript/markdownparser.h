// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/markdownblock.h"

#include <QByteArrayView>

namespace fermata {

// Markdown (CommonMark with tables, strike-through and task lists) as blocks. Pure; opens nothing. Whatever a model
// writes becomes text: raw HTML is shown as it stands, an image as "[image: words](address)", and what md4c cannot
// take in reasonable time as one block of code. `base` is added to all source offsets.
MarkdownBlocks parseMarkdown(QByteArrayView utf8, qsizetype base = 0);

// A table with more cells is shown as its source.
constexpr int MostTableCells = 100'000;

} // namespace fermata
