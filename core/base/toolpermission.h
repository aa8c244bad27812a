// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace fermata {

// What the user has settled for a tool.
enum class ToolPermission { Ask, Allow, Deny };

// One "Always allow": calls of `tool` whose exact text equals `pattern`, literally.
struct AllowRule
{
    QString tool;
    QString pattern;

    friend bool operator==(const AllowRule &, const AllowRule &) = default;
};

} // namespace fermata
