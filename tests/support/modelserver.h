// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "support/modelreply.h"

#include <QByteArray>
#include <QStringList>
#include <QUrl>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace fermata {

// The whole behaviour of a ModelServer.
struct ModelServerScript
{
    std::vector<Reply> replies; // to the requests in order of their arrival; the last one repeats
    // If not empty: GET and HEAD take no reply from the script; GET .../models lists these, anything else is a 404.
    QStringList models;
    bool strict =
        false; // 400 instead of a reply if the posted messages break the rules of chathistorycheck.h
    QByteArray greeting; // sent before anything is read, as servers of other protocols do
    bool readsBody = true; // false: the reply begins after the request's head
};

struct ServedRequest
{
    int connection = 0; // counted from 0 in order of acceptance
    Instant accepted;
    Instant received; // wholly
    std::optional<Instant> disconnected; // seen from the client, while or after this was answered
    QByteArray head;
    QByteArray body;
    QByteArray method;
    QByteArray path;
    qint64 sent = 0; // bytes of the reply that the system has taken

    QByteArray header(QByteArrayView name) const; // any case
};

// A scripted HTTP server on loopback that plays bytes exactly as told. Threads and sockets of its own, no event loop.
// All public functions are thread-safe. The destructor drops what is still open.
class ModelServer final
{
public:
    // Told of each request when it was read, and again when its client was seen to go; on a thread of the server.
    using Observer = std::function<void(size_t index, const ServedRequest &request)>;

    explicit ModelServer(ModelServerScript script, Observer observer = {});
    explicit ModelServer(Reply reply);
    ~ModelServer();
    ModelServer(const ModelServer &) = delete;
    ModelServer &operator=(const ModelServer &) = delete;

    quint16 port() const;
    QUrl url(const QString &path = QStringLiteral("/v1/chat/completions")) const;

    // Lets one WaitForRelease step go on, now or when it is reached.
    void release();

    std::vector<ServedRequest> requests() const;
    int connectionCount() const;

    // Wait for a condition, at most 20 s; false if it did not come.
    bool waitForConnections(int count) const;
    bool waitForRequests(size_t count) const;
    bool waitForSent(size_t index, qint64 bytes) const;
    bool waitForDisconnect(size_t index) const;
    // The client has left as many connections as this, with or without a request on them.
    bool waitForClosedConnections(int count) const;

private:
    friend class ModelConnection;
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace fermata
