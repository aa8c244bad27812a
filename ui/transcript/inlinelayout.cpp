// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/inlinelayout.h"

#include "ui/transcript/transcriptstyle.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace fermata {

namespace {

constexpr qreal CodePadding = 5;

QTextCharFormat formatOf(const MarkdownRun &run, const InlineLook &look,
                         const TranscriptStyle &style)
{
    QTextCharFormat format;
    if (run.flags & MarkdownRun::Code) {
        QFont code = style.code;
        code.setBold(look.font.bold() || (run.flags & MarkdownRun::Bold));
        if (run.flags & MarkdownRun::Pad) {
            code.setLetterSpacing(QFont::AbsoluteSpacing, CodePadding - style.codeCharacter);
        }
        format.setFont(code);
    } else {
        if (run.flags & MarkdownRun::Bold)
            format.setFontWeight(QFont::Bold);
        if (run.flags & MarkdownRun::Italic)
            format.setFontItalic(true);
    }
    if (run.flags & MarkdownRun::Strike)
        format.setFontStrikeOut(true);
    if (run.flags & MarkdownRun::Chip) {
        format.setForeground(style.theme.text2);
    } else if ((run.flags & MarkdownRun::Link) && !(run.flags & MarkdownRun::Pad)) {
        format.setForeground(style.theme.accentText);
        format.setFontUnderline(true);
    }
    return format;
}

} // namespace

InlineLayout::InlineLayout(const MarkdownText &text, const InlineLook &look,
                           const TranscriptStyle &style, qreal width)
    : m_layout(std::make_unique<QTextLayout>(text.text, look.font))
{
    // The first strong character says where a text begins, and so its lines do.
    QTextOption option(look.alignment == Qt::AlignLeft && text.text.isRightToLeft()
                           ? Qt::AlignRight
                           : look.alignment);
    option.setTextDirection(Qt::LayoutDirectionAuto);
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    option.setTabStopDistance(4 * style.codeCharacter);
    m_layout->setTextOption(option);
    m_layout->setCacheEnabled(true);

    QList<QTextLayout::FormatRange> formats;
    formats.reserve(qsizetype(text.runs.size()) + 1);
    // A look of its own for all that no run covers: what a run leaves open comes from here, too.
    QTextCharFormat plain;
    plain.setForeground(look.color);
    int at = 0;
    for (const MarkdownRun &run : text.runs) {
        if (run.start > at)
            formats.append({at, run.start - at, plain});
        QTextCharFormat format = formatOf(run, look, style);
        if (!format.hasProperty(QTextFormat::ForegroundBrush))
            format.setForeground(look.color);
        formats.append({run.start, run.length, format});
        at = run.start + run.length;
        if (run.flags & (MarkdownRun::Code | MarkdownRun::Chip)) {
            if (!m_boxes.empty() && m_boxes.back().start + m_boxes.back().length == run.start
                && !(m_boxes.back().flags & run.flags & MarkdownRun::Pad))
                m_boxes.back().length += run.length;
            else
                m_boxes.push_back(run);
            m_boxes.back().flags = run.flags;
        }
        if (run.flags & MarkdownRun::Link)
            m_linkRuns.push_back(run);
    }
    if (at < text.text.size())
        formats.append({at, int(text.text.size()) - at, plain});
    m_layout->setFormats(formats);

    m_layout->beginLayout();
    for (QTextLine line = m_layout->createLine(); line.isValid(); line = m_layout->createLine()) {
        line.setLineWidth(width);
        const qreal height = std::max(look.pitch, std::ceil(line.height()));
        line.setPosition(QPointF(0, m_height + (height - line.height()) / 2));
        m_height += height;
        m_naturalWidth = std::max(m_naturalWidth, line.naturalTextWidth());
    }
    m_layout->endLayout();
    if (m_height <= 0)
        m_height = look.pitch;
}

