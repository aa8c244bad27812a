// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/result.h"
#include "conversation/history.h"
#include "conversation/turnoutcome.h"

#include <QJsonObject>
#include <QString>

#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace fermata {

// A tool as a model is told of it.
struct ToolDefinition
{
    QString name;
    QString description;
    QJsonObject parameters; // JSON Schema
};

// One request to a model: a value, complete in itself.
struct ModelRequest
{
    QString model;
    QString systemPrompt;
    History history; // repaired; the provider shapes it for its dialect
    std::vector<ToolDefinition> tools;
    bool continueAnswer = false; // the history ends with a cut answer that is to be taken up
    std::optional<qint64> maxOutputTokens = {}; // nothing: as the server has it
};

// --- What comes of it, in order. ---

enum class ConnectionStage { Resolving, Connecting, Waiting /* sent; the reply has not begun */ };

struct ConnectionProgress
{
    ConnectionStage stage = ConnectionStage::Resolving;
};
// Bytes without content: keep-alives, role, usage. They end a silence, and they are no first token.
struct KeepAlive
{
};
// The server refused a part of the request, and is asked without it: a sentence for the user.
struct PartLeftOut
{
    QString text;
};
struct TextDelta
{
    QString text;
};
struct ThinkingDelta
{
    QString text;
};
struct ThinkingEnd
{
    QString signature;
};
// A call whose block has ended. Arguments are as they came and may be invalid JSON.
struct ToolCallReceived
{
    QString wireId;
    QString name;
    QString arguments;
    QJsonObject extras;
};
struct UnknownBlockReceived
{
    QJsonObject raw;
};
struct UsageReported
{
    TokenUsage usage; // of this request, in all so far
};
// The protocol's own end was read. Nothing comes after it; without it an answer is never whole.
struct AnswerEnded
{
    StopReason stopReason = StopReason::EndTurn;
    QString providerStopReason;
    QJsonObject extras; // to be sent back with the message
};

using ModelEvent =
    std::variant<ConnectionProgress, KeepAlive, PartLeftOut, TextDelta, ThinkingDelta, ThinkingEnd,
                 ToolCallReceived, UnknownBlockReceived, UsageReported, AnswerEnded>;

// How a wait for the next event ended: an event, the deadline, or a Result's fault or cancellation.
struct NoEventInTime
{
};
using NextEvent = std::variant<ModelEvent, NoEventInTime>;

// What a failed model call is known by. Error::code says what kind; this says what a retry has to know.
struct RetryAdvice
{
    bool retryable = false;
    std::optional<std::chrono::milliseconds> retryAfter; // as the server asked, not yet clamped
};

enum class StreamState { Active, Paused, Cancelled, Completed };

// A running answer, pulled by the turn. Used by one thread, but for pause(), resume() and state(). Destroying it closes
// the connection at once.
class ModelStream
{
public:
    virtual ~ModelStream() = default;

    // Waits for the next event until the token is cancelled (a CancellationError in phase Streaming) or the deadline has
    // passed (NoEventInTime; the stream goes on). A fault ends the stream. After AnswerEnded, or an end, it is not called.
    virtual Result<NextEvent> next(const CancellationToken &token, Deadline deadline) = 0;

    // After a fault.
    virtual RetryAdvice retryAdvice() const { return {}; }

    // Thread-safe. Paused, the bytes stay with the server by back-pressure, and nothing is lost. In any other state than
    // Active and Paused they change nothing.
    virtual void pause() = 0;
    virtual void resume() = 0;
    virtual StreamState state() const = 0;

    // When the connection was closed, once it is; for the report of a stop. Thread-safe.
    virtual std::optional<Instant> closedAt() const { return std::nullopt; }
};

// A kind of server. The seam between the turn and every wire. Thread-safe: start() may be called by several agents.
class ModelProvider
{
public:
    virtual ~ModelProvider() = default;

    // Begins a request and returns at once; no connection is opened if the token is cancelled already. Cancelling the
    // token closes the connection by itself, whether or not next() is being waited for.
    virtual std::unique_ptr<ModelStream> start(const ModelRequest &request,
                                               const CancellationToken &token) = 0;

    // For display and for what was kept of an answer: "ollama", "guide".
    virtual QString kind() const = 0;
    // The server is on this machine: it may load a model first, and the first token may take long.
    virtual bool isLocal() const = 0;
    // A request with continueAnswer set goes on in mid-sentence; without this the model is asked to go on.
    virtual bool canContinueAnswer(const QString &model) const = 0;
};

} // namespace fermata
