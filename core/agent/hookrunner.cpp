// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/hookrunner.h"

#include "agent/turncontext.h"
#include "agent/turntext.h"
#include "base/boundedcall.h"
#include "base/logging.h"
#include "tool/tool.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

// What a hook gets of a cancelled turn whose hook limit others have used up.
constexpr std::chrono::milliseconds LeastTime{100};

} // namespace

HookRunner::HookRunner(TurnContext &context) : m_context(context) { }

QString HookRunner::nameOf(size_t policy) const
{
    return m_context.request.hooks.policies()[policy].policy->name();
}

Duration HookRunner::allowance() const
{
    const Duration limit = m_context.request.hooks.limit;
    if (!m_context.token().isCancelled())
        return limit;
    return std::max<Duration>(limit - m_spentAfterStop, std::min<Duration>(LeastTime, limit));
}

void HookRunner::noteTime(Instant since)
{
    if (const auto stopped = m_context.control->stoppedAt())
        m_spentAfterStop +=
            std::max(Duration(0), m_context.clock.now() - std::max(since, *stopped));
}

// Its result, or nothing if it did not end in time and was left behind.
template <typename Answer>
std::optional<Result<Answer>>
HookRunner::call(TurnHooks::HookId id, const QString &name,
                 std::function<Result<Answer>(const CancellationToken &)> function,
                 Meanwhile meanwhile)
{
    const Instant start = m_context.clock.now();
    BoundedCall<Answer> bounded(name, std::move(function), m_context.clock, m_context.token());
    std::optional<Result<Answer>> result;
    for (bool inTime = true; inTime && !result;) {
        const Instant end = start + allowance();
        Deadline wake = end;
        // Once the turn is over or cancelled its limits are of no account.
        if (!m_context.control->ended && !m_context.token().isCancelled())
            wake = earlier(wake, m_context.control->limits.nearest());
        if (meanwhile == Meanwhile::Saving)
            wake = earlier(wake, m_context.recorder.nextCheckpoint());
        result = bounded.waitUntil(wake);
        if (meanwhile == Meanwhile::Saving)
            m_context.recorder.checkpointIfDue();
        m_context.fireExpiredLimit();
        inTime = !m_context.clock.hasPassed(end);
    }
    if (!result)
        result = bounded.leave();
    noteTime(start);
    if (!result) {
        m_hanging.insert(quint64(id));
        qCWarning(lcTurn).noquote()
            << "the" << name << "did not end in time and is not called again in this turn";
    } else if (!result->ok()) {
        qCWarning(lcTurn).noquote()
            << "the" << name << "failed:" << result->error().message << result->error().detail;
    }
    return result;
}

// Nothing if it failed: threw, ended as cancelled, or did not end in time.
template <typename Answer>
std::optional<Answer> HookRunner::ask(size_t policy, const char *point, Question<Answer> question)
{
    const TurnHooks::Policy &entry = m_context.request.hooks.policies()[policy];
    if (m_hanging.contains(quint64(entry.id)))
        return std::nullopt;
    HookContext given{m_context.request.turn.id, m_context.iteration, {}, m_context.cleanup};
    const auto result = call<Answer>(
        entry.id, u"policy \"%1\" in %2"_s.arg(nameOf(policy), QString::fromLatin1(point)),
        [hook = entry.policy, question = std::move(question),
         given = std::move(given)](const CancellationToken &token) mutable -> Result<Answer> {
            given.token = token;
            return question(*hook, given);
        },
        Meanwhile::Saving);
    if (result && result->ok())
        return **result;
    m_context.note(TraceKind::HookFailed,
                   {{u"hook"_s, nameOf(policy)},
                    {u"point"_s, QString::fromLatin1(point)},
                    {u"hanging"_s, !result.has_value()}});
    return std::nullopt;
}

