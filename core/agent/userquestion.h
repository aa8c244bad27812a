// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turncontext.h"

namespace fermata {

// Asks whether the turn is to go on, and waits: until the answer, the turn's question limit, which means no, or the
// token, which is the only error. Every time limit stands still meanwhile. For times when no tool runs.
Result<QuestionAnswered> askUser(TurnContext &context, const TurnQuestion &question);

} // namespace fermata
