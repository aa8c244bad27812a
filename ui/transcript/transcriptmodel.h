// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/conversation.h"
#include "conversation/turnevent.h"

#include <QHash>
#include <QObject>

#include <vector>

namespace fermata {

// A message of the transcript: what the user wrote, or what a turn answered. The answer of a continuation is a message
// of its own that begins with a seam.
struct TranscriptRow
{
    enum class Kind { User, Answer };

    Kind kind = Kind::User;
    TurnId turn;
    size_t record = 0; // index into Conversation::turns

    friend bool operator==(const TranscriptRow &, const TranscriptRow &) = default;
};

// Said by the application in the middle of an answer. Not kept with the conversation.
struct TranscriptNotice
{
    QString text;
    size_t message = 0; // it stands behind this block of this message
    size_t block = 0;
};

// The messages of the branch that is shown, in order. Reads the conversation and copies nothing of it; the owner of the
// conversation folds each batch into it first and then calls apply(). GUI thread.
class TranscriptModel final : public QObject
{
    Q_OBJECT

public:
    explicit TranscriptModel(QObject *parent = nullptr);

    // Borrowed; must outlive the model or be taken back with null. Null shows nothing.
    void setConversation(const Conversation *conversation);
    void apply(const TurnEventBatch &batch);
    // Another branch is shown.
    void reset();

    int rowCount() const { return int(m_rows.size()); }
    const TranscriptRow &row(int index) const { return m_rows[size_t(index)]; }
    const TurnRecord &record(int index) const;
    // The source of the message: what the user wrote, or all text of the answer.
    QString messageText(int index) const;
    int rowOfAnswer(const TurnId &turn) const; // -1 if it is not shown
    std::vector<TurnId> versions(const TurnId &turn) const;
    const std::vector<TranscriptNotice> &notices(const TurnId &turn) const;
    // The turn that holds the user's text which this turn answers.
    const TurnRecord *messageTurn(const TurnId &turn) const;

signals:
    void modelReset();
    void rowsAdded(int first, int last);
    void rowChanged(int row);

private:
    void appendRows(const TurnRecord &turn, size_t index);
    bool isUpToDate() const;

    const Conversation *m_conversation = nullptr;
    std::vector<TranscriptRow> m_rows;
    QHash<TurnId, int> m_answerRows;
    QHash<TurnId, std::vector<TranscriptNotice>> m_notices;
};

} // namespace fermata
