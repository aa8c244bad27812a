// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turncontrol_p.h"
#include "agent/turnrecorder.h"
#include "agent/turnrequest.h"
#include "agent/turntrace.h"
#include "base/cleanupstack.h"

#include <optional>

namespace fermata {

class HookRunner;

// What the parts of one running turn share. Lives on the agent thread for the time of Turn::run().
struct TurnContext
{
    const TurnRequest &request;
    std::shared_ptr<TurnControl::Private> control; // shared with tools that outlive the turn
    TurnRecorder &recorder;
    const Clock &clock;
    std::shared_ptr<CleanupStack> cleanup = {}; // shared with tools that outlive the turn

    HookRunner *hooks = nullptr; // set while the turn runs

    TokenUsage usage = {}; // of the model calls that have ended, and of the one that runs
    int iteration = 0; // the one that runs, 1 for the first
    bool sent = false; // a request has left
    QString instruction = {}; // for the next model call; see AssistantMessage
    std::optional<StageChanged> stage = {};
    std::optional<LimitInfo> firedLimit = {};
    // The last stream, kept until the end of the turn so that it can tell when its connection was closed.
    std::shared_ptr<ModelStream> lastStream = {};

    CancellationToken token() const { return control->source.token(); }
    void setStage(TurnStage stage, int index = 0, int count = 0);
    void note(TraceKind kind, const QJsonObject &details = {});
    // Cancels the turn if one of its limits has run out.
    void fireExpiredLimit();
    // Returns at that time, or before it with the cancellation.
    Result<void> waitUntil(Instant time);
};

} // namespace fermata
