// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/toolpermission.h"
#include "conversation/ids.h"

#include <QHash>

#include <memory>
#include <vector>

namespace fermata {

class ApprovalPolicy;

// One "For this conversation", until the program ends or it is revoked.
struct ConversationRule
{
    ConversationId conversation;
    AllowRule rule;

    friend bool operator==(const ConversationRule &, const ConversationRule &) = default;
};

// What the user has allowed for single conversations. It outlives their sessions: a conversation that is left and opened
// again asks nothing twice. GUI thread.
class ConversationApprovals final
{
public:
    // Of that conversation; made with the first call.
    std::shared_ptr<ApprovalPolicy> policy(const ConversationId &id);
    std::vector<ConversationRule> rules() const;
    // Counts at once, also for a turn that runs.
    void revoke(const ConversationRule &rule);

private:
    QHash<ConversationId, std::shared_ptr<ApprovalPolicy>> m_policies;
};

} // namespace fermata
