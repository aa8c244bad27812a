// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/connectionpool_p.h"
#include "io/httpreplyparser_p.h"
#include "io/httprequest.h"
#include "io/httpstream.h"

#include <QObject>
#include <QStringList>
#include <QTcpSocket>

#include <memory>
#include <optional>

namespace fermata {

class HttpFeed;

// One request and its reply on the I/O thread: the only owner of their socket. It feeds what happens into `feed`, and
// deletes itself after the last item. Deleting it earlier closes the socket at once and then the feed; never do that
// from a signal of the socket.
class HttpExchange final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HttpExchange)

public:
    HttpExchange(HttpRequest request, std::shared_ptr<HttpFeed> feed, ConnectionPool &pool,
                 QObject *parent);
    ~HttpExchange() override;

    // Once. A request that cannot be sent is a fault like any other.
    void start();
    // Moves bytes from the socket to the feed until the feed is full or paused.
    void read();

private:
    void openSocket();
    void connectSocket();
    void sendRequest();
    void noteWritten();
    void noteFailure();
    void parse(const QByteArray &bytes);
    void end();
    void fail(const Error &error);
    void closeSocket();

    HttpRequest m_request; // without its body and key, once sent
    const std::shared_ptr<HttpFeed> m_feed;
    ConnectionPool &m_pool;
    std::unique_ptr<QTcpSocket> m_socket;
    HttpReplyParser m_parser;
    QStringList m_tlsErrors;
    bool m_written = false; // the request was handed to the socket
    bool m_sent = false; // all of it has left for the network
    bool m_hungUp = false; // no byte comes any more but what is buffered
    bool m_answered = false; // the head has come
    bool m_ended = false; // the last item was fed
};

} // namespace fermata
