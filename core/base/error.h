// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellationerror.h"

#include <QJsonObject>
#include <QString>

#include <memory>
#include <optional>

namespace fermata {

// What a program decides by: retry, sign in again, show.
enum class ErrorCode {
    Cancelled,
    InvalidArgument,
    InvalidAddress,
    NotFound,
    Busy,
    Io,
    Storage,
    StorageDamaged, // the database cannot be read: it is left as it is
    HostNotFound,
    ConnectionRefused,
    ConnectionFailed, // could not connect for another reason
    ConnectionLost, // closed before the first byte of the reply: nothing was seen of it
    Tls,
    NotHttp,
    HttpStatus, // any other refused status
    BadRequest,
    Authentication,
    PaymentRequired,
    Forbidden,
    ModelNotFound,
    RateLimited,
    QuotaExceeded,
    ContextOverflow,
    ServerError,
    Redirected,
    UnexpectedContent, // a page or an object where a stream was expected
    BadStream, // the stream broke its protocol
    Truncated, // the stream ended without its terminator
    EmptyAnswer,
    TooLarge,
    TimedOut, // of a tool; the limits of a turn are cancellations
    Denied,
    Unsupported,
    Internal,
};

// The name used in the database, in JSON and in logs. It never changes once released.
QString toString(ErrorCode code);
ErrorCode errorCodeFromString(QStringView name); // Internal if it is unknown

// A fault, as a value. `message` is a sentence for people: what happened, and what to do. `detail`
// is for the log and the details of the message; it may hold foreign text, cut and without secrets.
struct Error
{
    ErrorCode code = ErrorCode::Internal;
    QString message;
    QString detail;
    std::shared_ptr<const Error> cause;
    std::optional<CancellationError> cancellation; // set exactly if code is Cancelled

    Error() = default;
    Error(ErrorCode errorCode, QString errorMessage, QString errorDetail = {});
    // Implicit, so that a function that returns a Result can return the cancellation it met.
    Error(const CancellationError &error);

    // This error as the cause of another one.
    Error wrappedIn(ErrorCode outerCode, const QString &outerMessage) const;

    // {code, message[, cancellation][, cause]}: the whole chain, without `detail`.
    QJsonObject toJson() const;
};

// True if the error, or any cause of it at any depth, is a cancellation. This, and nothing else,
// tells them apart.
bool isCancellation(const Error &error);
// True if that cancellation is a GracefulCancellationTimeoutError.
bool isGracefulTimeout(const Error &error);
// The cancellation in the chain, or nothing.
std::optional<CancellationError> cancellationOf(const Error &error);

} // namespace fermata
