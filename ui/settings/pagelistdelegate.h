// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace fermata {

// Paints a row of the list of pages: icon and name.
class PageListDelegate final : public QStyledItemDelegate
{
    Q_OBJECT

public:
    static constexpr int IconRole = Qt::UserRole + 1; // an Icon as a number

    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

} // namespace fermata
