// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/tablepart.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fermata {

namespace {

constexpr int PaddingX = 12;
constexpr int PaddingY = 6;
constexpr int LeastColumn = 48; // without its padding
constexpr int LinkStride = 1 << 12; // links are numbered by cell

Qt::Alignment alignmentOf(MarkdownTable::Align align)
{
    switch (align) {
    case MarkdownTable::Align::Center:
        return Qt::AlignHCenter;
    case MarkdownTable::Align::End:
        return Qt::AlignRight;
    case MarkdownTable::Align::Start:
        break;
    }
    return Qt::AlignLeft;
}

} // namespace

int TablePart::length() const
{
    int length = 0;
    for (const auto &row : block().table.rows) {
        for (const MarkdownText &cell : row)
            length += int(cell.text.size()) + 1;
    }
    return length;
}

int TablePart::estimatedHeight(const TranscriptStyle &style, int) const
{
    return int(qreal(block().table.rows.size()) * (style.readingPitch + 2 * PaddingY + 1));
}

// Natural widths if there is room; else the widest columns give way first.
std::vector<int> TablePart::columnWidths(const TranscriptStyle &style, int width) const
{
    constexpr qreal Endless = 1e6;
    InlineLook look{style.reading, style.theme.text, style.readingPitch};
    look.font.setBold(true); // as in the head
    std::vector<int> widths;
    for (const MarkdownText &text : block().table.widest) {
        const InlineLayout layout(text, look, style, Endless);
        widths.push_back(std::max(24, int(std::ceil(layout.naturalWidth())) + 2));
    }
    const int count = int(widths.size());
    const int room = width - count * 2 * PaddingX;
    int sum = std::accumulate(widths.begin(), widths.end(), 0);
    if (sum <= room)
        return widths;
    std::vector<int> sorted = widths;
    std::sort(sorted.begin(), sorted.end());
    int rest = room;
    int cap = LeastColumn;
    for (int i = 0; i < count; ++i) { // the cap at which all of them fit
        cap = rest / (count - i);
        if (sorted[size_t(i)] > cap)
            break;
        rest -= sorted[size_t(i)];
    }
    for (int &w : widths)
        w = std::min(w, std::max(cap, LeastColumn));
    return widths;
}

int TablePart::doLayout(const TranscriptStyle &style, int width)
{
    m_width = std::max(80, width - indent());
    const std::vector<int> widths = columnWidths(style, m_width);
    m_tableWidth =
        std::accumulate(widths.begin(), widths.end(), 0) + int(widths.size()) * 2 * PaddingX;
    m_rows.clear();
    const MarkdownTable &table = block().table;
    qreal y = 0;
    int position = 0;
    for (size_t r = 0; r < table.rows.size(); ++r) {
        Row &row = m_rows.emplace_back();
        row.top = y;
        qreal x = 0;
        for (size_t c = 0; c < table.rows[r].size(); ++c) {
            const MarkdownText &text = table.rows[r][c];
            InlineLook look{style.reading, style.theme.text, style.readingPitch};
            look.font.setBold(table.hasHead && r == 0);
            if (c < table.columns.size())
                look.alignment = alignmentOf(table.columns[c]);
            const int cellWidth = c < widths.size() ? widths[c] : LeastColumn;
            row.cells.push_back(
                {InlineLayout(text, look, style, cellWidth), position, x + PaddingX});
            row.height = std::max(row.height, row.cells.back().layout.height());
            position += int(text.text.size()) + 1;
            x += cellWidth + 2 * PaddingX;
        }
        row.height = std::ceil(row.height) + 2 * PaddingY + 1;
        y += row.height;
    }
    m_offset = std::clamp(m_offset, 0, std::max(0, m_tableWidth - m_width));
    return int(y);
}

void TablePart::paintFrame(QPainter *painter, const PartPaint &paint, qreal tableWidth) const
{
    // The frame of a long table goes on in the next part: only its ends are round.
    QRectF frame = paint.rect;
    frame.setWidth(tableWidth);
    QRectF whole = frame;
    if (block().continued)
        whole.setTop(whole.top() - 2 * metrics::RadiusCard);
    if (block().goesOn)
        whole.setBottom(whole.bottom() + 2 * metrics::RadiusCard);
    painter->save();
    painter->setClipRect(frame, Qt::IntersectClip);
    painter->setRenderHint(QPainter::Antialiasing);
    const qreal line = metrics::hairline(paint.style.pixelRatio);
    const QRectF border = metrics::snapped(whole, paint.style.pixelRatio);
    if (block().table.hasHead && !m_rows.empty()) {
        QPainterPath path;
        path.addRoundedRect(border, metrics::RadiusCard, metrics::RadiusCard);
        painter->save();
        painter->setClipPath(path, Qt::IntersectClip);
        painter->fillRect(QRectF(frame.left(), frame.top(), frame.width(), m_rows.front().height),
                          paint.style.theme.window);
        painter->restore();
    }
    for (size_t r = 0; r < m_rows.size(); ++r) {
        const bool last = r + 1 == m_rows.size();
        if (!last || block().goesOn)
            painter->fillRect(
                QRectF(frame.left(),
                       std::round(frame.top() + m_rows[r].top + m_rows[r].height) - line,
                       frame.width(), line),
                paint.style.theme.line);
    }
    painter->setPen(QPen(paint.style.theme.line, line));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(border, metrics::RadiusCard, metrics::RadiusCard);
    painter->restore();
}

