// SPDX-License-Identifier: GPL-3.0-or-later
#include "patientclock.h"

namespace fermata {

namespace {

// In the time of the machine. What was sent arrives within the moment; who works ends within the patience.
constexpr std::chrono::microseconds Moment(100);
constexpr std::chrono::milliseconds Patience(50);

} // namespace

void PatientClock::setWorking(int count)
{
    m_working = count;
    m_workChanged = steadyClock().now().time_since_epoch().count();
}

bool PatientClock::waitUntil(std::condition_variable &condition, std::unique_lock<std::mutex> &lock,
                             Deadline deadline) const
{
    if (!deadline) {
        condition.wait_for(lock, std::chrono::milliseconds(1));
        return true;
    }
    if (!m_othersExist) {
        goTo(*deadline);
        return false;
    }
    std::multiset<Instant>::iterator mine;
    {
        const std::lock_guard guard(m_mutex);
        mine = m_deadlines.insert(*deadline);
    }
    const bool nothingHappens = condition.wait_for(lock, Moment) == std::cv_status::timeout;
    const bool isPatient =
        m_working > 0 && steadyClock().now() - Instant(Duration(m_workChanged)) < Patience;
    {
        const std::lock_guard guard(m_mutex);
        if (nothingHappens && !isPatient)
            goTo(*m_deadlines.begin());
        m_deadlines.erase(mine);
    }
    return !hasPassed(deadline);
}

void PatientClock::goTo(Instant time) const
{
    const Duration::rep target = time.time_since_epoch().count();
    Duration::rep before = m_now;
    while (before < target && !m_now.compare_exchange_weak(before, target)) { }
}

} // namespace fermata
