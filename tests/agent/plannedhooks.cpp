// SPDX-License-Identifier: GPL-3.0-or-later
#include "plannedhooks.h"

#include "base/channel.h"

#include <algorithm>
#include <stdexcept>

namespace fermata {

using namespace Qt::StringLiterals;
using turnplan::PlannedHook;
using Point = PlannedHook::Point;
using Act = PlannedHook::Act;

class PlannedPolicy final : public TurnPolicy
{
public:
    explicit PlannedPolicy(std::shared_ptr<HookLog> log) : m_log(std::move(log)) { }

    QString name() const override { return u"planned"_s; }
    HookVeto beforeTurn(const TurnRecord &, const HookContext &) override
    {
        return veto(Point::BeforeTurn);
    }
    HookVeto beforeModelCall(const ModelRequest &, const HookContext &) override
    {
        return veto(Point::BeforeModelCall);
    }
    bool afterModelCall(const ModelCallResult &, const HookContext &) override
    {
        return decides(Point::AfterModelCall);
    }
    HookVeto beforeTools(const std::vector<ToolCallBlock> &calls, const HookContext &) override
    {
        const HookVeto text = veto(Point::BeforeTools);
        if (text) {
            for (const ToolCallBlock &call : calls)
                m_log->m_world->log->forbidden(call.id);
        }
        return text;
    }
    BeforeToolDecision beforeTool(const ToolCallInfo &call, const HookContext &) override
    {
        const HookVeto text = veto(Point::BeforeTool);
        if (text)
            m_log->m_world->log->forbidden(call.id);
        return {text};
    }
    AfterToolDecision afterTool(const ToolCallInfo &, const ToolSlot &,
                                const HookContext &) override
    {
        (void)decides(Point::AfterTool); // a retry would be another run of the same call
        return {};
    }
    QString afterTools(const std::vector<ToolCallBlock> &, const HookContext &) override
    {
        return decides(Point::AfterTools) ? u"the policy ends the turn"_s : QString();
    }
    QString endOfTurn(const QString &, const HookContext &) override
    {
        return decides(Point::EndOfTurn) ? u"go on"_s : QString();
    }

private:
    HookVeto veto(Point point)
    {
        return decides(point) ? HookVeto(u"the policy forbids it"_s) : std::nullopt;
    }

    bool decides(Point point)
    {
        const auto act = m_log->enter(point);
        if (act == Act::Throw)
            throw std::runtime_error("the policy throws");
        if (act == Act::Hang) {
            Channel<int> nothing;
            (void)nothing.receive(m_log->m_world->release.token());
        } else if (act == Act::PressStop) {
            if (const auto control = m_log->m_world->control.lock())
                control->stop({CancellationCause::User, {}, {}, {}});
            m_log->m_sawFlag = true;
        }
        m_log->leave(point);
        return act == Act::Decide;
    }

    const std::shared_ptr<HookLog> m_log;
};

class PlannedObserver final : public TurnObserver
{
public:
    explicit PlannedObserver(std::shared_ptr<HookLog> log) : m_log(std::move(log)) { }

    void onTurnStarted(const TurnRecord &) override { see(u"turn started"_s); }
    void onModelCallStarted(const TurnId &, int) override { see(u"model started"_s); }
    void onModelCallFinished(const TurnId &, int, const ModelCallResult &) override
    {
        see(u"model finished"_s);
    }
    void onToolStarted(const TurnId &, const CallId &call, const QString &) override
    {
        see(u"started "_s + call.toString());
    }
    void onToolFinished(const TurnId &, const CallId &call, const ToolSlot &) override
    {
        see(u"finished "_s + call.toString());
    }
    void onCancelled(const TurnId &, int, const CancellationReason &reason) override
    {
        see(u"cancelled"_s);
        see(u"cause "_s + toString(reason.cause));
    }
    void onTurnFinished(const TurnOutcome &) override { see(u"turn finished"_s); }

private:
    void see(const QString &what)
    {
        m_log->see(what);
        if (m_log->m_plan.observerThrows)
            throw std::runtime_error("the observer throws");
    }

