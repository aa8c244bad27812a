// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/ids.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>

#include <optional>

namespace fermata {

class ConversationLibrary;

// The entrance for programs that want a turn cancelled: checks what they sent, lets `library` decide, answers. `asking` is
// the conversation that the program speaks for, `source` names it. A request with an "id" gets a reply with the same id:
// {"id", "result"} or {"id", "error": {"code", "message"}}. One without, a notification, gets none, whatever is wrong;
// nor does what is larger than a request may be, which is not read.
std::optional<QJsonObject> handleCancelRequest(ConversationLibrary &library,
                                               const ConversationId &asking,
                                               const QByteArray &request, const QString &source);

} // namespace fermata
