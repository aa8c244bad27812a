// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/turnoutcome.h"

#include "conversation/enumnames.h"

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr EnumNames<TurnStatus, 5> TurnStatusNames{{
    {TurnStatus::Completed, "Completed"_L1},
    {TurnStatus::Stopped, "Stopped"_L1},
    {TurnStatus::TimedOut, "TimedOut"_L1},
    {TurnStatus::LimitReached, "LimitReached"_L1},
    {TurnStatus::Failed, "Failed"_L1},
}};

constexpr EnumNames<StopReason, 11> StopReasonNames{{
    {StopReason::EndTurn, "endTurn"_L1},
    {StopReason::StopSequence, "stopSequence"_L1},
    {StopReason::MaxTokens, "maxTokens"_L1},
    {StopReason::Refusal, "refusal"_L1},
    {StopReason::ContentFiltered, "contentFiltered"_L1},
    {StopReason::Vetoed, "vetoed"_L1},
    {StopReason::EndedByHook, "endedByHook"_L1},
    {StopReason::LoopDetected, "loopDetected"_L1},
    {StopReason::Cancelled, "cancelled"_L1},
    {StopReason::Error, "error"_L1},
    {StopReason::Limit, "limit"_L1},
}};

} // namespace

QString toString(TurnStatus status)
{
    return nameOf(TurnStatusNames, status);
}

std::optional<TurnStatus> turnStatusFromString(QStringView name)
{
    return valueOf(TurnStatusNames, name);
}

QString toString(StopReason reason)
{
    return nameOf(StopReasonNames, reason);
}

std::optional<StopReason> stopReasonFromString(QStringView name)
{
    return valueOf(StopReasonNames, name);
}

TokenUsage &TokenUsage::operator+=(const TokenUsage &other)
{
    input += other.input;
    output += other.output;
    estimated = estimated || other.estimated;
    return *this;
}

qint64 estimatedTokens(qint64 characters)
{
    constexpr qint64 CharactersPerToken = 4;
    return (characters + CharactersPerToken - 1) / CharactersPerToken;
}

std::optional<CancellationError> TurnOutcome::cancellation() const
{
    if (!isCancelled())
        return std::nullopt;
    if (cleanupError)
        return cleanupError;
    return CancellationError(phase, reason, cleanupCompleted, endedAt);
}

bool TurnOutcome::isAnswer() const
{
    const bool ended = stopReason == StopReason::EndTurn || stopReason == StopReason::StopSequence;
    return status == TurnStatus::Completed && ended && !partial && !text.trimmed().isEmpty();
}

} // namespace fermata
