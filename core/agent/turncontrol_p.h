// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/inbox.h"
#include "agent/limitclock.h"
#include "agent/turncontrol.h"
#include "provider/modelprovider.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

namespace fermata {

// A stream that cannot tell its state has ended by a fault, which is told where it is read. Never throws.
StreamState stateOf(const ModelStream &stream);

// What the turn and its handle share. Outlives both as long as a tool or a callback holds it.
struct TurnControl::Private
{
    Private(TurnId turnId, const Clock &turnClock)
        : turn(std::move(turnId)), clock(turnClock), limits(turnClock), inbox(turnClock)
    {
    }

    // The stream that pause and resume act on; null between model calls. Set by the turn.
    void setStream(std::shared_ptr<ModelStream> newStream);
    void tellStream(std::unique_lock<std::mutex> &lock);
    void noteStreamed(qint64 characters); // something came of it, if only a keep-alive
    std::optional<StreamMetrics> streamMetrics() const;
    // The turn is over: what came from outside no longer reaches it, and what watches over it ends. Again: harmless.
    void end();
    void noteStop(); // the first call keeps the time
    std::optional<Instant> stoppedAt() const;

    const TurnId turn;
    const Clock &clock;
    CancellationSource source;
    CancellationSource forceSource;
    CancellationSource endSource;
    LimitClock limits;
    Inbox inbox;
    std::atomic<bool> ended = false;
    std::atomic<bool> questionOpen = false;
    std::atomic<int> lateCalls = 0;

    mutable std::mutex mutex;
    std::optional<Instant> stopTime;
    std::shared_ptr<ModelStream> stream;
    bool streamIsPaused = false; // as it was told
    bool isTelling = false;
    std::optional<StreamMetrics> metrics; // its duration is that of an ended stream
    Instant streamStart{};
    bool paused = false;
};

} // namespace fermata
