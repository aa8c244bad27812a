// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/secret.h"

#include <QByteArray>
#include <QString>
#include <QUrl>

#include <optional>
#include <utility>
#include <vector>

namespace fermata {

struct HttpRequest
{
    enum class Method { Get, Post, Head, Put, Delete };

    Method method = Method::Get;
    QUrl url;
    // What frames the message (Host, Connection, Content-Length, Accept-Encoding, ...) is set by the stream; given here
    // it is left out.
    std::vector<std::pair<QByteArray, QByteArray>> headers;
    // A header whose value is a key; it goes to url's own origin and nowhere else.
    std::optional<std::pair<QByteArray, Secret>> secretHeader;
    QByteArray body;
    // An address that was judged, to connect to instead of looking up url's host anew. Such a request gets a connection
    // of its own; TLS still asks for url's host.
    QString address;
};

} // namespace fermata
