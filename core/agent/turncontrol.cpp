// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turncontrol.h"

#include "agent/foreigncall.h"
#include "agent/turncontrol_p.h"
#include "base/logging.h"

#include <utility>

namespace fermata {

namespace {

// A second click within the double-click time is part of the first.
constexpr std::chrono::milliseconds DoubleClickTime{400};

} // namespace

StreamState stateOf(const ModelStream &stream)
{
    StreamState state = StreamState::Cancelled;
    if (const auto fault = faultOf([&] { state = stream.state(); }))
        qCCritical(lcTurn).noquote() << "a stream could not tell its state:" << *fault;
    return state;
}

// Streams are foreign code: what they are asked and told, they are without the lock.
void TurnControl::Private::setStream(std::shared_ptr<ModelStream> newStream)
{
    const Instant now = clock.now();
    const std::shared_ptr<ModelStream> last = stream; // changed by the turn alone, which is here
    const StreamState lastState = last ? stateOf(*last) : StreamState::Active;
    std::unique_lock lock(mutex);
    if (last && metrics) {
        metrics->state = lastState;
        metrics->duration = now - streamStart;
    }
    stream = std::move(newStream);
    streamIsPaused = false;
    if (!stream)
        return;
    metrics = StreamMetrics{StreamState::Active, 0, Duration(0), now};
    streamStart = now;
    tellStream(lock);
}

// One thread at a time, so that the last word is the last one; another leaves its wish to that one.
void TurnControl::Private::tellStream(std::unique_lock<std::mutex> &lock)
{
    if (std::exchange(isTelling, true))
        return;
    while (stream && streamIsPaused != paused) {
        std::shared_ptr<ModelStream> told = stream;
        streamIsPaused = paused;
        const bool pauses = paused;
        lock.unlock();
        if (const auto fault = faultOf([&] { pauses ? told->pause() : told->resume(); })) {
            qCCritical(lcTurn).noquote()
                << "a stream could not be told to pause or to go on:" << *fault;
        }
        told.reset(); // which may end it
        lock.lock();
    }
    isTelling = false;
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
    std::unique_lock lock(mutex);
    std::optional<StreamMetrics> current = metrics;
    const std::shared_ptr<ModelStream> asked = stream;
    if (current && asked) {
        current->duration = now - streamStart;
        lock.unlock();
        current->state = stateOf(*asked);
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
    std::unique_lock lock(d->mutex);
    if (d->ended || d->paused || d->source.token().isCancelled())
        return;
    d->paused = true;
    d->limits.pauseStream();
    d->tellStream(lock);
}

void TurnControl::resume()
{
    std::unique_lock lock(d->mutex);
    if (!d->paused)
        return;
    d->paused = false;
    d->limits.resumeStream();
    d->tellStream(lock);
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
