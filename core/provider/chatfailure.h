// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/httpstream.h"
#include "provider/modelprovider.h"
#include "provider/servererror.h"

#include <QDateTime>
#include <QUrl>

namespace fermata {

// Whom a request was for; every sentence about a fault names it.
struct ChatTarget
{
    QUrl endpoint;
    QString model; // empty: none was named
    bool hasKey = false;

    QString host() const;
};

// A model request that failed: what people are told, and what a retry has to know.
struct ChatFailure
{
    Error error;
    RetryAdvice advice;
};

// A reply with another status than 200 to 299. `body` as far as it was read; `now` is what dates are counted from.
ChatFailure failureOfReply(const ChatTarget &target, const HttpHead &head, const QByteArray &body,
                           const QDateTime &now = QDateTime::currentDateTimeUtc());
// An error inside a stream that had begun well.
ChatFailure failureOfStream(const ChatTarget &target, const ServerError &error);
// The connection could not be made or broke.
ChatFailure failureOfConnection(const ChatTarget &target, const Error &error);
// The stream broke its own rules, or was none.
ChatFailure failureOfContent(const ChatTarget &target, ErrorCode code, const QString &happened,
                             const QString &detail = {});

// How long the server asks to wait; nothing if it asks nothing that can be understood. Not clamped.
std::optional<std::chrono::milliseconds> retryAfter(const HttpHead &head, const ServerError &error,
                                                    const QDateTime &now);

} // namespace fermata
