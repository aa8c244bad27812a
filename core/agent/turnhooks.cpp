// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turnhooks.h"

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

QString toString(CallEnd end)
{
    switch (end) {
    case CallEnd::Succeeded:
        return u"succeeded"_s;
    case CallEnd::Failed:
        return u"failed"_s;
    case CallEnd::Vetoed:
        return u"vetoed"_s;
    case CallEnd::Cancelled:
        return u"cancelled"_s;
    }
    Q_UNREACHABLE();
}

void TurnObserver::onTurnStarted(const TurnRecord &) { }
void TurnObserver::onModelCallStarted(const TurnId &, int) { }
void TurnObserver::onModelCallFinished(const TurnId &, int, const ModelCallResult &) { }
void TurnObserver::onToolStarted(const TurnId &, const CallId &, const QString &) { }
void TurnObserver::onToolFinished(const TurnId &, const CallId &, const ToolSlot &) { }
void TurnObserver::onBudgetReached(const TurnId &, const BudgetReached &) { }
void TurnObserver::onCancelled(const TurnId &, int, const CancellationReason &) { }
void TurnObserver::onTurnFinished(const TurnOutcome &) { }

HookVeto TurnPolicy::beforeTurn(const TurnRecord &, const HookContext &)
{
    return {};
}

HookVeto TurnPolicy::beforeModelCall(const ModelRequest &, const HookContext &)
{
    return {};
}

bool TurnPolicy::afterModelCall(const ModelCallResult &, const HookContext &)
{
    return false;
}

HookVeto TurnPolicy::beforeTools(const std::vector<ToolCallBlock> &, const HookContext &)
{
    return {};
}

QString TurnPolicy::afterTools(const std::vector<ToolCallBlock> &, const HookContext &)
{
    return {};
}

BeforeToolDecision TurnPolicy::beforeTool(const ToolCallInfo &, const HookContext &)
{
    return {};
}

AfterToolDecision TurnPolicy::afterTool(const ToolCallInfo &, const ToolSlot &, const HookContext &)
{
    return {};
}

QString TurnPolicy::endOfTurn(const QString &, const HookContext &)
{
    return {};
}

TurnHooks::HookId TurnHooks::addObserver(std::shared_ptr<TurnObserver> observer)
{
    const auto id = HookId(++m_lastId);
    m_observers.push_back({id, std::move(observer)});
    return id;
}

TurnHooks::HookId TurnHooks::addPolicy(std::shared_ptr<TurnPolicy> policy, int order)
{
    const auto id = HookId(++m_lastId);
    const auto place = std::ranges::upper_bound(m_policies, order, {}, &Policy::order);
    m_policies.insert(place, {id, order, std::move(policy)});
    return id;
}

bool TurnHooks::remove(HookId id)
{
    return std::erase_if(m_policies, [id](const Policy &policy) { return policy.id == id; })
        + std::erase_if(m_observers, [id](const Observer &observer) { return observer.id == id; })
        > 0;
}

} // namespace fermata
