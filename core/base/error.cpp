// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/error.h"

#include <array>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr std::pair<ErrorCode, QLatin1StringView> CodeNames[] = {
    {ErrorCode::Cancelled, "CANCELLATION_ERROR"_L1},
    {ErrorCode::InvalidArgument, "INVALID_ARGUMENT"_L1},
    {ErrorCode::InvalidAddress, "INVALID_ADDRESS"_L1},
    {ErrorCode::NotFound, "NOT_FOUND"_L1},
    {ErrorCode::Busy, "BUSY"_L1},
    {ErrorCode::Io, "IO"_L1},
    {ErrorCode::Storage, "STORAGE"_L1},
    {ErrorCode::StorageDamaged, "STORAGE_DAMAGED"_L1},
    {ErrorCode::HostNotFound, "HOST_NOT_FOUND"_L1},
    {ErrorCode::ConnectionRefused, "CONNECTION_REFUSED"_L1},
    {ErrorCode::ConnectionFailed, "CONNECTION_FAILED"_L1},
    {ErrorCode::ConnectionLost, "CONNECTION_LOST"_L1},
    {ErrorCode::Tls, "TLS"_L1},
    {ErrorCode::NotHttp, "NOT_HTTP"_L1},
    {ErrorCode::HttpStatus, "HTTP_STATUS"_L1},
    {ErrorCode::BadRequest, "BAD_REQUEST"_L1},
    {ErrorCode::Authentication, "AUTHENTICATION"_L1},
    {ErrorCode::PaymentRequired, "PAYMENT_REQUIRED"_L1},
    {ErrorCode::Forbidden, "FORBIDDEN"_L1},
    {ErrorCode::ModelNotFound, "MODEL_NOT_FOUND"_L1},
    {ErrorCode::RateLimited, "RATE_LIMITED"_L1},
    {ErrorCode::QuotaExceeded, "QUOTA_EXCEEDED"_L1},
    {ErrorCode::ContextOverflow, "CONTEXT_OVERFLOW"_L1},
    {ErrorCode::ServerError, "SERVER_ERROR"_L1},
    {ErrorCode::Redirected, "REDIRECTED"_L1},
    {ErrorCode::UnexpectedContent, "UNEXPECTED_CONTENT"_L1},
    {ErrorCode::BadStream, "BAD_STREAM"_L1},
    {ErrorCode::Truncated, "TRUNCATED"_L1},
    {ErrorCode::EmptyAnswer, "EMPTY_ANSWER"_L1},
    {ErrorCode::TooLarge, "TOO_LARGE"_L1},
    {ErrorCode::TimedOut, "TIMED_OUT"_L1},
    {ErrorCode::Denied, "DENIED"_L1},
    {ErrorCode::Unsupported, "UNSUPPORTED"_L1},
    {ErrorCode::Internal, "INTERNAL"_L1},
};

} // namespace

QString toString(ErrorCode code)
{
    for (const auto &[value, name] : CodeNames) {
        if (value == code)
            return name;
    }
    Q_UNREACHABLE();
}

ErrorCode errorCodeFromString(QStringView name)
{
    for (const auto &[value, text] : CodeNames) {
        if (name == text)
            return value;
    }
    return ErrorCode::Internal;
}

Error::Error(ErrorCode errorCode, QString errorMessage, QString errorDetail)
    : code(errorCode), message(std::move(errorMessage)), detail(std::move(errorDetail))
{
}

Error::Error(const CancellationError &error)
    : code(ErrorCode::Cancelled), message(error.message()), cancellation(error)
{
}

Error Error::wrappedIn(ErrorCode outerCode, const QString &outerMessage) const
{
    Error outer(outerCode, outerMessage);
    outer.cause = std::make_shared<const Error>(*this);
    return outer;
}

QJsonObject Error::toJson() const
{
    QJsonObject json{{u"code"_s, toString(code)}, {u"message"_s, message}};
    if (cancellation)
        json.insert(u"cancellation"_s, cancellation->toJson());
    if (cause)
        json.insert(u"cause"_s, cause->toJson());
    return json;
}

std::optional<CancellationError> cancellationOf(const Error &error)
{
    for (const Error *link = &error; link; link = link->cause.get()) {
        if (link->cancellation)
            return link->cancellation;
    }
    return std::nullopt;
}

bool isCancellation(const Error &error)
{
    return cancellationOf(error).has_value();
}

bool isGracefulTimeout(const Error &error)
{
    const auto cancellation = cancellationOf(error);
    return cancellation && cancellation->isGracefulTimeout();
}

} // namespace fermata
