// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turn.h"

#include "agent/modelcall.h"
#include "agent/turntext.h"
#include "base/logging.h"

#include <QJsonDocument>
#include <QScopeGuard>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

namespace {

// After so many messages in a row whose calls were cut by the token limit the model will not do better.
constexpr int MostCutMessages = 3;
constexpr int RepeatedCalls = 3;
constexpr int AlternatingCalls = 6;

// Equal for equal calls, whatever the order of the keys.
QByteArray signatureOf(const ToolCallBlock &call)
{
    const QJsonDocument arguments = QJsonDocument::fromJson(call.arguments.toUtf8());
    return call.name.toUtf8() + '\0'
        + (arguments.isNull() ? call.arguments.toUtf8()
                              : arguments.toJson(QJsonDocument::Compact));
}

bool isRepeating(const std::vector<QByteArray> &signatures)
{
    const size_t count = signatures.size();
    const auto sameAt = [&](size_t distance, size_t length) {
        if (count < length)
            return false;
        for (size_t i = count - length; i + distance < count; ++i) {
            if (signatures[i] != signatures[i + distance])
                return false;
        }
        return true;
    };
    return sameAt(1, RepeatedCalls) || sameAt(2, AlternatingCalls);
}

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

ToolLedger ledgerOf(const TurnRecord &record)
{
    ToolLedger ledger;
    for (const AssistantMessage &message : record.answer) {
        for (const ContentBlock &block : message.blocks) {
            const auto *call = std::get_if<ToolCallBlock>(&block);
            if (!call)
                continue;
            switch (call->slot.state) {
            case ToolState::Finished:
            case ToolState::Failed:
                // A call that failed before it was started was answered, and nothing ran.
                ++ledger.finished;
                break;
            case ToolState::StillRunning:
                ledger.stillRunning << call->name;
                [[fallthrough]];
            case ToolState::Interrupted:
            case ToolState::TimedOut:
                ++ledger.interrupted;
                ledger.interruptedAfter = call->slot.duration;
                break;
            default:
                ++ledger.notRun;
            }
        }
    }
    return ledger;
}

bool hasCalls(const AssistantMessage &message)
{
    return std::ranges::any_of(message.blocks, [](const ContentBlock &block) {
        return std::holds_alternative<ToolCallBlock>(block);
    });
}

} // namespace

Turn::Turn(const TurnRequest &request, std::shared_ptr<TurnControl> control, TurnJournal &journal,
           TurnEventSink sink, const Clock &clock)
    : m_request(request)
    , m_control(std::move(control))
    , m_clock(clock)
    , m_recorder(request.conversation, request.turn, journal, std::move(sink), clock)
    , m_context{request, m_control->d, m_recorder, clock, {}, 0, false, {}, {}, {}}
{
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
    const Registration noteStop = m_context.token().onCancelled([d = m_control->d] { d->noteStop(); });
    control.limits.start(Limit::Turn, m_request.limits.turn);

    m_recorder.begin();
    m_context.setStage(TurnStage::Starting);
    const Ending ending = loop();
    return finish(ending);
}

Turn::Ending Turn::loop()
{
    m_allowedCalls = m_request.limits.modelCalls.value_or(0);
    if (m_context.token().isCancelled())
        return cancelled(TurnPhase::Initialization);
    if (const auto checked = checkToolOptions(m_request); !checked.ok())
        return failed(checked.error(), TurnPhase::Initialization, false);
    for (;;) {
        if (const auto ending = checkBudgets())
            return *ending;
        ++m_context.iteration;
        ModelCall call(m_context);
        const auto answer = call.run();
        if (answer.isCancelled())
            return cancelled(call.sawContent() || m_context.sent ? TurnPhase::Streaming
                                                                 : TurnPhase::Execution);
        if (!answer.ok())
            return failed(answer.error(), call.sawContent() ? TurnPhase::Streaming
                                                            : TurnPhase::Execution,
                          call.sawContent());
        if (const auto ending = handleAnswer(*answer))
            return *ending;
    }
}

