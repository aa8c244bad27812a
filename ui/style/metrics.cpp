// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/metrics.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace fermata::metrics {

namespace {

constexpr qreal SmallestPointSize = 6.0;

qreal pointSizeOf(const QFont &font)
{
    // A font that is set in pixels has no point size of its own.
    return font.pointSizeF() > 0 ? font.pointSizeF() : QFontInfo(font).pointSizeF();
}

qreal stepOf(FontStep step)
{
    switch (step) {
    case FontStep::Small:
        return -1;
    case FontStep::Control:
    case FontStep::ControlBold:
        return 0;
    case FontStep::Title:
    case FontStep::Reading:
    case FontStep::H3:
        return 1;
    case FontStep::H2:
        return 3;
    case FontStep::H1:
        return 5;
    case FontStep::Welcome:
        return 7;
    }
    return 0;
}

bool isBold(FontStep step)
{
    return step != FontStep::Small && step != FontStep::Control && step != FontStep::Reading;
}

} // namespace

Column columnIn(int paneWidth)
{
    const int width = std::clamp(paneWidth - 2 * ColumnMargin, 1, ColumnWidth);
    return {std::max(0, (paneWidth - width) / 2), width};
}

QMargins margins(Qt::LayoutDirection direction, int leading, int top, int trailing, int bottom)
{
    return direction == Qt::LeftToRight ? QMargins(leading, top, trailing, bottom)
                                        : QMargins(trailing, top, leading, bottom);
}

QFont font(FontStep step, qreal zoom)
{
    QFont font = QApplication::font();
    font.setPointSizeF(std::max(SmallestPointSize, pointSizeOf(font) + stepOf(step)) * zoom);
    font.setBold(isBold(step));
    return font;
}

QFont fixedFont(FixedStep step, qreal zoom)
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    const qreal size = pointSizeOf(QApplication::font()) - (step == FixedStep::Output ? 0.5 : 0.0);
    font.setPointSizeF(std::max(SmallestPointSize, size) * zoom);
    font.setStyleHint(QFont::Monospace);
    return font;
}

qreal linePitch(const QFont &font, Pitch pitch)
{
    qreal proportion = 1.1;
    if (pitch == Pitch::Code)
        proportion = 1.29;
    else if (pitch == Pitch::Output)
        proportion = 1.22;
    return std::round(QFontMetricsF(font).height() * proportion);
}

qreal steadyWidth(const QFont &font, const QString &text)
{
    QString zeros = text;
    std::replace_if(
        zeros.begin(), zeros.end(), [](QChar c) { return c.isDigit(); }, QChar(u'0'));
    return QFontMetricsF(font).horizontalAdvance(zeros);
}

qreal hairline(qreal devicePixelRatio)
{
    return std::max(1.0, std::round(devicePixelRatio)) / devicePixelRatio;
}

QRectF snapped(const QRectF &rect, qreal devicePixelRatio)
{
    return snapped(rect, devicePixelRatio, hairline(devicePixelRatio));
}

QRectF snapped(const QRectF &rect, qreal devicePixelRatio, qreal lineWidth)
{
    const auto whole = [devicePixelRatio](qreal v) {
        return std::round(v * devicePixelRatio) / devicePixelRatio;
    };
    const qreal half = lineWidth / 2;
    return QRectF(QPointF(whole(rect.left()) + half, whole(rect.top()) + half),
                  QPointF(whole(rect.right()) - half, whole(rect.bottom()) - half));
}

} // namespace fermata::metrics
