// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/retrypolicy.h"

#include <QRandomGenerator>

#include <algorithm>

namespace fermata {

using std::chrono::milliseconds;

RetryPolicy::RetryPolicy(RetryLimits limits, std::function<double()> random)
    : m_limits(limits), m_random(random ? std::move(random) : [] {
          return QRandomGenerator::global()->generateDouble();
      })
{
}

std::optional<milliseconds> RetryPolicy::nextWait(const RetryAdvice &advice)
{
    if (!advice.retryable || m_attempt > m_limits.retries)
        return std::nullopt;
    milliseconds wait;
    if (advice.retryAfter) {
        wait = std::clamp(*advice.retryAfter, milliseconds(0), m_limits.longestServerWait);
    } else {
        const int doublings = std::min(m_attempt - 1, 20);
        const milliseconds base =
            std::min(m_limits.firstWait * (1 << doublings), m_limits.longestWait);
        const double factor = 1.0 + m_limits.jitter * (2.0 * m_random() - 1.0);
        wait = milliseconds(qint64(double(base.count()) * factor));
    }
    if (m_waited + wait > m_limits.totalWait)
        return std::nullopt;
    m_waited += wait;
    ++m_attempt;
    return wait;
}

} // namespace fermata
