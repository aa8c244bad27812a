// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "conversation/conversation.h"

#include <QString>

namespace fermata {

// A conversation as a file of the user's: Markdown for reading if the name ends in .md, else JSON Lines without loss.
// The file is complete or not there.
Result<void> writeConversation(const Conversation &conversation, const QString &path);
// JSON Lines; at most 256 MB.
Result<Conversation> readConversation(const QString &path);

} // namespace fermata