// Ascending, until one forbids. A policy that failed does: it might have been the one to forbid it. `question` is made for
// each of them anew, so that it sees what the one before it has changed; `take` gives the veto of an answer.
template <typename Answer>
HookVeto HookRunner::askBefore(const char *point, const std::function<Question<Answer>()> &question,
                               const std::function<HookVeto(const Answer &)> &take, Begun &begun)
{
    begun.clear();
    const size_t count = m_context.request.hooks.policies().size();
    for (size_t i = 0; i < count && !m_context.token().isCancelled(); ++i) {
        const auto answer = ask<Answer>(i, point, question());
        if (!answer)
            return turntext::policyFailed(nameOf(i));
        begun.push_back(i);
        if (const HookVeto veto = take(*answer)) {
            m_context.note(TraceKind::Vetoed,
                           {{u"hook"_s, nameOf(i)},
                            {u"point"_s, QString::fromLatin1(point)},
                            {u"text"_s, *veto}});
            return veto->trimmed().isEmpty() ? turntext::vetoed(nameOf(i)) : veto;
        }
    }
    return std::nullopt;
}

// Descending, and each of them. What comes next is denied if one fails.
template <typename Answer>
void HookRunner::askAfter(const char *point, const Question<Answer> &question,
                          const std::function<void(const Answer &)> &take, Begun &begun)
{
    for (; !begun.empty(); begun.pop_back()) {
        const size_t i = begun.back();
        if (const auto answer = ask<Answer>(i, point, question))
            take(*answer);
        else if (!m_context.token().isCancelled() && !m_endText)
            m_endText = turntext::policyFailed(nameOf(i));
    }
}

HookVeto HookRunner::beforeTurn(const TurnRecord &turn)
{
    Begun begun;
    return askBefore<HookVeto>(
        "beforeTurn",
        [&] {
            return [turn](TurnPolicy &policy, const HookContext &context) {
                return policy.beforeTurn(turn, context);
            };
        },
        std::identity(), begun);
}

HookVeto HookRunner::beforeModelCall(const ModelRequest &request)
{
    return askBefore<HookVeto>(
        "beforeModelCall",
        [&] {
            return [request](TurnPolicy &policy, const HookContext &context) {
                return policy.beforeModelCall(request, context);
            };
        },
        std::identity(), m_inModelCall);
}

bool HookRunner::afterModelCall(const ModelCallResult &result)
{
    bool again = false;
    askAfter<bool>(
        "afterModelCall",
        [result](TurnPolicy &policy, const HookContext &context) {
            return policy.afterModelCall(result, context);
        },
        [&](bool wanted) { again = again || wanted; }, m_inModelCall);
    return again;
}

HookVeto HookRunner::beforeTools(const std::vector<ToolCallBlock> &calls)
{
    return askBefore<HookVeto>(
        "beforeTools",
        [&] {
            return [calls](TurnPolicy &policy, const HookContext &context) {
                return policy.beforeTools(calls, context);
            };
        },
        std::identity(), m_inTools);
}

void HookRunner::afterTools(const std::vector<ToolCallBlock> &calls)
{
    askAfter<QString>(
        "afterTools",
        [calls](TurnPolicy &policy, const HookContext &context) {
            return policy.afterTools(calls, context);
        },
        [&](const QString &text) {
            if (!text.trimmed().isEmpty() && !m_endText)
                m_endText = text;
        },
        m_inTools);
}

BeforeToolDecision HookRunner::beforeTool(ToolCallInfo call, Begun &begun)
{
    BeforeToolDecision decision;
    decision.veto = askBefore<BeforeToolDecision>(
        "beforeTool",
        [&] {
            return [call](TurnPolicy &policy, const HookContext &context) {
                return policy.beforeTool(call, context);
            };
        },
        [&](const BeforeToolDecision &answer) {
            if (answer.replacement) {
                decision.replacement = answer.replacement;
                call.tool = answer.replacement->spec().name;
            }
            if (answer.arguments) {
                decision.arguments = answer.arguments;
                call.arguments = *answer.arguments;
            }
            return answer.veto;
        },
        begun);
    return decision;
}

AfterToolDecision HookRunner::afterTool(const ToolCallInfo &call, const ToolSlot &slot,
                                        Begun &begun)
{
    AfterToolDecision decision;
    askAfter<AfterToolDecision>(
        "afterTool",
        [call, slot](TurnPolicy &policy, const HookContext &context) {
            return policy.afterTool(call, slot, context);
        },
        [&](const AfterToolDecision &answer) {
            decision.retry = decision.retry || answer.retry;
            if (answer.retry && answer.arguments)
                decision.arguments = answer.arguments;
        },
        begun);
    return decision;
}

