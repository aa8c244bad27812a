// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/fermatastyle.h"

#include "ui/style/focusring.h"
#include "ui/style/icons.h"
#include "ui/style/metrics.h"
#include "ui/style/stylepainter.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QStyleFactory>
#include <QStyleOption>
#include <QVariant>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr char KindProperty[] = "fermataButtonKind";
constexpr char SizeProperty[] = "fermataButtonSize";
constexpr char StateProperty[] = "fermataFieldState";

constexpr int FieldPadding = 12;
constexpr int SpinButtonsWidth = 25;
constexpr int ComboArrowWidth = 34;

bool showsRing(const QWidget *widget)
{
    return qobject_cast<const QAbstractButton *>(widget) || qobject_cast<const QComboBox *>(widget)
        || qobject_cast<const QLineEdit *>(widget)
        || qobject_cast<const QAbstractSpinBox *>(widget);
}

int atLeast(int height, const QFontMetrics &font, int air)
{
    return std::max(height, font.height() + air);
}

} // namespace

void setButtonKind(QPushButton *button, ButtonKind kind, ButtonSize size)
{
    button->setProperty(KindProperty, int(kind));
    button->setProperty(SizeProperty, int(size));
    const bool isSmall = size == ButtonSize::Small;
    button->setFont(metrics::font(isSmall ? metrics::FontStep::Small : metrics::FontStep::Control));
    const int side = isSmall ? metrics::SmallIconSize : metrics::IconSize;
    button->setIconSize(QSize(side, side));
    button->update();
}

ButtonKind buttonKindOf(const QWidget *button)
{
    return button ? ButtonKind(button->property(KindProperty).toInt()) : ButtonKind::Normal;
}

ButtonSize buttonSizeOf(const QWidget *button)
{
    return button ? ButtonSize(button->property(SizeProperty).toInt()) : ButtonSize::Normal;
}

void setFieldState(QWidget *field, FieldState state)
{
    field->setProperty(StateProperty, int(state));
    field->update();
}

FieldState fieldStateOf(const QWidget *field)
{
    return field ? FieldState(field->property(StateProperty).toInt()) : FieldState::Valid;
}

const Theme &themeOf(const QWidget *widget)
{
    const QStyle *style = widget ? widget->style() : QApplication::style();
    if (const auto *own = qobject_cast<const FermataStyle *>(style))
        return own->theme();
    // A widget in a program of its own, such as a test without the style.
    return QApplication::palette().color(QPalette::Base).lightness() < 128 ? darkTheme()
                                                                           : lightTheme();
}

FermataStyle::FermataStyle(const Theme &theme)
    : QProxyStyle(QStyleFactory::create(u"Fusion"_s)), m_theme(theme),
      m_ring(std::make_unique<FocusRing>())
{
}

FermataStyle::~FermataStyle() = default;

void FermataStyle::setTheme(const Theme &theme)
{
    m_theme = theme;
    QApplication::setPalette(paletteOf(theme));
}

void FermataStyle::polish(QPalette &palette)
{
    palette = paletteOf(m_theme);
}

void FermataStyle::polish(QWidget *widget)
{
    QProxyStyle::polish(widget);
    if (showsRing(widget)) {
        widget->setAttribute(Qt::WA_Hover);
        m_ring->watch(widget);
    }
}

void FermataStyle::unpolish(QWidget *widget)
{
    m_ring->unwatch(widget);
    QProxyStyle::unpolish(widget);
}

