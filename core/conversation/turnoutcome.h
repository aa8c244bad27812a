// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellationreason.h"
#include "base/error.h"
#include "base/limits.h"
#include "conversation/ids.h"

#include <QDateTime>
#include <QString>
#include <QStringList>

#include <chrono>
#include <optional>

namespace fermata {

enum class TurnStatus { Completed, Stopped, TimedOut, LimitReached, Failed };

enum class StopReason {
    EndTurn,
    StopSequence,
    MaxTokens,
    Refusal,
    ContentFiltered,
    Vetoed,
    EndedByHook,
    LoopDetected,
    Cancelled, // of every turn whose token fired
    Error, // of every failed turn
    Limit, // of every turn with LimitReached
};

QString toString(TurnStatus status);
std::optional<TurnStatus> turnStatusFromString(QStringView name);
QString toString(StopReason reason);
std::optional<StopReason> stopReasonFromString(QStringView name);

struct TokenUsage
{
    qint64 input = 0;
    qint64 output = 0;
    bool estimated = false; // true if any part was not counted by the server

    qint64 total() const { return input + output; }
    TokenUsage &operator+=(const TokenUsage &other);
    friend bool operator==(const TokenUsage &, const TokenUsage &) = default;
};

// What so much text comes to, where the server has not counted it: rough, and never none for some.
qint64 estimatedTokens(qint64 characters);

// A limit that fired or runs: which, and with which value.
struct LimitInfo
{
    Limit limit = Limit::Turn;
    std::chrono::milliseconds value{0};

    friend bool operator==(const LimitInfo &, const LimitInfo &) = default;
};

// What the calls of a turn came to.
struct ToolLedger
{
    int finished = 0; // with a result, an error result included
    int interrupted = 0; // cut, ended by their limit, or left running
    int notRun = 0; // never started, denied ones included
    std::chrono::milliseconds interruptedAfter{0}; // of the last one that was cut
    QStringList stillRunning; // names of detached tools

    friend bool operator==(const ToolLedger &, const ToolLedger &) = default;
};

// How a turn ended. Made once, by Turn::run(); what the window, the database and the log say is read from it.
struct TurnOutcome
{
    TurnId turn;
    TurnStatus status = TurnStatus::Completed;
    StopReason stopReason = StopReason::EndTurn;
    QString providerStopReason; // as it came
    std::optional<CancellationReason> reason; // of Stopped, TimedOut and LimitReached
    std::optional<LimitInfo> limit; // of TimedOut
    QString
        notice; // of Vetoed and EndedByHook: what the rule says; from the application, never from the model
    TurnPhase phase = TurnPhase::Execution; // where it was when it ended
    QString text; // the answer, as far as it came
    bool partial = false; // the answer is not whole
    int iterations = 0; // model requests that were begun
    ToolLedger tools;
    TokenUsage usage;
    bool stopRequested = false; // a stop came, if only after the end of the answer was read
    bool cleanupCompleted = true; // false: a handler failed, was left behind or did not run
    // The clean-up overran its limit: a GracefulCancellationTimeoutError.
    std::optional<CancellationError> cleanupError;
    bool saved = true;
    bool sent = false; // a request left; if not, the user message is kept as not sent
    std::optional<Error> error; // of Failed
    bool streamed =
        false; // of Failed: something of that answer had arrived, so it is not tried again by itself
    QDateTime startedAt; // UTC, for display
    QDateTime endedAt;
    std::chrono::milliseconds duration{0}; // monotonic
    std::optional<std::chrono::milliseconds> timeToStop; // from the stop to the end of the turn
    // From the stop to the closed connection; nothing if none was open.
    std::optional<std::chrono::milliseconds> serverIdleAfter;

    bool isCancelled() const
    {
        return status == TurnStatus::Stopped || status == TurnStatus::TimedOut;
    }
    // Of a cancelled turn, for programs: its reason, phase and clean-up as one error.
    std::optional<CancellationError> cancellation() const;
    // A whole answer of the model with text in it, and not a notice of ours.
    bool isAnswer() const;
};

} // namespace fermata
