// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/clock.h"
#include "conversation/ids.h"
#include "tool/tool.h"

#include <functional>
#include <memory>
#include <variant>

namespace fermata {

struct ToolDescribed
{
    CallId call;
    Result<ApprovalRequest> request;
};
struct ToolOutputReported
{
    CallId call;
    QString text; // decoded, without control sequences; coalesced and bounded
};
struct ToolEnded
{
    CallId call;
    Result<ToolResult> result; // a cancellation if the run ended by one
    bool entered = true; // false: the tool was never called, so nothing of it took effect
    std::chrono::milliseconds grace{0}; // that a stop left it in the end; zero in immediate mode
};
struct ToolTurnStopRequested
{
    CallId call;
    QString reason;
};

using ToolRunEvent =
    std::variant<ToolDescribed, ToolOutputReported, ToolEnded, ToolTurnStopRequested>;

// Called on threads of the run, one event after the other and never after the handle is gone; must not block, and must
// not destroy the handle.
using ToolRunSink = std::function<void(ToolRunEvent)>;

struct ToolRunOptions
{
    CallId call;
    QJsonObject arguments; // validated
    QString workspace;
    CancellationToken parent; // the turn's
    std::chrono::milliseconds grace{2000};
    ApprovalRequest approved; // what was shown, or would have been
    std::shared_ptr<CleanupStack> cleanup; // the turn's; null: one that nobody runs
};

// One run of a tool on a thread of its own, from start to end. Threads are never killed: a tool that does not end is left
// behind by destroying the handle; it holds on to what it needs, its late result is dropped and logged, and
// detachedRuns() counts it until it ends. Used by one thread.
class ToolRun final
{
public:
    // Looks at the token first: if it is cancelled, the tool is not entered and the end says so.
    static std::unique_ptr<ToolRun> start(std::shared_ptr<Tool> tool, ToolRunOptions options,
                                          ToolRunSink sink);
    // Asks the tool what the user is to be shown; ends with ToolDescribed.
    static std::unique_ptr<ToolRun> startDescribing(std::shared_ptr<Tool> tool,
                                                    ToolRunOptions options, ToolRunSink sink);
    ~ToolRun();
    ToolRun(const ToolRun &) = delete;
    ToolRun &operator=(const ToolRun &) = delete;

    // Cancels the run's own child source; the parent is untouched.
    void cancel(CancellationReason reason);
    // Ends the grace time.
    void force();
    // Takes the start back. True if the tool had not been called, and then it never will be; the end says the same.
    bool revoke();

    bool hasEnded() const;
    bool isPastPointOfNoReturn() const;
    // What was reported so far, head and tail.
    QString outputSoFar() const;

    static int detachedRuns();

private:
    struct Shared;
    explicit ToolRun(std::shared_ptr<Shared> shared);

    std::shared_ptr<Shared> m_shared;
};

} // namespace fermata
