// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QJsonArray>
#include <QString>

namespace fermata {

// What a strict chat-completions server refuses in a list of messages, as a sentence; empty if it takes them:
// roles it knows, system first, user and assistant in turns, no message without content, each tool call answered
// exactly once directly after it, and arguments that are JSON objects.
QString chatHistoryViolation(const QJsonArray &messages);

// The same for the body of a request.
QString chatRequestViolation(const QByteArray &body);

} // namespace fermata
