// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "conversation/conversation.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace fermata {

class Database;

struct SearchHit
{
    ConversationId conversation;
    TurnId turn;
    QString title;
    QString snippet; // plain text around the first match
    QDateTime updatedAt;
};

// The conversations in the database. One object and one connection for each thread that needs it; all calls block and
// belong on a thread that may wait, never the window's. Each writing call is one transaction: after it returned ok, it
// is on the disk (synchronous=FULL). It does not look at any token: what has happened is saved.
class ConversationStore final
{
public:
    // Opens, creates or migrates the database. A newer schema opens read-only; a damaged file is an error and is
    // left as it is.
    static Result<std::unique_ptr<ConversationStore>> open(const QString &databasePath);
    ~ConversationStore();

    bool isReadOnly() const;

    // --- Conversations ---
    Result<std::vector<ConversationSummary>> list() const; // newest first
    Result<Conversation> load(const ConversationId &id) const; // NotFound if there is none
    Result<void> create(const Conversation &conversation); // without turns; if it is not there yet
    Result<void> rename(const ConversationId &id, const QString &title);
    // Hides it from the list; purge() removes what was deleted before, undelete() brings it back.
    Result<void> markDeleted(const ConversationId &id);
    Result<void> undelete(const ConversationId &id);
    Result<void> purgeDeleted();
    Result<void> setActiveTurn(const ConversationId &id, const TurnId &turn);
    Result<void> setDraft(const ConversationId &id, const QString &text);
    Result<QString> draft(const ConversationId &id) const;
    // `text` as words, the last one as a prefix; it is quoted, so that no syntax of FTS is in it.
    Result<std::vector<SearchHit>> search(const QString &text, int most) const;
    // Adds a conversation with all its turns, under new ids if the old ones are taken. Nothing in it runs: a turn
    // without an end becomes a cut one, a call without a result gets one.
    Result<ConversationId> import(const Conversation &conversation);

    // Turns that were running when the program ended become cut turns, their started calls Interrupted and the others
    // NotRun. Once at start, before anything else runs. Returns how many.
    Result<int> recoverInterrupted();

    // --- A running turn ---
    // Saves the turn as running and shows its branch; may be repeated. What is missing before it is saved with it: the
    // conversation with its first turn, and turns that a full disk has kept from being saved.
    Result<void> beginTurn(const Conversation &conversation, const TurnRecord &turn);
    // Writes what is new since the last call for this turn: new blocks, and the growth of the last text or thinking
    // block as an appended segment, at a cost proportional to what is new. No write if nothing changed.
    Result<void> checkpoint(const TurnRecord &turn);
    // A checkpoint that holds the state of `call`, in one transaction. "Running" is committed before the tool is entered.
    Result<void> saveCall(const TurnRecord &turn, const ToolCallBlock &call);
    // All of it and the outcome, and its text in the search. May be repeated.
    Result<void> finishTurn(const TurnRecord &turn);

private:
    class Private;
    explicit ConversationStore(std::unique_ptr<Private> d);

    std::unique_ptr<Private> d;
};

} // namespace fermata
