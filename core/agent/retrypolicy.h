// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "provider/modelprovider.h"

#include <chrono>
#include <functional>
#include <optional>

namespace fermata {

struct RetryLimits
{
    int retries = 3;
    std::chrono::milliseconds firstWait{1000}; // doubled each time
    std::chrono::milliseconds longestWait{30'000};
    std::chrono::milliseconds longestServerWait{60'000}; // what a server may ask for
    std::chrono::milliseconds totalWait{60'000};
    double jitter = 0.25;
};

// How long to wait before a failed model call is tried again, or that it is not. One object for one model call. It is
// asked only about faults of which the user saw nothing; a cancellation never reaches it.
class RetryPolicy final
{
public:
    // `random` gives numbers from 0 to 1.
    explicit RetryPolicy(RetryLimits limits = {}, std::function<double()> random = {});

    // Nothing: give up. Counts the attempt and the wait.
    std::optional<std::chrono::milliseconds> nextWait(const RetryAdvice &advice);

    int attempt() const { return m_attempt; } // of the last call, 1 for the first
    int attempts() const { return m_limits.retries + 1; } // in all

private:
    RetryLimits m_limits;
    std::function<double()> m_random;
    int m_attempt = 1;
    std::chrono::milliseconds m_waited{0};
};

} // namespace fermata
