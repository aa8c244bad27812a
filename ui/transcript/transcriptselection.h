// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/transcriptlayout.h"

#include <QString>

namespace fermata {

class TranscriptModel;

// What is selected, across messages: from where the mouse went down to where it is. A value over the layout.
class TranscriptSelection final
{
public:
    void clear() { m_anchor = m_cursor = {}; }
    void start(TextPosition position) { m_anchor = m_cursor = position; }
    void moveTo(TextPosition position);
    void set(TextPosition from, TextPosition to);
    void selectAll(int rowCount);

    bool isEmpty() const { return m_anchor.isNull() || m_anchor == m_cursor; }
    TextPosition from() const { return std::min(m_anchor, m_cursor); }
    TextPosition to() const { return std::max(m_anchor, m_cursor); }
    // The selected stretch of a part with this length, empty if nothing of it is.
    std::pair<int, int> rangeIn(int row, int part, int length) const;

    // The source of what is selected: whole messages exactly as they were written; within one block what is seen of it.
    QString text(const TranscriptModel &model, TranscriptLayout &layout) const;

private:
    TextPosition m_anchor;
    TextPosition m_cursor;
};

// Behind the last character of a row, wherever that is.
constexpr int EndOfRow = 1 << 30;

} // namespace fermata
