// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/clock.h"

#include <algorithm>

namespace fermata {

Deadline earlier(Deadline a, Deadline b)
{
    if (!a || !b)
        return a ? a : b;
    return std::min(*a, *b);
}

Instant SteadyClock::now() const
{
    return std::chrono::steady_clock::now();
}

bool SteadyClock::waitUntil(std::condition_variable &condition, std::unique_lock<std::mutex> &lock,
                            Deadline deadline) const
{
    if (!deadline) {
        condition.wait(lock);
        return true;
    }
    return condition.wait_until(lock, *deadline) == std::cv_status::no_timeout;
}

const Clock &steadyClock()
{
    static const SteadyClock clock;
    return clock;
}

} // namespace fermata
