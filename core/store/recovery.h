// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/conversation.h"

namespace fermata {

// Gives every open call of a turn that does not run any more its one result: a started one may have taken effect, the
// others did not. Results that are there stay. Nothing is ever run again by this.
void settleCalls(TurnRecord &turn);

} // namespace fermata
