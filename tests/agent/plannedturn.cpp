// SPDX-License-Identifier: GPL-3.0-or-later
#include "plannedturn.h"

#include "conversation/history.h"
#include "plannedscript.h"
#include "tool/toolregistry.h"
#include "tool/toolrun.h"

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;
using turnplan::Deed;

// The scripted provider, and what has to be true when a request is started.
class PlannedTurn::Provider final : public ModelProvider
{
public:
    Provider(std::vector<Script> scripts, PlannedTurn &turn)
        : m_scripts(std::move(scripts), turn.m_clock), m_turn(&turn)
    {
    }

    std::unique_ptr<ModelStream> start(const ModelRequest &request,
                                       const CancellationToken &token) override
    {
        if (m_turn->m_sawFlag || (m_turn->m_hooks && m_turn->m_hooks->sawFlag()))
            m_turn->faults->add(u"a request was started after the stop"_s);
        if (!validateHistory(request.history).empty())
            m_turn->faults->add(u"a request with a history that is not valid"_s);
        return std::make_unique<Stream>(m_scripts.start(request, token), *m_turn);
    }
    QString kind() const override { return u"planned"_s; }
    bool isLocal() const override { return false; }
    bool canContinueAnswer(const QString &) const override { return true; }

    size_t requestCount() const { return m_scripts.requests().size(); }

private:
    class Stream final : public ModelStream
    {
    public:
        Stream(std::unique_ptr<ModelStream> stream, PlannedTurn &turn)
            : m_stream(std::move(stream)), m_turn(turn)
        {
        }

        Result<NextEvent> next(const CancellationToken &token, Deadline deadline) override
        {
            const bool wasCancelled = token.isCancelled();
            auto event = m_stream->next(token, deadline);
            if (wasCancelled && !event.isCancelled())
                m_turn.faults->add(u"a stream gave something after the stop"_s);
            m_turn.look();
            return event;
        }
        RetryAdvice retryAdvice() const override { return m_stream->retryAdvice(); }
        void pause() override { m_stream->pause(); }
        void resume() override { m_stream->resume(); }
        StreamState state() const override { return m_stream->state(); }

    private:
        const std::unique_ptr<ModelStream> m_stream;
        PlannedTurn &m_turn;
    };

    ScriptedProvider m_scripts;
    PlannedTurn *const m_turn;
};

// Keeps what it is given, and fails when the plan says so.
class PlannedTurn::Journal final : public TurnJournal
{
public:
    explicit Journal(PlannedTurn &turn) : m_turn(turn) { }

    Result<void> begin(const Conversation &, const TurnRecord &turn) override { return save(turn); }
    Result<void> checkpoint(const TurnRecord &turn) override { return save(turn); }
    Result<void> saveCall(const TurnRecord &turn, const ToolCallBlock &call) override
    {
        auto result = save(turn);
        if (result.ok() && call.slot.state == ToolState::Running)
            m_turn.m_log->savedRunning(call.id);
        return result;
    }
    Result<void> finish(const TurnRecord &turn) override { return save(turn); }

    std::optional<TurnRecord> saved;

private:
    Result<void> save(const TurnRecord &turn)
    {
        m_turn.look();
        const int number = m_saves++;
        const turnplan::PlannedTurn &plan = m_turn.m_plan;
        if (plan.failSavesFrom >= 0 && number >= plan.failSavesFrom && number < plan.failSavesUntil)
            return Error(ErrorCode::Storage, u"The disk is full."_s);
        saved = turn;
        return {};
    }

    PlannedTurn &m_turn;
    int m_saves = 0;
};

