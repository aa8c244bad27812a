// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "scriptedprovider.h"
#include "turnplan.h"

#include <functional>
#include <vector>

namespace fermata {

// What a scripted model plays for one planned answer. `calls` are the plan's; deeds are done by `perform`, on the thread
// that reads the stream.
Script scriptOf(const std::vector<turnplan::ModelStep> &answer,
                const std::vector<turnplan::PlannedCall> &calls,
                const std::function<void(turnplan::Deed)> &perform);

} // namespace fermata
