// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/contentblock.h"
#include "conversation/turnoutcome.h"

#include <QDateTime>
#include <QString>

#include <optional>
#include <vector>

namespace fermata {

// What one model request gave: one iteration of a turn.
struct AssistantMessage
{
    std::vector<ContentBlock> blocks;
    QJsonObject extras; // provider's own fields that must go back with the message
    bool complete = false; // its end was read
    // Said to the model, in the user's place, before this message: how to go on in the middle of a turn.
    QString instruction = {};

    friend bool operator==(const AssistantMessage &, const AssistantMessage &) = default;
};

enum class TurnKind {
    Message, // answers a message of the user
    Continuation, // takes up the answer of its parent where that was cut; has no user text
};

// A turn as it is kept and shown. Turns form a tree: a retry or an edit is a sibling of what it replaces, and nothing
// is overwritten.
struct TurnRecord
{
    TurnId id;
    TurnId parent; // null for the first
    TurnKind kind = TurnKind::Message;
    QString userText;
    QDateTime createdAt; // UTC, for display; order is by the tree
    QString
        provider; // profile's kind and model at the time, for display and for what may be sent back
    QString model;
    std::vector<AssistantMessage> answer;
    std::optional<TurnOutcome> outcome; // nothing while it runs
    bool cutByCrash = false; // the application ended while it ran

    bool isRunning() const { return !outcome && !cutByCrash; }
    QString answerText() const;
    ToolCallBlock *findCall(const CallId &id);
    const ToolCallBlock *findCall(const CallId &id) const;
};

struct Conversation
{
    ConversationId id;
    QString title;
    QDateTime createdAt;
    QDateTime updatedAt;
    std::vector<TurnRecord> turns; // every branch; a parent stands before its children
    TurnId activeTurn; // the last turn of the branch that is shown

    TurnRecord *find(const TurnId &id);
    const TurnRecord *find(const TurnId &id) const;
    // From the first turn to activeTurn. Pointers into `turns`.
    std::vector<const TurnRecord *> activePath() const;
    // The turns with the same parent, itself included, in the order they were made.
    std::vector<TurnId> siblings(const TurnId &id) const;
    // The newest turn below `id`, or `id` itself.
    TurnId leafBelow(const TurnId &id) const;
};

// One row of the list of conversations.
struct ConversationSummary
{
    enum class Mark { None, Running, Asking, Stopped, Limit, Failed };

    ConversationId id;
    QString title;
    QDateTime updatedAt;
    Mark mark = Mark::None;

    friend bool operator==(const ConversationSummary &, const ConversationSummary &) = default;
};

// What the last turn of a conversation shows in the list: how it ended, if that was not by itself.
ConversationSummary::Mark markOf(TurnStatus status);
ConversationSummary::Mark markOf(const TurnRecord &lastTurn);

// The first line of `text`, cut at a word to a length a list can show. Plain text without control characters.
QString titleFromText(const QString &text);

} // namespace fermata
