// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/sidebar/conversationrows.h"

#include <QAbstractListModel>

namespace fermata {

// The list of conversations with the heads of its date groups. It is told its rows as a whole and finds out itself
// what has changed, so that a running time does not rebuild the list.
class ConversationListModel final : public QAbstractListModel
{
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;

    void setRows(std::vector<ConversationRow> rows);
    // Only the times and marks of what runs.
    void setRunning(const std::vector<RunningConversation> &running);
    const ConversationRow *row(const QModelIndex &index) const;
    QModelIndex indexOf(const ConversationId &id) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

private:
    std::vector<ConversationRow> m_rows;
};

} // namespace fermata