InlineLayout::~InlineLayout() = default;
InlineLayout::InlineLayout(InlineLayout &&) noexcept = default;
InlineLayout &InlineLayout::operator=(InlineLayout &&) noexcept = default;

int InlineLayout::firstLineMiddle() const
{
    if (m_layout->lineCount() == 0)
        return qRound(m_height / 2);
    const QTextLine line = m_layout->lineAt(0);
    const QFontMetricsF metrics(m_layout->font());
    return qRound(line.y() + line.ascent() - metrics.xHeight() / 2);
}

QRectF InlineLayout::lineRect(int position) const
{
    const QTextLine line =
        m_layout->lineForTextPosition(std::clamp(position, 0, int(m_layout->text().size())));
    return line.isValid() ? QRectF(line.x(), line.y(), line.width(), line.height())
                          : QRectF(0, 0, 0, m_height);
}

qreal InlineLayout::cursorX(int position) const
{
    const QTextLine line = m_layout->lineForTextPosition(position);
    return line.isValid() ? line.cursorToX(position) : 0;
}

std::vector<QRectF> InlineLayout::runRects(const MarkdownRun &run) const
{
    std::vector<QRectF> rects;
    const int end = run.start + run.length;
    for (int i = 0; i < m_layout->lineCount(); ++i) {
        const QTextLine line = m_layout->lineAt(i);
        const int from = std::max(run.start, line.textStart());
        const int to = std::min(end, line.textStart() + line.textLength());
        if (from >= to)
            continue;
        const qreal a = line.cursorToX(from);
        const qreal b = line.cursorToX(to);
        rects.emplace_back(std::min(a, b), line.y(), std::abs(b - a), line.height());
    }
    return rects;
}

void InlineLayout::paint(QPainter *painter, QPointF origin, const QRectF &clip,
                         const TranscriptStyle &style, int selectedFrom, int selectedTo) const
{
    for (const MarkdownRun &box : m_boxes) {
        for (const QRectF &rect : runRects(box)) {
            const QRectF ground = rect.translated(origin).adjusted(0, 0.5, 0, -0.5);
            if (!ground.intersects(clip))
                continue;
            const qreal line = metrics::hairline(style.pixelRatio);
            painter->setPen(QPen(style.theme.line, line));
            painter->setBrush(style.theme.well);
            painter->drawRoundedRect(metrics::snapped(ground, style.pixelRatio),
                                     metrics::RadiusSmall, metrics::RadiusSmall);
        }
    }
    QList<QTextLayout::FormatRange> selections;
    if (selectedTo > selectedFrom) {
        QTextCharFormat selected;
        selected.setBackground(style.theme.accent);
        selected.setForeground(style.theme.onAccent);
        selections.append({selectedFrom, selectedTo - selectedFrom, selected});
    }
    m_layout->draw(painter, origin, selections, clip);
}

int InlineLayout::positionAt(QPointF point) const
{
    const int lines = m_layout->lineCount();
    if (lines == 0)
        return 0;
    int low = 0;
    int high = lines - 1;
    while (low < high) { // the last line that begins above the point
        const int middle = (low + high + 1) / 2;
        if (m_layout->lineAt(middle).y() <= point.y())
            low = middle;
        else
            high = middle - 1;
    }
    return m_layout->lineAt(low).xToCursor(point.x());
}

int InlineLayout::linkAt(QPointF point) const
{
    for (const MarkdownRun &run : m_linkRuns) {
        for (const QRectF &rect : runRects(run)) {
            if (rect.contains(point))
                return run.link;
        }
    }
    return -1;
}

std::vector<QRectF> InlineLayout::linkRects(int link) const
{
    std::vector<QRectF> rects;
    for (const MarkdownRun &run : m_linkRuns) {
        if (run.link == link) {
            const std::vector<QRectF> more = runRects(run);
            rects.insert(rects.end(), more.begin(), more.end());
        }
    }
    return rects;
}

} // namespace fermata
