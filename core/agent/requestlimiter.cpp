// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/requestlimiter.h"

#include "base/logging.h"

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr double NanosecondsPerMinute = 60e9;

} // namespace

Result<void> checkRequestRate(const RequestRate &rate)
{
    // So written that what is no number is refused, too.
    const bool inRange = rate.isOff()
        || (rate.perMinute >= FewestRequestsPerMinute && rate.perMinute <= MostRequestsPerMinute);
    if (!inRange)
        return Error(ErrorCode::InvalidArgument,
                     u"The requests per minute must be from %1 to %2, or 0 for no limit."_s
                         .arg(FewestRequestsPerMinute)
                         .arg(MostRequestsPerMinute));
    if (rate.burst < 1 || rate.burst > LargestRequestBurst)
        return Error(ErrorCode::InvalidArgument,
                     u"The requests at once must be from 1 to %1."_s.arg(LargestRequestBurst));
    return {};
}

RequestLimiter::RequestLimiter(const RequestRate &rate, const Clock &clock)
    : m_rate(rate), m_clock(clock), m_interval(Duration::rep(NanosecondsPerMinute / rate.perMinute))
{
}

Instant RequestLimiter::reserve()
{
    const Instant now = m_clock.now();
    const std::lock_guard lock(m_mutex);
    m_usedUp = std::max(m_usedUp, now) + m_interval;
    return std::max(now, m_usedUp - m_interval * m_rate.burst);
}

void RequestLimiter::giveBack()
{
    const std::lock_guard lock(m_mutex);
    m_usedUp -= m_interval;
}

RequestLimiters::RequestLimiters(const Clock &clock) : m_clock(clock) { }

std::shared_ptr<RequestLimiter>
RequestLimiters::limiter(const QString &provider, const QString &model, const RequestRate &rate)
{
    if (const auto checked = checkRequestRate(rate); !checked.ok()) {
        qCWarning(lcTurn).noquote() << checked.error().message;
        return nullptr;
    }
    if (rate.isOff())
        return nullptr;
    const std::lock_guard lock(m_mutex);
    auto &limiter = m_limiters[{provider, model}];
    if (!limiter || limiter->rate() != rate)
        limiter = std::make_shared<RequestLimiter>(rate, m_clock);
    return limiter;
}

} // namespace fermata
