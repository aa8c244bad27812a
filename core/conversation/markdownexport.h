// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/conversation.h"

#include <QString>

namespace fermata {

// The branch that is shown, as Markdown for people: messages, tool calls with their output, and how each turn ended.
// Text of the model and of tools can do nothing in a viewer by being shown: outside of code blocks images and HTML
// are written as the text they are. What must come back without loss is exported as JSON Lines.
QString toMarkdown(const Conversation &conversation);

} // namespace fermata
