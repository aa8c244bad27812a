// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/httprequest.h"

#include "io/httprequest_p.h"

#include "base/redaction.h"

#include <QHostAddress>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QByteArray toVerb(HttpRequest::Method method)
{
    switch (method) {
    case HttpRequest::Method::Get:
        return "GET"_ba;
    case HttpRequest::Method::Post:
        return "POST"_ba;
    case HttpRequest::Method::Head:
        return "HEAD"_ba;
    case HttpRequest::Method::Put:
        return "PUT"_ba;
    case HttpRequest::Method::Delete:
        return "DELETE"_ba;
    }
    Q_UNREACHABLE();
}

bool isToken(QByteArrayView name)
{
    constexpr QByteArrayView Marks("!#$%&'*+-.^_`|~");
    return !name.isEmpty() && std::all_of(name.begin(), name.end(), [&](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
            || Marks.contains(c);
    });
}

bool isFieldValue(QByteArrayView value)
{
    return std::none_of(value.begin(), value.end(),
                        [](char c) { return (uchar(c) < 0x20 && c != '\t') || c == 0x7f; });
}

// What frames the message is not the caller's to say.
bool isOurs(QByteArrayView name)
{
    constexpr QByteArrayView Names[] = {
        "host",   "connection", "content-length", "transfer-encoding", "accept-encoding",
        "expect", "upgrade"};
    return std::any_of(std::begin(Names), std::end(Names), [name](QByteArrayView ours) {
        return name.compare(ours, Qt::CaseInsensitive) == 0;
    });
}

bool hasHeader(const HttpRequest &request, QByteArrayView name)
{
    return std::any_of(request.headers.begin(), request.headers.end(), [name](const auto &header) {
        return name.compare(header.first, Qt::CaseInsensitive) == 0;
    });
}

QByteArray bracketedHost(const QUrl &url)
{
    const QByteArray host = url.host(QUrl::FullyEncoded).toLatin1();
    return host.contains(':') ? '[' + host + ']' : host;
}

QByteArray target(const QUrl &url)
{
    QByteArray path = url.path(QUrl::FullyEncoded).toLatin1();
    if (path.isEmpty())
        path = "/"_ba;
    if (url.hasQuery())
        path += '?' + url.query(QUrl::FullyEncoded).toLatin1();
    return path;
}

} // namespace

bool isSecure(const QUrl &url)
{
    return url.scheme() == "https"_L1;
}

bool isLoopback(const QUrl &url)
{
    const QString host = url.host();
    return host == "localhost"_L1 || QHostAddress(host).isLoopback();
}

quint16 portOf(const QUrl &url)
{
    return quint16(url.port(isSecure(url) ? 443 : 80));
}

QString hostAndPort(const QUrl &url)
{
    return u"%1:%2"_s.arg(QString::fromLatin1(bracketedHost(url))).arg(portOf(url));
}

QString describe(const HttpRequest &request)
{
    const QUrl url =
        request.url.adjusted(QUrl::RemoveUserInfo | QUrl::RemoveQuery | QUrl::RemoveFragment);
    return redacted(QString::fromLatin1(toVerb(request.method) + ' ' + url.toEncoded()));
}

Result<void> checkRequest(const HttpRequest &request)
{
    const QUrl &url = request.url;
    const bool isWeb = url.scheme() == "http"_L1 || url.scheme() == "https"_L1;
    if (!url.isValid() || !isWeb || url.host().isEmpty() || url.port(1) == 0) {
        return Error(
            ErrorCode::InvalidAddress,
            u"This is not a web address. One begins with http:// or https:// and a host."_s);
    }
    if (!url.userInfo().isEmpty()) {
        return Error(
            ErrorCode::InvalidAddress,
            u"The address of %1 holds a user name or a password. Enter a key in its own field."_s
                .arg(hostAndPort(url)));
    }
    const bool headersGood =
        std::all_of(request.headers.begin(), request.headers.end(), [](const auto &header) {
            return isToken(header.first) && isFieldValue(header.second);
        });
    if (!headersGood) {
        return Error(
            ErrorCode::InvalidArgument,
            u"A header for %1 holds characters that no header may hold."_s.arg(hostAndPort(url)));
    }
    const auto &secret = request.secretHeader;
    if (secret && !(isToken(secret->first) && isFieldValue(secret->second.reveal()))) {
        return Error(
            ErrorCode::InvalidArgument,
            u"The key for %1 holds a line break or another character that no key has. Enter it anew."_s
                .arg(hostAndPort(url)));
    }
    return {};
}

QByteArray toWire(const HttpRequest &request)
{
    const QUrl &url = request.url;
    QByteArray wire;
    wire.reserve(request.body.size() + 1024);
    const auto addHeader = [&wire](QByteArrayView name, QByteArrayView value) {
        wire.append(name).append(": ").append(value).append("\r\n");
    };

    wire.append(toVerb(request.method)).append(' ').append(target(url)).append(" HTTP/1.1\r\n");
    const bool isDefaultPort = portOf(url) == (isSecure(url) ? 443 : 80);
    addHeader("Host",
              isDefaultPort ? bracketedHost(url)
                            : bracketedHost(url) + ':' + QByteArray::number(portOf(url)));
    addHeader("Accept-Encoding", "identity");
    if (!hasHeader(request, "User-Agent"))
        addHeader("User-Agent", "Fermata");
    if (!hasHeader(request, "Accept"))
        addHeader("Accept", "*/*");
    for (const auto &[name, value] : request.headers) {
        if (!isOurs(name))
            addHeader(name, value);
    }
    if (request.secretHeader)
        addHeader(request.secretHeader->first, request.secretHeader->second.reveal());
    const bool takesBody =
        request.method == HttpRequest::Method::Post || request.method == HttpRequest::Method::Put;
    if (takesBody || !request.body.isEmpty())
        addHeader("Content-Length", QByteArray::number(request.body.size()));
    wire.append("\r\n").append(request.body);
    return wire;
}

} // namespace fermata
