// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"

#include <QHash>
#include <QString>

#include <memory>
#include <mutex>

namespace fermata {

// How many requests may leave: `burst` at once, and from then on `perMinute`.
struct RequestRate
{
    double perMinute = 0; // 0: off
    int burst = 1;

    bool isOff() const { return perMinute == 0; }
    friend bool operator==(const RequestRate &, const RequestRate &) = default;
};

// An InvalidArgument error that names what is wrong: a rate that is no number or out of its range, a burst below one or
// above the largest one.
Result<void> checkRequestRate(const RequestRate &rate);

// When the requests of one scope may leave. It tells the time and never waits: who has reserved waits until then, in its
// own way, and gives the place back if it is stopped. Thread-safe.
class RequestLimiter final
{
public:
    // `rate` is checked and not off.
    explicit RequestLimiter(const RequestRate &rate, const Clock &clock = steadyClock());

    // Now or later, in the order of the calls.
    Instant reserve();
    // A place that was reserved and not used.
    void giveBack();

    const RequestRate &rate() const { return m_rate; }

private:
    const RequestRate m_rate;
    const Clock &m_clock;
    const Duration m_interval;
    std::mutex m_mutex;
    Instant m_usedUp{}; // when all that was reserved so far has been paid for by time
};

// The limiters of all scopes. Scopes do not touch each other. Thread-safe.
class RequestLimiters final
{
public:
    explicit RequestLimiters(const Clock &clock = steadyClock());

    // Null, which means no wait, if the rate is off or wrong; a wrong one is logged. A changed rate begins anew.
    std::shared_ptr<RequestLimiter> limiter(const QString &provider, const QString &model,
                                            const RequestRate &rate);

private:
    const Clock &m_clock;
    std::mutex m_mutex;
    QHash<std::pair<QString, QString>, std::shared_ptr<RequestLimiter>> m_limiters;
};

} // namespace fermata
