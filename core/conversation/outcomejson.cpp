// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/serialization.h"

#include "conversation/enumnames.h"
#include "conversation/jsonfields.h"

#include <QJsonArray>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr EnumNames<Limit, 5> LimitNames{{
    {Limit::Connect, "connect"_L1},
    {Limit::FirstToken, "firstToken"_L1},
    {Limit::Silence, "silence"_L1},
    {Limit::Turn, "turn"_L1},
    {Limit::Tool, "tool"_L1},
}};

// A chain of causes longer than this is not one that Fermata made.
constexpr int MostCauses = 16;

QJsonObject reasonToJson(const CancellationReason &reason)
{
    QJsonObject json{{u"cause"_s, toString(reason.cause)}};
    putText(json, u"text"_s, reason.text);
    putText(json, u"source"_s, reason.source);
    putTime(json, u"time"_s, reason.time);
    return json;
}

std::optional<CancellationReason> reasonFromJson(const QJsonValue &value)
{
    const QJsonObject json = value.toObject();
    const auto cause = cancellationCauseFromString(json.value("cause"_L1).toString());
    if (!cause)
        return std::nullopt;
    return CancellationReason{*cause, json.value("text"_L1).toString(),
                              json.value("source"_L1).toString(), timeFrom(json.value("time"_L1))};
}

QJsonObject cancellationToJson(const CancellationError &cancellation)
{
    QJsonObject json{
        {u"phase"_s, toString(cancellation.phase())},
        {u"cleanupCompleted"_s, cancellation.cleanupCompleted()},
    };
    if (cancellation.reason())
        json.insert(u"reason"_s, reasonToJson(*cancellation.reason()));
    putTime(json, u"timestamp"_s, cancellation.timestamp());
    if (cancellation.isGracefulTimeout()) {
        json.insert(u"timeoutMs"_s, qint64(cancellation.timeout().count()));
        json.insert(u"cleanupAttempted"_s, cancellation.cleanupAttempted());
    }
    return json;
}

CancellationError cancellationFromJson(const QJsonObject &json)
{
    const auto reason = reasonFromJson(json.value("reason"_L1));
    const QDateTime timestamp = timeFrom(json.value("timestamp"_L1));
    if (json.contains("timeoutMs"_L1)) {
        return GracefulCancellationTimeoutError(durationFrom(json.value("timeoutMs"_L1)),
                                                json.value("cleanupAttempted"_L1).toBool(true),
                                                reason, timestamp);
    }
    const auto phase = turnPhaseFromString(json.value("phase"_L1).toString());
    return CancellationError(phase.value_or(TurnPhase::Execution), reason,
                             json.value("cleanupCompleted"_L1).toBool(true), timestamp);
}

QJsonObject errorToJson(const Error &error)
{
    QJsonObject json{{u"code"_s, toString(error.code)}};
    putText(json, u"message"_s, error.message);
    putText(json, u"detail"_s, error.detail);
    if (error.cancellation)
        json.insert(u"cancellation"_s, cancellationToJson(*error.cancellation));
    if (error.cause)
        json.insert(u"cause"_s, errorToJson(*error.cause));
    return json;
}

Error errorFromJson(const QJsonObject &json, int depth = 0)
{
    Error error(errorCodeFromString(json.value("code"_L1).toString()),
                json.value("message"_L1).toString(), json.value("detail"_L1).toString());
    if (json.contains("cancellation"_L1))
        error.cancellation = cancellationFromJson(json.value("cancellation"_L1).toObject());
    if (json.contains("cause"_L1) && depth < MostCauses) {
        error.cause = std::make_shared<const Error>(
            errorFromJson(json.value("cause"_L1).toObject(), depth + 1));
    }
    return error;
}

QJsonObject ledgerToJson(const ToolLedger &ledger)
{
    QJsonObject json{
        {u"finished"_s, ledger.finished},
        {u"interrupted"_s, ledger.interrupted},
        {u"notRun"_s, ledger.notRun},
    };
    putDuration(json, u"interruptedAfterMs"_s, ledger.interruptedAfter);
    if (!ledger.stillRunning.isEmpty())
        json.insert(u"stillRunning"_s, QJsonArray::fromStringList(ledger.stillRunning));
    return json;
}

ToolLedger ledgerFromJson(const QJsonObject &json)
{
    ToolLedger ledger;
    ledger.finished = json.value("finished"_L1).toInt();
    ledger.interrupted = json.value("interrupted"_L1).toInt();
    ledger.notRun = json.value("notRun"_L1).toInt();
    ledger.interruptedAfter = durationFrom(json.value("interruptedAfterMs"_L1));
    for (const QJsonValue &name : json.value("stillRunning"_L1).toArray())
        ledger.stillRunning += name.toString();
    return ledger;
}

void putOptionalDuration(QJsonObject &json, const QString &key,
                         const std::optional<std::chrono::milliseconds> &duration)
{
    if (duration)
        json.insert(key, qint64(duration->count()));
}

