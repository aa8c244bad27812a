// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/lineparts.h"

#include "ui/style/icons.h"

#include <QFontMetricsF>
#include <QPainter>

#include <cmath>

namespace fermata {

namespace {

constexpr int ChevronColumn = 16;

} // namespace

void ThoughtPart::set(const QString &label, bool isOpen)
{
    if (label == m_label && isOpen == m_open)
        return;
    m_label = label;
    m_open = isOpen;
    setChanged();
}

int ThoughtPart::estimatedHeight(const TranscriptStyle &style, int) const
{
    return style.scaled(transcript::ThoughtRow);
}

int ThoughtPart::doLayout(const TranscriptStyle &style, int width)
{
    m_labelWidth = QFontMetricsF(style.control).horizontalAdvance(m_label);
    return estimatedHeight(style, width);
}

void ThoughtPart::paint(QPainter *painter, const PartPaint &paint) const
{
    const TranscriptStyle &style = paint.style;
    const bool hovered = targets().front().contains(paint.hover);
    const QColor color = hovered ? style.theme.text : style.theme.text2;
    const qreal middle = paint.rect.center().y();
    paintIcon(painter, m_open ? Icon::ChevronDown : Icon::ChevronRight,
              QRectF(paint.rect.left() - 4, middle - 8, 16, 16), color);
    painter->setFont(style.control);
    painter->setPen(color);
    painter->drawText(paint.rect.adjusted(ChevronColumn, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                      m_label);
    paintFocus(painter, paint);
}

std::vector<PartTarget> ThoughtPart::targets() const
{
    return {{PartTarget::Kind::Fold,
             0,
             m_label,
             {QRectF(-4, 0, ChevronColumn + 8 + m_labelWidth, height())}}};
}

int SeamPart::estimatedHeight(const TranscriptStyle &style, int) const
{
    return int(style.controlPitch);
}

int SeamPart::doLayout(const TranscriptStyle &style, int width)
{
    return estimatedHeight(style, width);
}

void SeamPart::paint(QPainter *painter, const PartPaint &paint) const
{
    const TranscriptStyle &style = paint.style;
    const qreal text = QFontMetricsF(style.small).horizontalAdvance(m_label);
    const qreal line = metrics::hairline(style.pixelRatio);
    const qreal y = std::round(paint.rect.center().y());
    const qreal half = (paint.rect.width() - text) / 2 - metrics::Space12;
    painter->fillRect(QRectF(paint.rect.left(), y, half, line), style.theme.line);
    painter->fillRect(QRectF(paint.rect.right() - half, y, half, line), style.theme.line);
    painter->setFont(style.small);
    painter->setPen(style.theme.text2);
    painter->drawText(paint.rect, Qt::AlignCenter, m_label);
}

int PlacePart::gapAbove(const Part *previous) const
{
    return previous ? transcript::CardGap : 0;
}

void PlacePart::setPlaceHeight(int height)
{
    if (m_placeHeight == height)
        return;
    m_placeHeight = height;
    setChanged();
}

} // namespace fermata