PlannedTurn::PlannedTurn(turnplan::PlannedTurn plan, PatientClock &clock)
    : m_plan(std::move(plan)), m_clock(clock), m_log(std::make_shared<CallLog>(faults, clock)),
      m_world(new ToolWorld{m_plan.calls, m_log, faults, {}, {}, clock})
{
    m_world->needsSave = m_plan.failSavesFrom < 0;
    std::vector<Script> scripts;
    for (const auto &planned : m_plan.answers)
        scripts.push_back(scriptOf(planned, m_plan.calls, [this](Deed deed) {
            doNow({deed, m_lastCall});
        }));
    m_provider = std::make_shared<Provider>(std::move(scripts), *this);
    m_journal = std::make_unique<Journal>(*this);
    prepareRequest();
    m_control = std::make_shared<TurnControl>(m_request.turn.id, m_clock);
    m_world->control = m_control;
}

PlannedTurn::~PlannedTurn()
{
    m_work.close();
    if (m_otherThread.joinable())
        m_otherThread.join();
}

void PlannedTurn::prepareRequest()
{
    m_request.conversation = m_plan.conversation;
    m_request.turn.id = TurnId::create();
    m_request.turn.parent = m_plan.conversation.activeTurn;
    m_request.turn.createdAt = QDateTime::currentDateTimeUtc();
    if (m_plan.continues)
        m_request.turn.kind = TurnKind::Continuation;
    else
        m_request.turn.userText = u"Hello"_s;
    m_request.provider = m_provider;
    const auto registry = std::make_shared<ToolRegistry>();
    for (const auto &tool : plannedTools(m_world)) {
        registry->add(tool);
        m_toolsLeft.push_back(tool);
    }
    m_request.tools = registry;
    if (m_plan.hasPolicy) {
        QHash<QString, ToolPermission> permissions;
        if (m_plan.deniesWriting)
            permissions.insert(turnplan::WriteTool.toString(), ToolPermission::Deny);
        m_request.policy = std::make_shared<ApprovalPolicy>(permissions, std::vector<AllowRule>());
    }
    m_request.limits.tool = m_plan.toolLimit;
    m_request.limits.turn = m_plan.turnLimit;
    m_request.limits.approval = m_plan.approvalLimit;
    m_request.limits.modelCalls = m_plan.modelCalls;
    m_request.limits.totalTokens = m_plan.totalTokens;
    m_request.retries = m_plan.retries;
    m_request.parallelTools = m_plan.parallelTools;
    m_request.stopMode = m_plan.immediate ? StopMode::Immediate : StopMode::Graceful;
    m_request.toolGrace = m_plan.grace;
    if (m_plan.hasHooks) {
        m_hooks = std::make_shared<HookLog>(m_plan, m_world);
        m_hooksLeft = m_hooks;
        m_request.hooks = m_hooks->hooks(m_hooks);
        m_request.trace = std::make_shared<TurnTrace>();
    }
    m_request.parent = m_parent.token();
    m_request.external = m_external.token();
    m_request.externalStop = m_externalStop.get_token();
}

void PlannedTurn::run()
{
    for (const turnplan::PlannedDeed &planned : m_plan.deeds) {
        if (planned.atEvent < 0)
            doNow({planned.deed, {}});
    }
    m_clock.setOthersExist(false);
    m_clock.setWorking(0);
    // Long enough for any thread to start, unless a hook hangs, which is to be found out soon.
    m_clock.setAlwaysWorking(m_plan.hasHooks,
                             !m_plan.hasHooks || m_plan.hangsInHook() ? PatientClock::UsualPatience
                                                                      : std::chrono::seconds(5));
    look();
    runTurn();
    m_log->check(m_control->token().isCancelled(), m_stoppedAlone || m_plan.toolLimit.has_value());
    checkAfterTheEnd();
    checkNothingIsLeft();
}

void PlannedTurn::runTurn()
{
    Turn turn(
        m_request, m_control, *m_journal, [this](const TurnEvent &event) { take(event); }, m_clock);
    const TurnOutcome outcome = turn.run();
    m_status = outcome.status;
    m_work.close();
    if (m_otherThread.joinable())
        m_otherThread.join();
    checkOutcome(outcome);
    checkRequests(outcome);
    checkHistory(outcome);
    if (m_hooks)
        m_hooks->check(outcome, *m_request.trace);
}

