// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/httprequest.h"
#include "io/httpstream.h"

#include <QJsonDocument>

namespace fermata {

class IoThread;

// A whole small reply.
struct HttpReply
{
    HttpHead head;
    QByteArray body;

    bool isSuccess() const { return head.status >= 200 && head.status <= 299; }
    QJsonDocument json() const { return QJsonDocument::fromJson(body.trimmed()); }
};

// A request for JSON, without a key.
HttpRequest jsonRequest(const QUrl &url);

// Sends a request and waits for all of its reply, on any thread but the GUI's. TimedOut after the deadline, TooLarge above
// `largestBody`.
Result<HttpReply> fetch(IoThread &io, HttpRequest request, const CancellationToken &token,
                        Deadline deadline, qsizetype largestBody);

} // namespace fermata
