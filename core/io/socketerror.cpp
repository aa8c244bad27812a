// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/socketerror_p.h"

#include "io/httprequest_p.h"

#include "base/redaction.h"

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QString withoutPeriod(QString text)
{
    while (text.endsWith(u'.'))
        text.chop(1);
    return text;
}

} // namespace

Error connectionFault(QAbstractSocket::SocketError code, const QString &reason,
                      const QStringList &tlsErrors, const QUrl &url)
{
    const QString where = hostAndPort(url);
    const QString detail = redacted(reason.left(500));
    switch (code) {
    case QAbstractSocket::ConnectionRefusedError:
        return {ErrorCode::ConnectionRefused,
                u"%1 refused the connection. Is the server running?"_s.arg(where), detail};
    case QAbstractSocket::HostNotFoundError:
        return {ErrorCode::HostNotFound,
                u"The host of %1 was not found. Check the address and the network."_s.arg(where),
                detail};
    case QAbstractSocket::SocketTimeoutError:
        return {
            ErrorCode::ConnectionFailed,
            u"%1 did not accept the connection in time. Check the address and the network."_s.arg(
                where),
            detail};
    case QAbstractSocket::SslHandshakeFailedError:
    case QAbstractSocket::SslInternalError:
    case QAbstractSocket::SslInvalidUserDataError: {
        const QString why = tlsErrors.isEmpty() ? detail : tlsErrors.join(u"; "_s);
        return {ErrorCode::Tls,
                u"No secure connection to %1: %2. Check that the address is right and that this "
                "computer trusts the server's certificate."_s.arg(where, withoutPeriod(why)),
                detail};
    }
    default:
        return {ErrorCode::ConnectionFailed,
                u"Could not connect to %1: %2. Check the address and the network."_s.arg(
                    where, withoutPeriod(detail)),
                detail};
    }
}

} // namespace fermata