void PlannedTurn::take(const TurnEvent &event)
{
    if (m_finished > 0)
        faults->add(u"after the end came "_s + describe(event));
    note(event);
    for (const turnplan::PlannedDeed &planned : m_plan.deeds) {
        if (planned.atEvent == m_events)
            doOn(planned.onAnotherThread, DeedFor{planned.deed, m_lastCall});
    }
    if (const auto *asked = std::get_if<ApprovalAsked>(&event)) {
        answer(asked->request);
    } else if (std::holds_alternative<QuestionAsked>(event)) {
        const bool goOn =
            size_t(m_questions) < m_plan.questions.size() && m_plan.questions[size_t(m_questions)];
        ++m_questions;
        m_goOns += goOn;
        m_control->answerQuestion(goOn);
    }
    ++m_events;
    look();
    if (const auto *changed = std::get_if<ToolStateChanged>(&event);
        changed && changed->slot.state == ToolState::Running)
        m_log->toldRunning(changed->call, m_sawFlag);
}

void PlannedTurn::note(const TurnEvent &event)
{
    m_clock.noteWork();
    if (const auto *started = std::get_if<TurnStarted>(&event)) {
        ++m_started;
        m_record = started->record;
    } else {
        apply(m_record, event);
    }
    if (m_started != 1)
        faults->add(u"before the start came "_s + describe(event));
    if (const auto *added = std::get_if<ToolCallAdded>(&event)) {
        m_lastCall = added->call.id;
        m_log->added(added->call);
        m_hasCalls = true;
    } else if (std::holds_alternative<MessageCompleted>(event)) {
        m_log->messageCompleted();
        m_clock.setOthersExist(std::exchange(m_hasCalls, false));
    } else if (const auto *changed = std::get_if<ToolStateChanged>(&event)) {
        m_lastCall = changed->call;
        if (isFinal(changed->slot.state))
            m_log->toldFinal(changed->call, changed->slot);
    } else if (std::holds_alternative<IterationStarted>(event)) {
        m_clock.setOthersExist(false);
        m_hasCalls = false;
    } else if (std::holds_alternative<TurnFinished>(event)) {
        ++m_finished;
    }
    if (std::holds_alternative<QuestionAsked>(event)
        || std::holds_alternative<QuestionClosed>(event))
        m_questionIsOpen = std::holds_alternative<QuestionAsked>(event);
    m_retries += std::holds_alternative<RetryScheduled>(event);
}

void PlannedTurn::look()
{
    m_sawFlag = m_control->token().isCancelled();
}

void PlannedTurn::checkOutcome(const TurnOutcome &outcome)
{
    if (m_started != 1 || m_finished != 1)
        faults->add(u"%1 starts and %2 ends"_s.arg(m_started).arg(m_finished));
    if (m_stopsWon > 1)
        faults->add(u"%1 stops have won"_s.arg(m_stopsWon.load()));
    const auto reason = m_control->token().reason();
    if (outcome.isCancelled()) {
        if (!reason)
            faults->add(u"cancelled by nobody"_s);
        else if (!outcome.reason || outcome.reason->cause != reason->cause)
            faults->add(u"another cause than the first"_s);
        if (outcome.stopReason != StopReason::Cancelled)
            faults->add(u"cancelled, and stop reason "_s + toString(outcome.stopReason));
        if (outcome.status == TurnStatus::TimedOut && !outcome.limit)
            faults->add(u"timed out without a limit"_s);
    } else if (outcome.stopReason == StopReason::Cancelled) {
        faults->add(u"stop reason cancelled, and "_s + toString(outcome.status));
    }
    if ((outcome.status == TurnStatus::Failed) != outcome.error.has_value())
        faults->add(u"an error without a failure, or the other way round"_s);
    if (outcome.error && isCancellation(*outcome.error))
        faults->add(u"a cancellation as a failure"_s);
    if (outcome.saved != (m_journal->saved && m_journal->saved->outcome.has_value()))
        faults->add(u"it is not as saved as it is said to be"_s);
    if (outcome.saved && m_journal->saved->answer != m_record.answer)
        faults->add(u"what is saved differs from what was told"_s);
    if (!m_record.outcome || m_record.outcome->status != outcome.status)
        faults->add(u"the end that was told differs from the end"_s);
}

