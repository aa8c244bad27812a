// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "conversation/conversation.h"

#include <QByteArray>
#include <QJsonObject>

namespace fermata {

// The JSON form in which blocks and outcomes are stored and exported. Fields that this version does not know are
// ignored in what it made itself and kept where a block as a whole is unknown. A lone surrogate is replaced.
QJsonObject toJson(const ContentBlock &block);
Result<ContentBlock> contentBlockFromJson(const QJsonObject &json);

QJsonObject toJson(const TurnOutcome &outcome);
Result<TurnOutcome> turnOutcomeFromJson(const QJsonObject &json);

// JSON Lines: the first line is the conversation, each further one a turn. fromJsonLines(toJsonLines(c)) equals c.
QByteArray toJsonLines(const Conversation &conversation);
Result<Conversation> conversationFromJsonLines(const QByteArray &lines);

} // namespace fermata
