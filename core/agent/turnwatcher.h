// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turncontrol.h"

#include <functional>
#include <memory>
#include <optional>

namespace fermata {

// Turns an event from outside (a message, a file, a sensor) into the stop of a turn. It waits on a thread of its own, and
// ends with the turn, however that ends.
class TurnWatcher final
{
public:
    // Blocks until the event comes and returns its reason, or nothing when the token is cancelled: it must listen to it.
    using Wait = std::function<std::optional<CancellationReason>(const CancellationToken &turnEnd)>;

    TurnWatcher(const std::shared_ptr<TurnControl> &control, Wait wait);
    ~TurnWatcher(); // ends the wait
    TurnWatcher(const TurnWatcher &) = delete;
    TurnWatcher &operator=(const TurnWatcher &) = delete;

    // The wait is over, by the event or by the end of the turn.
    bool hasEnded() const;

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace fermata
