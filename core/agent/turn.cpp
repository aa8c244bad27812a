// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turn.h"

#include "agent/modelcall.h"
#include "agent/turncontrol_p.h"
#include "agent/turntext.h"
#include "agent/userquestion.h"
#include "base/logging.h"

#include <QScopeGuard>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

namespace {

// After so many messages in a row whose calls were cut by the token limit the model will not do better.
constexpr int MostCutMessages = 3;

bool hasContent(const AssistantMessage &message)
{
    for (const ContentBlock &block : message.blocks) {
        if (std::holds_alternative<ToolCallBlock>(block)
            || std::holds_alternative<UnknownBlock>(block))
            return true;
        if (const auto *text = std::get_if<TextBlock>(&block); text && !text->text.isEmpty())
            return true;
    }
    return false;
}

bool hasCalls(const AssistantMessage &message)
{
    return std::ranges::any_of(message.blocks, [](const ContentBlock &block) {
        return std::holds_alternative<ToolCallBlock>(block);
    });
}

Result<void> checkRequest(const TurnRequest &request)
{
    const auto checked = checkTurnOptions(request);
    return checked.ok() ? checkBudgets(request.limits, request.prices) : checked;
}

std::shared_ptr<CleanupStack> cleanupOf(const TurnRequest &request, const Clock &clock)
{
    if (request.cleanup)
        return request.cleanup;
    CleanupLimits limits;
    limits.clock = &clock;
    return std::make_shared<CleanupStack>(limits);
}

} // namespace

Turn::Turn(const TurnRequest &request, std::shared_ptr<TurnControl> control, TurnJournal &journal,
           TurnEventSink sink, const Clock &clock)
    : m_request(request), m_control(std::move(control)), m_clock(clock),
      m_recorder(
          request.conversation, request.turn, journal,
          [this, sink = std::move(sink)](const TurnEvent &event) {
              m_hooks.notice(event);
              sink(event);
          },
          clock),
      m_context{request, m_control->d, m_recorder, clock, cleanupOf(request, clock)},
      m_hooks(m_context), m_budget(request)
{
    m_context.hooks = &m_hooks;
}

TurnOutcome Turn::run()
{
    m_startedAt = m_clock.now();
    m_startedAtTime = QDateTime::currentDateTimeUtc();
    TurnControl::Private &control = *m_control->d;
    control.source.linkTo(m_request.parent, CancellationCause::Parent);
    control.source.linkTo(m_request.external, CancellationCause::External);
    control.source.linkTo(m_request.externalStop);
    const auto leave = qScopeGuard([&control] { control.end(); }); // also when something throws
    const Registration noteStop =
        m_context.token().onCancelled([d = m_control->d] { d->noteStop(); });
    const Result<void> checked = checkRequest(m_request);
    if (checked.ok())
        control.limits.start(Limit::Turn, m_request.limits.turn);

    if (m_request.trace)
        m_request.trace->start(m_request.turn.id, m_startedAt);
    m_recorder.begin();
    m_context.setStage(TurnStage::Starting);
    return finish(loop(checked));
}

TurnEnding Turn::loop(const Result<void> &checked)
{
    if (m_context.token().isCancelled())
        return TurnEnding::cancelled(m_context, TurnPhase::Initialization);
    if (!checked.ok())
        return TurnEnding::failed(checked.error(), TurnPhase::Initialization);
    if (const auto veto = m_hooks.beforeTurn(m_recorder.record()))
        return endedByPolicy(StopReason::Vetoed, *veto, TurnPhase::Initialization);
    if (m_budget.isCostUnenforceable())
        m_recorder.tell(NoticeAdded{turntext::costUnenforceable(m_request.model)});
    for (;;) {
        if (const auto ending = checkLoopTop())
            return *ending;
        ++m_context.iteration;
        ModelCall call(m_context);
        const auto answer = call.run();
        if (answer.isCancelled())
            return TurnEnding::cancelled(
                m_context,
                call.sawContent() || m_context.sent ? TurnPhase::Streaming : TurnPhase::Execution);
        if (call.veto())
            return endedByPolicy(StopReason::Vetoed, *call.veto(), TurnPhase::Execution);
        if (!answer.ok())
            return TurnEnding::failed(
                answer.error(), call.sawContent() ? TurnPhase::Streaming : TurnPhase::Execution,
                call.sawContent());
        if (const auto ending = handleAnswer(*answer))
            return *ending;
    }
}

