// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/markdownblock.h"
#include "ui/transcript/markdownfence.h"

#include <QByteArray>
#include <QStringView>

namespace fermata {

// Markdown that grows. What can no longer change is parsed once; each append parses only the end, so that its cost
// does not depend on what stands before. After finish() the blocks are those of parseMarkdown() for the whole text.
class MarkdownStream final
{
public:
    // Of a text that goes on after `before`, which is not part of it: no offset counts it.
    explicit MarkdownStream(const QString &before = {});

    // Both return how many of the blocks that were given out stay as they are; fresh() are those behind them.
    size_t append(QStringView text);
    size_t finish(const QString &whole);
    const MarkdownBlocks &fresh() const { return m_fresh; }

private:
    void scanLines();
    void scanLine(QByteArrayView line, qsizetype offset);
    bool extendOpenFence(QByteArrayView added);
    void closeUpTo(qsizetype candidate);
    void addFresh(MarkdownBlocks blocks);

    MarkdownBlocks m_fresh; // closed by the last append, and after them the open ones
    size_t m_freshClosed = 0; // how many of them are closed
    size_t m_closed = 0; // blocks before them, which the stream no longer holds
    QByteArray m_before;
    QByteArray m_tail; // the source behind them
    qsizetype m_tailBegin = 0; // its offset in the whole text
    QChar m_highSurrogate; // the first half of a character whose second half has not come

    // Where the end may be cut off: the state of a scan over its whole lines.
    qsizetype m_scanned = 0;
    qsizetype m_candidate = -1;
    MarkdownFence m_fence; // that is open
    bool m_afterBlank = false;
    bool m_afterFence = false;
    bool m_startsWithItem = false;
    bool m_isOpenFence = false; // the end is one block of code and nothing else
};

} // namespace fermata
