// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/part.h"

#include <QPainter>

#include <algorithm>

namespace fermata {

bool PartTarget::contains(QPointF point) const
{
    return std::any_of(rects.begin(), rects.end(),
                       [point](const QRectF &rect) { return rect.contains(point); });
}

Part::~Part() = default;

void Part::layOut(const TranscriptStyle &style, int width)
{
    if (m_laidOut)
        return;
    m_height = doLayout(style, width);
    m_laidOut = m_exact = true;
}

void Part::paintFocus(QPainter *painter, const PartPaint &paint, QPointF inset) const
{
    if (paint.focusedTarget < 0)
        return;
    const std::vector<PartTarget> all = targets();
    if (size_t(paint.focusedTarget) >= all.size())
        return;
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(paint.style.theme.ring, metrics::FocusRing));
    for (const QRectF &rect : all[size_t(paint.focusedTarget)].rects) {
        const QRectF ring = rect.translated(paint.rect.topLeft() - inset);
        // A row as wide as the part has its ring inside.
        const bool isRow = rect.width() > paint.rect.width() / 2;
        painter->drawRoundedRect(isRow ? ring.adjusted(3, 3, -3, -3) : ring.adjusted(-2, 0, 2, 0),
                                 metrics::RadiusField, metrics::RadiusField);
    }
}

void Part::release()
{
    if (!m_laidOut)
        return;
    doRelease();
    m_laidOut = false;
}

void Part::invalidate(const TranscriptStyle &style, int width)
{
    release();
    m_exact = false;
    m_height = estimatedHeight(style, width);
}

void Part::setKnownHeight(int height)
{
    m_height = height;
    m_exact = true;
}

int Part::gapAbove(const Part *previous) const
{
    return previous ? transcript::ParagraphGap : 0;
}

QString Part::plainText(int, int) const
{
    return {};
}

std::pair<qsizetype, qsizetype> Part::sourceRange(int, int) const
{
    return {-1, -1};
}

int Part::positionAt(QPointF) const
{
    return 0;
}

} // namespace fermata