std::optional<Turn::Ending> Turn::handleAnswer(const AnswerEnded &answer)
{
    const AssistantMessage &message = m_recorder.record().answer.back();
    const bool cut = answer.stopReason == StopReason::MaxTokens;
    if (!hasCalls(message)) {
        // The whole answer was read: it wins over a stop that came meanwhile.
        if (!hasContent(message) && !cut && answer.stopReason == StopReason::EndTurn)
            return failed(Error(ErrorCode::EmptyAnswer,
                                u"The model ended its answer without any text. Try again."_s),
                          TurnPhase::Streaming, false);
        Ending ending;
        ending.stopReason = answer.stopReason;
        ending.providerStopReason = answer.providerStopReason;
        ending.phase = TurnPhase::Streaming;
        return ending;
    }
    m_recorder.checkpoint(); // calls and their slots, before anything of them runs
    if (m_context.token().isCancelled())
        return cancelled(TurnPhase::ToolCalls);
    if (cut) {
        ToolPhase::settleUnstarted(m_context, turntext::cutByTokenLimit());
        if (++m_cutMessages < MostCutMessages)
            return std::nullopt;
        Ending ending;
        ending.stopReason = StopReason::MaxTokens;
        ending.providerStopReason = answer.providerStopReason;
        ending.phase = TurnPhase::ToolCalls;
        return ending;
    }
    m_cutMessages = 0;
    if (const auto ending = checkRepetition())
        return *ending;
    ToolPhase phase(m_context, m_toolMemory);
    if (const auto ran = phase.run(); !ran.ok())
        return cancelled(TurnPhase::ToolCalls);
    return std::nullopt;
}

std::optional<Turn::Ending> Turn::checkBudgets()
{
    if (m_context.token().isCancelled())
        return cancelled(m_context.iteration == 0 ? TurnPhase::Initialization
                                                  : TurnPhase::Execution);
    const TurnLimits &limits = m_request.limits;
    const auto limitReached = [](CancellationCause cause, const QString &text) {
        Ending ending;
        ending.status = TurnStatus::LimitReached;
        ending.stopReason = StopReason::Limit;
        ending.reason = CancellationReason{cause, text, {}, QDateTime::currentDateTimeUtc()};
        return ending;
    };
    if (limits.modelCalls && m_context.iteration >= m_allowedCalls) {
        TurnQuestion question;
        question.kind = TurnQuestion::Kind::IterationLimit;
        question.count = m_context.iteration;
        question.text = u"%1 model calls in this turn. Go on?"_s.arg(m_context.iteration);
        const auto goOn = askUser(question);
        if (!goOn.ok())
            return cancelled(TurnPhase::Execution);
        if (!*goOn)
            return limitReached(CancellationCause::IterationLimit,
                                u"%1 model calls"_s.arg(m_context.iteration));
        m_allowedCalls += *limits.modelCalls;
    }
    const TokenUsage &usage = m_context.usage;
    if (limits.totalTokens && usage.total() >= *limits.totalTokens)
        return limitReached(CancellationCause::TokenBudget,
                            u"%1 of %2 tokens in all"_s.arg(usage.total()).arg(*limits.totalTokens));
    if (limits.outputTokens && usage.output >= *limits.outputTokens)
        return limitReached(
            CancellationCause::TokenBudget,
            u"%1 of %2 output tokens"_s.arg(usage.output).arg(*limits.outputTokens));
    return std::nullopt;
}

std::optional<Turn::Ending> Turn::checkRepetition()
{
    for (const ContentBlock &block : m_recorder.record().answer.back().blocks) {
        if (const auto *call = std::get_if<ToolCallBlock>(&block))
            m_callSignatures.push_back(signatureOf(*call));
    }
    if (!isRepeating(m_callSignatures))
        return std::nullopt;
    m_callSignatures.clear(); // who goes on is asked again only after as many repetitions
    TurnQuestion question;
    question.kind = TurnQuestion::Kind::RepeatedCalls;
    question.count = RepeatedCalls;
    question.text = u"The model repeats the same tool calls. Go on?"_s;
    const auto goOn = askUser(question);
    if (!goOn.ok())
        return cancelled(TurnPhase::ToolCalls);
    if (*goOn)
        return std::nullopt;
    ToolPhase::settleUnstarted(m_context, turntext::notRun(u"the model repeated the same calls"_s));
    Ending ending;
    ending.stopReason = StopReason::LoopDetected;
    ending.phase = TurnPhase::ToolCalls;
    return ending;
}