int FermataStyle::pixelMetric(PixelMetric metric, const QStyleOption *option,
                              const QWidget *widget) const
{
    switch (metric) {
    case PM_FocusFrameHMargin:
    case PM_FocusFrameVMargin:
        return metrics::FocusGap + metrics::FocusRing;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
        return metrics::IconSize;
    case PM_CheckBoxLabelSpacing:
        return metrics::Space8;
    case PM_ScrollBarExtent:
        return 12;
    case PM_ScrollBarSliderMin:
        return metrics::Space32;
    case PM_ScrollView_ScrollBarSpacing:
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
    case PM_MenuVMargin:
    case PM_MenuHMargin:
        return metric == PM_MenuVMargin || metric == PM_MenuHMargin ? metrics::Space4 : 0;
    case PM_SplitterWidth:
    case PM_MenuPanelWidth: // of the line around a menu, which is as white as what it lies on
        return 1;
    case PM_ToolTipLabelFrameWidth:
        return metrics::Space4;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int FermataStyle::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                            QStyleHintReturn *returnData) const
{
    switch (hint) {
    case SH_ToolTip_WakeUpDelay:
        return 700;
    case SH_Widget_Animation_Duration:
        return m_reducedMotion ? 0 : QProxyStyle::styleHint(hint, option, widget, returnData);
    case SH_FocusFrame_AboveWidget:
        return 1;
    case SH_ComboBox_Popup:
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
    case SH_UnderlineShortcut:
        return 0;
    default:
        return QProxyStyle::styleHint(hint, option, widget, returnData);
    }
}

QSize FermataStyle::sizeFromContents(ContentsType type, const QStyleOption *option,
                                     const QSize &size, const QWidget *widget) const
{
    switch (type) {
    case CT_PushButton:
        if (const auto *button = qstyleoption_cast<const QStyleOptionButton *>(option)) {
            const bool isSmall = buttonSizeOf(widget) == ButtonSize::Small;
            int width = button->fontMetrics.size(Qt::TextShowMnemonic, button->text).width();
            if (!button->icon.isNull())
                width += button->iconSize.width() + stylepainter::IconGap;
            width += 2 * ((isSmall ? 10 : metrics::Space12) + 1);
            return {width,
                    isSmall ? atLeast(metrics::SmallButtonHeight, option->fontMetrics, 8)
                            : atLeast(metrics::ButtonHeight, option->fontMetrics, 12)};
        }
        break;
    case CT_ToolButton:
        if (const auto *button = qstyleoption_cast<const QStyleOptionToolButton *>(option)) {
            const int height = atLeast(metrics::ButtonHeight, option->fontMetrics, 12);
            if (button->toolButtonStyle == Qt::ToolButtonIconOnly || button->text.isEmpty())
                return {metrics::ButtonHeight, metrics::ButtonHeight};
            // A pixel more than the text: at its exact width it may be elided.
            int width =
                button->fontMetrics.horizontalAdvance(button->text) + 1 + 2 * metrics::Space8;
            if (!button->icon.isNull())
                width += metrics::IconSize + metrics::Space8;
            if (button->features & QStyleOptionToolButton::HasMenu)
                width += metrics::SmallIconSize + metrics::Space8;
            return {width, height};
        }
        break;
    case CT_LineEdit:
        return {size.width() + 2 * FieldPadding,
                atLeast(metrics::ButtonHeight, option->fontMetrics, 12)};
    case CT_SpinBox:
        return {size.width() + FieldPadding + SpinButtonsWidth,
                atLeast(metrics::ButtonHeight, option->fontMetrics, 12)};
    case CT_ComboBox:
        return {size.width() + FieldPadding + ComboArrowWidth + 2,
                atLeast(metrics::ButtonHeight, option->fontMetrics, 12)};
    case CT_MenuItem:
        if (const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option)) {
            if (item->menuItemType == QStyleOptionMenuItem::Separator)
                return {size.width(), 2 * metrics::Space4 + 1};
            const int shortcut = item->text.contains(u'\t') ? item->reservedShortcutWidth : 0;
            const QString text = item->text.section(u'\t', 0, 0);
            const int width = item->fontMetrics.size(Qt::TextShowMnemonic, text).width();
            return {width + shortcut + metrics::Space8 + metrics::IconSize + metrics::Space8
                        + metrics::Space24 + metrics::Space12,
                    atLeast(metrics::RowHeight, option->fontMetrics, 12)};
        }
        break;
    case CT_ItemViewItem: {
        const QSize base = QProxyStyle::sizeFromContents(type, option, size, widget);
        return {base.width(), std::max(base.height(), metrics::SmallButtonHeight)};
    }
    default:
        break;
    }
    return QProxyStyle::sizeFromContents(type, option, size, widget);
}

