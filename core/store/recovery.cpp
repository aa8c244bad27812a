// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/recovery.h"

namespace fermata {

using namespace Qt::StringLiterals;

void settleCalls(TurnRecord &turn)
{
    for (AssistantMessage &message : turn.answer) {
        for (ContentBlock &block : message.blocks) {
            auto *call = std::get_if<ToolCallBlock>(&block);
            if (!call || isFinal(call->slot.state))
                continue;
            if (wasStarted(call->slot.state)) {
                call->slot.state = ToolState::Interrupted;
                call->slot.note =
                    u"Interrupted: the application ended while this call ran. It may or may not "
                    "have taken effect; check before repeating."_s;
            } else {
                call->slot.note = call->slot.state == ToolState::Asking
                    ? u"Not run: the application ended while the user was asked to allow this "
                      u"call. "
                      "It counts as not allowed."_s
                    : u"Not run: the application ended before this call was started."_s;
                call->slot.state = ToolState::NotRun;
            }
        }
    }
}

} // namespace fermata
