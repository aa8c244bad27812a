// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turncontrol.h"
#include "base/cancellation.h"
#include "patientclock.h"
#include "tool/tool.h"
#include "turnplan.h"

#include <QHash>
#include <QMutex>
#include <QSet>
#include <QStringList>

#include <memory>
#include <mutex>
#include <vector>

namespace fermata {

// Violations of what always has to hold, as they are found on any thread.
class Faults final
{
public:
    void add(const QString &fault);
    QStringList all() const;

private:
    mutable std::mutex m_mutex;
    QStringList m_faults;
};

// What is known of each call: what the turn has told of it, and what its tool has done. Tells the clock which of them are
// at work. Thread-safe.
class CallLog final
{
public:
    CallLog(std::shared_ptr<Faults> faults, PatientClock &clock);

    // The turn's side, in the order of its events and saves.
    void added(const ToolCallBlock &call);
    void messageCompleted();
    void allowed(const CallId &call);
    void forbidden(const CallId &call); // by a policy; on any thread
    // `isCancelled`: the flag was seen set when the turn was told of the start.
    void toldRunning(const CallId &call, bool isCancelled);
    void savedRunning(const CallId &call);
    void toldFinal(const CallId &call, const ToolSlot &slot);

    // The tool's side: `number` is that of the plan.
    void described(int number);
    void waits(int number);
    void goesOn(int number);
    CallId entered(int number, bool needsApproval, bool needsSave);
    void ended(const CallId &call, const Result<ToolResult> &result);

    // What has to be true of every call when the turn has ended, whatever happened in it.
    void check(bool couldBeCut, bool couldBeStoppedAlone) const;
    // The outputs that ended tools have given and that the turn has taken.
    QStringList keptOutputs() const;
    int count(ToolState state) const;

private:
    struct Entry
    {
        int number = -1;
        bool isReadOnly = false;
        bool willBeDescribed = false;
        bool isAllowed = false;
        bool isForbidden = false;
        bool wasTold = false;
        bool wasCancelledWhenTold = false;
        bool wasSaved = false;
        int timesEntered = 0;
        std::optional<Result<ToolResult>> end;
        std::optional<ToolSlot> slot;
    };

    void setWorking(int number, bool works);
    void beginDescriptions();

    const std::shared_ptr<Faults> m_faults;
    PatientClock &m_clock;
    mutable std::mutex m_mutex;
    QHash<CallId, Entry> m_calls;
    std::vector<CallId> m_message; // the calls of the message that came last, in its order
    bool m_messageIsComplete = false;
    QSet<int> m_working; // by the plan's number, as the next
    QSet<int> m_done;
    QHash<int, CallId> m_running; // by the plan's number
    QSet<int> m_allowedNumbers;
};

// What the tools of one planned turn share; a tool that is left behind keeps it.
struct ToolWorld
{
    std::vector<turnplan::PlannedCall> calls;
    std::shared_ptr<CallLog> log;
    std::shared_ptr<Faults> faults;
    CancellationSource release; // ends what waits for ever
    std::weak_ptr<TurnControl> control;
    const Clock &clock;
    bool needsApproval = true;
    bool needsSave = true; // false where saves fail
};

// The tools that a plan can name.
std::vector<std::shared_ptr<Tool>> plannedTools(const std::shared_ptr<ToolWorld> &world);

// {"n": 3}: how a call says which of the plan's it is.
QString plannedArguments(int number);
int plannedNumber(const QString &arguments);

} // namespace fermata
