// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/conversation.h"

#include <QString>

namespace fermata {

// What a model is told before the conversation. It depends on nothing that changes during a conversation (no date of
// today): some servers refuse a history whose beginning has changed, and all of them cache it.
QString systemPrompt(const Conversation &conversation, const QString &workspace);

} // namespace fermata
