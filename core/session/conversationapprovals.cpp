// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/conversationapprovals.h"

#include "tool/approvalpolicy.h"

namespace fermata {

std::shared_ptr<ApprovalPolicy> ConversationApprovals::policy(const ConversationId &id)
{
    auto &policy = m_policies[id];
    if (!policy)
        policy = std::make_shared<ApprovalPolicy>();
    return policy;
}

std::vector<ConversationRule> ConversationApprovals::rules() const
{
    std::vector<ConversationRule> rules;
    for (auto policy = m_policies.begin(); policy != m_policies.end(); ++policy) {
        for (const AllowRule &rule : (*policy)->conversationRules())
            rules.push_back({policy.key(), rule});
    }
    return rules;
}

void ConversationApprovals::revoke(const ConversationRule &rule)
{
    if (const auto policy = m_policies.value(rule.conversation))
        policy->revokeInConversation(rule.rule);
}

} // namespace fermata