std::optional<TurnEnding> Turn::handleAnswer(const AnswerEnded &answer)
{
    const AssistantMessage &message = m_recorder.record().answer.back();
    const bool cut = answer.stopReason == StopReason::MaxTokens;
    if (!hasCalls(message)) {
        // The whole answer was read: it wins over a stop that came meanwhile.
        if (!hasContent(message) && !cut && answer.stopReason == StopReason::EndTurn)
            return TurnEnding::failed(
                Error(ErrorCode::EmptyAnswer,
                      u"The model ended its answer without any text. Try again."_s),
                TurnPhase::Streaming);
        if (goesOnByPolicy(answer.stopReason))
            return std::nullopt;
        return TurnEnding::completed(answer.stopReason, TurnPhase::Streaming,
                                     answer.providerStopReason);
    }
    m_recorder.checkpoint(); // calls and their slots, before anything of them runs
    if (m_context.token().isCancelled())
        return TurnEnding::cancelled(m_context, TurnPhase::ToolCalls);
    if (cut) {
        ToolPhase::settleUnstarted(m_context, turntext::cutByTokenLimit());
        if (++m_cutMessages < MostCutMessages)
            return std::nullopt;
        return TurnEnding::completed(StopReason::MaxTokens, TurnPhase::ToolCalls,
                                     answer.providerStopReason);
    }
    m_cutMessages = 0;
    if (m_hooks.endText()) {
        ToolPhase::settleUnstarted(m_context, turntext::notRun(*m_hooks.endText()));
        return endedByPolicy(StopReason::EndedByHook, *m_hooks.endText(), TurnPhase::ToolCalls);
    }
    if (const auto ending = checkRepetition())
        return *ending;
    ToolPhase phase(m_context, m_toolMemory);
    if (const auto ran = phase.run(); !ran.ok())
        return TurnEnding::cancelled(m_context, TurnPhase::ToolCalls);
    if (m_hooks.endText())
        return endedByPolicy(StopReason::EndedByHook, *m_hooks.endText(), TurnPhase::ToolCalls);
    return std::nullopt;
}

// A whole answer wins over a stop, so nobody is asked then.
bool Turn::goesOnByPolicy(StopReason stopReason)
{
    const bool whole = stopReason == StopReason::EndTurn || stopReason == StopReason::StopSequence;
    if (!whole || m_context.token().isCancelled() || m_hooks.endText()
        || m_continuations == TurnPolicy::MostContinuations)
        return false;
    m_context.instruction = m_hooks.endOfTurn(m_recorder.record().answerText());
    // Going on is what comes next, and is denied if one of them failed.
    if (m_context.instruction.isEmpty() || m_hooks.endText() || m_context.token().isCancelled())
        return false;
    ++m_continuations;
    return true;
}

TurnEnding Turn::endedByPolicy(StopReason stopReason, const QString &text, TurnPhase phase)
{
    // A stop that came while the policies were asked is looked at first.
    if (m_context.token().isCancelled())
        return TurnEnding::cancelled(m_context, phase);
    m_recorder.tell(NoticeAdded{text});
    TurnEnding ending = TurnEnding::completed(stopReason, phase);
    ending.notice = text;
    return ending;
}

std::optional<TurnEnding> Turn::checkLoopTop()
{
    const TurnPhase phase =
        m_context.iteration == 0 ? TurnPhase::Initialization : TurnPhase::Execution;
    if (m_context.token().isCancelled())
        return TurnEnding::cancelled(m_context, phase);
    const int iteration = m_context.iteration;
    if (m_budget.areCallsUsedUp(iteration)) {
        TurnQuestion question;
        question.kind = TurnQuestion::Kind::IterationLimit;
        question.count = iteration;
        question.text = u"%1 model calls in this turn. Go on?"_s.arg(iteration);
        const auto answer = askUser(m_context, question);
        if (!answer.ok())
            return TurnEnding::cancelled(m_context, phase);
        if (!answer->goOn)
            return budgetReached(m_budget.callsReached(iteration, m_context.usage));
        m_budget.allowMoreCalls();
        m_context.instruction = answer->instruction;
    }
    if (const auto reached = m_budget.reached(iteration, m_context.usage))
        return budgetReached(*reached);
    return std::nullopt;
}

TurnEnding Turn::budgetReached(const BudgetReached &budget)
{
    m_recorder.tell(budget);
    return TurnEnding::limitReached(budget);
}