void TablePart::paintContent(QPainter *painter, const PartPaint &paint) const
{
    const qreal tableWidth = std::min<qreal>(m_tableWidth, paint.rect.width());
    paintFrame(painter, paint, tableWidth);
    painter->save();
    QRectF inside = paint.rect;
    inside.setWidth(tableWidth);
    painter->setClipRect(inside.adjusted(1, 0, -1, 0), Qt::IntersectClip);
    for (size_t r = 0; r < m_rows.size(); ++r) {
        const Row &row = m_rows[r];
        if (paint.rect.top() + row.top + row.height < paint.clip.top()
            || paint.rect.top() + row.top > paint.clip.bottom())
            continue;
        for (size_t c = 0; c < row.cells.size(); ++c) {
            const Cell &cell = row.cells[c];
            const int end = int(block().table.rows[r][c].text.size());
            const QPointF origin =
                paint.rect.topLeft() + QPointF(cell.x - m_offset, row.top + PaddingY);
            cell.layout.paint(painter, origin, paint.clip, paint.style,
                              std::clamp(paint.selectedFrom - cell.begin, 0, end),
                              std::clamp(paint.selectedTo - cell.begin, 0, end));
        }
    }
    painter->restore();
    paintFocus(painter, paint, QPointF(indent(), 0));
}

int TablePart::positionAt(QPointF point) const
{
    const QPointF inside = point - QPointF(indent() - m_offset, 0);
    for (size_t r = 0; r < m_rows.size(); ++r) {
        const Row &row = m_rows[r];
        if (inside.y() >= row.top + row.height && r + 1 < m_rows.size())
            continue;
        for (size_t c = row.cells.size(); c > 0; --c) {
            const Cell &cell = row.cells[c - 1];
            if (inside.x() >= cell.x - PaddingX || c == 1)
                return cell.begin
                    + cell.layout.positionAt(inside - QPointF(cell.x, row.top + PaddingY));
        }
    }
    return 0;
}

const MarkdownText *TablePart::textAt(int position, int *begin) const
{
    int at = 0;
    for (const auto &row : block().table.rows) {
        for (const MarkdownText &cell : row) {
            const int next = at + int(cell.text.size()) + 1;
            if (position < next) {
                *begin = at;
                return &cell;
            }
            at = next;
        }
    }
    return nullptr;
}

QString TablePart::plainText(int from, int to) const
{
    QString shown;
    int at = 0;
    for (const auto &row : block().table.rows) {
        for (size_t c = 0; c < row.size(); ++c) {
            const int size = int(row[c].text.size());
            if (at + size >= from && at < to) {
                shown += row[c].plain(std::clamp(from - at, 0, size), std::clamp(to - at, 0, size));
                if (at + size < to)
                    shown += c + 1 < row.size() ? u'\t' : u'\n';
            }
            at += size + 1;
        }
    }
    return shown;
}

qsizetype TablePart::sourceOf(int position) const
{
    int begin = 0;
    const MarkdownText *cell = textAt(position, &begin);
    return cell && !cell->sources.empty() ? cell->sourceOf(position - begin) : -1;
}

std::vector<PartTarget> TablePart::targets() const
{
    std::vector<PartTarget> targets;
    int number = 0;
    for (size_t r = 0; r < m_rows.size(); ++r) {
        for (size_t c = 0; c < m_rows[r].cells.size(); ++c, ++number) {
            const MarkdownText &text = block().table.rows[r][c];
            for (int i = 0; i < std::min<int>(int(text.links.size()), LinkStride); ++i) {
                PartTarget target{PartTarget::Kind::Link,
                                  number * LinkStride + i,
                                  {},
                                  m_rows[r].cells[c].layout.linkRects(i)};
                target.name = linkLabel(target.index);
                for (QRectF &rect : target.rects)
                    rect.translate(indent() + m_rows[r].cells[c].x - m_offset,
                                   m_rows[r].top + PaddingY);
                if (!target.rects.empty())
                    targets.push_back(std::move(target));
            }
        }
    }
    return targets;
}

namespace {

const MarkdownText *cellOf(const MarkdownTable &table, int number)
{
    for (const auto &row : table.rows) {
        if (number < int(row.size()))
            return &row[size_t(number)];
        number -= int(row.size());
    }
    return nullptr;
}

} // namespace

QString TablePart::linkAddress(int index) const
{
    const MarkdownText *cell = cellOf(block().table, index / LinkStride);
    return cell ? cell->links.value(index % LinkStride) : QString();
}

QString TablePart::linkLabel(int index) const
{
    const MarkdownText *cell = cellOf(block().table, index / LinkStride);
    QString label;
    if (!cell)
        return label;
    for (const MarkdownRun &run : cell->runs) {
        if ((run.flags & MarkdownRun::Link) && run.link == index % LinkStride)
            label += cell->plain(run.start, run.start + run.length);
    }
    return label;
}

bool TablePart::scrollSideways(int delta)
{
    const int offset = std::clamp(m_offset + delta, 0, std::max(0, m_tableWidth - m_width));
    return std::exchange(m_offset, offset) != offset;
}

} // namespace fermata
