// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turnending.h"

namespace fermata {

TurnEnding TurnEnding::completed(StopReason stopReason, TurnPhase phase,
                                 const QString &providerStopReason)
{
    TurnEnding ending;
    ending.stopReason = stopReason;
    ending.phase = phase;
    ending.providerStopReason = providerStopReason;
    return ending;
}

TurnEnding TurnEnding::failed(const Error &error, TurnPhase phase, bool streamed)
{
    TurnEnding ending;
    ending.status = TurnStatus::Failed;
    ending.stopReason = StopReason::Error;
    ending.phase = phase;
    ending.error = error;
    ending.streamed = streamed;
    return ending;
}

TurnEnding TurnEnding::limitReached(const BudgetReached &budget)
{
    TurnEnding ending;
    ending.status = TurnStatus::LimitReached;
    ending.stopReason = StopReason::Limit;
    ending.reason =
        CancellationReason{budget.cause, budget.text, {}, QDateTime::currentDateTimeUtc()};
    return ending;
}

TurnEnding TurnEnding::cancelled(const TurnContext &context, TurnPhase phase)
{
    TurnEnding ending;
    ending.reason = context.token().reason();
    ending.status = isTimeLimit(ending.reason->cause) ? TurnStatus::TimedOut : TurnStatus::Stopped;
    ending.stopReason = StopReason::Cancelled;
    ending.phase = phase;
    return ending;
}

ToolLedger ledgerOf(const TurnRecord &record)
{
    ToolLedger ledger;
    for (const AssistantMessage &message : record.answer) {
        for (const ContentBlock &block : message.blocks) {
            const auto *call = std::get_if<ToolCallBlock>(&block);
            if (!call)
                continue;
            switch (call->slot.state) {
            case ToolState::Finished:
            case ToolState::Failed:
                // A call that failed before it was started was answered, and nothing ran.
                ++ledger.finished;
                break;
            case ToolState::StillRunning:
                ledger.stillRunning << call->name;
                [[fallthrough]];
            case ToolState::Interrupted:
            case ToolState::TimedOut:
                ++ledger.interrupted;
                ledger.interruptedAfter = call->slot.duration;
                break;
            default:
                ++ledger.notRun;
            }
        }
    }
    return ledger;
}

} // namespace fermata
