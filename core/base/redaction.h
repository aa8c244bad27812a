// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace fermata {

// `text` with what looks like a credential replaced by "[redacted]": bearer tokens, the values of
// authorization and cookie headers to the end of the line or the quote, the values of api-key,
// password, secret and token fields, user and password in addresses, keys with the prefixes of
// known services. Works on any text, broken JSON included; idempotent. Everything that goes to a
// log, an error detail or a trace and may hold foreign text passes through here.
QString redacted(const QString &text);

} // namespace fermata
