// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/transcriptlayout.h"

#include "ui/transcript/transcriptmodel.h"

#include <QRect>

#include <algorithm>
#include <cmath>

namespace fermata {

namespace {

constexpr int TopGap = transcript::UserGap;
constexpr int MostFilled = 160; // rows with parts, before those far away are forgotten
constexpr int KeptAround = 40; // rows that are kept on either side of the view
constexpr int KeptPixels = 4000;

} // namespace

TranscriptLayout::TranscriptLayout(const TranscriptModel &model) : m_model(model) { }

TranscriptLayout::~TranscriptLayout() = default;

void TranscriptLayout::setStyle(const TranscriptStyle &style)
{
    m_style = style;
    const int width = m_width;
    m_width = -1;
    setWidth(width);
}

void TranscriptLayout::setWidth(int width)
{
    if (width == m_width)
        return;
    m_width = width;
    std::vector<int> heights(m_rows.size());
    for (size_t i = 0; i < m_rows.size(); ++i) {
        m_rows[i].knownHeights.clear();
        if (m_rows[i].content)
            m_rows[i].content->invalidate(m_style, m_width);
        heights[i] =
            m_rows[i].content ? gapAbove(int(i)) + m_rows[i].content->height() : estimate(int(i));
    }
    m_heights.reset(heights);
}

void TranscriptLayout::reset()
{
    m_rows.clear();
    m_rows.resize(size_t(m_model.rowCount()));
    m_filled = 0;
    std::vector<int> heights(m_rows.size());
    for (size_t i = 0; i < heights.size(); ++i)
        heights[i] = estimate(int(i));
    m_heights.reset(heights);
}

void TranscriptLayout::appendRows(int last)
{
    while (int(m_rows.size()) <= last) {
        m_rows.emplace_back();
        m_heights.append(estimate(int(m_rows.size()) - 1));
    }
}

int TranscriptLayout::gapAbove(int row) const
{
    if (row == 0)
        return 0;
    return m_model.row(row).kind == TranscriptRow::Kind::User ? transcript::UserGap
                                                              : transcript::AnswerGap;
}

// What a message will be high, from its length alone: it must be cheap for ten thousand of them.
int TranscriptLayout::estimate(int row) const
{
    const TurnRecord &turn = m_model.record(row);
    const auto textHeight = [this](const QString &text, int width) {
        const qreal perLine = std::max(10.0, width / m_style.readingCharacter);
        const qreal lines = std::ceil(text.size() / perLine) + 0.7 * qreal(text.count(u'\n'));
        return int(lines * m_style.readingPitch);
    };
    int height = gapAbove(row);
    if (m_model.row(row).kind == TranscriptRow::Kind::User) {
        const int width = std::min(transcript::BubbleWidth, int(m_width * transcript::BubbleShare));
        return height + 2 * transcript::BubblePaddingY
            + textHeight(turn.userText, width - 2 * transcript::BubblePaddingX);
    }
    for (const AssistantMessage &message : turn.answer) {
        for (const ContentBlock &block : message.blocks) {
            if (const auto *text = std::get_if<TextBlock>(&block))
                height += textHeight(text->text, m_width) + transcript::ParagraphGap;
            else
                height += transcript::ToolRow;
        }
    }
    if (!turn.isRunning())
        height += metrics::Space12 + int(m_style.controlPitch);
    return height;
}

int TranscriptLayout::totalHeight() const
{
    return m_heights.count() == 0 ? 0 : TopGap + m_heights.total() + transcript::EndGap;
}

int TranscriptLayout::rowTop(int row) const
{
    return TopGap + m_heights.top(row) + gapAbove(row);
}

int TranscriptLayout::rowHeight(int row) const
{
    return m_heights.height(row) - gapAbove(row);
}

int TranscriptLayout::rowAt(int y) const
{
    return m_heights.rowAt(y - TopGap);
}

void TranscriptLayout::takeHeight(int row)
{
    m_heights.set(row, gapAbove(row) + m_rows[size_t(row)].content->height());
}

void TranscriptLayout::fill(int row)
{
    Row &filled = m_rows[size_t(row)];
    if (!filled.content) {
        filled.content = std::make_unique<RowContent>();
        ++m_filled;
    }
    const RowSituation around = situation ? situation(row) : RowSituation();
    if (m_model.row(row).kind == TranscriptRow::Kind::User)
        filled.content->updateUser(m_model.record(row), around, m_style, m_width);
    else
        filled.content->updateAnswer(m_model.record(row), around, m_style, m_width);
}

RowContent &TranscriptLayout::content(int row)
{
    Row &wanted = m_rows[size_t(row)];
    if (!wanted.content) {
        fill(row);
        // The heights were measured when the parts were there before; they still hold.
        const auto &parts = wanted.content->parts();
        if (wanted.knownHeights.size() == parts.size()) {
            wanted.content->takeKnownHeights(wanted.knownHeights);
        }
        wanted.knownHeights.clear();
        takeHeight(row);
    }
    return *wanted.content;
}

RowContent *TranscriptLayout::existingContent(int row) const
{
    return row >= 0 && row < int(m_rows.size()) ? m_rows[size_t(row)].content.get() : nullptr;
}

void TranscriptLayout::updateRow(int row)
{
    if (m_rows[size_t(row)].content) {
        fill(row);
        takeHeight(row);
    } else {
        m_rows[size_t(row)].knownHeights.clear();
        m_heights.set(row, estimate(row));
    }
}

TranscriptLayout::Anchor TranscriptLayout::anchorAt(int y)
{
    Anchor anchor;
    anchor.row = rowAt(y);
    if (anchor.row < 0)
        return anchor;
    // A row that gets its parts keeps the share of it that stands above the view.
    const int before = rowHeight(anchor.row);
    const int inside = y - rowTop(anchor.row);
    const bool isNew = !m_rows[size_t(anchor.row)].content;
    RowContent &filled = content(anchor.row);
    int at = inside;
    if (isNew && before > 0 && inside > 0)
        at = int(qint64(inside) * filled.height() / before);
    anchor.part = filled.partAt(at);
    anchor.offset = at - (anchor.part < 0 ? 0 : filled.parts()[size_t(anchor.part)].top);
    return anchor;
}

int TranscriptLayout::positionOf(const Anchor &anchor) const
{
    if (anchor.row < 0 || anchor.row >= rowCount())
        return 0;
    int top = rowTop(anchor.row);
    const RowContent *content = existingContent(anchor.row);
    if (content && anchor.part >= 0 && anchor.part < int(content->parts().size()))
        top += content->parts()[size_t(anchor.part)].top;
    return top + anchor.offset;
}

bool TranscriptLayout::layOutRange(int top, int bottom)
{
    bool changed = false;
    int row = rowAt(top);
    if (row < 0)
        return false;
    for (; row < rowCount() && rowTop(row) < bottom; ++row) {
        const int before = rowHeight(row);
        RowContent &wanted = content(row);
        const int rowStart = rowTop(row);
        if (wanted.layOut(top - rowStart, bottom - rowStart, m_style, m_width))
            takeHeight(row);
        changed = changed || rowHeight(row) != before;
    }
    return changed;
}

int TranscriptLayout::settle(const Anchor &anchor, int above, int viewHeight)
{
    // Each pass makes more of the range exact; it ends when nothing in it was an estimate.
    for (int pass = 0; pass < 50; ++pass) {
        const int y = positionOf(anchor);
        if (!layOutRange(y - above, y + viewHeight))
            break;
    }
    return positionOf(anchor);
}

int TranscriptLayout::settleAtEnd(int viewHeight)
{
    for (int pass = 0; pass < 50; ++pass) {
        const int bottom = totalHeight();
        if (!layOutRange(bottom - viewHeight, bottom))
            break;
    }
    return std::max(0, totalHeight() - viewHeight);
}

QRect TranscriptLayout::partRect(int row, int part) const
{
    const RowContent *content = existingContent(row);
    if (!content || part < 0 || part >= int(content->parts().size()))
        return {};
    const RowContent::Placed &placed = content->parts()[size_t(part)];
    return QRect(0, rowTop(row) + placed.top, m_width, placed.part->height());
}

TextPosition TranscriptLayout::positionAt(QPoint point)
{
    TextPosition position;
    position.row = rowAt(point.y());
    if (position.row < 0)
        return position;
    RowContent &there = content(position.row);
    const int y = point.y() - rowTop(position.row);
    position.part = std::max(0, there.partAt(y));
    if (there.parts().empty())
        return position;
    const RowContent::Placed &placed = there.parts()[size_t(position.part)];
    placed.part->layOut(m_style, m_width);
    if (y >= placed.top + placed.part->height())
        position.offset = placed.part->length();
    else if (y >= placed.top)
        position.offset = placed.part->positionAt(QPointF(point.x(), y - placed.top));
    return position;
}

std::vector<TranscriptLayout::Seen> TranscriptLayout::seen(int top, int bottom)
{
    std::vector<Seen> all;
    int row = rowAt(top);
    for (; row >= 0 && row < rowCount() && rowTop(row) < bottom; ++row) {
        RowContent *there = existingContent(row);
        if (!there)
            continue;
        const int rowStart = rowTop(row);
        const int first = there->partAt(top - rowStart);
        for (int i = std::max(0, first); i < int(there->parts().size()); ++i) {
            const RowContent::Placed &placed = there->parts()[size_t(i)];
            if (rowStart + placed.top >= bottom)
                break;
            all.push_back({row, i, placed.part,
                           QRect(0, rowStart + placed.top, m_width, placed.part->height())});
        }
    }
    return all;
}

void TranscriptLayout::trim(int top, int bottom)
{
    const int first = rowAt(top);
    const int last = rowAt(bottom);
    for (int row = first; row >= 0 && row <= last; ++row) {
        if (RowContent *there = existingContent(row))
            there->releaseOutside(top - rowTop(row) - KeptPixels,
                                  bottom - rowTop(row) + KeptPixels);
    }
    if (m_filled <= MostFilled)
        return;
    for (int row = 0; row < rowCount(); ++row) {
        Row &old = m_rows[size_t(row)];
        const bool isNear = row >= first - KeptAround && row <= last + KeptAround;
        if (!old.content || isNear || old.content->wasTouched() || m_model.record(row).isRunning())
            continue;
        old.knownHeights = old.content->knownHeights();
        old.content.reset();
        --m_filled;
    }
}

} // namespace fermata
