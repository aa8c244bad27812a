// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/httpexchange_p.h"

#include "io/httpfeed_p.h"
#include "io/httprequest_p.h"
#include "io/socketerror_p.h"
#include "io/socketreset_p.h"

#include "base/logging.h"

#include <QNetworkProxy>
#include <QSslConfiguration>
#include <QSslError>
#include <QSslSocket>

#include <algorithm>
#include <utility>

namespace fermata {

HttpExchange::HttpExchange(HttpRequest request, std::shared_ptr<HttpFeed> feed,
                           ConnectionPool &pool, QObject *parent)
    : QObject(parent), m_request(std::move(request)), m_feed(std::move(feed)), m_pool(pool),
      m_parser(m_request.method, hostAndPort(m_request.url))
{
    m_feed->exchange = this;
}

HttpExchange::~HttpExchange()
{
    m_feed->exchange = nullptr;
    closeSocket();
    m_feed->close();
}

void HttpExchange::start()
{
    if (const auto sendable = checkRequest(m_request); !sendable) {
        fail(sendable.error());
        return;
    }
    qCDebug(lcHttp).noquote() << describe(m_request);
    m_feed->send(HttpStage::Resolving);
    m_socket = m_request.address.isEmpty() ? m_pool.take(m_request.url) : nullptr;
    if (m_socket) {
        connectSocket();
        sendRequest();
    } else {
        openSocket();
    }
}

void HttpExchange::openSocket()
{
    const QString host = m_request.url.host(QUrl::FullyEncoded);
    const QString target = m_request.address.isEmpty() ? host : m_request.address;
    if (!isSecure(m_request.url)) {
        m_socket = std::make_unique<QTcpSocket>();
        connectSocket();
        connect(m_socket.get(), &QTcpSocket::connected, this, &HttpExchange::sendRequest);
        m_socket->connectToHost(target, portOf(m_request.url));
        return;
    }
    auto secure = std::make_unique<QSslSocket>();
    QSslSocket *socket = secure.get();
    m_socket = std::move(secure);
    QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
    configuration.setAllowedNextProtocols({QSslConfiguration::NextProtocolHttp1_1});
    socket->setSslConfiguration(configuration);
    connectSocket();
    connect(socket, &QSslSocket::encrypted, this, &HttpExchange::sendRequest);
    connect(socket, &QSslSocket::sslErrors, this, [this](const QList<QSslError> &errors) {
        for (const QSslError &error : errors)
            m_tlsErrors.append(error.errorString());
    });
    socket->connectToHostEncrypted(target, portOf(m_request.url), host);
}

void HttpExchange::connectSocket()
{
    // A server on this machine is never behind a proxy, and to ask the system for one takes time on this thread.
    if (isLoopback(m_request.url))
        m_socket->setProxy(QNetworkProxy::NoProxy);
    m_socket->setReadBufferSize(HttpFeed::LargestPiece);
    connect(m_socket.get(), &QTcpSocket::stateChanged, this,
            [this](QAbstractSocket::SocketState state) {
                if (state == QAbstractSocket::ConnectingState)
                    m_feed->send(HttpStage::Connecting);
            });
    connect(m_socket.get(), &QTcpSocket::bytesWritten, this, &HttpExchange::noteWritten);
    if (const auto *secure = qobject_cast<const QSslSocket *>(m_socket.get()))
        connect(secure, &QSslSocket::encryptedBytesWritten, this, &HttpExchange::noteWritten);
    connect(m_socket.get(), &QTcpSocket::readyRead, this, &HttpExchange::read);
    connect(m_socket.get(), &QTcpSocket::errorOccurred, this, &HttpExchange::noteFailure);
}

void HttpExchange::sendRequest()
{
    m_socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    m_socket->setSocketOption(QAbstractSocket::KeepAliveOption, 1);
    m_written = true;
    m_socket->write(toWire(m_request));
    m_request.body = QByteArray();
    m_request.secretHeader.reset();
}

void HttpExchange::noteWritten()
{
    const auto *secure = qobject_cast<const QSslSocket *>(m_socket.get());
    const bool allWritten =
        m_socket->bytesToWrite() == 0 && (!secure || secure->encryptedBytesToWrite() == 0);
    if (!m_written || m_sent || !allWritten)
        return;
    m_sent = true;
    if (!m_answered && !m_ended)
        m_feed->send(HttpStage::Sent);
}

void HttpExchange::noteFailure()
{
    if (m_ended)
        return;
    // This machine has that name whether or not the system's list of hosts says so (RFC 6761, section 6.3).
    if (m_socket->error() == QAbstractSocket::HostNotFoundError && isLoopback(m_request.url)
        && m_request.address.isEmpty()) {
        m_request.address = QStringLiteral("127.0.0.1");
        m_socket->disconnect(this);
        m_socket.release()->deleteLater(); // it is what calls
        openSocket();
        return;
    }
    if (!m_written) {
        fail(connectionFault(m_socket->error(), m_socket->errorString(), m_tlsErrors,
                             m_request.url));
        return;
    }
    m_hungUp = true;
    read();
}

void HttpExchange::read()
{
    if (!m_socket || !m_written)
        return;
    while (!m_ended && m_feed->wantsBytes()) {
        const qint64 available =
            std::min<qint64>(m_socket->bytesAvailable(), HttpFeed::LargestPiece);
        if (available <= 0)
            break;
        parse(m_socket->read(available));
    }
    if (!m_ended && m_hungUp && m_socket->bytesAvailable() == 0) {
        if (const auto whole = m_parser.finish(); whole)
            end();
        else
            fail(whole.error());
    }
}

void HttpExchange::parse(const QByteArray &bytes)
{
    auto piece = m_parser.feed(bytes);
    if (piece.head) {
        // Who answers before all has arrived waits for no rest.
        if (!std::exchange(m_answered, true) && !m_sent)
            m_feed->send(HttpStage::Sent);
        m_feed->send(std::move(*piece.head));
    }
    if (!piece.body.isEmpty())
        m_feed->send(std::move(piece.body));
    if (piece.fault)
        fail(*piece.fault);
    else if (m_parser.hasEnded())
        end();
}

void HttpExchange::end()
{
    m_ended = true;
    const bool reusable = m_sent && !m_hungUp && m_request.address.isEmpty()
        && m_parser.leavesConnectionOpen() && m_socket->bytesAvailable() == 0;
    if (reusable) {
        m_socket->disconnect(this);
        m_pool.giveBack(m_request.url, std::move(m_socket));
    }
    m_feed->send(HttpEnd());
    deleteLater(); // not now: this may be a signal of the socket
}

void HttpExchange::fail(const Error &error)
{
    qCDebug(lcHttp).noquote() << toString(error.code) << error.message << error.detail;
    m_ended = true;
    m_feed->fail(error);
    deleteLater();
}

void HttpExchange::closeSocket()
{
    if (!m_socket)
        return;
    m_socket->disconnect(this);
    if (!m_ended)
        resetOnClose(m_socket->socketDescriptor());
    m_socket->abort();
    m_feed->setClosedAt(steadyClock().now());
    m_socket.reset();
}

} // namespace fermata
