// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turncontrol.h"
#include "agent/turneventrelay.h"
#include "agent/turnjournal.h"
#include "agent/turnrequest.h"
#include "base/mailbox.h"

#include <QObject>

#include <functional>
#include <memory>
#include <variant>

namespace fermata {

using JournalFactory = std::function<std::unique_ptr<TurnJournal>()>;

// Runs turns, one after the other, on the thread it lives on. While one runs that thread delivers nothing: no slots, no
// timers, no deferred deletes. Only the turn's control, its token and its channels reach it.
class Agent final : public QObject
{
public:
    // The journal is made by the first turn, on this thread, and kept for the next ones.
    explicit Agent(JournalFactory makeJournal);
    ~Agent() override;

    // Thread-safe; returns at once. The events go to the sender, TurnFinished as the last.
    void post(TurnRequest request, std::shared_ptr<TurnControl> control,
              TurnEventRelay::Sender sender);
    // Saves a finished turn whose last save failed; `done` is called on the agent's thread.
    void postSave(TurnRecord record, Conversation conversation, std::function<void(bool)> done);

private:
    struct Job {
        TurnRequest request;
        std::shared_ptr<TurnControl> control;
        TurnEventRelay::Sender sender;
    };
    struct SaveJob {
        TurnRecord record;
        Conversation conversation;
        std::function<void(bool)> done;
    };

    void run(const TurnRequest &request, const std::shared_ptr<TurnControl> &control,
             TurnEventRelay::Sender &sender);
    TurnJournal &journal();

    void save(const SaveJob &job);

    const JournalFactory m_makeJournal;
    Mailbox<std::variant<Job, SaveJob>> *m_jobs; // a child, and so on this object's thread
    std::unique_ptr<TurnJournal> m_journal;
};

} // namespace fermata
