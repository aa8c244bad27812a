// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/turnevent.h"

#include <QString>

#include <vector>

// One turn whose every part can be foretold, so that what is found after a crash can be judged.
namespace fermata::streamed {

constexpr int Steps = 24;

ConversationId conversationId();
TurnId turnId();
CallId callId();

Conversation conversation(); // without turns
TurnRecord turn(); // as it begins

// The events of step `step` of 0 to Steps - 1: text, with a thought and a tool call on the way.
std::vector<TurnEvent> events(int step);
TurnOutcome outcome();

// The turn after `steps` steps.
TurnRecord after(int steps);

} // namespace fermata::streamed
