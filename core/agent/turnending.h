// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turncontext.h"

#include <optional>

namespace fermata {

// How the loop of a turn ended; the outcome is made of it, in one place.
struct TurnEnding
{
    TurnStatus status = TurnStatus::Completed;
    StopReason stopReason = StopReason::EndTurn;
    QString providerStopReason;
    TurnPhase phase = TurnPhase::Execution;
    std::optional<Error> error;
    bool streamed = false; // something of the answer had come when it failed
    std::optional<CancellationReason> reason;
    QString notice;

    bool isCancelled() const { return stopReason == StopReason::Cancelled; }

    static TurnEnding completed(StopReason stopReason, TurnPhase phase,
                                const QString &providerStopReason = {});
    static TurnEnding failed(const Error &error, TurnPhase phase, bool streamed = false);
    static TurnEnding limitReached(const BudgetReached &budget);
    // The turn's token must be cancelled.
    static TurnEnding cancelled(const TurnContext &context, TurnPhase phase);
};

// What the calls of the record came to.
ToolLedger ledgerOf(const TurnRecord &record);

} // namespace fermata
