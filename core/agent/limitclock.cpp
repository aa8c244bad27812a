// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/limitclock.h"

#include <algorithm>

namespace fermata {

CancellationCause causeOf(Limit limit)
{
    switch (limit) {
    case Limit::Connect:
        return CancellationCause::ConnectLimit;
    case Limit::FirstToken:
        return CancellationCause::FirstTokenLimit;
    case Limit::Silence:
        return CancellationCause::SilenceLimit;
    case Limit::Turn:
        return CancellationCause::TurnLimit;
    case Limit::Tool:
        return CancellationCause::ToolLimit;
    }
    Q_UNREACHABLE();
}

LimitClock::LimitClock(const Clock &clock) : m_clock(clock) { }

bool LimitClock::waitsForServer(Limit limit)
{
    return limit == Limit::FirstToken || limit == Limit::Silence;
}

bool LimitClock::shouldHold(Limit limit) const
{
    return m_holds > 0 || (m_streamPaused && waitsForServer(limit));
}

void LimitClock::updateHolds(Instant now)
{
    for (size_t i = 0; i < m_entries.size(); ++i) {
        Entry &entry = m_entries[i];
        if (!entry.active)
            continue;
        const bool hold = shouldHold(Limit(i));
        if (hold && !entry.held) {
            entry.held = entry.deadline - now;
        } else if (!hold && entry.held) {
            entry.deadline = now + *entry.held;
            entry.held.reset();
        }
    }
}

void LimitClock::start(Limit limit, LimitValue value)
{
    const Instant now = m_clock.now();
    const std::lock_guard lock(m_mutex);
    Entry &started = entry(limit);
    started.active = value.has_value();
    started.held.reset();
    if (!value)
        return;
    started.value = *value;
    started.deadline = now + *value + started.extension;
    updateHolds(now);
}

void LimitClock::restart(Limit limit)
{
    const Instant now = m_clock.now();
    const std::lock_guard lock(m_mutex);
    Entry &restarted = entry(limit);
    if (!restarted.active)
        return;
    restarted.deadline = now + restarted.value + restarted.extension;
    restarted.held.reset();
    updateHolds(now);
}

void LimitClock::stop(Limit limit)
{
    const std::lock_guard lock(m_mutex);
    entry(limit).active = false;
}

void LimitClock::showTool(std::optional<RunningLimit> limit)
{
    const std::lock_guard lock(m_mutex);
    m_tool = limit;
}

void LimitClock::hold()
{
    const Instant now = m_clock.now();
    const std::lock_guard lock(m_mutex);
    ++m_holds;
    updateHolds(now);
}

void LimitClock::release()
{
    const Instant now = m_clock.now();
    const std::lock_guard lock(m_mutex);
    --m_holds;
    updateHolds(now);
}

void LimitClock::pauseStream()
{
    const Instant now = m_clock.now();
    const std::lock_guard lock(m_mutex);
    m_streamPaused = true;
    updateHolds(now);
}

void LimitClock::resumeStream()
{
    const Instant now = m_clock.now();
    const std::lock_guard lock(m_mutex);
    m_streamPaused = false;
    updateHolds(now);
}

void LimitClock::extend(Limit limit, std::chrono::milliseconds by)
{
    const std::lock_guard lock(m_mutex);
    if (limit == Limit::Tool) {
        if (m_tool) {
            m_tool->value += by;
            m_tool->deadline += by;
        }
        return;
    }
    Entry &extended = entry(limit);
    if (!extended.active)
        return;
    extended.extension += by;
    extended.deadline += by;
    if (extended.held)
        *extended.held += by;
}

Deadline LimitClock::nearest() const
{
    const std::lock_guard lock(m_mutex);
    Deadline nearest;
    for (const Entry &entry : m_entries) {
        if (entry.active && !entry.held)
            nearest = earlier(nearest, entry.deadline);
    }
    return nearest;
}

std::optional<LimitInfo> LimitClock::expired() const
{
    const Instant now = m_clock.now();
    const std::lock_guard lock(m_mutex);
    std::optional<LimitInfo> first;
    Instant firstDeadline{};
    for (size_t i = 0; i < m_entries.size(); ++i) {
        const Entry &entry = m_entries[i];
        if (!entry.active || entry.held || now < entry.deadline)
            continue;
        if (!first || entry.deadline < firstDeadline) {
            first = LimitInfo{Limit(i), entry.value + entry.extension};
            firstDeadline = entry.deadline;
        }
    }
    return first;
}

std::vector<RunningLimit> LimitClock::running() const
{
    const std::lock_guard lock(m_mutex);
    std::vector<RunningLimit> limits;
    if (m_holds > 0)
        return limits;
    for (size_t i = 0; i < m_entries.size(); ++i) {
        const Entry &entry = m_entries[i];
        if (entry.active && !entry.held)
            limits.push_back({Limit(i), entry.value + entry.extension, entry.deadline});
    }
    if (m_tool)
        limits.push_back(*m_tool);
    std::ranges::sort(limits, {}, &RunningLimit::deadline);
    return limits;
}

} // namespace fermata
