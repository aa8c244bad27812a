// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/textpart.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace fermata {

namespace {

constexpr int RuleHeight = 9;

QString shown(QString text)
{
    text.replace(QChar::LineSeparator, u'\n');
    return text;
}

} // namespace

int TextPart::estimatedHeight(const TranscriptStyle &style, int width) const
{
    if (block().kind == MarkdownBlock::Kind::Rule)
        return RuleHeight;
    const qreal perLine = std::max(1.0, (width - indent()) / style.readingCharacter);
    const qreal lines = std::ceil(std::max(1.0, block().text.text.size() / perLine));
    return int(lines * style.readingPitch);
}

int TextPart::doLayout(const TranscriptStyle &style, int width)
{
    if (block().kind == MarkdownBlock::Kind::Rule)
        return RuleHeight;
    InlineLook look{style.reading, style.theme.text, style.readingPitch};
    if (block().kind == MarkdownBlock::Kind::Heading) {
        look.font = style.heading(block().heading);
        look.pitch = metrics::linePitch(look.font, metrics::Pitch::Reading);
    }
    m_layout.emplace(block().text, look, style, std::max(40, width - indent()));
    return int(std::ceil(m_layout->height()));
}

void TextPart::paintContent(QPainter *painter, const PartPaint &paint) const
{
    const TranscriptStyle &style = paint.style;
    if (block().kind == MarkdownBlock::Kind::Rule) {
        const qreal line = metrics::hairline(style.pixelRatio);
        painter->fillRect(QRectF(paint.rect.left(), std::round(paint.rect.center().y()),
                                 paint.rect.width(), line),
                          style.theme.line);
        return;
    }
    if (!m_layout)
        return;
    m_layout->paint(painter, paint.rect.topLeft(), paint.clip, style, paint.selectedFrom,
                    paint.selectedTo);
    paintFocus(painter, paint, QPointF(contentLeft(), 0));
}

int TextPart::markerMiddle(const TranscriptStyle &style) const
{
    return m_layout ? m_layout->firstLineMiddle() : BlockPart::markerMiddle(style);
}

qsizetype TextPart::sourceOf(int position) const
{
    return block().text.sources.empty() ? -1 : block().text.sourceOf(position);
}

QString TextPart::plainText(int from, int to) const
{
    return shown(block().text.plain(from, to));
}

int TextPart::positionAt(QPointF point) const
{
    return m_layout ? m_layout->positionAt(point - QPointF(contentLeft(), 0)) : 0;
}

std::vector<PartTarget> TextPart::targets() const
{
    std::vector<PartTarget> targets;
    if (!m_layout)
        return targets;
    for (int i = 0; i < block().text.links.size(); ++i) {
        PartTarget target{PartTarget::Kind::Link, i, linkLabel(i), m_layout->linkRects(i)};
        for (QRectF &rect : target.rects)
            rect.translate(contentLeft(), 0);
        if (!target.rects.empty())
            targets.push_back(std::move(target));
    }
    return targets;
}

QString TextPart::linkAddress(int index) const
{
    return block().text.links.value(index);
}

QString TextPart::linkLabel(int index) const
{
    QString label;
    for (const MarkdownRun &run : block().text.runs) {
        if ((run.flags & MarkdownRun::Link) && run.link == index)
            label += block().text.plain(run.start, run.start + run.length);
    }
    return label;
}

QRectF TextPart::endCaret() const
{
    if (!m_layout)
        return {};
    const QRectF line = m_layout->lineRect(length());
    return QRectF(contentLeft() + m_layout->cursorX(length()) + 1, line.top() + 1, 2,
                  line.height() - 2);
}

} // namespace fermata
