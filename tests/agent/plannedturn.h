// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turn.h"
#include "patientclock.h"
#include "plannedhooks.h"
#include "plannedtools.h"
#include "scriptedprovider.h"
#include "turnplan.h"

#include <memory>
#include <thread>

namespace fermata {

// Runs one planned turn on this thread, does to it what is planned, and looks at everything that has to hold whatever is
// planned. What does not hold is in `faults`.
class PlannedTurn final
{
public:
    // The clock outlives every tool that is left behind.
    PlannedTurn(turnplan::PlannedTurn plan, PatientClock &clock);
    ~PlannedTurn();

    void run();

    const std::shared_ptr<Faults> faults = std::make_shared<Faults>();
    // What came of it, to see that the plans reach everything.
    TurnStatus status() const { return m_status; }
    int calls(ToolState state) const { return m_log->count(state); }
    bool hasAsked() const { return m_approvals > 0; }
    bool hasRetried() const { return m_retries > 0; }

private:
    class Provider;
    class Journal;
    struct DeedFor
    { // with the call that was told of last when it was decided
        turnplan::Deed deed;
        CallId call;
    };
    struct ApprovalFor
    {
        turnplan::PlannedApproval approval;
        ApprovalRequest request;
    };
    using Work = std::variant<DeedFor, ApprovalFor>;

    void prepareRequest();
    void runTurn();
    void take(const TurnEvent &event);
    void note(const TurnEvent &event);
    void answer(const ApprovalRequest &request);
    void answerNow(const ApprovalFor &work);
    void doNow(const DeedFor &work);
    void doOn(bool anotherThread, Work work);
    void stop(CancellationCause cause);
    void look(); // at the flag, on the turn's thread, after anything foreign has run

    void checkOutcome(const TurnOutcome &outcome);
    void checkRequests(const TurnOutcome &outcome);
    void checkHistory(const TurnOutcome &outcome);
    void checkAfterTheEnd();
    void checkNothingIsLeft();

    const turnplan::PlannedTurn m_plan;
    PatientClock &m_clock;
    const std::shared_ptr<CallLog> m_log;
    std::shared_ptr<ToolWorld> m_world;
    std::shared_ptr<HookLog> m_hooks; // null: none
    std::shared_ptr<TurnControl> m_control;
    std::shared_ptr<Provider> m_provider;
    std::unique_ptr<Journal> m_journal;
    std::vector<std::weak_ptr<Tool>> m_toolsLeft;
    std::weak_ptr<HookLog> m_hooksLeft;
    TurnRequest m_request;
    CancellationSource m_parent;
    CancellationSource m_external;
    std::stop_source m_externalStop;

    TurnRecord m_record; // folded from the events
    int m_events = 0;
    int m_started = 0;
    int m_finished = 0;
    int m_retries = 0;
    int m_approvals = 0;
    int m_questions = 0;
    int m_goOns = 0;
    bool m_questionIsOpen = false;
    TurnStatus m_status = TurnStatus::Completed;
    CallId m_lastCall;
    bool m_hasCalls = false; // in the message that arrives
    bool m_sawFlag = false; // when last looked
    std::atomic<int> m_stopsWon = 0;
    std::atomic<bool> m_stoppedAlone = false;

    Channel<Work> m_work; // of the other thread
    std::thread m_otherThread;
};

} // namespace fermata
