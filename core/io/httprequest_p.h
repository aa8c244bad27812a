// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "io/httprequest.h"

#include <QByteArray>
#include <QString>

namespace fermata {

bool isSecure(const QUrl &url);
// Names this machine by "localhost" or by number.
bool isLoopback(const QUrl &url);
quint16 portOf(const QUrl &url);
// Host and port as people may trust them: the host in its encoded form, the port always named.
QString hostAndPort(const QUrl &url);
// The method and the address, without what may hold a key.
QString describe(const HttpRequest &request);

// A fault if the request cannot be sent as it stands.
Result<void> checkRequest(const HttpRequest &request);
// The bytes of a checked request, body included.
QByteArray toWire(const HttpRequest &request);

} // namespace fermata
