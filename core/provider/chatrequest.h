// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/httprequest.h"
#include "provider/chathistory.h"

#include <optional>

namespace fermata {

// A model request in the form of one server, and what of it the answer has to be read by.
struct ChatRequest
{
    QUrl url;
    QJsonObject body;
    std::optional<ContinuedAnswer> continued;
};

// Pure: the request is not changed, and the same request gives the same bytes.
ChatRequest chatRequest(const ModelRequest &request, const ServerDialect &dialect,
                        const QUrl &endpoint);

// As it goes over the wire. The key goes into a secret header; an empty one adds none.
HttpRequest httpRequest(const ChatRequest &request, const ServerDialect &dialect,
                        const Secret &key);

// The header that carries the key to `dialect`, or nothing.
std::optional<std::pair<QByteArray, Secret>> keyHeader(const ServerDialect &dialect,
                                                       const Secret &key);

} // namespace fermata
