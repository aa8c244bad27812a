// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sidebar/conversationdelegate.h"

#include "ui/sidebar/conversationlistmodel.h"
#include "ui/sidebar/sidebarmetrics.h"
#include "ui/style/fermatastyle.h"
#include "ui/style/icons.h"
#include "ui/style/metrics.h"
#include "ui/style/stylepainter.h"

#include <QPainter>

#include <cmath>

namespace fermata {

namespace {

constexpr int GroupDrop = 3; // a head stands nearer to its rows than to those above it

Mark markOf(ConversationSummary::Mark mark)
{
    switch (mark) {
    case ConversationSummary::Mark::None:
        return Mark::None;
    case ConversationSummary::Mark::Running:
        return Mark::Running;
    case ConversationSummary::Mark::Asking:
        return Mark::Asking;
    case ConversationSummary::Mark::Stopped:
        return Mark::Stopped;
    case ConversationSummary::Mark::Limit:
        return Mark::Limit;
    case ConversationSummary::Mark::Failed:
        return Mark::Failed;
    }
    return Mark::None;
}

} // namespace

void ConversationDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                                 const QModelIndex &index) const
{
    const auto *model = qobject_cast<const ConversationListModel *>(index.model());
    const ConversationRow *row = model ? model->row(index) : nullptr;
    if (!row)
        return;
    const Theme &theme = themeOf(option.widget);
    const QRect rect = option.rect;
    const auto visual = [&](const QRect &r) {
        return QStyle::visualRect(option.direction, rect, r);
    };
    const auto align = [&](Qt::Alignment a) {
        return int(QStyle::visualAlignment(option.direction, a | Qt::AlignVCenter))
            | int(Qt::TextSingleLine);
    };
    painter->save();
    if (row->isGroup()) {
        painter->setFont(metrics::font(metrics::FontStep::Small));
        painter->setPen(theme.text2);
        painter->drawText(visual(rect.adjusted(sidebar::TextLeft, GroupDrop, 0, GroupDrop)),
                          align(Qt::AlignLeft), row->group);
        painter->restore();
        return;
    }
    if (option.state & QStyle::State_Selected)
        stylepainter::paintFrame(painter, rect, metrics::RadiusField, theme.selection, {});
    else if (option.state & QStyle::State_MouseOver)
        stylepainter::paintFrame(painter, rect, metrics::RadiusField, theme.hover, {});
    if (option.state & QStyle::State_HasFocus && option.state & QStyle::State_KeyboardFocusChange)
        stylepainter::paintRing(painter, rect, metrics::RadiusField, theme.ring);

    const QRect markBox(rect.left() + sidebar::IconLeft, rect.center().y() + 1 - 8, 16, 16);
    paintMark(painter, markOf(row->summary.mark), MarkPlace::List, visual(markBox), theme);

    const QFont small = metrics::font(metrics::FontStep::Small);
    const int whenWidth = int(std::ceil(metrics::steadyWidth(small, row->when)));
    const int right = rect.right() + 1 - sidebar::RightInset;
    painter->setFont(small);
    painter->setPen(theme.text2);
    painter->drawText(visual(QRect(right - whenWidth, rect.top(), whenWidth, rect.height())),
                      align(Qt::AlignRight), row->when);

    const QFont control = metrics::font(metrics::FontStep::Control);
    const int left = rect.left() + sidebar::TextLeft;
    const QRect titleBox(left, rect.top(), right - whenWidth - sidebar::TextGap - left,
                         rect.height());
    painter->setFont(control);
    painter->setPen(theme.text);
    // Cut before it is measured: a title can be as long as a file.
    const QString title = row->summary.title.left(300).simplified();
    painter->drawText(visual(titleBox), align(Qt::AlignLeft),
                      QFontMetrics(control).elidedText(title, Qt::ElideRight, titleBox.width()));
    painter->restore();
}

QSize ConversationDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const
{
    return {metrics::SidebarLeast,
            std::max(metrics::RowHeight, option.fontMetrics.height() + metrics::Space12)};
}

} // namespace fermata
