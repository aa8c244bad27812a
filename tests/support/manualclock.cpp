// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/manualclock.h"

#include <chrono>

namespace fermata {

ManualClock::ManualClock(Mode mode) : m_mode(mode), m_now(Duration(std::chrono::hours(1)).count())
{
}

void ManualClock::advance(Duration duration)
{
    m_now += duration.count();
}

Instant ManualClock::now() const
{
    ++m_looks;
    return Instant(Duration(m_now));
}

bool ManualClock::waitUntil(std::condition_variable &condition, std::unique_lock<std::mutex> &lock,
                            Deadline deadline) const
{
    if (m_mode == Mode::Automatic && deadline) {
        Duration::rep before = m_now;
        const Duration::rep target = deadline->time_since_epoch().count();
        while (before < target && !m_now.compare_exchange_weak(before, target)) { }
        return false;
    }
    // advance() cannot know who waits, so a waiter looks at the time again and again.
    condition.wait_for(lock, std::chrono::milliseconds(1));
    return !hasPassed(deadline);
}

} // namespace fermata
