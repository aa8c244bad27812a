// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/chatfailure.h"

#include "base/redaction.h"
#include "provider/serverdialect.h"

#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

using std::chrono::milliseconds;

bool isRetryableStatus(int status)
{
    static constexpr int retryable[] = {408, 409, 425, 429, 500, 502, 503, 504, 529};
    return std::find(std::begin(retryable), std::end(retryable), status) != std::end(retryable);
}

bool isQuota(const ServerError &error)
{
    return error.mentions(u"insufficient_quota"_s) || error.mentions(u"insufficient balance"_s)
        || error.mentions(u"billing_hard_limit"_s);
}

bool isUnknownModel(const ServerError &error, const ChatTarget &target)
{
    return error.mentions(u"model_not_found"_s) || error.mentions(u"NotFoundError"_s)
        || (!target.model.isEmpty() && error.message.contains(target.model))
        || (error.mentions(u"model"_s) && error.mentions(u"not found"_s))
        || (error.mentions(u"model"_s) && error.mentions(u"not exist"_s));
}

ErrorCode codeOf(int status, const ServerError &error, const ChatTarget &target)
{
    if (status >= 300 && status < 400)
        return ErrorCode::Redirected;
    if (isQuota(error))
        return ErrorCode::QuotaExceeded;
    if (error.isContextOverflow() || status == 413)
        return ErrorCode::ContextOverflow;
    switch (status) {
    case 400:
    case 422:
        return error.mentions(u"model_not_found"_s) ? ErrorCode::ModelNotFound
                                                    : ErrorCode::BadRequest;
    case 401:
        return ErrorCode::Authentication;
    case 402:
        return ErrorCode::PaymentRequired;
    case 403:
        return ErrorCode::Forbidden;
    case 404:
        return isUnknownModel(error, target) ? ErrorCode::ModelNotFound : ErrorCode::NotFound;
    case 429:
        return ErrorCode::RateLimited;
    default:
        return status >= 500 && status < 600 ? ErrorCode::ServerError : ErrorCode::HttpStatus;
    }
}

// " It says: “…”", so that nobody takes foreign words for ours.
QString quoted(const ServerError &error)
{
    const QString words = excerpt(error.message);
    return words.isEmpty() ? QString() : u" It says: “%1”"_s.arg(words);
}

QString sentence(ErrorCode code, const QString &status, const ServerError &error,
                 const ChatTarget &target)
{
    const QString host = target.host();
    const QString model = target.model.isEmpty() ? u"its model"_s : excerpt(target.model, 80);
    // Filled in at once: foreign text may hold a "%1" of its own.
    switch (code) {
    case ErrorCode::QuotaExceeded:
        return u"The account at %1 has no quota left (%2). Add credit there, or choose another "
               "model."_s.arg(host, status);
    case ErrorCode::ContextOverflow:
        return u"The conversation is too long for %1 at %2 (%3). Start a new conversation, or "
               "choose a model with a larger context."_s.arg(model, host, status)
            + quoted(error);
    case ErrorCode::Authentication:
        return target.hasKey
            ? u"The server at %1 did not accept the key. Check it in Settings > Model."_s.arg(host)
            : u"The server at %1 asks for a key. Enter one in Settings > Model."_s.arg(host);
    case ErrorCode::PaymentRequired:
        return u"The account at %1 has no credit left (%2). Add credit there, or choose another "
               "model."_s.arg(host, status);
    case ErrorCode::Forbidden:
        return u"The server at %1 does not allow this request (%2). Check the key and its rights."_s
                   .arg(host, status)
            + quoted(error);
    case ErrorCode::ModelNotFound:
        return u"The server at %1 has no model “%2” (%3). Choose another one in Settings > Model."_s
            .arg(host, model, status);
    case ErrorCode::NotFound:
        return u"There is no chat service at this address of %1 (%2). Check the address in "
               "Settings > Model; most end in /v1."_s.arg(host, status)
            + quoted(error);
    case ErrorCode::RateLimited:
        return u"The server at %1 takes no more requests for now (%2). Wait a little, then retry."_s
                   .arg(host, status)
            + quoted(error);
    case ErrorCode::ServerError:
        if (error.mentions(u"loading model"_s))
            return u"The server at %1 is still loading the model (%2). Retry in a moment."_s.arg(
                host, status);
        return u"The server at %1 failed (%2). Retry, or look at the server's log."_s.arg(host,
                                                                                          status)
            + quoted(error);
    case ErrorCode::BadRequest:
        return u"The server at %1 refused the request for %2 (%3)."_s.arg(host, model, status)
            + quoted(error);
    default:
        return u"The server at %1 answered with status %2. Check the address in Settings > Model."_s
                   .arg(host, status)
            + quoted(error);
    }
}

QString redirectSentence(const ChatTarget &target, const HttpHead &head)
{
    constexpr qsizetype longest = 2048;
    const QByteArray location = head.header("location");
    const QUrl to = target.endpoint.resolved(
        QUrl::fromEncoded(location.first(std::min(location.size(), longest))));
    const QString status = QString::number(head.status);
    if (location.isEmpty() || !to.isValid() || to.host().isEmpty())
        return u"The server at %1 sends requests elsewhere (%2), without saying where. Check the "
               "address in Settings > Model."_s.arg(target.host(), status);
    // Nothing but the place: a query may hold a ticket.
    const QString place = to.toString(QUrl::RemoveUserInfo | QUrl::RemoveQuery
                                      | QUrl::RemoveFragment | QUrl::FullyEncoded);
    return u"The server at %1 sends requests on to %2 (%3). Fermata does not follow with your "
           "conversation and key. If you trust that address, enter it in Settings > Model."_s.arg(
               target.host(), excerpt(place, 120), status);
}

