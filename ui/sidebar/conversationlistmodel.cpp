// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sidebar/conversationlistmodel.h"

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QString markWord(ConversationSummary::Mark mark)
{
    using Mark = ConversationSummary::Mark;
    switch (mark) {
    case Mark::None:
        return {};
    case Mark::Running:
        return ConversationListModel::tr("running");
    case Mark::Asking:
        return ConversationListModel::tr("asks");
    case Mark::Stopped:
        return ConversationListModel::tr("stopped");
    case Mark::Limit:
        return ConversationListModel::tr("limit reached");
    case Mark::Failed:
        return ConversationListModel::tr("failed");
    }
    return {};
}

bool isSameRow(const ConversationRow &a, const ConversationRow &b)
{
    return a.group == b.group && a.summary.id == b.summary.id;
}

} // namespace

void ConversationListModel::setRows(std::vector<ConversationRow> rows)
{
    const bool sameOrder =
        std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(), isSameRow);
    if (!sameOrder) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
        return;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] == m_rows[i])
            continue;
        m_rows[i] = std::move(rows[i]);
        const QModelIndex changed = index(int(i));
        emit dataChanged(changed, changed);
    }
}

void ConversationListModel::setRunning(const std::vector<RunningConversation> &running)
{
    for (const RunningConversation &run : running) {
        const QModelIndex changed = indexOf(run.id);
        if (!changed.isValid())
            continue;
        showRunning(m_rows[std::size_t(changed.row())], run);
        emit dataChanged(changed, changed);
    }
}

const ConversationRow *ConversationListModel::row(const QModelIndex &index) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return nullptr;
    return &m_rows[std::size_t(index.row())];
}

QModelIndex ConversationListModel::indexOf(const ConversationId &id) const
{
    const auto found = std::find_if(m_rows.begin(), m_rows.end(), [&](const ConversationRow &r) {
        return !r.isGroup() && r.summary.id == id;
    });
    return found == m_rows.end() ? QModelIndex() : index(int(found - m_rows.begin()));
}

int ConversationListModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

QVariant ConversationListModel::data(const QModelIndex &index, int role) const
{
    const ConversationRow *found = row(index);
    if (!found)
        return {};
    // A title may come from a file of somebody else: one line, without tooltip markup.
    const QString text = found->isGroup() ? found->group : found->summary.title.simplified();
    switch (role) {
    case Qt::DisplayRole:
        return text;
    case Qt::AccessibleTextRole: {
        const QString mark = markWord(found->summary.mark);
        return mark.isEmpty() ? text : text + u", "_s + mark;
    }
    default:
        return {};
    }
}

Qt::ItemFlags ConversationListModel::flags(const QModelIndex &index) const
{
    const ConversationRow *found = row(index);
    if (!found)
        return Qt::NoItemFlags;
    if (found->isGroup())
        return Qt::ItemIsEnabled | Qt::ItemNeverHasChildren;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
}

} // namespace fermata
