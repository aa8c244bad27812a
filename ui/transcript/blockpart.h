// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/markdownblock.h"
#include "ui/transcript/part.h"

namespace fermata {

// A Markdown block: what all kinds of them share is the lists and quotes they stand in.
class BlockPart : public Part
{
public:
    explicit BlockPart(MarkdownBlock block);

    const MarkdownBlock &block() const { return m_block; }
    // Takes the place of the block. The layout is kept if the block looks the same; returns whether it does.
    bool setBlock(MarkdownBlock block);

    Role role() const override { return Role::Text; }
    int gapAbove(const Part *previous) const override;
    std::pair<qsizetype, qsizetype> sourceRange(int from, int to) const override;
    void paint(QPainter *painter, const PartPaint &paint) const final;

protected:
    virtual void paintContent(QPainter *painter, const PartPaint &paint) const = 0;
    virtual void blockChanged() { }
    virtual int markerMiddle(const TranscriptStyle &style) const;
    // Where a position comes from in the source, or -1.
    virtual qsizetype sourceOf(int position) const = 0;
    int indent() const { return m_indent; }
    // Where the content begins. A text from right to left has its markers and its indent at the right.
    int contentLeft() const { return m_isMirrored ? 0 : m_indent; }

private:
    void measure();
    int levelIndent(int level) const;
    void paintMarker(QPainter *painter, const PartPaint &paint) const;

    MarkdownBlock m_block;
    int m_indent = 0;
    bool m_isMirrored = false;
};

std::unique_ptr<BlockPart> makeBlockPart(MarkdownBlock block);

} // namespace fermata
