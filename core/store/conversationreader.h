// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "conversation/conversation.h"

#include <QHash>

#include <vector>

namespace fermata {

class Database;

// An answer as it is stored: with the numbers of its rows.
struct StoredBlock
{
    qint64 number = 0;
    ContentBlock block;
    int segments = 0;
};
struct StoredMessage
{
    std::vector<StoredBlock> blocks;
    QJsonObject extras;
    bool complete = false;
    QString instruction;
};
using StoredAnswer = std::vector<StoredMessage>;

// The part of a block that grows: its text, or the output of a call. Null for a block without one.
QString *longText(ContentBlock &block);
const QString *longText(const ContentBlock &block);

// The names by which turns and blocks are stored.
QString kindName(TurnKind kind);
QString kindName(const ContentBlock &block);

// The answer of one turn.
Result<StoredAnswer> readAnswer(Database &database, qint64 turn);

// One turn, or the whole conversation. NotFound if there is none.
Result<TurnRecord> readTurn(Database &database, qint64 turn);
Result<Conversation> readConversation(Database &database, const ConversationId &id);

// The outcome without the answer's text, which is stored in its blocks.
QString outcomeToText(const TurnOutcome &outcome, const QString &answerText);

} // namespace fermata
