// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/part.h"

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