Result<bool> Turn::askUser(const TurnQuestion &question)
{
    TurnControl::Private &control = *m_control->d;
    control.limits.hold();
    m_context.setStage(TurnStage::WaitingForUser);
    control.questionOpen = true;
    m_recorder.tell(QuestionAsked{question});
    std::optional<bool> goOn;
    while (!goOn && !m_context.token().isCancelled()) {
        const auto item = control.inbox.receive(m_context.token(), m_recorder.nextCheckpoint());
        m_recorder.checkpointIfDue();
        if (!item.value)
            continue;
        if (const auto *answer = std::get_if<QuestionAnswered>(&*item.value))
            goOn = answer->goOn;
    }
    control.questionOpen = false;
    control.limits.release();
    m_recorder.tell(QuestionClosed{});
    if (!goOn)
        return m_context.token().check(TurnPhase::Execution).error();
    return *goOn;
}

Turn::Ending Turn::failed(const Error &error, TurnPhase phase, bool streamed) const
{
    Ending ending;
    ending.status = TurnStatus::Failed;
    ending.stopReason = StopReason::Error;
    ending.phase = phase;
    ending.error = error;
    ending.streamed = streamed;
    return ending;
}

Turn::Ending Turn::cancelled(TurnPhase phase) const
{
    Ending ending;
    ending.reason = m_context.token().reason();
    ending.status = isTimeLimit(ending.reason->cause) ? TurnStatus::TimedOut : TurnStatus::Stopped;
    ending.stopReason = StopReason::Cancelled;
    ending.phase = phase;
    return ending;
}

// The only place where an outcome is made.
TurnOutcome Turn::finish(const Ending &ending)
{
    TurnControl::Private &control = *m_control->d;
    if (ending.reason)
        ToolPhase::settleUnstarted(
            m_context, turntext::notRun(turntext::becauseOf(*ending.reason, m_context.firedLimit)));
    else
        ToolPhase::settleUnstarted(m_context, turntext::notRun(u"the answer failed"_s));
    m_context.setStage(TurnStage::Saving);

    TurnOutcome outcome;
    outcome.turn = m_request.turn.id;
    outcome.status = ending.status;
    outcome.stopReason = ending.stopReason;
    outcome.providerStopReason = ending.providerStopReason;
    outcome.reason = ending.reason;
    if (ending.status == TurnStatus::TimedOut)
        outcome.limit = m_context.firedLimit;
    outcome.phase = ending.phase;
    outcome.error = ending.error;
    outcome.streamed = ending.streamed;
    const TurnRecord &record = m_recorder.record();
    outcome.text = record.answerText();
    outcome.partial = ending.status != TurnStatus::Completed
        || ending.stopReason == StopReason::MaxTokens;
    outcome.iterations = m_context.iteration;
    outcome.tools = ledgerOf(record);
    outcome.usage = m_context.usage;
    outcome.stopRequested = m_context.token().isCancelled();
    outcome.sent = m_context.sent;
    outcome.startedAt = m_startedAtTime;
    outcome.endedAt = QDateTime::currentDateTimeUtc();
    const Instant end = m_clock.now();
    outcome.duration = std::chrono::duration_cast<milliseconds>(end - m_startedAt);
    outcome.timeToStop = sinceStop(end);
    if (m_context.lastStream && m_context.lastStream->state() != StreamState::Completed)
        outcome.serverIdleAfter = sinceStop(m_context.lastStream->closedAt());

    control.end();
    m_context.lastStream.reset();
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
