// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/blockpart.h"

#include "ui/transcript/codepart.h"
#include "ui/transcript/tablepart.h"
#include "ui/transcript/textpart.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

bool isCard(MarkdownBlock::Kind kind)
{
    return kind == MarkdownBlock::Kind::Code || kind == MarkdownBlock::Kind::Table;
}

int indentOf(const MarkdownBlock &block, int levels)
{
    int indent = 0;
    for (int i = 0; i < std::min<int>(levels, block.depth); ++i) {
        switch (block.levels[size_t(i)]) {
        case MarkdownBlock::Level::Bullets:
            indent += transcript::ListIndent;
            break;
        case MarkdownBlock::Level::Numbers:
            indent += transcript::NumberIndent;
            break;
        case MarkdownBlock::Level::Quote:
            indent += transcript::QuoteIndent;
            break;
        }
    }
    return indent;
}

} // namespace

BlockPart::BlockPart(MarkdownBlock block) : m_block(std::move(block))
{
    measure();
}

void BlockPart::measure()
{
    m_indent = indentOf(m_block, m_block.depth);
    m_isMirrored = !isCard(m_block.kind) && m_block.text.text.isRightToLeft();
}

bool BlockPart::setBlock(MarkdownBlock block)
{
    const bool same = m_block.looksLike(block);
    m_block = std::move(block);
    if (!same) {
        measure();
        doRelease();
        setChanged();
        blockChanged();
    }
    return same;
}

int BlockPart::levelIndent(int level) const
{
    return indentOf(m_block, level);
}

int BlockPart::gapAbove(const Part *previous) const
{
    using Kind = MarkdownBlock::Kind;
    if (!previous)
        return 0;
    if (m_block.continued)
        return 0;
    const auto *before = dynamic_cast<const BlockPart *>(previous);
    if (!before)
        return previous->role() == Role::Card ? transcript::CardGap : transcript::ParagraphGap;
    const MarkdownBlock &other = before->block();
    if (m_block.kind == Kind::Heading)
        return m_block.heading <= 2 ? metrics::Space16 : metrics::Space12;
    if (other.kind == Kind::Heading)
        return isCard(m_block.kind) ? transcript::ParagraphGap : metrics::Space4;
    if (isCard(other.kind) || other.kind == Kind::Rule)
        return transcript::CardGap;
    if (m_block.tight && m_block.inList() && other.inList() && !isCard(m_block.kind))
        return transcript::ItemGap;
    return transcript::ParagraphGap;
}

std::pair<qsizetype, qsizetype> BlockPart::sourceRange(int from, int to) const
{
    const qsizetype begin = from <= 0 ? m_block.sourceBegin : sourceOf(from);
    const qsizetype end = to >= length() ? m_block.sourceEnd : sourceOf(to);
    if (begin < 0 || end < 0)
        return {m_block.sourceBegin, m_block.sourceEnd};
    return {begin, std::max(begin, end)};
}

int BlockPart::markerMiddle(const TranscriptStyle &style) const
{
    return qRound(style.readingPitch / 2);
}

void BlockPart::paint(QPainter *painter, const PartPaint &paint) const
{
    const TranscriptStyle &style = paint.style;
    for (int i = 0; i < m_block.depth; ++i) {
        if (m_block.levels[size_t(i)] != MarkdownBlock::Level::Quote)
            continue;
        // The bar reaches over the gap to the block above, which stands in the same quote as a rule.
        const qreal top = m_block.marker.isEmpty() ? paint.rect.top() - 2 : paint.rect.top();
        const qreal left = m_isMirrored ? paint.rect.right() - levelIndent(i) - 3
                                        : paint.rect.left() + levelIndent(i);
        painter->fillRect(QRectF(left, top, 3, paint.rect.bottom() - top), style.theme.line);
    }
    if (!m_block.marker.isEmpty())
        paintMarker(painter, paint);
    PartPaint content = paint;
    if (m_isMirrored)
        content.rect.setRight(content.rect.right() - m_indent);
    else
        content.rect.setLeft(content.rect.left() + m_indent);
    content.hover -= QPointF(contentLeft(), 0);
    paintContent(painter, content);
}

void BlockPart::paintMarker(QPainter *painter, const PartPaint &paint) const
{
    const TranscriptStyle &style = paint.style;
    int level = m_block.depth;
    while (level > 0 && m_block.levels[size_t(level - 1)] == MarkdownBlock::Level::Quote)
        --level;
    // Where the content begins, and the way from there to the marker.
    const qreal edge = m_isMirrored ? paint.rect.right() - levelIndent(level)
                                    : paint.rect.left() + levelIndent(level);
    const auto centre = [&](qreal distance) {
        return m_isMirrored ? edge + distance : edge - distance;
    };
    const qreal middle = paint.rect.top() + markerMiddle(style);
    if (m_block.marker == u"•"_s) {
        const qreal size = style.scaled(5);
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(style.theme.text);
        painter->drawEllipse(QPointF(centre(15), middle), size / 2, size / 2);
        return;
    }
    if (m_block.marker == u"☐"_s || m_block.marker == u"☑"_s) {
        const QRectF box(centre(12) - 6, middle - 6, 12, 12);
        const bool done = m_block.marker == u"☑"_s;
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(style.theme.lineStrong, metrics::hairline(style.pixelRatio)));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(metrics::snapped(box, style.pixelRatio), 3, 3);
        if (done) {
            painter->setPen(
                QPen(style.theme.text, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            painter->drawPolyline(
                QPolygonF({box.topLeft() + QPointF(2.5, 6.5), box.topLeft() + QPointF(5, 9),
                           box.topLeft() + QPointF(9.5, 3.5)}));
        }
        return;
    }
    const QFontMetricsF metrics(style.reading);
    painter->setFont(style.reading);
    painter->setPen(style.theme.text);
    const qreal width = metrics.horizontalAdvance(m_block.marker);
    painter->drawText(QPointF(centre(7 + width / 2) - width / 2, middle + metrics.xHeight() / 2),
                      m_block.marker);
}

std::unique_ptr<BlockPart> makeBlockPart(MarkdownBlock block)
{
    switch (block.kind) {
    case MarkdownBlock::Kind::Code:
        return std::make_unique<CodePart>(std::move(block));
    case MarkdownBlock::Kind::Table:
        return std::make_unique<TablePart>(std::move(block));
    default:
        return std::make_unique<TextPart>(std::move(block));
    }
}

} // namespace fermata
