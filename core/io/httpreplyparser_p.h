// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "io/httprequest.h"
#include "io/httpstream.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

#include <optional>

namespace fermata {

// One HTTP/1 reply out of bytes, however they were cut. It is stricter than most clients: a head or a body that breaks
// its framing is a fault, because a reply that only seems whole is worse than none. Bounded: 64 KB for a header, 5,000
// headers and 1 MB in a head, 100 interim replies, 64 KB of trailers. A plain class of one thread.
class HttpReplyParser final
{
public:
    // `peer` names the server in messages.
    HttpReplyParser(HttpRequest::Method method, QString peer);

    struct Piece
    {
        std::optional<HttpHead> head;
        QByteArray body; // never longer than what was fed
        std::optional<Error> fault; // after what came before it
    };
    // Takes all of the bytes. After a fault, or the end, it is not called.
    Piece feed(QByteArrayView bytes);

    // The connection was closed. Success if that is how this reply ends; else ConnectionLost before its first byte, or
    // Truncated.
    Result<void> finish() const;

    bool hasEnded() const { return m_state == State::Ended; }
    // Another request may follow on the connection.
    bool leavesConnectionOpen() const { return hasEnded() && m_persistent && !m_surplus; }

private:
    enum class State {
        StatusLine,
        Headers,
        Length,
        UntilClose,
        ChunkSize,
        ChunkData,
        ChunkEnd,
        Trailers,
        Ended
    };

    Result<void> take(QByteArrayView &bytes, Piece &piece);
    // Moves one line from the bytes; nothing if its end is not there yet.
    std::optional<QByteArray> takeLine(QByteArrayView &bytes);
    Result<void> checkLineLength() const;
    Result<void> takeStatusLine(const QByteArray &line);
    Result<void> takeHeader(const QByteArray &line);
    Result<void> takeHead();
    Result<void> chooseFraming();
    Result<void> takeChunkSize(const QByteArray &line);
    Result<void> takeMessageLine(const QByteArray &line);
    void takeBody(QByteArrayView &bytes, QByteArray &body);

    Error notHttp(const QString &detail) const;
    Error broken(const QString &what) const;

    const HttpRequest::Method m_method;
    const QString m_peer;
    State m_state = State::StatusLine;
    bool m_begun = false;
    QByteArray m_line; // the begun line
    HttpHead m_head;
    bool m_headReady = false;
    qsizetype m_headSize = 0;
    int m_interimReplies = 0;
    qsizetype m_trailerSize = 0;
    quint64 m_left = 0; // of the body or the chunk
    bool m_persistent = false;
    bool m_surplus = false; // bytes after the end
};

} // namespace fermata
