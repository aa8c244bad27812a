// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/result.h"

#include <QByteArray>

#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace fermata {

enum class HttpStage { Resolving, Connecting, Sent };

struct HttpHead
{
    int status = 0;
    QByteArray reason;
    std::vector<std::pair<QByteArray, QByteArray>> headers;

    QByteArray
    header(QByteArrayView name) const; // the first of that name, any case; empty if there is none
};

// The body ended as HTTP says it may. That is no proof of anything: a body without a length ends with its connection,
// however that was lost. Only the end mark of the protocol above is one.
struct HttpEnd
{
};

using HttpEvent = std::variant<HttpStage, HttpHead, QByteArray, HttpEnd>;

struct NoHttpEventInTime
{
};

// One request and its reply, as a handle on what lives on the I/O thread. It never re-sends, follows no redirect (a 3xx
// is a head like any other), keeps no cookies, and accepts no bad certificate. Cancelling the token that it was opened
// with, or destroying the handle, closes the connection at once.
class HttpStream final
{
public:
    ~HttpStream();
    HttpStream(const HttpStream &) = delete;
    HttpStream &operator=(const HttpStream &) = delete;

    // The next event; at most 64 KB of body in one. A fault (host not found, refused, TLS, connection lost, ...) comes
    // once, as the end. ConnectionLost means that nothing of the reply was seen; Truncated that something was.
    Result<std::variant<HttpEvent, NoHttpEventInTime>> next(const CancellationToken &token,
                                                            Deadline deadline = {});

    // Thread-safe. Paused, nothing more is read from the socket once the small buffers are full.
    void pause();
    void resume();
    bool isPaused() const;

    // When the socket was closed, once it is. Thread-safe.
    std::optional<Instant> closedAt() const;

private:
    friend class IoThread;
    struct Shared;
    explicit HttpStream(std::shared_ptr<Shared> shared);

    std::shared_ptr<Shared> m_shared;
};

} // namespace fermata
