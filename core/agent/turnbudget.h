// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turnrequest.h"
#include "conversation/turnevent.h"

#include <optional>

namespace fermata {

// What `usage` costs; nothing without prices.
std::optional<double> costOf(const TokenUsage &usage, const std::optional<TokenPrices> &prices);

// Refuses a number of calls, a budget or a price that is not above zero or not finite: InvalidArgument, naming it. A
// price may be zero.
Result<void> checkBudgets(const TurnLimits &limits, const std::optional<TokenPrices> &prices);

// What one turn may use, judged before each model call. It counts what the turn used and nothing before it, so the next
// turn begins at zero.
class TurnBudget final
{
public:
    // Outlived by the request.
    explicit TurnBudget(const TurnRequest &request);

    // The limit on model calls: the user is asked to go on, which gives as many again.
    bool areCallsUsedUp(int iteration) const;
    void allowMoreCalls();
    BudgetReached callsReached(int iteration, const TokenUsage &usage) const;

    // The first of total tokens, output tokens and cost that is used up. Equal counts are.
    std::optional<BudgetReached> reached(int iteration, const TokenUsage &usage) const;

    // A limit on the cost without a known price ends nothing, and has to be said.
    bool isCostUnenforceable() const;

private:
    BudgetReached reachedBy(CancellationCause cause, const QString &text, int iteration,
                            const TokenUsage &usage) const;

    const TurnRequest &m_request;
    int m_allowedCalls;
};

} // namespace fermata
