// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/transcriptselection.h"

#include "ui/transcript/transcriptmodel.h"

#include <QStringList>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

void TranscriptSelection::moveTo(TextPosition position)
{
    if (!m_anchor.isNull() && !position.isNull())
        m_cursor = position;
}

void TranscriptSelection::set(TextPosition from, TextPosition to)
{
    m_anchor = from;
    m_cursor = to;
}

void TranscriptSelection::selectAll(int rowCount)
{
    if (rowCount == 0)
        return clear();
    m_anchor = {0, 0, 0};
    m_cursor = {rowCount - 1, EndOfRow, EndOfRow};
}

std::pair<int, int> TranscriptSelection::rangeIn(int row, int part, int length) const
{
    if (isEmpty())
        return {0, 0};
    const TextPosition begin = from();
    const TextPosition end = to();
    const std::pair here(row, part);
    const std::pair first(begin.row, begin.part);
    const std::pair last(end.row, end.part);
    if (here < first || here > last)
        return {0, 0};
    return {here == first ? std::min(begin.offset, length) : 0,
            here == last ? std::min(end.offset, length) : length};
}

QString TranscriptSelection::text(const TranscriptModel &model, TranscriptLayout &layout) const
{
    if (isEmpty())
        return {};
    const TextPosition begin = from();
    const TextPosition end = to();
    QStringList messages;
    for (int row = begin.row; row <= std::min(end.row, model.rowCount() - 1); ++row) {
        const bool fromStart = row > begin.row || (begin.part == 0 && begin.offset == 0);
        const bool toEnd = row < end.row || end.part == EndOfRow;
        QString text;
        if (fromStart && toEnd) {
            text = model.messageText(row);
        } else {
            RowContent &content = layout.content(row);
            const int lastPart = int(content.parts().size()) - 1;
            if (lastPart < 0)
                continue;
            const int first = row == begin.row ? std::min(begin.part, lastPart) : 0;
            const int last = row == end.row ? std::min(end.part, lastPart) : lastPart;
            const int lastLength = content.parts()[size_t(last)].part->length();
            text = content.sourceText(
                model.record(row), first, row == begin.row ? begin.offset : 0, last,
                row == end.row ? std::min(end.offset, lastLength) : lastLength);
        }
        if (!text.isEmpty())
            messages += text;
    }
    return messages.join(u"\n\n"_s);
}

} // namespace fermata
