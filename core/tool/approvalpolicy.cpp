// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/approvalpolicy.h"

#include <algorithm>
#include <utility>

namespace fermata {

ApprovalPolicy::ApprovalPolicy(QHash<QString, ToolPermission> permissions,
                               std::vector<AllowRule> rules)
    : m_permissions(std::move(permissions)), m_rules(std::move(rules))
{
}

ApprovalVerdict ApprovalPolicy::judge(const ToolSpec &tool, const ApprovalRequest &request) const
{
    const std::lock_guard lock(m_mutex);
    const auto permission = m_permissions.constFind(tool.name);
    if (permission != m_permissions.cend() && *permission == ToolPermission::Deny)
        return ApprovalVerdict::Deny;

    const bool offersPattern = !request.alwaysPattern.isEmpty();
    const bool allowed = permission != m_permissions.cend() ? *permission == ToolPermission::Allow
                                                            : !tool.asksByDefault;
    if (allowed && (offersPattern || tool.allowReach == AllowReach::EveryCall))
        return ApprovalVerdict::Allow;

    if (offersPattern) {
        const AllowRule rule{tool.name, request.alwaysPattern};
        const auto has = [&](const std::vector<AllowRule> &rules) {
            return std::find(rules.begin(), rules.end(), rule) != rules.end();
        };
        if (has(m_rules) || has(m_conversationRules))
            return ApprovalVerdict::Allow;
    }
    if (!request.fingerprint.isEmpty() && m_conversationFingerprints.contains(request.fingerprint))
        return ApprovalVerdict::Allow;
    return ApprovalVerdict::Ask;
}

void ApprovalPolicy::allowInConversation(const ApprovalRequest &request)
{
    const std::lock_guard lock(m_mutex);
    if (!request.alwaysPattern.isEmpty())
        m_conversationRules.push_back({request.tool, request.alwaysPattern});
    else if (!request.fingerprint.isEmpty())
        m_conversationFingerprints.insert(request.fingerprint);
}

void ApprovalPolicy::setPermissions(QHash<QString, ToolPermission> permissions,
                                    std::vector<AllowRule> rules)
{
    const std::lock_guard lock(m_mutex);
    m_permissions = std::move(permissions);
    m_rules = std::move(rules);
}

} // namespace fermata