QString HookRunner::endOfTurn(const QString &answer)
{
    QString instruction;
    Begun all(m_context.request.hooks.policies().size());
    std::iota(all.begin(), all.end(), size_t(0));
    askAfter<QString>(
        "endOfTurn",
        [answer](TurnPolicy &policy, const HookContext &context) {
            return policy.endOfTurn(answer, context);
        },
        [&](const QString &text) {
            if (instruction.isEmpty() && !text.trimmed().isEmpty())
                instruction = text;
        },
        all);
    return instruction;
}

void HookRunner::notice(const TurnEvent &event)
{
    const TurnId &turn = m_context.request.turn.id;
    if (m_context.request.trace)
        m_context.request.trace->note(event, m_context.clock.now(), m_context.iteration);
    if (const auto *started = std::get_if<TurnStarted>(&event)) {
        tellObservers(
            [record = started->record](auto &observer) { observer.onTurnStarted(record); });
    } else if (const auto *changed = std::get_if<ToolStateChanged>(&event)) {
        const CallId call = changed->call;
        const QString tool = m_context.recorder.record().findCall(call)->name;
        const ToolState state = changed->slot.state;
        const QJsonObject details{{u"call"_s, call.toString()}, {u"tool"_s, tool}};
        if (state == ToolState::Running)
            m_context.note(TraceKind::ToolStarted, details);
        if (isFinal(state) || (m_runningTools.contains(call) && state != ToolState::Running)) {
            QJsonObject more = details;
            more.insert(u"state"_s, toString(state));
            more.insert(u"durationMs"_s, qint64(changed->slot.duration.count()));
            m_context.note(TraceKind::ToolFinished, more);
        }
        if (state == ToolState::Running) {
            m_runningTools.insert(call);
            tellObservers([=](auto &observer) { observer.onToolStarted(turn, call, tool); });
        } else if (m_runningTools.remove(call)) {
            tellObservers([=, slot = changed->slot](auto &observer) {
                observer.onToolFinished(turn, call, slot);
            });
        }
    } else if (const auto *budget = std::get_if<BudgetReached>(&event)) {
        tellObservers(
            [=, reached = *budget](auto &observer) { observer.onBudgetReached(turn, reached); });
    } else if (const auto *finished = std::get_if<TurnFinished>(&event)) {
        tellObservers(
            [outcome = finished->outcome](auto &observer) { observer.onTurnFinished(outcome); });
    }
}

void HookRunner::modelCallStarted()
{
    m_context.note(TraceKind::ModelCallStarted);
    tellObservers([turn = m_context.request.turn.id, iteration = m_context.iteration](
                      auto &observer) { observer.onModelCallStarted(turn, iteration); });
}

void HookRunner::modelCallFinished(const ModelCallResult &result)
{
    QJsonObject details{{u"end"_s, toString(result.end)},
                        {u"inputTokens"_s, result.usage.input},
                        {u"outputTokens"_s, result.usage.output}};
    if (result.error)
        details.insert(u"errorCode"_s, toString(result.error->code));
    m_context.note(TraceKind::ModelCallFinished, details);
    tellObservers([turn = m_context.request.turn.id, iteration = m_context.iteration, result](
                      auto &observer) { observer.onModelCallFinished(turn, iteration, result); });
}

void HookRunner::cancelled(const CancellationReason &reason)
{
    tellObservers([turn = m_context.request.turn.id, iteration = m_context.iteration,
                   reason](auto &observer) { observer.onCancelled(turn, iteration, reason); });
}

// In the middle of telling an event: nothing is saved meanwhile, as that may tell another one.
void HookRunner::tellObservers(const std::function<void(TurnObserver &)> &tell)
{
    for (const TurnHooks::Observer &entry : m_context.request.hooks.observers()) {
        if (m_hanging.contains(quint64(entry.id)))
            continue;
        (void)call<void>(
            entry.id, u"observer %1"_s.arg(quint64(entry.id)),
            [observer = entry.observer, tell](const CancellationToken &) -> Result<void> {
                tell(*observer);
                return {};
            },
            Meanwhile::Nothing);
    }
}

} // namespace fermata
