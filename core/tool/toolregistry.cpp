// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/toolregistry.h"

#include <algorithm>
#include <utility>

namespace fermata {

void ToolRegistry::add(std::shared_ptr<Tool> tool)
{
    const auto same = std::find_if(m_tools.begin(), m_tools.end(), [&](const auto &other) {
        return other->spec().name == tool->spec().name;
    });
    if (same != m_tools.end())
        *same = std::move(tool);
    else
        m_tools.push_back(std::move(tool));
}

std::shared_ptr<Tool> ToolRegistry::find(const QString &name) const
{
    for (const auto &tool : m_tools) {
        if (tool->spec().name == name)
            return tool;
    }
    return nullptr;
}

} // namespace fermata
