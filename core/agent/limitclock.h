// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/limits.h"
#include "conversation/turnevent.h"
#include "conversation/turnoutcome.h"

#include <array>
#include <mutex>
#include <optional>
#include <vector>

namespace fermata {

CancellationCause causeOf(Limit limit);

// The time limits of one running turn: which of them run, how long still, and which was first to run out. It only tells
// the time; the turn looks at it when a wait ends, and cancels itself. Thread-safe, because limits are extended, held
// and shown from the window's thread.
class LimitClock final
{
public:
    explicit LimitClock(const Clock &clock);

    // Runs from now on; a value of nothing never fires. Starting again starts anew, with what was extended before.
    void start(Limit limit, LimitValue value);
    void restart(Limit limit); // no change if it does not run
    void stop(Limit limit);
    // The limit of a tool call, for display and extension; the calls themselves are watched where they run.
    void showTool(std::optional<RunningLimit> limit);

    // Every limit stands still while the user is asked. Nested.
    void hold();
    void release();
    // While the stream is paused, what waits for the server stands still; the whole turn does not.
    void pauseStream();
    void resumeStream();

    // No change if the limit does not run.
    void extend(Limit limit, std::chrono::milliseconds by);

    Deadline nearest() const; // nothing if none runs
    // The one that ran out first, if any has.
    std::optional<LimitInfo> expired() const;
    std::vector<RunningLimit> running() const; // nearest first; empty while held

private:
    struct Entry
    {
        bool active = false;
        std::chrono::milliseconds value{0};
        std::chrono::milliseconds extension{0};
        Instant deadline{};
        std::optional<Duration> held; // what was left when it was held
    };

    static bool waitsForServer(Limit limit);
    bool shouldHold(Limit limit) const;
    void updateHolds(Instant now);
    Entry &entry(Limit limit) { return m_entries[size_t(limit)]; }

    const Clock &m_clock;
    mutable std::mutex m_mutex;
    std::array<Entry, 4> m_entries; // all but Tool
    std::optional<RunningLimit> m_tool;
    int m_holds = 0;
    bool m_streamPaused = false;
};

} // namespace fermata
