// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/tool.h"

#include <memory>
#include <vector>

namespace fermata {

// The tools there are, by name. Filled before the first turn and not changed during one.
class ToolRegistry final
{
public:
    // Replaces a tool with the same name.
    void add(std::shared_ptr<Tool> tool);
    std::shared_ptr<Tool> find(const QString &name) const; // null if there is none
    const std::vector<std::shared_ptr<Tool>> &tools() const { return m_tools; }

private:
    std::vector<std::shared_ptr<Tool>> m_tools;
};

} // namespace fermata
