// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turnwatcher.h"

#include "base/logging.h"

#include <atomic>
#include <exception>
#include <thread>

namespace fermata {

class TurnWatcher::Private
{
public:
    CancellationSource end; // of the turn, or of the watcher itself
    std::atomic<bool> ended = false;
    std::thread thread;
};

TurnWatcher::TurnWatcher(const std::shared_ptr<TurnControl> &control, Wait wait)
    : d(std::make_unique<Private>())
{
    d->end.linkTo(control->endToken());
    // Weak: a watcher does not keep the turn that it watches.
    d->thread = std::thread([this, weak = std::weak_ptr(control), wait = std::move(wait)] {
        try {
            const auto reason = wait(d->end.token());
            if (const auto watched = weak.lock();
                watched && reason && !d->end.token().isCancelled())
                watched->cancel(*reason);
        } catch (const std::exception &error) {
            qCWarning(lcTurn, "a watcher failed: %s", error.what());
        } catch (...) {
            qCWarning(lcTurn, "a watcher failed");
        }
        d->ended = true;
    });
}

TurnWatcher::~TurnWatcher()
{
    d->end.cancel(CancellationCause::Parent);
    d->thread.join();
}

bool TurnWatcher::hasEnded() const
{
    return d->ended;
}

} // namespace fermata
