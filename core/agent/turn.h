// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/callrepetition.h"
#include "agent/hookrunner.h"
#include "agent/toolphase.h"
#include "agent/turnbudget.h"
#include "agent/turncontrol.h"
#include "agent/turnending.h"
#include "agent/turnrequest.h"

#include <memory>

namespace fermata {

// One turn, from the user's message to its outcome: ask the model, run its tools, ask again, until an answer without tool
// calls, a stop, a limit or a fault. A plain class without thread or event loop: run() is called once, on any thread
// that may wait, and blocks only where the token wakes it. Everything that happens is told to the sink, in order, on
// that thread; the last event is TurnFinished, exactly once, when everything is saved.
class Turn final
{
public:
    Turn(const TurnRequest &request, std::shared_ptr<TurnControl> control, TurnJournal &journal,
         TurnEventSink sink, const Clock &clock = steadyClock());

    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;

    TurnOutcome run();

private:
    TurnEnding loop(const Result<void> &checked);
    // An ending if a budget or the number of calls is used up and the turn is not to go on.
    std::optional<TurnEnding> checkLoopTop();
    TurnEnding budgetReached(const BudgetReached &budget);
    std::optional<TurnEnding> checkRepetition();
    std::optional<TurnEnding> handleAnswer(const AnswerEnded &answer);
    bool goesOnByPolicy(StopReason stopReason);
    TurnEnding endedByPolicy(StopReason stopReason, const QString &text, TurnPhase phase);
    CleanupReport cleanUp(const TurnEnding &ending);
    TurnOutcome finish(const TurnEnding &ending);
    std::optional<std::chrono::milliseconds> sinceStop(std::optional<Instant> end) const;

    const TurnRequest &m_request;
    const std::shared_ptr<TurnControl> m_control;
    const Clock &m_clock;
    TurnRecorder m_recorder;
    TurnContext m_context;
    HookRunner m_hooks;
    ToolPhaseMemory m_toolMemory;
    Instant m_startedAt{};
    QDateTime m_startedAtTime;
    TurnBudget m_budget;
    CallRepetition m_repetition;
    int m_cutMessages = 0; // in a row
    int m_continuations = 0;
};

} // namespace fermata
