// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turnhooks.h"
#include "base/channel.h"

#include <QStringList>

#include <functional>
#include <memory>
#include <mutex>

namespace fermata {

// What several hooks were called with, in order, from any thread.
class HookLog final
{
public:
    void add(const QString &line)
    {
        const std::lock_guard lock(m_mutex);
        m_lines << line;
    }
    QStringList lines() const
    {
        const std::lock_guard lock(m_mutex);
        return m_lines;
    }
    int count(const QString &line) const { return int(lines().count(line)); }

private:
    mutable std::mutex m_mutex;
    QStringList m_lines;
};

class RecordingObserver final : public TurnObserver
{
public:
    explicit RecordingObserver(HookLog &log) : m_log(log) { }

    void onTurnStarted(const TurnRecord &) override { note(QStringLiteral("turn started")); }
    void onModelCallStarted(const TurnId &, int) override { note(QStringLiteral("model started")); }
    void onModelCallFinished(const TurnId &, int, const ModelCallResult &result) override
    {
        note(QStringLiteral("model ") + toString(result.end));
    }
    void onToolStarted(const TurnId &, const CallId &, const QString &tool) override
    {
        note(QStringLiteral("tool started ") + tool);
    }
    void onToolFinished(const TurnId &, const CallId &, const ToolSlot &slot) override
    {
        note(QStringLiteral("tool ") + toString(slot.state));
    }
    void onBudgetReached(const TurnId &, const BudgetReached &budget) override
    {
        note(QStringLiteral("budget ") + toString(budget.cause));
    }
    void onCancelled(const TurnId &turn, int iteration, const CancellationReason &reason) override
    {
        cancelledTurn = turn;
        note(QStringLiteral("cancelled %1 %2 %3")
                 .arg(iteration)
                 .arg(toString(reason.cause), reason.text)
                 .trimmed());
    }
    void onTurnFinished(const TurnOutcome &outcome) override
    {
        note(QStringLiteral("turn ") + toString(outcome.status));
    }

    std::function<void(const QString &)> also; // after each line, on the hook's thread
    TurnId cancelledTurn;

private:
    void note(const QString &line)
    {
        m_log.add(line);
        if (also)
            also(line);
    }

    HookLog &m_log;
};

// A policy that does what the test sets, and logs each call as "<name> <hook>". What is not set decides nothing.
class ScriptedPolicy final : public TurnPolicy
{
public:
    ScriptedPolicy(QString name, HookLog &log) : m_name(std::move(name)), m_log(log) { }

    QString name() const override { return m_name; }

    HookVeto beforeTurn(const TurnRecord &, const HookContext &context) override
    {
        return call(QStringLiteral("beforeTurn"), onBeforeTurn, context);
    }
    HookVeto beforeModelCall(const ModelRequest &, const HookContext &context) override
    {
        return call(QStringLiteral("beforeModelCall"), onBeforeModelCall, context);
    }
    bool afterModelCall(const ModelCallResult &result, const HookContext &context) override
    {
        lastModelCall = result;
        return call(QStringLiteral("afterModelCall ") + toString(result.end), onAfterModelCall,
                    context);
    }
    HookVeto beforeTools(const std::vector<ToolCallBlock> &, const HookContext &context) override
    {
        return call(QStringLiteral("beforeTools"), onBeforeTools, context);
    }
    QString afterTools(const std::vector<ToolCallBlock> &calls, const HookContext &context) override
    {
        QStringList states;
        for (const ToolCallBlock &block : calls)
            states << toString(block.slot.state);
        return call(QStringLiteral("afterTools ") + states.join(u' '), onAfterTools, context);
    }
    BeforeToolDecision beforeTool(const ToolCallInfo &info, const HookContext &context) override
    {
        m_log.add(m_name + QStringLiteral(" beforeTool %1 %2").arg(info.tool).arg(info.attempt));
        return onBeforeTool ? onBeforeTool(info, context) : BeforeToolDecision();
    }
    AfterToolDecision afterTool(const ToolCallInfo &info, const ToolSlot &slot,
                                const HookContext &) override
    {
        m_log.add(m_name + QStringLiteral(" afterTool %1 %2").arg(info.tool, toString(slot.state)));
        return onAfterTool ? onAfterTool(info, slot) : AfterToolDecision();
    }
    QString endOfTurn(const QString &, const HookContext &context) override
    {
        return call(QStringLiteral("endOfTurn"), onEndOfTurn, context);
    }

    template <typename Answer>
    using Action = std::function<Answer(const HookContext &)>;

    Action<HookVeto> onBeforeTurn;
    Action<HookVeto> onBeforeModelCall;
    Action<bool> onAfterModelCall;
    Action<HookVeto> onBeforeTools;
    Action<QString> onAfterTools;
    Action<QString> onEndOfTurn;
    std::function<BeforeToolDecision(const ToolCallInfo &, const HookContext &)> onBeforeTool;
    std::function<AfterToolDecision(const ToolCallInfo &, const ToolSlot &)> onAfterTool;
    ModelCallResult lastModelCall;

private:
    template <typename Answer>
    Answer call(const QString &hook, const Action<Answer> &action, const HookContext &context)
    {
        m_log.add(m_name + u' ' + hook);
        return action ? action(context) : Answer();
    }

    const QString m_name;
    HookLog &m_log;
};

} // namespace fermata
