// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/toolpermission.h"
#include "tool/tool.h"

#include <QHash>

#include <mutex>
#include <vector>

namespace fermata {

enum class ApprovalVerdict { Allow, Ask, Deny };

// Decides whether a call may run without asking. No list of bad commands is in it: such lists protect nobody. It lives
// as long as its conversation, so that "for this conversation" ends with it. Thread-safe.
class ApprovalPolicy final
{
public:
    ApprovalPolicy() = default; // every tool as its spec says
    ApprovalPolicy(QHash<QString, ToolPermission> permissions, std::vector<AllowRule> rules);

    ApprovalVerdict judge(const ToolSpec &tool, const ApprovalRequest &request) const;

    // The user has allowed a call, in whatever way: where it goes is no new place any more.
    void notePlace(const ApprovalRequest &request);
    // "Allow for this conversation": calls with exactly this text; where the request offers no pattern, exactly this
    // call.
    void allowInConversation(const ApprovalRequest &request);
    // "Always allow", for what is left of the turn: from the next one on it counts as long as the settings have it. A
    // request without a pattern is allowed this once only.
    void allowAlways(const ApprovalRequest &request);
    // What allowInConversation() allows, as tool and text.
    std::vector<AllowRule> conversationRules() const;
    void revokeInConversation(const AllowRule &rule);
    // Changed settings count from the next turn on.
    void setPermissions(QHash<QString, ToolPermission> permissions, std::vector<AllowRule> rules);

private:
    mutable std::mutex m_mutex;
    QHash<QString, ToolPermission> m_permissions;
    std::vector<AllowRule> m_rules;
    std::vector<AllowRule> m_conversationRules;
    QHash<QByteArray, AllowRule>
        m_conversationCalls; // by fingerprint: whose text is not unmistakable
    std::vector<AllowRule> m_places; // tool and place, that the user has allowed a call to
};

} // namespace fermata
