// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/channel.h"
#include "io/httpstream.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace fermata {

class HttpExchange;

// What an exchange on the I/O thread and the handle of another thread have in common.
class HttpFeed final
{
public:
    using Item = std::variant<HttpEvent, Error>;

    static constexpr qsizetype LargestPiece = 64 * 1024;
    static constexpr qsizetype FullAt = 2 * LargestPiece;

    // --- I/O thread ---

    void send(HttpEvent event)
    {
        // Counted before it can be received, so that the count never falls below zero.
        if (const auto *bytes = std::get_if<QByteArray>(&event))
            m_queuedBytes += bytes->size();
        m_channel.send(std::move(event));
    }
    void fail(Error error) { m_channel.send(std::move(error)); }
    void close() { m_channel.close(); }
    bool wantsBytes() const { return !m_paused && m_queuedBytes < FullAt; }

    void setClosedAt(Instant instant)
    {
        const std::lock_guard lock(m_mutex);
        m_closedAt = instant;
    }

    HttpExchange *exchange = nullptr; // read and written on the I/O thread alone

    // --- any thread ---

    ChannelItem<Item> receive(const CancellationToken &token, Deadline deadline)
    {
        return m_channel.receive(token, deadline);
    }
    // After a receive. True if the queue was full and no longer is: reading has to be taken up again.
    bool taken(qsizetype size)
    {
        const qsizetype before = m_queuedBytes.fetch_sub(size);
        return before >= FullAt && before - size < FullAt;
    }

    void setPaused(bool paused) { m_paused = paused; }
    bool isPaused() const { return m_paused; }

    std::optional<Instant> closedAt() const
    {
        const std::lock_guard lock(m_mutex);
        return m_closedAt;
    }

private:
    Channel<Item> m_channel;
    std::atomic<qsizetype> m_queuedBytes = 0;
    std::atomic<bool> m_paused = false;
    mutable std::mutex m_mutex;
    std::optional<Instant> m_closedAt;
};

} // namespace fermata
