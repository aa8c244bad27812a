// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sidebar/sidebarbutton.h"

#include "ui/sidebar/sidebarmetrics.h"
#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/style/stylepainter.h"

#include <QKeySequence>
#include <QPainter>

namespace fermata {

SidebarButton::SidebarButton(Icon which, const QString &text, const QKeySequence &shortcut,
                             QWidget *parent)
    : QAbstractButton(parent), m_icon(which), m_keys(shortcut.toString(QKeySequence::NativeText))
{
    setText(text);
    setAccessibleName(text);
    setFocusPolicy(Qt::TabFocus);
    setFont(metrics::font(metrics::FontStep::Control));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize SidebarButton::sizeHint() const
{
    return {metrics::SidebarLeast,
            std::max(metrics::RowHeight, fontMetrics().height() + metrics::Space12)};
}

void SidebarButton::paintEvent(QPaintEvent *)
{
    const Theme &theme = themeOf(this);
    QPainter painter(this);
    const QColor ground = isDown() ? theme.pressed : underMouse() ? theme.hover : QColor();
    stylepainter::paintFrame(&painter, rect(), metrics::RadiusField, ground, {});
    const auto visual = [this](const QRect &r) {
        return QStyle::visualRect(layoutDirection(), rect(), r);
    };
    const auto align = [this](Qt::Alignment a) {
        return int(QStyle::visualAlignment(layoutDirection(), a | Qt::AlignVCenter));
    };
    const QRect iconBox(sidebar::IconLeft, (height() - metrics::IconSize) / 2, metrics::IconSize,
                        metrics::IconSize);
    paintIcon(&painter, m_icon, visual(iconBox), isEnabled() ? theme.text2 : theme.disabled);
    painter.setFont(font());
    painter.setPen(isEnabled() ? theme.text : theme.disabled);
    const QRect textBox = rect().adjusted(sidebar::TextLeft, 0, -sidebar::RightInset, 0);
    painter.drawText(visual(textBox), align(Qt::AlignLeft), text());
    const QFont small = metrics::font(metrics::FontStep::Small);
    const int needed = QFontMetrics(font()).horizontalAdvance(text())
        + QFontMetrics(small).horizontalAdvance(m_keys) + metrics::Space8;
    if (needed > textBox.width())
        return;
    painter.setFont(small);
    painter.setPen(theme.text2);
    painter.drawText(visual(textBox), align(Qt::AlignRight), m_keys);
}

} // namespace fermata
