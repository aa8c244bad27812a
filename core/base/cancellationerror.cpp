// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cancellationerror.h"

#include <array>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array<std::pair<TurnPhase, QLatin1StringView>, 5> PhaseNames{{
    {TurnPhase::Initialization, "initialization"_L1},
    {TurnPhase::Execution, "execution"_L1},
    {TurnPhase::Streaming, "streaming"_L1},
    {TurnPhase::ToolCalls, "tool_calls"_L1},
    {TurnPhase::Cleanup, "cleanup"_L1},
}};

} // namespace

QString toString(TurnPhase phase)
{
    for (const auto &[value, name] : PhaseNames) {
        if (value == phase)
            return name;
    }
    Q_UNREACHABLE();
}

std::optional<TurnPhase> turnPhaseFromString(QStringView name)
{
    for (const auto &[value, text] : PhaseNames) {
        if (name == text)
            return value;
    }
    return std::nullopt;
}

CancellationError::CancellationError(TurnPhase phase, std::optional<CancellationReason> reason,
                                     bool cleanupCompleted, const QDateTime &timestamp)
    : m_reason(std::move(reason)), m_phase(phase), m_cleanupCompleted(cleanupCompleted),
      m_timestamp(timestamp.isValid() ? timestamp.toUTC() : QDateTime::currentDateTimeUtc())
{
}

QString CancellationError::code() const
{
    return m_gracefulTimeout ? u"GRACEFUL_CANCELLATION_TIMEOUT"_s : u"CANCELLATION_ERROR"_s;
}

QString CancellationError::message() const
{
    if (m_gracefulTimeout) {
        return u"The clean-up after the stop did not end within %1 ms"_s.arg(
            m_gracefulTimeout->timeout.count());
    }
    if (!reasonText().isEmpty())
        return u"Cancelled: %1"_s.arg(reasonText());
    return u"Cancelled in phase %1"_s.arg(toString(m_phase));
}

CancellationCause CancellationError::cause() const
{
    return m_reason ? m_reason->cause : CancellationCause::User;
}

std::chrono::milliseconds CancellationError::timeout() const
{
    return m_gracefulTimeout ? m_gracefulTimeout->timeout : std::chrono::milliseconds::zero();
}

bool CancellationError::cleanupAttempted() const
{
    return m_gracefulTimeout && m_gracefulTimeout->cleanupAttempted;
}

QJsonObject CancellationError::toJson() const
{
    QJsonObject json{
        {u"name"_s,
         m_gracefulTimeout ? u"GracefulCancellationTimeoutError"_s : u"CancellationError"_s},
        {u"code"_s, code()},
        {u"message"_s, message()},
        {u"cause"_s, toString(cause())},
        {u"phase"_s, toString(m_phase)},
        {u"cleanupCompleted"_s, m_cleanupCompleted},
        {u"timestamp"_s, m_timestamp.toString(Qt::ISODateWithMs)},
    };
    if (!reasonText().isEmpty())
        json.insert(u"reason"_s, reasonText());
    if (m_gracefulTimeout) {
        json.insert(u"timeoutMs"_s, qint64(m_gracefulTimeout->timeout.count()));
        json.insert(u"cleanupAttempted"_s, m_gracefulTimeout->cleanupAttempted);
    }
    return json;
}

GracefulCancellationTimeoutError::GracefulCancellationTimeoutError(
    std::chrono::milliseconds timeout, bool cleanupAttempted,
    std::optional<CancellationReason> reason, const QDateTime &timestamp)
    : CancellationError(TurnPhase::Cleanup, std::move(reason), false, timestamp)
{
    m_gracefulTimeout = GracefulTimeout{timeout, cleanupAttempted};
}

} // namespace fermata