std::optional<TurnEnding> Turn::checkRepetition()
{
    if (!m_repetition.closesCircle(m_recorder.record().answer.back()))
        return std::nullopt;
    TurnQuestion question;
    question.kind = TurnQuestion::Kind::RepeatedCalls;
    question.count = CallRepetition::RepeatedCalls;
    question.text = u"The model repeats the same tool calls. Go on?"_s;
    const auto answer = askUser(m_context, question);
    if (!answer.ok())
        return TurnEnding::cancelled(m_context, TurnPhase::ToolCalls);
    m_context.instruction = answer->instruction;
    if (answer->goOn)
        return std::nullopt;
    ToolPhase::settleUnstarted(m_context, turntext::notRun(u"the model repeated the same calls"_s));
    return TurnEnding::completed(StopReason::LoopDetected, TurnPhase::ToolCalls);
}

// Handlers run for a cancelled turn only: what a turn used is otherwise released by its owners.
CleanupReport Turn::cleanUp(const TurnEnding &ending)
{
    if (!ending.isCancelled())
        return m_context.cleanup->run({});
    const bool hasHandlers = !m_context.cleanup->isEmpty();
    if (hasHandlers) {
        m_context.setStage(TurnStage::Stopping);
        m_recorder.checkpoint(); // handlers may take their time
    }
    const CleanupReport report =
        m_context.cleanup->run(m_context.token(), [control = m_control->d] {
            control->forceSource.cancel(CancellationCause::TurnLimit);
        });
    if (hasHandlers) {
        m_context.note(TraceKind::Cleanup,
                       {{u"completed"_s, report.cleanupCompleted},
                        {u"failed"_s, report.failed.join(u", ")},
                        {u"leftBehind"_s, report.detached.join(u", ")},
                        {u"notRun"_s, report.notRun.join(u", ")},
                        {u"gracefulTimeout"_s, report.gracefulTimeout.has_value()}});
    }
    return report;
}

// The only place where an outcome is made.
TurnOutcome Turn::finish(const TurnEnding &ending)
{
    TurnControl::Private &control = *m_control->d;
    if (ending.reason)
        ToolPhase::settleUnstarted(
            m_context, turntext::notRun(turntext::becauseOf(*ending.reason, m_context.firedLimit)));
    else
        ToolPhase::settleUnstarted(m_context, turntext::notRun(u"the answer failed"_s));
    if (ending.isCancelled()) {
        m_context.note(TraceKind::Cancelled,
                       {{u"cause"_s, toString(ending.reason->cause)},
                        {u"reason"_s, ending.reason->text},
                        {u"source"_s, ending.reason->source},
                        {u"phase"_s, toString(ending.phase)}});
        m_hooks.cancelled(*ending.reason);
    }
    const CleanupReport cleanup = cleanUp(ending);
    m_context.setStage(TurnStage::Saving);
    control.end(); // a stop from here on came too late, and is told so

    TurnOutcome outcome;
    outcome.turn = m_request.turn.id;
    outcome.status = ending.status;
    outcome.stopReason = ending.stopReason;
    outcome.providerStopReason = ending.providerStopReason;
    outcome.reason = ending.reason;
    if (ending.status == TurnStatus::TimedOut)
        outcome.limit = m_context.firedLimit;
    outcome.phase = ending.phase;
    outcome.notice = ending.notice;
    outcome.error = ending.error;
    outcome.streamed = ending.streamed;
    const TurnRecord &record = m_recorder.record();
    outcome.text = record.answerText();
    outcome.partial =
        ending.status != TurnStatus::Completed || ending.stopReason == StopReason::MaxTokens;
    outcome.iterations = m_context.iteration;
    outcome.tools = ledgerOf(record);
    outcome.usage = m_context.usage;
    outcome.stopRequested = m_context.token().isCancelled();
    outcome.cleanupCompleted = cleanup.cleanupCompleted;
    outcome.cleanupError = cleanup.gracefulTimeout;
    outcome.sent = m_context.sent;
    outcome.startedAt = m_startedAtTime;
    outcome.endedAt = QDateTime::currentDateTimeUtc();
    const Instant end = m_clock.now();
    outcome.duration = std::chrono::duration_cast<milliseconds>(end - m_startedAt);
    outcome.timeToStop = sinceStop(end);
    if (m_context.lastStream && stateOf(*m_context.lastStream) != StreamState::Completed)
        outcome.serverIdleAfter = sinceStop(m_context.lastStream->closedAt());

    m_context.lastStream.reset();
    qCInfo(lcTurn).noquote() << turntext::endLine(outcome);
    m_recorder.finish(outcome);
    return *m_recorder.record().outcome;
}

std::optional<milliseconds> Turn::sinceStop(std::optional<Instant> end) const
{
    const auto stop = m_control->d->stoppedAt();
    if (!stop || !end)
        return std::nullopt;
    return std::chrono::duration_cast<milliseconds>(std::max(Duration(0), *end - *stop));
}

} // namespace fermata
