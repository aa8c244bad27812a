// SPDX-License-Identifier: GPL-3.0-or-later
#include "patientclock.h"

namespace fermata {

namespace {

// In the time of the machine: what was sent arrives within it.
constexpr std::chrono::microseconds Moment(100);

} // namespace

void PatientClock::setWorking(int count)
{
    m_working = count;
    noteWork();
}

void PatientClock::setAlwaysWorking(bool always, std::chrono::milliseconds patience)
{
    m_alwaysWorking = always;
    m_patience = patience;
    noteWork();
}

void PatientClock::noteWork()
{
    m_workChanged = steadyClock().now().time_since_epoch().count();
}

bool PatientClock::waitUntil(std::condition_variable &condition, std::unique_lock<std::mutex> &lock,
                             Deadline deadline) const
{
    if (!deadline) {
        condition.wait_for(lock, std::chrono::milliseconds(1));
        return true;
    }
    if (!m_othersExist && !m_alwaysWorking) {
        goTo(*deadline);
        return false;
    }
    std::multiset<Instant>::iterator mine;
    {
        const std::lock_guard guard(m_mutex);
        mine = m_deadlines.insert(*deadline);
    }
    const bool nothingHappens = condition.wait_for(lock, Moment) == std::cv_status::timeout;
    const bool isPatient = (m_working > 0 || m_alwaysWorking)
        && steadyClock().now() - Instant(Duration(m_workChanged)) < m_patience.load();
    {
        const std::lock_guard guard(m_mutex);
        if (nothingHappens && !isPatient) {
            goTo(*m_deadlines.begin());
            if (m_alwaysWorking) // who hung is given up, and others may work again
                m_workChanged = steadyClock().now().time_since_epoch().count();
        }
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
