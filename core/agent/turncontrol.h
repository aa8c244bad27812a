// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/limits.h"
#include "conversation/ids.h"
#include "conversation/turnevent.h"
#include "provider/modelprovider.h"

#include <memory>
#include <optional>
#include <vector>

namespace fermata {

// What a stream is doing, for display and diagnosis.
struct StreamMetrics
{
    StreamState state = StreamState::Active;
    qint64 characters = 0; // of text, thinking and tool calls so far
    Duration duration{0}; // from its start to now, or to its end
    Instant lastActivity{}; // when something came last, keep-alives included; its start until then
};

// The one handle on a running turn, made together with its request; whoever holds it can stop the turn, and no one else
// can reach it. Thread-safe; nothing here waits, and everything may be called before the turn starts and after it ended,
// when it does nothing.
class TurnControl final
{
public:
    explicit TurnControl(TurnId turn, const Clock &clock = steadyClock());
    ~TurnControl();
    TurnControl(const TurnControl &) = delete;
    TurnControl &operator=(const TurnControl &) = delete;

    const TurnId &turn() const;

    // Sets the flag and wakes every wait. True for the call that won. A second stop later than the double-click time
    // (400 ms), or force(), drops what is left of the grace time; reason and number of ends do not change.
    bool stop(CancellationReason reason);
    // The same for programs and timers: a further one changes nothing and never forces.
    bool cancel(CancellationReason reason);
    void force();
    // Cancels only this call; the turn goes on.
    void stopTool(const CallId &call);
    // Counts only for the request that was shown: `fingerprint` is that of the ApprovalRequest.
    void answerApproval(const CallId &call, ApprovalDecision decision,
                        const QByteArray &fingerprint);
    // Counts only while a question is open, and once.
    void answerQuestion(bool goOn, const QString &instruction = {});
    // Moves the running deadline of this turn only.
    void extend(Limit limit, std::chrono::milliseconds by);
    // The stream: stops reading from the server, goes on.
    void pause();
    void resume();
    bool isPaused() const;
    // Ends the stream, and the turn with it: cause User. True for the call that won.
    bool cancelStream(const QString &reason);
    // Of the newest model call; nothing before the first.
    std::optional<StreamMetrics> streamMetrics() const;

    // Those that run now, nearest first.
    std::vector<RunningLimit> runningLimits() const;
    CancellationToken token() const;
    // Cancelled when the turn has ended in any way, or will never begin: for what watches over a turn and ends with it.
    CancellationToken endToken() const;
    bool isStopping() const;
    bool hasEnded() const;
    // Answers and stops that came for a turn that had ended.
    int lateCalls() const;

    struct Private; // the turn's side

private:
    friend class Turn;
    std::shared_ptr<Private> d;
};

} // namespace fermata
