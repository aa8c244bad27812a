// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/style/fermatastyle.h"

#include <QRectF>

class QPainter;
class QStyleOption;
class QStyleOptionButton;
class QStyleOptionComboBox;
class QStyleOptionMenuItem;
class QStyleOptionSlider;
class QStyleOptionSpinBox;
class QStyleOptionToolButton;

// How the parts of the style are painted. Functions on values; the style decides when.
namespace fermata::stylepainter {

// A rounded rectangle with a hairline border, on whole device pixels. An invalid colour leaves its part out.
void paintFrame(QPainter *painter, const QRectF &rect, qreal radius, const QColor &fill,
                const QColor &border);
// The ring, `rect` being the outside of it.
void paintRing(QPainter *painter, const QRectF &rect, qreal radius, const QColor &color);

void paintButtonPanel(QPainter *painter, const QStyleOption &option, ButtonKind kind,
                      const Theme &theme);
void paintButtonLabel(QPainter *painter, const QStyleOptionButton &option, ButtonKind kind,
                      const Theme &theme);
void paintToolButton(QPainter *painter, const QStyleOptionToolButton &option, const Theme &theme);
void paintFieldFrame(QPainter *painter, const QRectF &rect, bool enabled, FieldState state,
                     const Theme &theme);
void paintCheckIndicator(QPainter *painter, const QStyleOption &option, const Theme &theme);
void paintSpinButtons(QPainter *painter, const QRect &area, const QStyleOptionSpinBox &option,
                      const Theme &theme);
void paintComboArrow(QPainter *painter, const QRect &area, bool enabled, const Theme &theme);
void paintScrollHandle(QPainter *painter, const QRect &handle, const QStyleOptionSlider &option,
                       const Theme &theme);
void paintMenuItem(QPainter *painter, const QStyleOptionMenuItem &option, const Theme &theme);

// The gap between the icon and the text of a button.
constexpr int IconGap = 6;

} // namespace fermata::stylepainter
