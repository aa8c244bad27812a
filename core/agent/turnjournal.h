// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "conversation/conversation.h"

namespace fermata {

// Where a turn is saved while it runs, on its own thread. Saving ignores the token. A failed save never ends a turn: the
// text stays in memory, the failure is told, and the next call tries again with all of it.
class TurnJournal
{
public:
    virtual ~TurnJournal() = default;

    // Saves the turn with what it has so far, and the conversation itself if this is its first turn.
    virtual Result<void> begin(const Conversation &conversation, const TurnRecord &turn) = 0;
    virtual Result<void> checkpoint(const TurnRecord &turn) = 0;
    virtual Result<void> saveCall(const TurnRecord &turn, const ToolCallBlock &call) = 0;
    virtual Result<void> finish(const TurnRecord &turn) = 0;
};

} // namespace fermata
