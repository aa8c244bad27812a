// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/markdownfence.h"

#include <algorithm>

namespace fermata {

bool isBlankLine(QByteArrayView line)
{
    return std::all_of(line.begin(), line.end(),
                       [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
}

MarkdownFence openingFence(QByteArrayView line)
{
    if (line.isEmpty() || (line.front() != '`' && line.front() != '~'))
        return {};
    const char c = line.front();
    const auto end = std::find_if(line.begin(), line.end(), [c](char x) { return x != c; });
    const int length = int(end - line.begin());
    if (length < 3 || (c == '`' && std::find(end, line.end(), '`') != line.end()))
        return {};
    return {c, length};
}

bool closesFence(QByteArrayView line, const MarkdownFence &fence)
{
    qsizetype i = 0;
    while (i < line.size() && i < 4 && line[i] == ' ')
        ++i;
    qsizetype end = i;
    while (end < line.size() && line[end] == fence.character)
        ++end;
    return i < 4 && end - i >= fence.length && isBlankLine(line.sliced(end));
}

} // namespace fermata
