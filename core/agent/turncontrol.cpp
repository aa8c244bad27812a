// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turncontrol.h"

#include "agent/turncontrol_p.h"

namespace fermata {

namespace {

// A second click within the double-click time is part of the first.
constexpr std::chrono::milliseconds DoubleClickTime{400};

} // namespace

void TurnControl::Private::setStream(ModelStream *newStream)
{
    const Instant now = clock.now();
    const std::lock_guard lock(mutex);
    if (stream && metrics) {
        metrics->state = stream->state();
        metrics->duration = now - streamStart;
    }
    stream = newStream;
    if (!stream)
        return;
    metrics = StreamMetrics{StreamState::Active, 0, Duration(0), now};
    streamStart = now;
    if (paused)
        stream->pause();
}

void TurnControl::Private::noteStreamed(qint64 characters)
{
    const Instant now = clock.now();
    const std::lock_guard lock(mutex);
    if (!metrics)
        return;
    metrics->characters += characters;
    metrics->lastActivity = now;
}

std::optional<StreamMetrics> TurnControl::Private::streamMetrics() const
{
    const Instant now = clock.now();
    const std::lock_guard lock(mutex);
    std::optional<StreamMetrics> current = metrics;
    if (current && stream) {
        current->state = stream->state();
        current->duration = now - streamStart;
    }
    return current;
}

void TurnControl::Private::end()
{
    ended = true;
    source.releaseLinks();
    endSource.cancel(CancellationCause::Parent);
}

void TurnControl::Private::noteStop()
{
    const Instant now = clock.now();
    const std::lock_guard lock(mutex);
    if (!stopTime)
        stopTime = now;
}

std::optional<Instant> TurnControl::Private::stoppedAt() const
{
    const std::lock_guard lock(mutex);
    return stopTime;
}

TurnControl::TurnControl(TurnId turn, const Clock &clock)
    : d(std::make_shared<Private>(std::move(turn), clock))
{
}

TurnControl::~TurnControl()
{
    d->end();
}

const TurnId &TurnControl::turn() const
{
    return d->turn;
}

bool TurnControl::stop(CancellationReason reason)
{
    if (d->ended) {
        ++d->lateCalls;
        return false;
    }
    if (const auto first = d->stoppedAt()) {
        if (d->clock.now() - *first >= DoubleClickTime)
            force();
        return false;
    }
    return cancel(std::move(reason));
}

bool TurnControl::cancel(CancellationReason reason)
{
    if (d->ended) {
        ++d->lateCalls;
        return false;
    }
    d->noteStop();
    return d->source.cancel(std::move(reason));
}

void TurnControl::force()
{
    if (d->source.token().isCancelled() && d->forceSource.cancel(CancellationCause::User))
        d->inbox.send(Forced{});
}

void TurnControl::stopTool(const CallId &call)
{
    if (d->ended)
        ++d->lateCalls;
    else
        d->inbox.send(ToolStopAsked{call});
}

void TurnControl::answerApproval(const CallId &call, ApprovalDecision decision,
                                 const QByteArray &fingerprint)
{
    if (d->ended)
        ++d->lateCalls;
    else
        d->inbox.send(ApprovalAnswered{call, decision, fingerprint});
}

void TurnControl::answerQuestion(bool goOn, const QString &instruction)
{
    // The first answer takes the question with it: a second one would answer the next question, which nobody has seen.
    if (d->ended || !d->questionOpen.exchange(false))
        ++d->lateCalls;
    else
        d->inbox.send(QuestionAnswered{goOn, instruction});
}

void TurnControl::extend(Limit limit, std::chrono::milliseconds by)
{
    d->limits.extend(limit, by);
    d->inbox.send(LimitExtended{limit, by});
}

void TurnControl::pause()
{
    const std::lock_guard lock(d->mutex);
    if (d->ended || d->paused || d->source.token().isCancelled())
        return;
    d->paused = true;
    d->limits.pauseStream();
    if (d->stream)
        d->stream->pause();
}

void TurnControl::resume()
{
    const std::lock_guard lock(d->mutex);
    if (!d->paused)
        return;
    d->paused = false;
    d->limits.resumeStream();
    if (d->stream)
        d->stream->resume();
}

bool TurnControl::isPaused() const
{
    const std::lock_guard lock(d->mutex);
    return d->paused;
}

bool TurnControl::cancelStream(const QString &reason)
{
    return cancel({CancellationCause::User, reason, {}, {}});
}

std::optional<StreamMetrics> TurnControl::streamMetrics() const
{
    return d->streamMetrics();
}

std::vector<RunningLimit> TurnControl::runningLimits() const
{
    return d->limits.running();
}

CancellationToken TurnControl::token() const
{
    return d->source.token();
}

CancellationToken TurnControl::endToken() const
{
    return d->endSource.token();
}

bool TurnControl::isStopping() const
{
    return d->source.token().isCancelled() && !d->ended;
}

bool TurnControl::hasEnded() const
{
    return d->ended;
}

int TurnControl::lateCalls() const
{
    return d->lateCalls;
}

} // namespace fermata
