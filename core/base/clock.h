// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace fermata {

using Duration = std::chrono::nanoseconds;
// Monotonic: time in which the computer sleeps does not count, and a changed wall clock changes
// nothing.
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;
// Nothing means: waits for ever.
using Deadline = std::optional<Instant>;

// The earlier of the two, where "nothing" is later than any instant.
Deadline earlier(Deadline a, Deadline b);

// What tells the time to everything that waits, so that a test can tell it another one.
// Thread-safe.
class Clock
{
public:
    virtual ~Clock() = default;

    virtual Instant now() const = 0;
    // Waits on `condition` until it is notified or the deadline has passed; may wake for no reason.
    // False if the deadline has passed.
    virtual bool waitUntil(std::condition_variable &condition, std::unique_lock<std::mutex> &lock,
                           Deadline deadline) const = 0;

    bool hasPassed(Deadline deadline) const { return deadline && now() >= *deadline; }
};

// The machine's monotonic clock. It has no state.
class SteadyClock final : public Clock
{
public:
    Instant now() const override;
    bool waitUntil(std::condition_variable &condition, std::unique_lock<std::mutex> &lock,
                   Deadline deadline) const override;
};

// The clock that is used where none is given.
const Clock &steadyClock();

} // namespace fermata
