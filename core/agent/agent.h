// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turncontrol.h"
#include "agent/turneventrelay.h"
#include "agent/turnjournal.h"
#include "agent/turnrequest.h"
#include "base/mailbox.h"
#include "tool/tool.h"

#include <QObject>

#include <functional>
#include <memory>
#include <mutex>
#include <variant>

namespace fermata {

// May wait for what has to come before any turn is saved, until the token ends that wait.
using JournalFactory = std::function<std::unique_ptr<TurnJournal>(const CancellationToken &token)>;

struct UndoRequest
{
    std::shared_ptr<Tool> tool;
    QJsonObject undo; // of the call's slot
    QString workspace;
    TurnRecord turn; // as it is to be saved
};
struct UndoEnd
{
    Result<void> undone;
    bool saved = false;
};

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
    // Cancels whichever turn runs. False if none does, or if it is being cancelled already. Thread-safe; never waits.
    bool cancel(CancellationReason reason);
    // Of the turn that runs; false when none does. Thread-safe.
    bool isCancelled() const;
    // Saves a finished turn whose last save failed; `done` is called on the agent's thread.
    void postSave(TurnRecord record, Conversation conversation, std::function<void(bool)> done);
    // Has a tool take the effect of a call back, and then saves the turn, which says already that it was. Nothing is
    // saved if the tool could not. `done` is called on the agent's thread.
    void postUndo(UndoRequest request, std::function<void(const UndoEnd &)> done);

private:
    struct Job
    {
        TurnRequest request;
        std::shared_ptr<TurnControl> control;
        TurnEventRelay::Sender sender;
    };
    struct SaveJob
    {
        TurnRecord record;
        Conversation conversation;
        std::function<void(bool)> done;
    };

    struct UndoJob
    {
        UndoRequest request;
        std::function<void(const UndoEnd &)> done;
    };

    void run(const TurnRequest &request, const std::shared_ptr<TurnControl> &control,
             TurnEventRelay::Sender &sender);
    TurnJournal &journal(const CancellationToken &token);

    void handle(const Job &job);
    void handle(const SaveJob &job);
    void handle(const UndoJob &job);
    void setRunning(std::shared_ptr<TurnControl> control);

    const JournalFactory m_makeJournal;
    Mailbox<std::variant<Job, SaveJob, UndoJob>> *m_jobs; // a child, and so on this object's thread
    std::unique_ptr<TurnJournal> m_journal;
    mutable std::mutex m_mutex;
    std::shared_ptr<TurnControl> m_running; // under m_mutex
};

} // namespace fermata
