// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turnbudget.h"

#include <cmath>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr double TokensOfAPrice = 1e6;

// Small amounts need their digits, and none needs noise behind them.
QString amountText(double amount)
{
    return QString::number(amount, 'g', 6);
}

template <typename T>
Result<void> checkAboveZero(const std::optional<T> &value, const QString &name)
{
    if (!value || (*value > 0 && std::isfinite(double(*value))))
        return {};
    return Error(ErrorCode::InvalidArgument, u"The limit of %1 must be above zero."_s.arg(name));
}

} // namespace

std::optional<double> costOf(const TokenUsage &usage, const std::optional<TokenPrices> &prices)
{
    if (!prices)
        return std::nullopt;
    return (double(usage.input) * prices->input + double(usage.output) * prices->output)
        / TokensOfAPrice;
}

Result<void> checkBudgets(const TurnLimits &limits, const std::optional<TokenPrices> &prices)
{
    for (const auto &checked : {checkAboveZero(limits.modelCalls, u"model calls"_s),
                                checkAboveZero(limits.totalTokens, u"tokens in all"_s),
                                checkAboveZero(limits.outputTokens, u"output tokens"_s),
                                checkAboveZero(limits.cost, u"cost"_s)}) {
        if (!checked.ok())
            return checked;
    }
    if (!prices)
        return {};
    for (const double price : {prices->input, prices->output}) {
        if (!std::isfinite(price) || price < 0)
            return Error(ErrorCode::InvalidArgument,
                         u"The price of a model cannot be below zero."_s);
    }
    return {};
}

TurnBudget::TurnBudget(const TurnRequest &request)
    : m_request(request), m_allowedCalls(request.limits.modelCalls.value_or(0))
{
}

bool TurnBudget::areCallsUsedUp(int iteration) const
{
    return m_request.limits.modelCalls && iteration >= m_allowedCalls;
}

void TurnBudget::allowMoreCalls()
{
    m_allowedCalls += m_request.limits.modelCalls.value_or(0);
}

BudgetReached TurnBudget::callsReached(int iteration, const TokenUsage &usage) const
{
    return reachedBy(CancellationCause::IterationLimit, u"%1 model calls"_s.arg(iteration),
                     iteration, usage);
}

std::optional<BudgetReached> TurnBudget::reached(int iteration, const TokenUsage &usage) const
{
    const TurnLimits &limits = m_request.limits;
    if (limits.totalTokens && usage.total() >= *limits.totalTokens) {
        return reachedBy(CancellationCause::TokenBudget,
                         u"%1 of %2 tokens in all"_s.arg(usage.total()).arg(*limits.totalTokens),
                         iteration, usage);
    }
    if (limits.outputTokens && usage.output >= *limits.outputTokens) {
        return reachedBy(CancellationCause::TokenBudget,
                         u"%1 of %2 output tokens"_s.arg(usage.output).arg(*limits.outputTokens),
                         iteration, usage);
    }
    const auto cost = costOf(usage, m_request.prices);
    if (limits.cost && cost && *cost >= *limits.cost) {
        return reachedBy(CancellationCause::CostBudget,
                         u"cost %1 of %2"_s.arg(amountText(*cost), amountText(*limits.cost)),
                         iteration, usage);
    }
    return std::nullopt;
}

bool TurnBudget::isCostUnenforceable() const
{
    return m_request.limits.cost && !m_request.prices;
}

BudgetReached TurnBudget::reachedBy(CancellationCause cause, const QString &text, int iteration,
                                    const TokenUsage &usage) const
{
    return {cause, text, iteration, usage, costOf(usage, m_request.prices)};
}

} // namespace fermata