std::optional<milliseconds> seconds(double value)
{
    constexpr double longest = 1e9;
    if (!std::isfinite(value))
        return std::nullopt;
    return milliseconds(std::llround(std::clamp(value, 0.0, longest) * 1000));
}

std::optional<milliseconds> fromHeader(const QByteArray &header, const QDateTime &now)
{
    if (header.isEmpty())
        return std::nullopt;
    bool isNumber = false;
    const double number = header.trimmed().toDouble(&isNumber);
    if (isNumber)
        return seconds(number);
    const QDateTime date = QLocale::c().toDateTime(QString::fromLatin1(header.trimmed()),
                                                   u"ddd, dd MMM yyyy hh:mm:ss 'GMT'"_s);
    if (!date.isValid())
        return std::nullopt;
    const QDateTime utc(date.date(), date.time(), Qt::UTC);
    return seconds(static_cast<double>(now.msecsTo(utc)) / 1000);
}

std::optional<milliseconds> fromWords(const ServerError &error)
{
    static const QRegularExpression wait(
        u"(?:try again in |^)(?:(\\d{1,4})m)?(\\d{1,6}(?:\\.\\d{1,9})?)(ms|s)\\b"_s);
    for (const QString &text : {error.retryDelay, error.message}) {
        const QRegularExpressionMatch match = wait.match(text);
        if (!match.hasMatch())
            continue;
        const double value = match.captured(2).toDouble();
        return seconds(match.captured(1).toDouble() * 60
                       + (match.captured(3) == u"ms" ? value / 1000 : value));
    }
    return std::nullopt;
}

QString detailOf(const HttpHead &head, const QByteArray &body)
{
    QString detail = u"HTTP %1 %2"_s.arg(QString::number(head.status), excerpt(head.reason, 80));
    const QByteArray id = head.header("x-request-id");
    if (!id.isEmpty())
        detail += u"\nx-request-id: "_s + excerpt(id, 80);
    constexpr qsizetype longest = 4096;
    const QString text = QString::fromUtf8(body.first(std::min(body.size(), longest)));
    return redacted(detail + u'\n' + text).trimmed();
}

} // namespace

QString ChatTarget::host() const
{
    return hostForPeople(endpoint);
}

std::optional<milliseconds> retryAfter(const HttpHead &head, const ServerError &error,
                                       const QDateTime &now)
{
    bool isNumber = false;
    const double inMilliseconds = head.header("retry-after-ms").trimmed().toDouble(&isNumber);
    if (isNumber)
        return seconds(inMilliseconds / 1000);
    if (const auto fromServer = fromHeader(head.header("retry-after"), now))
        return fromServer;
    return fromWords(error);
}

ChatFailure failureOfReply(const ChatTarget &target, const HttpHead &head, const QByteArray &body,
                           const QDateTime &now)
{
    const ServerError error = serverErrorOfBody(body);
    const ErrorCode code = codeOf(head.status, error, target);
    ChatFailure failure;
    failure.error = Error(code,
                          code == ErrorCode::Redirected
                              ? redirectSentence(target, head)
                              : sentence(code, QString::number(head.status), error, target),
                          detailOf(head, body));
    failure.advice.retryable = isRetryableStatus(head.status) && code != ErrorCode::QuotaExceeded
        && code != ErrorCode::ContextOverflow;
    const QByteArray wish = head.header("x-should-retry").trimmed().toLower();
    if (wish == "false" || (wish == "true" && head.status >= 400))
        failure.advice.retryable = wish == "true";
    if (failure.advice.retryable)
        failure.advice.retryAfter = retryAfter(head, error, now);
    return failure;
}

ChatFailure failureOfStream(const ChatTarget &target, const ServerError &error)
{
    const int status = error.status().value_or(0);
    ErrorCode code = status ? codeOf(status, error, target) : ErrorCode::ServerError;
    if (isQuota(error))
        code = ErrorCode::QuotaExceeded;
    else if (error.isContextOverflow())
        code = ErrorCode::ContextOverflow;
    else if (!status && error.mentions(u"rate_limit"_s))
        code = ErrorCode::RateLimited;
    else if (!status && error.mentions(u"invalid_request"_s))
        code = ErrorCode::BadRequest;
    const QString words = excerpt(error.message);
    ChatFailure failure;
    failure.error = Error(
        code,
        u"The server at %1 broke the answer off with an error. Continue or retry."_s.arg(
            target.host())
            + (words.isEmpty() ? QString() : u" It says: “%1”"_s.arg(words)),
        redacted(
            u"code: %1\ntype: %2\n%3"_s.arg(error.code, error.type, error.message).left(4096)));
    failure.advice.retryable = status
        ? isRetryableStatus(status)
        : code == ErrorCode::ServerError || code == ErrorCode::RateLimited;
    if (code == ErrorCode::QuotaExceeded || code == ErrorCode::ContextOverflow)
        failure.advice.retryable = false;
    if (failure.advice.retryable)
        failure.advice.retryAfter = fromWords(error);
    return failure;
}

ChatFailure failureOfConnection(const ChatTarget &target, const Error &error)
{
    ChatFailure failure{error, {}};
    // Nothing of the reply was seen, so nothing can have been shown.
    failure.advice.retryable = error.code == ErrorCode::ConnectionLost;
    if (error.code == ErrorCode::Truncated)
        failure.error = error.wrappedIn(
            ErrorCode::Truncated,
            u"The connection to %1 broke before the answer was whole. Continue or retry."_s.arg(
                target.host()));
    return failure;
}

ChatFailure failureOfContent(const ChatTarget &target, ErrorCode code, const QString &happened,
                             const QString &detail)
{
    ChatFailure failure;
    failure.error = Error(code, happened.arg(target.host()), redacted(detail.left(4096)));
    return failure;
}

} // namespace fermata
