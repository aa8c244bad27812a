// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <QAbstractSocket>
#include <QStringList>
#include <QUrl>

namespace fermata {

// Why no connection to the server of `url` came about. `reason` is the socket's text; `tlsErrors` are all complaints
// about the server's certificate.
Error connectionFault(QAbstractSocket::SocketError code, const QString &reason,
                      const QStringList &tlsErrors, const QUrl &url);

} // namespace fermata
