// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArrayView>

namespace fermata {

// The fences of blocks of code, as they stand in the lines of a source.
struct MarkdownFence
{
    char character = 0; // 0: there is none
    int length = 0;
};

// The fence that a line without indentation opens, if it does.
MarkdownFence openingFence(QByteArrayView line);
bool closesFence(QByteArrayView line, const MarkdownFence &fence);
bool isBlankLine(QByteArrayView line);

} // namespace fermata
