// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellationreason.h"
#include "base/limits.h"

#include <QString>

#include <optional>

namespace fermata {

// "Connect", "First token", "Silence", "Whole turn", "Tool call".
QString limitName(Limit limit);
// "Connect limit", as it stands in a sentence.
QString limitNoun(Limit limit);
// The time limit that a cause tells of.
std::optional<Limit> limitOf(CancellationCause cause);

} // namespace fermata
