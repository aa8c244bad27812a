// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/conversation.h"
#include "conversation/turnevent.h"

#include <QString>

namespace fermata::samples {

// Tools at work: thinking, text, code, and five calls of which the third runs.
Conversation backupRunning();
// The same after Stop.
Conversation backupStopped();
// A failure, a seam, a limit, and a turn that waits for the approval of approvalRequest().
Conversation askingForApproval();
ApprovalRequest approvalRequest();
// Every state of a tool call and every kind of Markdown.
Conversation allStates();
// `turns` turns with about 1 KB of Markdown in each answer.
Conversation longConversation(int turns);

// About 1 KB of Markdown, different for each number.
QString markdown(int number);

// A running turn with the answer `text`, the only one of its conversation.
Conversation running(const QString &text);

} // namespace fermata::samples
