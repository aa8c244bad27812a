// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/transcriptmodel.h"

#include <algorithm>

namespace fermata {

TranscriptModel::TranscriptModel(QObject *parent) : QObject(parent) { }

void TranscriptModel::setConversation(const Conversation *conversation)
{
    m_conversation = conversation;
    m_notices.clear();
    reset();
}

void TranscriptModel::reset()
{
    m_rows.clear();
    m_answerRows.clear();
    if (m_conversation) {
        const auto path = m_conversation->activePath();
        m_rows.reserve(2 * path.size());
        for (const TurnRecord *turn : path)
            appendRows(*turn, size_t(turn - m_conversation->turns.data()));
    }
    emit modelReset();
}

void TranscriptModel::appendRows(const TurnRecord &turn, size_t index)
{
    if (turn.kind == TurnKind::Message)
        m_rows.push_back({TranscriptRow::Kind::User, turn.id, index});
    m_answerRows.insert(turn.id, int(m_rows.size()));
    m_rows.push_back({TranscriptRow::Kind::Answer, turn.id, index});
}

// True if the rows are those of the active branch. A turn that was added at its end is looked at by apply().
bool TranscriptModel::isUpToDate() const
{
    return !m_rows.empty() && m_rows.back().turn == m_conversation->activeTurn;
}

void TranscriptModel::apply(const TurnEventBatch &batch)
{
    if (!m_conversation)
        return;
    if (!isUpToDate() || !m_answerRows.contains(batch.turn)) {
        const TurnRecord *turn = m_conversation->find(batch.turn);
        if (!turn || m_conversation->activeTurn != batch.turn)
            return; // of a branch that is not shown
        const bool followsLast =
            m_rows.empty() ? turn->parent.isNull() : m_rows.back().turn == turn->parent;
        if (!followsLast) {
            reset();
        } else {
            const int first = rowCount();
            appendRows(*turn, size_t(turn - m_conversation->turns.data()));
            emit rowsAdded(first, rowCount() - 1);
        }
    }
    const int row = m_answerRows.value(batch.turn, -1);
    if (row < 0)
        return;
    for (const TurnEvent &event : batch.events) {
        const auto *notice = std::get_if<NoticeAdded>(&event);
        if (!notice)
            continue;
        const auto &answer = record(row).answer;
        m_notices[batch.turn].push_back(
            {notice->text, answer.size(), answer.empty() ? 0 : answer.back().blocks.size()});
    }
    emit rowChanged(row);
}

const TurnRecord &TranscriptModel::record(int index) const
{
    return m_conversation->turns[m_rows[size_t(index)].record];
}

QString TranscriptModel::messageText(int index) const
{
    const TurnRecord &turn = record(index);
    return row(index).kind == TranscriptRow::Kind::User ? turn.userText : turn.answerText();
}

int TranscriptModel::rowOfAnswer(const TurnId &turn) const
{
    return m_answerRows.value(turn, -1);
}

std::vector<TurnId> TranscriptModel::versions(const TurnId &turn) const
{
    return m_conversation ? m_conversation->siblings(turn) : std::vector<TurnId>();
}

const std::vector<TranscriptNotice> &TranscriptModel::notices(const TurnId &turn) const
{
    static const std::vector<TranscriptNotice> none;
    const auto found = m_notices.constFind(turn);
    return found == m_notices.constEnd() ? none : *found;
}

const TurnRecord *TranscriptModel::messageTurn(const TurnId &turn) const
{
    const TurnRecord *found = m_conversation ? m_conversation->find(turn) : nullptr;
    // Bounded: a broken file may hold a turn that continues itself.
    for (size_t i = 0;
         found && found->kind == TurnKind::Continuation && i < m_conversation->turns.size(); ++i)
        found = m_conversation->find(found->parent);
    return found;
}

} // namespace fermata
