// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/stylepainter.h"

#include "ui/style/icons.h"
#include "ui/style/metrics.h"

#include <QPainter>
#include <QStyleOption>

namespace fermata::stylepainter {

namespace {

qreal ratioOf(const QPainter *painter)
{
    return painter->device() ? painter->device()->devicePixelRatioF() : 1.0;
}

QRectF squareIn(const QRectF &area, qreal size)
{
    return {area.center().x() - size / 2, area.center().y() - size / 2, size, size};
}

struct ButtonColors
{
    QColor fill;
    QColor border;
    QColor text;
};

ButtonColors colorsOf(ButtonKind kind, QStyle::State state, const Theme &t)
{
    const bool hover = state & QStyle::State_MouseOver;
    const bool down = state & (QStyle::State_Sunken | QStyle::State_On);
    const auto pick = [hover, down](const QColor &rest, const QColor &over, const QColor &held) {
        return down ? held : hover ? over : rest;
    };
    const bool flat = kind == ButtonKind::Flat || kind == ButtonKind::Quiet;
    if (!(state & QStyle::State_Enabled))
        return {QColor(), flat ? QColor() : t.line, t.disabled};
    switch (kind) {
    case ButtonKind::Main:
        return {pick(t.accent, t.accentHover, t.accentPressed), QColor(), t.onAccent};
    case ButtonKind::Stop:
        return {pick(t.button, t.redHover, t.redPressed), t.redBorder, t.red};
    case ButtonKind::SafeDefault:
        return {pick(t.button, t.buttonHover, t.buttonPressed), t.accent, t.accentText};
    case ButtonKind::Flat:
        return {pick(QColor(), t.hover, t.pressed), QColor(), t.text};
    case ButtonKind::Quiet:
        return {pick(QColor(), t.hover, t.pressed), QColor(), t.accentText};
    case ButtonKind::Normal:
        break;
    }
    return {pick(t.button, t.buttonHover, t.buttonPressed), t.buttonBorder, t.text};
}

} // namespace

void paintFrame(QPainter *painter, const QRectF &rect, qreal radius, const QColor &fill,
                const QColor &border)
{
    const qreal ratio = ratioOf(painter);
    const qreal width = border.isValid() ? metrics::hairline(ratio) : 0;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(border.isValid() ? QPen(border, width) : QPen(Qt::NoPen));
    painter->setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
    const qreal inner = radius - width / 2;
    painter->drawRoundedRect(metrics::snapped(rect, ratio, width), inner, inner);
    painter->restore();
}

void paintRing(QPainter *painter, const QRectF &rect, qreal radius, const QColor &color)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(color, metrics::FocusRing));
    painter->setBrush(Qt::NoBrush);
    const qreal inner = radius - metrics::FocusRing / 2.0;
    painter->drawRoundedRect(metrics::snapped(rect, ratioOf(painter), metrics::FocusRing), inner,
                             inner);
    painter->restore();
}

void paintButtonPanel(QPainter *painter, const QStyleOption &option, ButtonKind kind,
                      const Theme &theme)
{
    const ButtonColors colors = colorsOf(kind, option.state, theme);
    paintFrame(painter, option.rect, metrics::RadiusField, colors.fill, colors.border);
}

void paintButtonLabel(QPainter *painter, const QStyleOptionButton &option, ButtonKind kind,
                      const Theme &theme)
{
    const QColor color = colorsOf(kind, option.state, theme).text;
    const QFontMetricsF font(painter->font());
    const qreal textWidth = font.size(Qt::TextShowMnemonic, option.text).width();
    const Icon which = iconOf(option.icon);
    const qreal iconWidth = which == Icon::None ? 0 : option.iconSize.width();
    const qreal gap = iconWidth > 0 && !option.text.isEmpty() ? IconGap : 0;
    const qreal width = iconWidth + gap + textWidth;
    const QRectF area = option.rect;
    const qreal left = std::max(area.left() + metrics::Space4, area.center().x() - width / 2);
    if (iconWidth > 0) {
        const QRect box(qRound(left), qRound(area.center().y() - option.iconSize.height() / 2.0),
                        option.iconSize.width(), option.iconSize.height());
        paintIcon(painter, which, QStyle::visualRect(option.direction, option.rect, box), color);
    }
    const QRect textBox(qRound(left + iconWidth + gap), option.rect.top(),
                        qCeil(std::min(textWidth, area.right() - left - iconWidth - gap)) + 1,
                        option.rect.height());
    painter->setPen(color);
    painter->drawText(QStyle::visualRect(option.direction, option.rect, textBox),
                      Qt::AlignCenter | Qt::TextHideMnemonic, option.text);
}