void PlannedTurn::checkRequests(const TurnOutcome &outcome)
{
    const int requests = int(m_provider->requestCount());
    if (requests > outcome.iterations * (m_plan.retries + 1) && m_plan.hooks.empty())
        faults->add(u"%1 requests in %2 iterations"_s.arg(requests).arg(outcome.iterations));
    if (outcome.iterations > m_plan.modelCalls * (1 + m_goOns))
        faults->add(u"%1 iterations, and nobody allowed them"_s.arg(outcome.iterations));
    if (outcome.sent && requests == 0)
        faults->add(u"sent without a request"_s);
}

void PlannedTurn::checkHistory(const TurnOutcome &outcome)
{
    Conversation conversation = m_plan.conversation;
    conversation.turns.push_back(m_record);
    conversation.activeTurn = m_record.id;
    const History history = buildHistory(conversation.activePath());
    if (!validateHistory(history).empty())
        faults->add(u"the history is not valid"_s);
    if (repairHistory(history) != history)
        faults->add(u"the history needs a repair"_s);
    QStringList results;
    for (const HistoryMessage &message : history) {
        for (const HistoryBlock &block : message.blocks) {
            if (const auto *result = std::get_if<HistoryResult>(&block))
                results << result->text;
        }
    }
    for (const QString &output : m_log->keptOutputs()) {
        if (outcome.sent && results.filter(output).isEmpty())
            faults->add(u"a finished result is missing in the history"_s);
    }
}

void PlannedTurn::checkAfterTheEnd()
{
    const int events = m_events;
    const CancellationToken token = m_control->token();
    const bool wasCancelled = token.isCancelled();
    if (m_control->stop({CancellationCause::User, {}, {}, {}}))
        faults->add(u"a stop won after the end"_s);
    m_control->force();
    m_control->stopTool(m_lastCall);
    m_control->answerQuestion(true);
    m_control->extend(Limit::Turn, milliseconds(1000));
    m_control->pause();
    if (token.isCancelled() != wasCancelled)
        faults->add(u"the flag changed after the end"_s);
    if (m_events != events)
        faults->add(u"something was told after the end"_s);
}

void PlannedTurn::checkNothingIsLeft()
{
    const int events = m_events;
    // What waits for ever is let go, and ends by itself: nothing of it may reach the turn any more.
    m_world->release.cancel(CancellationCause::User);
    const QString id = m_request.turn.id.toString();
    m_request = {};
    m_record = {};
    m_journal.reset();
    m_provider.reset();
    m_control.reset();
    m_world.reset();
    m_hooks.reset();
    m_clock.setAlwaysWorking(false, PatientClock::UsualPatience);
    const Instant patience = steadyClock().now() + std::chrono::seconds(30);
    const auto hasEnded = [&] {
        return ToolRun::detachedRuns() == 0 && m_hooksLeft.expired()
            && std::ranges::all_of(m_toolsLeft, [](const auto &tool) { return tool.expired(); });
    };
    while (!hasEnded()) {
        if (steadyClock().now() > patience) {
            faults->add(u"a tool or a hook is still held after the end, or runs"_s);
            return;
        }
        std::this_thread::yield();
    }
    if (m_events != events)
        faults->add(u"a late result was told"_s);
    // Everything that belongs to a turn knows its id: who still holds it was not let go.
    if (!id.isDetached())
        faults->add(u"something of the turn is still held after the end"_s);
}

} // namespace fermata
