// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/conversationlibrary.h"

#include <QAbstractListModel>
#include <QStyledItemDelegate>

#include <vector>

namespace fermata {

// What a search has found: title and, below it, the text around the hit.
class SearchResultsModel final : public QAbstractListModel
{
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;

    // Of a search for these words.
    void setHits(std::vector<LibraryHit> hits, const QString &words);
    const LibraryHit *hit(const QModelIndex &index) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;

private:
    std::vector<LibraryHit> m_hits;
};

class SearchResultsDelegate final : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

} // namespace fermata