QRect FermataStyle::subElementRect(SubElement element, const QStyleOption *option,
                                   const QWidget *widget) const
{
    if (element == SE_CheckBoxIndicator) {
        const int side = metrics::IconSize;
        const QRect box(option->rect.left(),
                        option->rect.top() + (option->rect.height() - side + 1) / 2, side, side);
        return visualRect(option->direction, option->rect, box);
    }
    if (element == SE_LineEditContents) {
        // Fields in a spin box or combo box have their place already.
        const auto *frame = qstyleoption_cast<const QStyleOptionFrame *>(option);
        if (frame && frame->lineWidth > 0)
            return option->rect.adjusted(FieldPadding - 1, 1, 1 - FieldPadding, -1);
        return option->rect;
    }
    return QProxyStyle::subElementRect(element, option, widget);
}

QRect FermataStyle::subControlRect(ComplexControl control, const QStyleOptionComplex *option,
                                   SubControl subControl, const QWidget *widget) const
{
    const QRect rect = option->rect;
    if (control == CC_SpinBox) {
        const QRect buttons(rect.right() + 1 - SpinButtonsWidth, rect.top() + 1,
                            SpinButtonsWidth - 1, rect.height() - 2);
        const int half = buttons.height() / 2;
        switch (subControl) {
        case SC_SpinBoxUp:
            return visualRect(option->direction, rect, buttons.adjusted(0, 0, 0, -half));
        case SC_SpinBoxDown:
            return visualRect(option->direction, rect, buttons.adjusted(0, half, 0, 0));
        case SC_SpinBoxEditField:
            return visualRect(option->direction, rect,
                              rect.adjusted(FieldPadding - 1, 1, -SpinButtonsWidth, -1));
        default:
            return rect;
        }
    }
    if (control == CC_ComboBox) {
        if (subControl == SC_ComboBoxArrow)
            return visualRect(option->direction, rect,
                              QRect(rect.right() + 1 - ComboArrowWidth, rect.top(), ComboArrowWidth,
                                    rect.height()));
        if (subControl == SC_ComboBoxEditField) {
            // A field in it has 2 px of its own.
            const auto *combo = qstyleoption_cast<const QStyleOptionComboBox *>(option);
            const int padding = combo && combo->editable ? FieldPadding - 1 : FieldPadding;
            return visualRect(option->direction, rect,
                              rect.adjusted(padding, 1, -ComboArrowWidth, -1));
        }
        return rect;
    }
    if (control == CC_ScrollBar) {
        const auto *slider = qstyleoption_cast<const QStyleOptionSlider *>(option);
        if (subControl == SC_ScrollBarAddLine || subControl == SC_ScrollBarSubLine)
            return {};
        if (slider && subControl != SC_ScrollBarGroove) {
            const bool across = slider->orientation == Qt::Horizontal;
            const int length = across ? rect.width() : rect.height();
            const qint64 range = qint64(slider->maximum) - slider->minimum;
            int handle = length;
            if (range > 0) {
                handle = int(qint64(slider->pageStep) * length / (range + slider->pageStep));
                handle = std::min(length, std::max(handle, metrics::Space32));
            }
            const int start =
                sliderPositionFromValue(slider->minimum, slider->maximum, slider->sliderPosition,
                                        length - handle, slider->upsideDown);
            const auto part = [&](int from, int to) {
                return across ? QRect(rect.left() + from, rect.top(), to - from, rect.height())
                              : QRect(rect.left(), rect.top() + from, rect.width(), to - from);
            };
            QRect result;
            if (subControl == SC_ScrollBarSlider)
                result = part(start, start + handle);
            else if (subControl == SC_ScrollBarSubPage)
                result = part(0, start);
            else if (subControl == SC_ScrollBarAddPage)
                result = part(start + handle, length);
            return across ? visualRect(option->direction, rect, result) : result;
        }
        return rect;
    }
    return QProxyStyle::subControlRect(control, option, subControl, widget);
}

void FermataStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option,
                                 QPainter *painter, const QWidget *widget) const
{
    switch (element) {
    case PE_FrameFocusRect:
        return; // FocusRing shows the focus
    case PE_PanelButtonCommand:
        stylepainter::paintButtonPanel(painter, *option, buttonKindOf(widget), m_theme);
        return;
    case PE_IndicatorCheckBox:
        stylepainter::paintCheckIndicator(painter, *option, m_theme);
        return;
    case PE_PanelLineEdit: {
        const auto *frame = qstyleoption_cast<const QStyleOptionFrame *>(option);
        if (frame && frame->lineWidth > 0)
            stylepainter::paintFieldFrame(painter, option->rect, option->state & State_Enabled,
                                          fieldStateOf(widget), m_theme);
        return;
    }
    case PE_PanelTipLabel:
        painter->fillRect(option->rect, m_theme.window);
        stylepainter::paintFrame(painter, option->rect, 0, {}, m_theme.lineStrong);
        return;
    case PE_PanelMenu: // also of the list of a combo box, which has no frame besides
        stylepainter::paintFrame(painter, option->rect, 0, m_theme.base, m_theme.buttonBorder);
        return;
    case PE_FrameMenu:
        stylepainter::paintFrame(painter, option->rect, 0, {}, m_theme.buttonBorder);
        return;
    case PE_PanelItemViewItem:
        if (option->state & State_Selected)
            painter->fillRect(option->rect, m_theme.selection);
        else if (option->state & State_MouseOver)
            painter->fillRect(option->rect, m_theme.hover);
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void FermataStyle::drawControl(ControlElement element, const QStyleOption *option,
                               QPainter *painter, const QWidget *widget) const
{
    switch (element) {
    case CE_PushButtonBevel:
        stylepainter::paintButtonPanel(painter, *option, buttonKindOf(widget), m_theme);
        return;
    case CE_PushButtonLabel:
        if (const auto *button = qstyleoption_cast<const QStyleOptionButton *>(option))
            stylepainter::paintButtonLabel(painter, *button, buttonKindOf(widget), m_theme);
        return;
    case CE_FocusFrame:
        stylepainter::paintRing(painter, option->rect,
                                metrics::RadiusField + metrics::FocusGap + metrics::FocusRing,
                                m_theme.ring);
        return;
    case CE_Splitter:
        // The handle's grip is wider than its line.
        painter->fillRect(option->rect, m_theme.line);
        return;
    case CE_MenuItem:
        if (const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option))
            stylepainter::paintMenuItem(painter, *item, m_theme);
        return;
    case CE_MenuEmptyArea:
        painter->fillRect(option->rect, m_theme.base);
        return;
    case CE_ItemViewItem:
        if (const auto *item = qstyleoption_cast<const QStyleOptionViewItem *>(option)) {
            QStyleOptionViewItem copy = *item;
            copy.palette.setColor(QPalette::HighlightedText, m_theme.text);
            QProxyStyle::drawControl(element, &copy, painter, widget);
        }
        return;
    default:
        QProxyStyle::drawControl(element, option, painter, widget);
    }
}

void FermataStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option,
                                      QPainter *painter, const QWidget *widget) const
{
    const bool enabled = option->state & State_Enabled;
    switch (control) {
    case CC_ToolButton:
        if (const auto *button = qstyleoption_cast<const QStyleOptionToolButton *>(option))
            stylepainter::paintToolButton(painter, *button, m_theme);
        return;
    case CC_SpinBox:
        if (const auto *spin = qstyleoption_cast<const QStyleOptionSpinBox *>(option)) {
            stylepainter::paintFieldFrame(painter, option->rect, enabled, fieldStateOf(widget),
                                          m_theme);
            const QRect buttons =
                subControlRect(control, option, SC_SpinBoxUp, widget)
                    .united(subControlRect(control, option, SC_SpinBoxDown, widget));
            stylepainter::paintSpinButtons(painter, buttons, *spin, m_theme);
        }
        return;
    case CC_ComboBox:
        stylepainter::paintFieldFrame(painter, option->rect, enabled, fieldStateOf(widget),
                                      m_theme);
        stylepainter::paintComboArrow(
            painter, subControlRect(control, option, SC_ComboBoxArrow, widget), enabled, m_theme);
        return;
    case CC_ScrollBar:
        if (const auto *slider = qstyleoption_cast<const QStyleOptionSlider *>(option)) {
            if (slider->maximum > slider->minimum)
                stylepainter::paintScrollHandle(
                    painter, subControlRect(control, option, SC_ScrollBarSlider, widget), *slider,
                    m_theme);
        }
        return;
    default:
        QProxyStyle::drawComplexControl(control, option, painter, widget);
    }
}

} // namespace fermata