    const std::shared_ptr<HookLog> m_log;
};

HookLog::HookLog(turnplan::PlannedTurn plan, std::shared_ptr<ToolWorld> world)
    : m_plan(std::move(plan)), m_world(std::move(world))
{
}

TurnHooks HookLog::hooks(const std::shared_ptr<HookLog> &self) const
{
    TurnHooks hooks;
    hooks.addObserver(std::make_shared<PlannedObserver>(self));
    hooks.addPolicy(std::make_shared<PlannedPolicy>(self));
    return hooks;
}

std::optional<Act> HookLog::enter(Point point)
{
    const std::lock_guard lock(m_mutex);
    const int time = ++m_entered[point];
    for (const PlannedHook &hook : m_plan.hooks) {
        if (hook.point == point && hook.time == time)
            return hook.act;
    }
    return std::nullopt;
}

void HookLog::leave(Point point)
{
    const std::lock_guard lock(m_mutex);
    ++m_returned[point];
}

void HookLog::see(const QString &what)
{
    const std::lock_guard lock(m_mutex);
    ++m_seen[what];
    m_order << what;
}

void HookLog::check(const TurnOutcome &outcome, const TurnTrace &trace) const
{
    const auto steps = trace.steps();
    const auto count = [&](TraceKind kind) {
        return std::ranges::count(steps, kind, &TraceStep::kind);
    };
    Faults &faults = *m_world->faults;
    if (count(TraceKind::Cancelled) != int(outcome.isCancelled()))
        faults.add(u"%1 steps CANCELLED"_s.arg(count(TraceKind::Cancelled)));
    if (steps.empty() || steps.front().kind != TraceKind::TurnStarted
        || steps.back().kind != TraceKind::TurnFinished)
        faults.add(u"the trace has no start, or no end"_s);
    if (count(TraceKind::ModelCallStarted) != count(TraceKind::ModelCallFinished))
        faults.add(u"a model call in the trace without its end"_s);
    if (!std::ranges::is_sorted(steps, {}, &TraceStep::at))
        faults.add(u"the trace goes back in time"_s);

    // The clock cannot tell who hangs from who is only slow, and who was left behind is not called again.
    if (m_plan.hangsInHook())
        return;
    const std::lock_guard lock(m_mutex);
    if (m_seen.value(u"turn started"_s) != 1 || m_seen.value(u"turn finished"_s) != 1)
        faults.add(u"the observer saw no start, or no end, or several"_s);
    if (m_order.constFirst() != u"turn started" || m_order.constLast() != u"turn finished")
        faults.add(u"the observer saw something before the start or after the end"_s);
    if (m_seen.value(u"model started"_s) != m_seen.value(u"model finished"_s))
        faults.add(u"the observer saw a model call without its end"_s);
    if (m_seen.value(u"cancelled"_s) != int(outcome.isCancelled()))
        faults.add(
            u"the observer was told %1 times of the stop"_s.arg(m_seen.value(u"cancelled"_s)));
    if (outcome.isCancelled() && !m_plan.observerThrows
        && m_seen.value(u"cause "_s + toString(outcome.reason->cause)) != 1)
        faults.add(u"the observer was told another cause"_s);
    for (auto it = m_seen.cbegin(); it != m_seen.cend(); ++it) {
        if (it.key().startsWith(u"started ")
            && it.value() != m_seen.value(u"finished "_s + it.key().mid(8)))
            faults.add(u"the observer saw a tool without its end"_s);
    }
    const std::pair<Point, Point> pairs[] = {{Point::BeforeModelCall, Point::AfterModelCall},
                                             {Point::BeforeTools, Point::AfterTools},
                                             {Point::BeforeTool, Point::AfterTool}};
    for (const auto &[before, after] : pairs) {
        if (m_returned.value(before) != m_entered.value(after))
            faults.add(
                u"%1 before-hooks at point %2 and %3 after-hooks"_s.arg(m_returned.value(before))
                    .arg(int(before))
                    .arg(m_entered.value(after)));
    }
}

} // namespace fermata
