// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/clock.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace fermata {

// How a wait on a channel ended. Received comes with the item.
enum class ChannelWait { Received, Closed, TimedOut, Cancelled };

template <typename T>
struct ChannelItem
{
    ChannelWait end;
    std::optional<T> value; // exactly if end is Received
};

// A queue from any threads to any threads whose waits end by an item, the close, a cancelled token
// or a deadline. A cancelled token is looked at first: what is queued then stays queued. The
// channel does not bound itself; who sends foreign data bounds what it sends. Thread-safe; destroy
// it when nobody waits or may still send.
template <typename T>
class Channel final
{
public:
    explicit Channel(const Clock &clock = steadyClock()) : m_clock(clock) { }
    Channel(const Channel &) = delete;
    Channel &operator=(const Channel &) = delete;

    // False, and the item is dropped, if the channel is closed.
    bool send(T item)
    {
        // Notified under the lock, here and below: the receiver may destroy the channel as soon as
        // it has the item.
        const std::lock_guard lock(m_mutex);
        if (m_closed)
            return false;
        m_items.push_back(std::move(item));
        m_changed.notify_one();
        return true;
    }

    // What was sent before can still be received. Closing twice is harmless.
    void close()
    {
        const std::lock_guard lock(m_mutex);
        m_closed = true;
        m_changed.notify_all();
    }

    ChannelItem<T> receive(const CancellationToken &token = {}, Deadline deadline = {})
    {
        // While items are at hand, nothing is registered.
        {
            const std::lock_guard lock(m_mutex);
            if (auto end = endOfWait(token, deadline))
                return std::move(*end);
        }
        // Registered before and released after the lock: the callback takes it.
        const Registration wake = token.onCancelled([this] {
            const std::lock_guard lock(m_mutex);
            m_changed.notify_all();
        });
        std::unique_lock lock(m_mutex);
        for (;;) {
            if (auto end = endOfWait(token, deadline))
                return std::move(*end);
            m_clock.waitUntil(m_changed, lock, deadline);
        }
    }

    std::optional<T> tryReceive()
    {
        const std::lock_guard lock(m_mutex);
        if (m_items.empty())
            return std::nullopt;
        return takeFirst();
    }

    bool isClosed() const
    {
        const std::lock_guard lock(m_mutex);
        return m_closed;
    }

private:
    std::optional<ChannelItem<T>> endOfWait(const CancellationToken &token, Deadline deadline)
    {
        if (token.isCancelled()) {
            // The bell of an item may have woken this receiver instead of one that would have taken
            // it.
            if (!m_items.empty())
                m_changed.notify_one();
            return ChannelItem<T>{ChannelWait::Cancelled, {}};
        }
        if (!m_items.empty())
            return ChannelItem<T>{ChannelWait::Received, takeFirst()};
        if (m_closed)
            return ChannelItem<T>{ChannelWait::Closed, {}};
        if (m_clock.hasPassed(deadline))
            return ChannelItem<T>{ChannelWait::TimedOut, {}};
        return std::nullopt;
    }

    T takeFirst()
    {
        T item = std::move(m_items.front());
        m_items.pop_front();
        return item;
    }

    const Clock &m_clock;
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<T> m_items;
    bool m_closed = false;
};

} // namespace fermata
