// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"

#include <QtGlobal>

#include <atomic>

namespace fermata {

// A clock that goes by the test's word. Thread-safe.
class ManualClock final : public Clock
{
public:
    enum class Mode {
        Manual, // only advance() moves it
        Automatic, // a wait with a deadline moves it there at once
    };

    explicit ManualClock(Mode mode = Mode::Manual);

    void advance(Duration duration);
    // How often it was looked at: what does not wait but look looks very often.
    qint64 looks() const { return m_looks; }

    Instant now() const override;
    bool waitUntil(std::condition_variable &condition, std::unique_lock<std::mutex> &lock,
                   Deadline deadline) const override;

private:
    const Mode m_mode;
    mutable std::atomic<qint64> m_looks = 0;
    mutable std::atomic<Duration::rep> m_now; // a wait of the automatic mode moves it
};

} // namespace fermata
