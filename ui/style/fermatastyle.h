// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/style/theme.h"

#include <QProxyStyle>

#include <memory>

class QPushButton;

namespace fermata {

class FocusRing;

// What a push button looks like. Normal is the default; Main is the one filled button of its place.
// Quiet is a flat word in the colour of links.
enum class ButtonKind { Normal, Main, Stop, SafeDefault, Flat, Quiet };
// Small buttons are 28 high, with small text and icon.
enum class ButtonSize { Normal, Small };
void setButtonKind(QPushButton *button, ButtonKind kind, ButtonSize size = ButtonSize::Normal);
ButtonKind buttonKindOf(const QWidget *button);
ButtonSize buttonSizeOf(const QWidget *button);

// Invalid: the value is not taken; red border.
enum class FieldState { Valid, Invalid };
void setFieldState(QWidget *field, FieldState state);
FieldState fieldStateOf(const QWidget *field);

// The theme that `widget` is painted with: that of its FermataStyle. Ask again after QEvent::PaletteChange.
const Theme &themeOf(const QWidget *widget);

// The look of all widgets: Fusion, with button panel, field frame, check box, focus ring, scroll bar, combo box, spin
// box, menu and tooltip drawn from a Theme. Focus rings are shown for the keyboard only; those outside a control are
// drawn by a frame over its parent, so a control keeps at least 4 px from the edge of its parent.
class FermataStyle final : public QProxyStyle
{
    Q_OBJECT

public:
    explicit FermataStyle(const Theme &theme);
    ~FermataStyle() override;

    const Theme &theme() const { return m_theme; }
    // Also sets the application's palette, which tells all widgets.
    void setTheme(const Theme &theme);
    // Then SH_Widget_Animation_Duration is 0, by which everything that moves asks.
    void setReducedMotion(bool reduced) { m_reducedMotion = reduced; }

    using QProxyStyle::polish;
    using QProxyStyle::unpolish;
    void polish(QPalette &palette) override;
    void polish(QWidget *widget) override;
    void unpolish(QWidget *widget) override;
    int pixelMetric(PixelMetric metric, const QStyleOption *option,
                    const QWidget *widget) const override;
    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                  QStyleHintReturn *returnData) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                           const QWidget *widget) const override;
    QRect subElementRect(SubElement element, const QStyleOption *option,
                         const QWidget *widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex *option,
                         SubControl subControl, const QWidget *widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
    void drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                     const QWidget *widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option,
                            QPainter *painter, const QWidget *widget) const override;

private:
    Theme m_theme;
    std::unique_ptr<FocusRing> m_ring;
    bool m_reducedMotion = false;
};

} // namespace fermata
