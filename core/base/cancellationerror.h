// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellationreason.h"

#include <QJsonObject>

#include <chrono>
#include <optional>

namespace fermata {

// Where in the turn a cancel was noticed.
enum class TurnPhase { Initialization, Execution, Streaming, ToolCalls, Cleanup };

// initialization, execution, streaming, tool_calls, cleanup. Never changes once released.
QString toString(TurnPhase phase);
std::optional<TurnPhase> turnPhaseFromString(QStringView name);

// Says that something ended because its token was cancelled. It is an outcome and not a fault: it
// carries no blame, is never turned into a tool result, and is recognised by its type. It does not
// derive from std::exception, so that `catch (const std::exception &)` cannot swallow it where it
// has to travel by a throw.
class CancellationError
{
public:
    // Without a reason the cause is CancellationCause::User and the text names the phase. Without a
    // time it is now.
    explicit CancellationError(TurnPhase phase,
                               std::optional<CancellationReason> reason = std::nullopt,
                               bool cleanupCompleted = true, const QDateTime &timestamp = {});

    QString code() const; // "CANCELLATION_ERROR" or "GRACEFUL_CANCELLATION_TIMEOUT"
    QString message() const;

    CancellationCause cause() const;
    QString reasonText() const { return m_reason ? m_reason->text : QString(); }
    std::optional<CancellationReason> reason() const { return m_reason; }
    TurnPhase phase() const { return m_phase; }
    bool cleanupCompleted() const { return m_cleanupCompleted; }
    QDateTime timestamp() const { return m_timestamp; } // UTC

    bool isGracefulTimeout() const { return m_gracefulTimeout.has_value(); }
    // Only for a GracefulCancellationTimeoutError.
    std::chrono::milliseconds timeout() const;
    bool cleanupAttempted() const;

    // {name, code, message, cause, phase, cleanupCompleted, timestamp[, reason][, timeoutMs,
    // cleanupAttempted]}
    QJsonObject toJson() const;

protected:
    struct GracefulTimeout
    {
        std::chrono::milliseconds timeout;
        bool cleanupAttempted = true;
    };

    std::optional<CancellationReason> m_reason;
    TurnPhase m_phase;
    bool m_cleanupCompleted;
    QDateTime m_timestamp;
    std::optional<GracefulTimeout> m_gracefulTimeout; // here, so that copying as the base keeps it
};

// The clean-up of a cancelled turn did not end within its limit, and what was left was forced to
// end.
class GracefulCancellationTimeoutError : public CancellationError
{
public:
    explicit GracefulCancellationTimeoutError(
        std::chrono::milliseconds timeout, bool cleanupAttempted = true,
        std::optional<CancellationReason> reason = std::nullopt, const QDateTime &timestamp = {});
};

} // namespace fermata
