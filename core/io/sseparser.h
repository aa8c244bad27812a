// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <QByteArray>
#include <QByteArrayView>

#include <chrono>
#include <deque>
#include <optional>

namespace fermata {

struct SseEvent
{
    QByteArray type; // empty if the stream named none
    QByteArray data; // lines joined by LF; the bytes as they came, valid UTF-8 or not
    QByteArray lastEventId;
    bool terminated =
        true; // false: the stream ended before the blank line that completes the event

    friend bool operator==(const SseEvent &, const SseEvent &) = default;
};

// Server-sent events out of bytes, however they were cut: the same bytes give the same events. Line ends may be LF,
// CRLF, CR, or a mixture. A field named "error" makes an event of type "error" with that data, as old llama.cpp servers
// send it. An event may take 16 MB; a larger one is a fault, and nothing comes after it. A plain class of one thread.
class SseParser final
{
public:
    static constexpr qsizetype LargestEvent = 16 * 1024 * 1024;

    // Takes all of the bytes.
    void feed(QByteArrayView bytes);
    // The stream has ended: what was begun is offered as an event that is not `terminated`. The standard drops it; use
    // it only if it proves to be whole by itself.
    void finish();

    // The next event, in order; nothing until more bytes are fed.
    std::optional<SseEvent> next();

    // After a fault feed() does nothing. Events from before it can still be taken.
    const std::optional<Error> &fault() const { return m_fault; }
    // Comment lines so far. Servers send them to show that they are alive.
    quint64 commentCount() const { return m_comments; }
    // The last reconnection time that the stream asked for.
    std::optional<std::chrono::milliseconds> retry() const { return m_retry; }

private:
    void takeLine(QByteArrayView line);
    void takeField(QByteArrayView name, QByteArrayView value);
    void appendData(QByteArrayView value);
    void dispatch(bool terminated);
    bool exceeds(qsizetype more);

    QByteArray m_line; // the begun line, if it was cut
    bool m_firstLine = true;
    bool m_afterCr = false; // a LF that follows belongs to the line end already seen
    QByteArray m_type;
    QByteArray m_data;
    bool m_hasData = false;
    QByteArray m_lastEventId;
    std::optional<std::chrono::milliseconds> m_retry;
    quint64 m_comments = 0;
    std::deque<SseEvent> m_events;
    std::optional<Error> m_fault;
};

} // namespace fermata
