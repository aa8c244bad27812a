// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>

namespace fermata {

// At most `most` acquisitions in any span of `window`; the surplus is refused at once, counted, and
// takes nothing from those that follow. One per scope. Thread-safe; never waits.
class RateLimiter final
{
public:
    RateLimiter(std::size_t most, std::chrono::milliseconds window,
                const Clock &clock = steadyClock())
        : m_most(most), m_window(window), m_clock(clock)
    {
    }

    bool tryAcquire()
    {
        const std::lock_guard lock(m_mutex);
        const Instant now = m_clock.now();
        while (!m_acquired.empty() && now - m_acquired.front() >= m_window)
            m_acquired.pop_front();
        if (m_acquired.size() >= m_most) {
            ++m_refused;
            return false;
        }
        m_acquired.push_back(now);
        return true;
    }

    std::size_t refused() const
    {
        const std::lock_guard lock(m_mutex);
        return m_refused;
    }

private:
    const std::size_t m_most;
    const Duration m_window;
    const Clock &m_clock;
    mutable std::mutex m_mutex;
    std::deque<Instant> m_acquired;
    std::size_t m_refused = 0;
};

} // namespace fermata