std::optional<std::chrono::milliseconds> optionalDurationFrom(const QJsonValue &value)
{
    if (!value.isDouble())
        return std::nullopt;
    return durationFrom(value);
}

} // namespace

QJsonObject toJson(const TurnOutcome &outcome)
{
    QJsonObject json{
        {u"turn"_s, outcome.turn.toString()},
        {u"status"_s, toString(outcome.status)},
        {u"stopReason"_s, toString(outcome.stopReason)},
        {u"phase"_s, toString(outcome.phase)},
        {u"partial"_s, outcome.partial},
        {u"iterations"_s, outcome.iterations},
        {u"tools"_s, ledgerToJson(outcome.tools)},
        {u"usage"_s,
         QJsonObject{{u"input"_s, outcome.usage.input},
                     {u"output"_s, outcome.usage.output},
                     {u"estimated"_s, outcome.usage.estimated}}},
        {u"stopRequested"_s, outcome.stopRequested},
        {u"cleanupCompleted"_s, outcome.cleanupCompleted},
        {u"saved"_s, outcome.saved},
        {u"sent"_s, outcome.sent},
        {u"streamed"_s, outcome.streamed},
        {u"durationMs"_s, qint64(outcome.duration.count())},
    };
    putText(json, u"providerStopReason"_s, outcome.providerStopReason);
    putText(json, u"text"_s, outcome.text);
    putText(json, u"notice"_s, outcome.notice);
    if (outcome.reason)
        json.insert(u"reason"_s, reasonToJson(*outcome.reason));
    if (outcome.limit) {
        json.insert(u"limit"_s,
                    QJsonObject{{u"name"_s, nameOf(LimitNames, outcome.limit->limit)},
                                {u"valueMs"_s, qint64(outcome.limit->value.count())}});
    }
    if (outcome.cleanupError)
        json.insert(u"cleanupError"_s, cancellationToJson(*outcome.cleanupError));
    if (outcome.error)
        json.insert(u"error"_s, errorToJson(*outcome.error));
    putTime(json, u"startedAt"_s, outcome.startedAt);
    putTime(json, u"endedAt"_s, outcome.endedAt);
    putOptionalDuration(json, u"timeToStopMs"_s, outcome.timeToStop);
    putOptionalDuration(json, u"serverIdleAfterMs"_s, outcome.serverIdleAfter);
    return json;
}

Result<TurnOutcome> turnOutcomeFromJson(const QJsonObject &json)
{
    const auto status = turnStatusFromString(json.value("status"_L1).toString());
    const auto stopReason = stopReasonFromString(json.value("stopReason"_L1).toString());
    if (!status || !stopReason) {
        return Error(ErrorCode::InvalidArgument,
                     u"The end of a turn is of a kind that this version does not know."_s);
    }
    TurnOutcome outcome;
    outcome.turn = TurnId(json.value("turn"_L1).toString());
    outcome.status = *status;
    outcome.stopReason = *stopReason;
    outcome.providerStopReason = json.value("providerStopReason"_L1).toString();
    outcome.reason = reasonFromJson(json.value("reason"_L1));
    const QJsonObject limit = json.value("limit"_L1).toObject();
    if (const auto which = valueOf(LimitNames, limit.value("name"_L1).toString()))
        outcome.limit = LimitInfo{*which, durationFrom(limit.value("valueMs"_L1))};
    outcome.phase =
        turnPhaseFromString(json.value("phase"_L1).toString()).value_or(TurnPhase::Execution);
    outcome.text = json.value("text"_L1).toString();
    outcome.notice = json.value("notice"_L1).toString();
    outcome.partial = json.value("partial"_L1).toBool();
    outcome.iterations = json.value("iterations"_L1).toInt();
    outcome.tools = ledgerFromJson(json.value("tools"_L1).toObject());
    const QJsonObject usage = json.value("usage"_L1).toObject();
    outcome.usage.input = usage.value("input"_L1).toInteger();
    outcome.usage.output = usage.value("output"_L1).toInteger();
    outcome.usage.estimated = usage.value("estimated"_L1).toBool();
    outcome.stopRequested = json.value("stopRequested"_L1).toBool();
    outcome.cleanupCompleted = json.value("cleanupCompleted"_L1).toBool(true);
    if (json.contains("cleanupError"_L1))
        outcome.cleanupError = cancellationFromJson(json.value("cleanupError"_L1).toObject());
    outcome.saved = json.value("saved"_L1).toBool(true);
    outcome.sent = json.value("sent"_L1).toBool();
    outcome.streamed = json.value("streamed"_L1).toBool();
    if (json.contains("error"_L1))
        outcome.error = errorFromJson(json.value("error"_L1).toObject());
    outcome.startedAt = timeFrom(json.value("startedAt"_L1));
    outcome.endedAt = timeFrom(json.value("endedAt"_L1));
    outcome.duration = durationFrom(json.value("durationMs"_L1));
    outcome.timeToStop = optionalDurationFrom(json.value("timeToStopMs"_L1));
    outcome.serverIdleAfter = optionalDurationFrom(json.value("serverIdleAfterMs"_L1));
    return outcome;
}

} // namespace fermata
