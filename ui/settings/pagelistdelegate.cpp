// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/pagelistdelegate.h"

#include "ui/style/fermatastyle.h"
#include "ui/style/icons.h"
#include "ui/style/metrics.h"
#include "ui/style/stylepainter.h"

#include <QPainter>

namespace fermata {

namespace {
constexpr int LeastRow = 36;
constexpr int IconLeft = 9;
constexpr int TextLeft = 33;
} // namespace

void PageListDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                             const QModelIndex &index) const
{
    const Theme &theme = themeOf(option.widget);
    const QRect rect = option.rect;
    const bool selected = option.state & QStyle::State_Selected;
    painter->save();
    if (selected)
        stylepainter::paintFrame(painter, rect, metrics::RadiusField, theme.selection, {});
    else if (option.state & QStyle::State_MouseOver)
        stylepainter::paintFrame(painter, rect, metrics::RadiusField, theme.hover, {});
    if (option.state & QStyle::State_HasFocus && option.state & QStyle::State_KeyboardFocusChange)
        stylepainter::paintRing(painter, rect, metrics::RadiusField, theme.ring);
    const QRect box(rect.left() + IconLeft, rect.top() + (rect.height() - metrics::IconSize) / 2,
                    metrics::IconSize, metrics::IconSize);
    paintIcon(painter, Icon(index.data(IconRole).toInt()),
              QStyle::visualRect(option.direction, rect, box), selected ? theme.text : theme.text2);
    painter->setFont(metrics::font(metrics::FontStep::Control));
    painter->setPen(theme.text);
    painter->drawText(
        QStyle::visualRect(option.direction, rect, rect.adjusted(TextLeft, 0, -8, 0)),
        int(QStyle::visualAlignment(option.direction, Qt::AlignLeft | Qt::AlignVCenter)),
        index.data(Qt::DisplayRole).toString());
    painter->restore();
}

QSize PageListDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const
{
    return {100, std::max(LeastRow, option.fontMetrics.height() + metrics::Space16)};
}

} // namespace fermata
