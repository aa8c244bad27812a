// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/approvalpolicy.h"

#include <algorithm>
#include <utility>

namespace fermata {

namespace {

void addRule(std::vector<AllowRule> &rules, const AllowRule &rule)
{
    if (std::find(rules.begin(), rules.end(), rule) == rules.end())
        rules.push_back(rule);
}

} // namespace

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
    const bool knowsPlace = request.place.isEmpty()
        || std::find(m_places.begin(), m_places.end(), AllowRule{tool.name, request.place})
            != m_places.end();
    if (allowed && knowsPlace && (offersPattern || tool.allowReach == AllowReach::EveryCall))
        return ApprovalVerdict::Allow;

    if (offersPattern) {
        const AllowRule rule{tool.name, request.alwaysPattern};
        const auto has = [&](const std::vector<AllowRule> &rules) {
            return std::find(rules.begin(), rules.end(), rule) != rules.end();
        };
        if (has(m_rules) || has(m_conversationRules))
            return ApprovalVerdict::Allow;
    }
    if (!request.fingerprint.isEmpty() && m_conversationCalls.contains(request.fingerprint))
        return ApprovalVerdict::Allow;
    return ApprovalVerdict::Ask;
}

void ApprovalPolicy::notePlace(const ApprovalRequest &request)
{
    const std::lock_guard lock(m_mutex);
    if (!request.place.isEmpty())
        addRule(m_places, {request.tool, request.place});
}

void ApprovalPolicy::allowInConversation(const ApprovalRequest &request)
{
    const std::lock_guard lock(m_mutex);
    if (!request.alwaysPattern.isEmpty())
        addRule(m_conversationRules, {request.tool, request.alwaysPattern});
    else if (!request.fingerprint.isEmpty())
        m_conversationCalls.insert(request.fingerprint, {request.tool, request.exactText});
}

void ApprovalPolicy::allowAlways(const ApprovalRequest &request)
{
    const std::lock_guard lock(m_mutex);
    if (!request.alwaysPattern.isEmpty())
        addRule(m_rules, {request.tool, request.alwaysPattern});
}

std::vector<AllowRule> ApprovalPolicy::conversationRules() const
{
    const std::lock_guard lock(m_mutex);
    std::vector<AllowRule> rules = m_conversationRules;
    rules.insert(rules.end(), m_conversationCalls.begin(), m_conversationCalls.end());
    return rules;
}

void ApprovalPolicy::revokeInConversation(const AllowRule &rule)
{
    const std::lock_guard lock(m_mutex);
    std::erase(m_conversationRules, rule);
    m_conversationCalls.removeIf([&](const auto &call) { return call.value() == rule; });
}

void ApprovalPolicy::setPermissions(QHash<QString, ToolPermission> permissions,
                                    std::vector<AllowRule> rules)
{
    const std::lock_guard lock(m_mutex);
    m_permissions = std::move(permissions);
    m_rules = std::move(rules);
}

} // namespace fermata