void paintToolButton(QPainter *painter, const QStyleOptionToolButton &option, const Theme &theme)
{
    const ButtonColors colors = colorsOf(ButtonKind::Flat, option.state, theme);
    paintFrame(painter, option.rect, metrics::RadiusField, colors.fill, {});
    const bool enabled = option.state & QStyle::State_Enabled;
    const QColor color = enabled ? theme.text2 : theme.disabled;
    const Icon which = iconOf(option.icon);
    const bool withText =
        !option.text.isEmpty() && option.toolButtonStyle != Qt::ToolButtonIconOnly;
    if (!withText) {
        const QRectF box = squareIn(QRectF(option.rect), metrics::IconSize);
        if (which != Icon::None)
            paintIcon(painter, which, box, color);
        else // as in the dialogs of Qt
            option.icon.paint(painter, box.toRect(), Qt::AlignCenter,
                              enabled ? QIcon::Normal : QIcon::Disabled);
        return;
    }
    const QRect rect = option.rect;
    int left = rect.left() + metrics::Space8;
    int right = rect.right() + 1 - metrics::Space8;
    const auto visual = [&](const QRect &r) {
        return QStyle::visualRect(option.direction, rect, r);
    };
    if (which != Icon::None) {
        const QRect box(left, rect.center().y() - metrics::IconSize / 2 + 1, metrics::IconSize,
                        metrics::IconSize);
        paintIcon(painter, which, visual(box), color);
        left += metrics::IconSize + metrics::Space8;
    }
    if (option.features & QStyleOptionToolButton::HasMenu) {
        right -= metrics::SmallIconSize;
        const QRect box(right, rect.top(), metrics::SmallIconSize, rect.height());
        paintIcon(painter, Icon::ChevronDown, squareIn(visual(box), metrics::SmallIconSize), color);
        right -= metrics::Space8;
    }
    painter->setFont(option.font);
    painter->setPen(color);
    const QString text = option.fontMetrics.elidedText(option.text, Qt::ElideRight, right - left);
    painter->drawText(
        visual(QRect(left, rect.top(), right - left, rect.height())),
        int(QStyle::visualAlignment(option.direction, Qt::AlignLeft) | Qt::AlignVCenter), text);
}

void paintFieldFrame(QPainter *painter, const QRectF &rect, bool enabled, FieldState state,
                     const Theme &theme)
{
    const QColor border = !enabled     ? theme.line
        : state == FieldState::Invalid ? theme.red
                                       : theme.lineStrong;
    paintFrame(painter, rect, metrics::RadiusField, enabled ? theme.base : theme.window, border);
}

void paintCheckIndicator(QPainter *painter, const QStyleOption &option, const Theme &theme)
{
    const bool enabled = option.state & QStyle::State_Enabled;
    const bool checked = option.state & QStyle::State_On;
    const bool hover = option.state & QStyle::State_MouseOver;
    if (!checked) {
        paintFrame(painter, option.rect, metrics::RadiusSmall,
                   !enabled    ? QColor()
                       : hover ? theme.buttonHover
                               : theme.base,
                   enabled ? theme.lineStrong : theme.line);
        return;
    }
    paintFrame(painter, option.rect, metrics::RadiusSmall,
               !enabled    ? QColor()
                   : hover ? theme.accentHover
                           : theme.accent,
               enabled ? QColor() : theme.line);
    paintIcon(painter, Icon::Check, squareIn(QRectF(option.rect), metrics::SmallIconSize),
              enabled ? theme.onAccent : theme.disabled);
}

