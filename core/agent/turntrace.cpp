// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turntrace.h"

#include "base/redaction.h"

#include <QJsonArray>

#include <array>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array<std::pair<TraceKind, QLatin1StringView>, 20> KindNames{{
    {TraceKind::TurnStarted, "TURN_STARTED"_L1},
    {TraceKind::Stage, "STAGE"_L1},
    {TraceKind::ModelCallStarted, "MODEL_CALL_STARTED"_L1},
    {TraceKind::ModelCallFinished, "MODEL_CALL_FINISHED"_L1},
    {TraceKind::RetryScheduled, "RETRY_SCHEDULED"_L1},
    {TraceKind::ToolStarted, "TOOL_STARTED"_L1},
    {TraceKind::ToolFinished, "TOOL_FINISHED"_L1},
    {TraceKind::ApprovalAsked, "APPROVAL_ASKED"_L1},
    {TraceKind::ApprovalClosed, "APPROVAL_CLOSED"_L1},
    {TraceKind::QuestionAsked, "QUESTION_ASKED"_L1},
    {TraceKind::QuestionClosed, "QUESTION_CLOSED"_L1},
    {TraceKind::BudgetReached, "BUDGET_REACHED"_L1},
    {TraceKind::Vetoed, "VETOED"_L1},
    {TraceKind::HookFailed, "HOOK_FAILED"_L1},
    {TraceKind::Notice, "NOTICE"_L1},
    {TraceKind::SaveFailed, "SAVE_FAILED"_L1},
    {TraceKind::SaveRecovered, "SAVE_RECOVERED"_L1},
    {TraceKind::Cleanup, "CLEANUP"_L1},
    {TraceKind::Cancelled, "CANCELLED"_L1},
    {TraceKind::TurnFinished, "TURN_FINISHED"_L1},
}};

bool tellsTheEnd(TraceKind kind)
{
    return kind == TraceKind::BudgetReached || kind == TraceKind::Cleanup
        || kind == TraceKind::Cancelled || kind == TraceKind::TurnFinished;
}

QJsonObject withoutSecrets(QJsonObject details)
{
    for (auto detail = details.begin(); detail != details.end(); ++detail) {
        if (detail->isString())
            detail.value() = redacted(detail->toString());
    }
    return details;
}

QJsonObject detailsOf(const TokenUsage &usage)
{
    return {{u"inputTokens"_s, usage.input},
            {u"outputTokens"_s, usage.output},
            {u"estimated"_s, usage.estimated}};
}

QJsonObject detailsOf(const BudgetReached &budget)
{
    QJsonObject details = detailsOf(budget.usage);
    details.insert(u"cause"_s, toString(budget.cause));
    details.insert(u"text"_s, budget.text);
    details.insert(u"iterations"_s, budget.iterations);
    if (budget.cost)
        details.insert(u"cost"_s, *budget.cost);
    return details;
}

QJsonObject detailsOf(const TurnOutcome &outcome)
{
    QJsonObject details = detailsOf(outcome.usage);
    details.insert(u"status"_s, toString(outcome.status));
    details.insert(u"stopReason"_s, toString(outcome.stopReason));
    details.insert(u"phase"_s, toString(outcome.phase));
    details.insert(u"iterations"_s, outcome.iterations);
    details.insert(u"cleanupCompleted"_s, outcome.cleanupCompleted);
    details.insert(u"saved"_s, outcome.saved);
    if (outcome.reason)
        details.insert(u"cause"_s, toString(outcome.reason->cause));
    if (outcome.error) {
        details.insert(u"errorCode"_s, toString(outcome.error->code));
        details.insert(u"error"_s, outcome.error->message);
    }
    return details;
}

} // namespace

QString toString(TraceKind kind)
{
    for (const auto &[value, name] : KindNames) {
        if (value == kind)
            return name;
    }
    Q_UNREACHABLE();
}

void TurnTrace::start(const TurnId &turn, Instant now)
{
    const std::lock_guard lock(m_mutex);
    m_turn = turn;
    m_start = now;
}

void TurnTrace::add(TraceKind kind, Instant now, int iteration, const QJsonObject &details)
{
    TraceStep step{kind, {}, iteration, withoutSecrets(details)};
    const std::lock_guard lock(m_mutex);
    if (m_steps.size() >= MostSteps && !tellsTheEnd(kind)) {
        ++m_dropped;
        return;
    }
    step.at = now - m_start;
    m_steps.push_back(std::move(step));
}

void TurnTrace::note(const TurnEvent &event, Instant now, int iteration)
{
    const auto put = [&](TraceKind kind, const QJsonObject &details = {}) {
        add(kind, now, iteration, details);
    };
    if (const auto *started = std::get_if<TurnStarted>(&event))
        put(TraceKind::TurnStarted, {{u"model"_s, started->record.model}});
    else if (const auto *stage = std::get_if<StageChanged>(&event))
        put(TraceKind::Stage, {{u"stage"_s, toString(stage->stage)}});
    else if (const auto *retry = std::get_if<RetryScheduled>(&event))
        put(TraceKind::RetryScheduled,
            {{u"attempt"_s, retry->attempt},
             {u"attempts"_s, retry->attempts},
             {u"why"_s, retry->why}});
    else if (const auto *asked = std::get_if<ApprovalAsked>(&event))
        put(TraceKind::ApprovalAsked,
            {{u"call"_s, asked->request.call.toString()}, {u"tool"_s, asked->request.tool}});
    else if (const auto *closed = std::get_if<ApprovalClosed>(&event))
        put(TraceKind::ApprovalClosed, {{u"call"_s, closed->call.toString()}});
    else if (const auto *question = std::get_if<QuestionAsked>(&event))
        put(TraceKind::QuestionAsked, {{u"count"_s, question->question.count}});
    else if (std::holds_alternative<QuestionClosed>(event))
        put(TraceKind::QuestionClosed);
    else if (const auto *budget = std::get_if<BudgetReached>(&event))
        put(TraceKind::BudgetReached, detailsOf(*budget));
    else if (const auto *notice = std::get_if<NoticeAdded>(&event))
        put(TraceKind::Notice, {{u"text"_s, notice->text}});
    else if (const auto *failed = std::get_if<SaveFailed>(&event))
        put(TraceKind::SaveFailed, {{u"message"_s, failed->message}});
    else if (std::holds_alternative<SaveRecovered>(event))
        put(TraceKind::SaveRecovered);
    else if (const auto *finished = std::get_if<TurnFinished>(&event))
        put(TraceKind::TurnFinished, detailsOf(finished->outcome));
}

std::vector<TraceStep> TurnTrace::steps() const
{
    const std::lock_guard lock(m_mutex);
    return m_steps;
}

QJsonObject TurnTrace::toJson() const
{
    const std::lock_guard lock(m_mutex);
    QJsonArray steps;
    for (const TraceStep &step : m_steps) {
        QJsonObject json{{u"kind"_s, toString(step.kind)},
                         {u"atMs"_s, std::chrono::duration<double, std::milli>(step.at).count()},
                         {u"iteration"_s, step.iteration}};
        if (!step.details.isEmpty())
            json.insert(u"details"_s, step.details);
        steps.append(json);
    }
    QJsonObject json{{u"turn"_s, m_turn.toString()}, {u"steps"_s, steps}};
    if (m_dropped > 0)
        json.insert(u"droppedSteps"_s, m_dropped);
    return json;
}

} // namespace fermata
