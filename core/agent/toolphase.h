// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turncontext.h"
#include "agent/turnhooks.h"
#include "tool/approvalpolicy.h"
#include "tool/toolrun.h"

#include <QSet>

#include <memory>
#include <vector>

namespace fermata {

// What the tool phases of one turn have to remember of each other.
struct ToolPhaseMemory
{
    QSet<QByteArray> deniedFingerprints; // a call denied once is not asked again unchanged
    int runWithoutAsking = 0;
};

// Runs the tool calls of one message: checks the arguments, asks where the policy says so, runs read-only tools side by
// side and writing ones one by one, and gives every call its one result. When it returns, each slot is final and
// saved, whatever happened: a stop, a limit, a tool that does not end.
class ToolPhase final
{
public:
    // After so many calls that ran without a question the next one asks.
    static constexpr int MostRunWithoutAsking = 25;
    // A stopped tool gets the grace time to end by itself and this much more to be ended; then it is left behind.
    static constexpr std::chrono::milliseconds DetachMargin{250};
    // The whole of it for a turn that is stopped in immediate mode.
    static constexpr std::chrono::milliseconds ImmediateDetachMargin{40};

    ToolPhase(TurnContext &context, ToolPhaseMemory &memory);
    ~ToolPhase();

    // Ok when every call has its result and the turn may go on; else the cancellation.
    Result<void> run();

    // Gives every call of the record that has no final slot its synthetic result: for calls whose phase is not entered.
    static void settleUnstarted(TurnContext &context, const QString &why);

private:
    struct Call;

    void runCalls();
    // Each step moves what can be moved; they are called after every message.
    void schedule();
    void prepare(Call &call);
    bool mayDescribe(const Call &call) const;
    void describe(Call &call);
    bool askPolicies(Call &call);
    bool retries(Call &call, const ToolSlot &slot);
    static ToolCallInfo infoOf(const Call &call);
    std::vector<ToolCallBlock> callBlocks() const;
    void judge(Call &call, const ApprovalRequest &request);
    void decide(Call &call);
    void ask(Call &call);
    void start(Call &call);
    bool mayStart(const Call &call) const;

    void handle(const InboxMessage &message);
    void handleEnd(Call &call, const ToolEnded &ended);
    void handleCancelled(Call &call);
    void settleNotEntered(Call &call);
    void handleAnswer(const ApprovalAnswered &answer);
    void stopCall(Call &call);
    void enforceLimits();
    Deadline nextDeadline() const;
    void showLimits();

    void unwind();
    void detach(Call &call);
    void closeQuestion(Call &call);
    void settle(Call &call, ToolState state, const QString &note, const ToolResult &result = {});
    std::chrono::milliseconds grace() const;
    Instant detachTime() const; // of what is stopped now

    Call *find(const CallId &id);
    bool allFinal() const;
    int runningCount() const;

    TurnContext &m_context;
    ToolPhaseMemory &m_memory;
    std::vector<std::unique_ptr<Call>> m_calls; // in the model's order
    Call *m_asking = nullptr;
};

} // namespace fermata
