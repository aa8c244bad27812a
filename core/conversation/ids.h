// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/id.h"

namespace fermata {

using ConversationId = Id<struct ConversationTag>;
using TurnId = Id<struct TurnTag>;
// Ours, unique everywhere. The id that the model gave is ToolCallBlock::wireId, which models repeat and leave out.
using CallId = Id<struct CallTag>;

} // namespace fermata
