// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/httprequest.h"
#include "io/httpstream.h"

#include <QString>
#include <QStringList>

#include <algorithm>
#include <chrono>

namespace fermata {

// All that a stream gave, up to its end.
struct HttpTranscript
{
    QStringList
        order; // of kinds of events: "resolving", "connecting", "sent", "head", "body", "end", or an error code
    HttpHead head;
    QByteArray body;
    qsizetype largestPiece = 0;
    QString message; // of the error
    bool timedOut = false;

    QString end() const { return order.value(order.size() - 1); }
};

inline Deadline soon(std::chrono::milliseconds time = std::chrono::seconds(20))
{
    return steadyClock().now() + time;
}

inline QString nameOf(HttpStage stage)
{
    switch (stage) {
    case HttpStage::Resolving:
        return QStringLiteral("resolving");
    case HttpStage::Connecting:
        return QStringLiteral("connecting");
    case HttpStage::Sent:
        return QStringLiteral("sent");
    }
    Q_UNREACHABLE();
}

// Adds one event. False at the end of the stream.
inline bool readOne(HttpStream &stream, HttpTranscript &transcript,
                    const CancellationToken &token = {}, Deadline deadline = soon())
{
    auto next = stream.next(token, deadline);
    if (!next) {
        transcript.order.append(toString(next.error().code));
        transcript.message = next.error().message;
        return false;
    }
    const auto *event = std::get_if<HttpEvent>(&*next);
    if (!event) {
        transcript.timedOut = true;
        return false;
    }
    if (const auto *stage = std::get_if<HttpStage>(event)) {
        transcript.order.append(nameOf(*stage));
    } else if (const auto *head = std::get_if<HttpHead>(event)) {
        transcript.order.append(QStringLiteral("head"));
        transcript.head = *head;
    } else if (const auto *bytes = std::get_if<QByteArray>(event)) {
        if (transcript.end() != QLatin1StringView("body"))
            transcript.order.append(QStringLiteral("body"));
        transcript.body += *bytes;
        transcript.largestPiece = std::max(transcript.largestPiece, bytes->size());
    } else {
        transcript.order.append(QStringLiteral("end"));
        return false;
    }
    return true;
}

inline HttpTranscript readAll(HttpStream &stream, const CancellationToken &token = {})
{
    HttpTranscript transcript;
    while (readOne(stream, transcript, token)) { }
    return transcript;
}

// Reads until the kind of event was met (or the end).
inline HttpTranscript readUntil(HttpStream &stream, const QString &kind,
                                const CancellationToken &token = {})
{
    HttpTranscript transcript;
    while (transcript.end() != kind && readOne(stream, transcript, token)) { }
    return transcript;
}

inline HttpRequest post(const QUrl &url, const QByteArray &body = "{}")
{
    HttpRequest request;
    request.method = HttpRequest::Method::Post;
    request.url = url;
    request.headers = {{"Content-Type", "application/json"}};
    request.body = body;
    return request;
}

} // namespace fermata
