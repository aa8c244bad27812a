// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/limits.h"
#include "base/result.h"
#include "conversation/turnevent.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>

#include <functional>
#include <optional>

namespace fermata {

class CleanupStack;

// Read-only tools run side by side, writing ones one by one.
enum class ToolAccess { ReadOnly, Writes };

// What a permission "Allow" covers: every call, or only those whose request offers an alwaysPattern. The others ask.
enum class AllowReach { EveryCall, CallsWithPattern };

struct ToolSpec
{
    QString name; // [a-z_]+, as the model calls it
    QString title; // for people: "Run command"
    QString description; // for the model
    QJsonObject
        parameters; // JSON Schema; the arguments are checked against it before anything else
    ToolAccess access = ToolAccess::Writes;
    bool asksByDefault = true;
    AllowReach allowReach = AllowReach::EveryCall;
    std::optional<LimitValue> limit; // instead of the turn's tool limit
};

// What a tool gave. `output` goes to the model and into the card.
struct ToolResult
{
    QString output;
    bool isError = false;
    std::optional<int> exitStatus;
    QJsonObject
        undo; // what is needed to take the effect back, if the tool can; opaque to all but the tool
};

// What one run of a tool may use. Made by the executor for one call; used on the tool's thread, thread-safe.
class ToolContext
{
public:
    virtual ~ToolContext() = default;

    // Cancelled by Stop, by "Stop tool", by the tool's limit. The tool ends soon after, by returning.
    virtual CancellationToken token() const = 0;
    // Appends to the live output. Bounded and coalesced by the executor: call it as often as there is something.
    virtual void reportOutput(const QByteArray &bytes) = 0;
    // Ends the whole turn: cause External, source this tool.
    virtual void requestTurnStop(const QString &reason) = 0;
    // From here on a stop waits for the tool's end: what it does now cannot be taken back in the middle.
    virtual void passPointOfNoReturn() = 0;
    // The folder of this conversation. Tools write nowhere else.
    virtual QString workspace() const = 0;
    // How long a stopped process gets between TERM and KILL; zero in immediate mode, and after a second Stop.
    virtual std::chrono::milliseconds grace() const = 0;
    virtual CancellationToken forceToken() const = 0; // cancelled by the second Stop: end at once
    // Of the request that was allowed; empty if there was none. A tool that showed the state of something, as a file,
    // compares it with what it finds.
    virtual QByteArray approvedFingerprint() const = 0;
    // Of the turn: what has to be undone if the turn is cancelled, even long after this call has ended. What has to be
    // released in any case is released by its owner.
    virtual CleanupStack &cleanup() = 0;
};

// Something the model can ask for. One object serves all calls: no state of a call is kept in it. Thread-safe.
class Tool
{
public:
    virtual ~Tool() = default;

    virtual const ToolSpec &spec() const = 0;

    // What the user is asked to allow: the exact text and the facts. The arguments are valid against the schema.
    // An error is the result of the call; the user is not asked then. Called on a tool thread.
    virtual Result<ApprovalRequest> describe(const QJsonObject &arguments,
                                             const QString &workspace) const = 0;

    // One line for the head of the card: a path, the command. Any thread, also while the call waits.
    virtual QString summary(const QJsonObject &arguments) const = 0;

    // Runs on a tool thread and blocks. A fault becomes an error result; a cancellation travels up and is not one.
    // Called at most once for a call, and never if the token was cancelled before.
    virtual Result<ToolResult> run(const QJsonObject &arguments, ToolContext &context) = 0;

    // Takes the effect of a finished call back, where that is possible, by the record of its result. Any thread; blocks.
    // An error changed nothing; what is already as it was before the call is no error.
    virtual Result<void> undo(const QJsonObject &record, const QString &workspace);
};

// What ApprovalRequest::fingerprint is made of: tool, arguments, and the state that was shown with them, if any.
QByteArray approvalFingerprint(const QString &tool, const QJsonObject &arguments,
                               QByteArrayView state = {});

} // namespace fermata
