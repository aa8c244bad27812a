// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "settings/profile.h"

#include <QString>

namespace fermata {

// Who answers: "qwen3:8b on Ollama"; without a profile "Guide (not an AI)".
QString answererText(const Profile *profile);
// What stands in the empty message field: "Message qwen3:8b", "Ask the Guide".
QString messagePlaceholder(const Profile *profile);

} // namespace fermata