void paintSpinButtons(QPainter *painter, const QRect &area, const QStyleOptionSpinBox &option,
                      const Theme &theme)
{
    const bool rightToLeft = option.direction == Qt::RightToLeft;
    const qreal ratio = ratioOf(painter);
    const qreal line = metrics::hairline(ratio);
    painter->fillRect(QRectF(rightToLeft ? area.right() + 1 - line : area.left(), area.top() + 1,
                             line, area.height() - 2),
                      theme.line);
    const QRectF upper(area.left(), area.top(), area.width(), area.height() / 2.0);
    const QRectF lower(area.left(), upper.bottom(), area.width(), upper.height());
    const auto colorOf = [&](QAbstractSpinBox::StepEnabledFlag step, QStyle::SubControl control) {
        if (!(option.state & QStyle::State_Enabled) || !(option.stepEnabled & step))
            return theme.disabled;
        return option.activeSubControls & control ? theme.text : theme.text2;
    };
    paintIcon(painter, Icon::ChevronUp, squareIn(upper, 12).translated(0.5, 1),
              colorOf(QAbstractSpinBox::StepUpEnabled, QStyle::SC_SpinBoxUp));
    paintIcon(painter, Icon::ChevronDown, squareIn(lower, 12).translated(0.5, -1),
              colorOf(QAbstractSpinBox::StepDownEnabled, QStyle::SC_SpinBoxDown));
}

void paintComboArrow(QPainter *painter, const QRect &area, bool enabled, const Theme &theme)
{
    paintIcon(painter, Icon::ChevronDown, squareIn(QRectF(area), metrics::SmallIconSize),
              enabled ? theme.text2 : theme.disabled);
}

void paintScrollHandle(QPainter *painter, const QRect &handle, const QStyleOptionSlider &option,
                       const Theme &theme)
{
    constexpr int Width = 6;
    constexpr int Edge = 3;
    QRect bar = handle;
    if (option.orientation == Qt::Horizontal) {
        bar.setTop(handle.bottom() + 1 - Edge - Width);
        bar.setHeight(Width);
    } else if (option.direction == Qt::RightToLeft) {
        bar.setLeft(handle.left() + Edge);
        bar.setWidth(Width);
    } else {
        bar.setLeft(handle.right() + 1 - Edge - Width);
        bar.setWidth(Width);
    }
    const bool active = option.state & (QStyle::State_MouseOver | QStyle::State_Sunken);
    paintFrame(painter, bar, Width / 2.0, active ? theme.text2 : theme.lineStrong, {});
}

void paintMenuItem(QPainter *painter, const QStyleOptionMenuItem &option, const Theme &theme)
{
    const QRect rect = option.rect;
    if (option.menuItemType == QStyleOptionMenuItem::Separator) {
        const qreal line = metrics::hairline(ratioOf(painter));
        painter->fillRect(QRectF(rect.left(), rect.center().y(), rect.width(), line), theme.line);
        return;
    }
    const bool enabled = option.state & QStyle::State_Enabled;
    if (enabled && option.state & QStyle::State_Selected)
        paintFrame(painter, rect, metrics::RadiusField, theme.hover, {});
    const auto visual = [&](const QRect &r) {
        return QStyle::visualRect(option.direction, rect, r);
    };
    const QColor textColor = enabled ? theme.text : theme.disabled;
    const QRect iconBox(rect.left() + metrics::Space8,
                        rect.center().y() + 1 - metrics::IconSize / 2, metrics::IconSize,
                        metrics::IconSize);
    if (option.checked)
        paintIcon(painter, Icon::Check, visual(iconBox), textColor);
    else
        paintIcon(painter, iconOf(option.icon), visual(iconBox),
                  enabled ? theme.text2 : theme.disabled);
    const int left = iconBox.right() + 1 + metrics::Space8;
    const QRect textBox(left, rect.top(), rect.right() - metrics::Space12 - left, rect.height());
    const auto align = QStyle::visualAlignment(option.direction, Qt::AlignLeft | Qt::AlignVCenter);
    const auto opposite =
        QStyle::visualAlignment(option.direction, Qt::AlignRight | Qt::AlignVCenter);
    const qsizetype tab = option.text.indexOf(u'\t');
    painter->setFont(option.font);
    painter->setPen(textColor);
    painter->drawText(visual(textBox), int(align) | Qt::TextHideMnemonic | Qt::TextSingleLine,
                      tab < 0 ? option.text : option.text.left(tab));
    if (tab >= 0) {
        painter->setPen(enabled ? theme.text2 : theme.disabled);
        painter->drawText(visual(textBox), int(opposite) | Qt::TextSingleLine,
                          option.text.mid(tab + 1));
    }
    if (option.menuItemType == QStyleOptionMenuItem::SubMenu) {
        const QRect box(rect.right() - metrics::IconSize, rect.top(), metrics::IconSize,
                        rect.height());
        paintIcon(painter, Icon::ChevronRight, squareIn(visual(box), metrics::SmallIconSize),
                  textColor);
    }
}

} // namespace fermata::stylepainter
