// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>

namespace fermata {

// Time that passes only where everybody waits, and then at once, to the nearest deadline that anyone waits for. So
// minutes pass in microseconds, and a tool that works at once has ended before its limit is reached, also on a busy
// machine. Who works is told to it. Thread-safe.
class PatientClock final : public Clock
{
public:
    static constexpr std::chrono::milliseconds UsualPatience{50};

    void advance(Duration duration) { m_now += duration.count(); }

    // Others may send something to who waits: time waits a moment for it.
    void setOthersExist(bool exist) { m_othersExist = exist; }
    // So many of them are at work: time waits for them, but not for ever.
    void setWorking(int count);
    // Somebody may always be at work, whom nobody tells of. `patience` is in the time of the machine.
    void setAlwaysWorking(bool always, std::chrono::milliseconds patience);
    void noteWork();

    Instant now() const override { return Instant(Duration(m_now)); }
    bool waitUntil(std::condition_variable &condition, std::unique_lock<std::mutex> &lock,
                   Deadline deadline) const override;

private:
    void goTo(Instant time) const;

    std::atomic<bool> m_othersExist = false;
    std::atomic<int> m_working = 0;
    std::atomic<bool> m_alwaysWorking = false;
    std::atomic<std::chrono::milliseconds> m_patience = UsualPatience;
    mutable std::atomic<Duration::rep> m_workChanged = 0; // in the time of the machine
    mutable std::atomic<Duration::rep> m_now =
        std::chrono::duration_cast<Duration>(std::chrono::hours(1)).count();
    mutable std::mutex m_mutex;
    mutable std::multiset<Instant> m_deadlines; // of everyone who waits
};

} // namespace fermata
