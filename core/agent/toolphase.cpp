// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/toolphase.h"

#include "agent/hookrunner.h"
#include "agent/turntext.h"
#include "base/logging.h"
#include "tool/argumentvalidator.h"
#include "tool/toolregistry.h"

#include <QJsonDocument>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

// Where one call is on its way to its result. The slot in the record says the same to everyone else.
struct ToolPhase::Call
{
    enum class Step {
        New,
        Checked, // its arguments are valid, and no policy is against it
        Describing, // the tool says what it would do
        Described, // waits for its turn
        Allowed,
        MustAsk, // waits for another question to be answered
        Asking,
        Running,
        Done,
    };

    explicit Call(CallId callId) : id(std::move(callId)) { }

    const CallId id;
    Step step = Step::New;
    std::shared_ptr<Tool> tool;
    QJsonObject arguments;
    ApprovalRequest request;
    std::unique_ptr<ToolRun> run;
    Instant startedAt{};
    QDateTime startedAtTime;
    LimitValue limit;
    Deadline limitAt;
    Deadline detachAt; // set when it is being stopped
    bool cancelledByUs = false; // stopped alone: by the user or by its limit
    bool limitFired = false;
    Deadline
        answerBy; // of a question that could be asked, whether or not it is this one's turn to be shown
    int attempt = 1;
    std::optional<QJsonObject> newArguments; // of a retry
    QByteArray approvedFingerprint; // allowed by the user for this call
    HookRunner::Begun hooks; // those that are owed the end of this attempt

    bool isUnanswered() const { return step == Step::MustAsk || step == Step::Asking; }
    bool isReadOnly() const { return tool && tool->spec().access == ToolAccess::ReadOnly; }
};

ToolPhase::ToolPhase(TurnContext &context, ToolPhaseMemory &memory)
    : m_context(context), m_memory(memory)
{
    const AssistantMessage &message = context.recorder.record().answer.back();
    for (const ContentBlock &block : message.blocks) {
        if (const auto *call = std::get_if<ToolCallBlock>(&block)) {
            if (!isFinal(call->slot.state))
                m_calls.push_back(std::make_unique<Call>(call->id));
        }
    }
}

ToolPhase::~ToolPhase() = default;

Result<void> ToolPhase::run()
{
    const HookVeto veto = m_context.hooks->beforeTools(callBlocks());
    if (veto && !m_context.token().isCancelled()) {
        for (const auto &call : m_calls)
            settle(*call, ToolState::Denied, turntext::notRun(*veto));
    }
    runCalls();
    m_context.hooks->afterTools(callBlocks());
    return m_context.token().check(TurnPhase::ToolCalls);
}

void ToolPhase::runCalls()
{
    // The first wait looks at the token before anything is begun.
    while (!allFinal()) {
        if (m_context.token().isCancelled()) {
            unwind();
            break;
        }
        schedule();
        if (allFinal())
            break;
        showLimits();
        const auto item = m_context.control->inbox.receive(m_context.token(), nextDeadline());
        if (item.value)
            handle(*item.value);
        enforceLimits();
        m_context.recorder.checkpointIfDue();
        m_context.fireExpiredLimit();
    }
    m_context.control->limits.showTool(std::nullopt);
}

void ToolPhase::schedule()
{
    for (const auto &call : m_calls) {
        // Again at once if a policy has a call tried again that failed before it began.
        while (call->step == Call::Step::New && !m_context.token().isCancelled())
            prepare(*call);
    }
    for (const auto &call : m_calls) {
        if (mayDescribe(*call))
            describe(*call);
        if (!mayStart(*call))
            continue;
        if (const auto &end = m_context.hooks->endText()) {
            settle(*call, ToolState::Denied, turntext::notRun(*end));
            continue;
        }
        // Not before it is its turn, and again after a question: the answer may have settled this one, too.
        if (call->step == Call::Step::Described || (call->step == Call::Step::MustAsk && !m_asking))
            decide(*call);
        const LimitValue &limit = m_context.request.limits.approval;
        if (call->step == Call::Step::MustAsk && limit && !call->answerBy)
            call->answerBy = m_context.clock.now() + *limit;
        if (call->step == Call::Step::MustAsk && !m_asking)
            ask(*call);
        else if (call->step == Call::Step::Allowed)
            start(*call);
    }
    const auto running = std::ranges::find_if(
        m_calls, [](const auto &call) { return call->step == Call::Step::Running; });
    if (m_asking)
        m_context.setStage(TurnStage::WaitingForUser);
    else if (running != m_calls.end())
        m_context.setStage(TurnStage::RunningTool, int(running - m_calls.begin()) + 1,
                           int(m_calls.size()));
}

void ToolPhase::prepare(Call &call)
{
    const ToolCallBlock &block = *m_context.recorder.record().findCall(call.id);
    call.tool = m_context.request.tools ? m_context.request.tools->find(block.name) : nullptr;
    if (!call.tool) {
        QStringList names;
        if (m_context.request.tools) {
            for (const auto &tool : m_context.request.tools->tools())
                names << tool->spec().name;
        }
        settle(call, ToolState::Failed, turntext::unknownTool(block.name, names));
        return;
    }
    auto arguments = parseToolArguments(block.arguments, call.tool->spec().parameters);
    if (!arguments.ok()) {
        settle(call, ToolState::Failed, arguments.error().message);
        return;
    }
    call.arguments = call.newArguments.value_or(*std::move(arguments));
    if (askPolicies(call))
        call.step = Call::Step::Checked;
}

// What a writing call would do depends on what those before it have done: two edits of one file are two diffs, and the
// second one begins where the first one ends.
bool ToolPhase::mayDescribe(const Call &call) const
{
    if (call.step != Call::Step::Checked || m_context.token().isCancelled())
        return false;
    for (const auto &other : m_calls) {
        if (other.get() == &call)
            break;
        if (!call.isReadOnly() && other->step != Call::Step::Done)
            return false;
    }
    return true;
}

void ToolPhase::describe(Call &call)
{
    call.step = Call::Step::Describing;
    ToolRunOptions options;
    options.call = call.id;
    options.arguments = call.arguments;
    options.workspace = m_context.request.workspace;
    options.parent = m_context.token();
    call.run = ToolRun::startDescribing(call.tool, std::move(options),
                                        [control = m_context.control](ToolRunEvent event) {
                                            control->inbox.send(InboxMessage(std::move(event)));
                                        });
}

// False if the call is not to run.
bool ToolPhase::askPolicies(Call &call)
{
    const BeforeToolDecision decision = m_context.hooks->beforeTool(infoOf(call), call.hooks);
    if (m_context.token().isCancelled())
        return false; // settled with the others
    if (decision.veto) {
        settle(call, ToolState::Denied, turntext::notRun(*decision.veto));
        return false;
    }
    if (decision.replacement)
        call.tool = decision.replacement;
    if (!decision.arguments && !decision.replacement && !call.newArguments)
        return true;
    // What a policy gives is checked as what a model gives is.
    const QJsonObject given = decision.arguments.value_or(call.arguments);
    auto checked =
        parseToolArguments(QString::fromUtf8(QJsonDocument(given).toJson(QJsonDocument::Compact)),
                           call.tool->spec().parameters);
    if (!checked.ok()) {
        settle(call, ToolState::Failed, checked.error().message);
        return false;
    }
    call.arguments = *std::move(checked);
    return true;
}

// A failed call is run again if a policy wants it, from the before-hooks on. True if it will be.
bool ToolPhase::retries(Call &call, const ToolSlot &slot)
{
    const AfterToolDecision decision = m_context.hooks->afterTool(infoOf(call), slot, call.hooks);
    const bool failed = slot.state == ToolState::Failed || slot.state == ToolState::TimedOut;
    if (!decision.retry || !failed || call.cancelledByUs || m_context.token().isCancelled()
        || call.attempt == TurnPolicy::MostToolAttempts)
        return false;
    ++call.attempt;
    call.newArguments = decision.arguments;
    call.run.reset();
    call.step = Call::Step::New;
    call.limitFired = false;
    call.limitAt.reset();
    call.detachAt.reset();
    call.answerBy.reset();
    ToolSlot waiting;
    waiting.note = turntext::triedAgain();
    m_context.recorder.tellSaved(call.id, ToolStateChanged{call.id, waiting});
    return true;
}

ToolCallInfo ToolPhase::infoOf(const Call &call)
{
    return {call.id, call.tool->spec().name, call.arguments, call.attempt};
}

std::vector<ToolCallBlock> ToolPhase::callBlocks() const
{
    std::vector<ToolCallBlock> blocks;
    for (const auto &call : m_calls)
        blocks.push_back(*m_context.recorder.record().findCall(call->id));
    return blocks;
}

void ToolPhase::judge(Call &call, const ApprovalRequest &request)
{
    call.run.reset();
    call.request = request;
    call.request.call = call.id;
    call.request.tool = call.tool->spec().name;
    call.step = Call::Step::Described;
}

// Whether the call may run, must ask or is refused, by what the user has said up to now.
void ToolPhase::decide(Call &call)
{
    if (m_memory.deniedFingerprints.contains(call.request.fingerprint)) {
        settle(call, ToolState::Denied, turntext::deniedBefore());
        return;
    }
    const ApprovalVerdict verdict = m_context.request.policy
        ? m_context.request.policy->judge(call.tool->spec(), call.request)
        : ApprovalPolicy().judge(call.tool->spec(), call.request);
    switch (verdict) {
    case ApprovalVerdict::Deny:
        settle(call, ToolState::Denied, turntext::deniedBySettings(call.tool->spec().title));
        break;
    case ApprovalVerdict::Ask:
        // A retry of exactly what the user has allowed is not asked for again.
        call.step = !call.request.fingerprint.isEmpty()
                && call.approvedFingerprint == call.request.fingerprint
            ? Call::Step::Allowed
            : Call::Step::MustAsk;
        break;
    case ApprovalVerdict::Allow:
        call.step =
            call.tool->spec().asksByDefault && m_memory.runWithoutAsking >= MostRunWithoutAsking
            ? Call::Step::MustAsk
            : Call::Step::Allowed;
        if (call.step == Call::Step::Allowed && call.tool->spec().asksByDefault)
            ++m_memory.runWithoutAsking;
        break;
    }
}

bool ToolPhase::mayStart(const Call &call) const
{
    if (call.step != Call::Step::Described && call.step != Call::Step::Allowed
        && call.step != Call::Step::MustAsk)
        return false;
    const int mostRunning = std::max(1, m_context.request.parallelTools);
    for (const auto &other : m_calls) {
        if (other.get() == &call)
            break;
        if (other->step == Call::Step::Done)
            continue;
        // A writing call waits for all before it, and all after it wait for a writing call. One at a time means: in
        // the model's order, and not in that in which they happen to be described.
        if (!call.isReadOnly() || !other->isReadOnly() || mostRunning == 1)
            return false;
    }
    return runningCount() < mostRunning;
}

void ToolPhase::ask(Call &call)
{
    call.step = Call::Step::Asking;
    m_asking = &call;
    m_context.control->limits.hold();
    ToolSlot slot;
    slot.state = ToolState::Asking;
    m_context.recorder.tellSaved(call.id, ToolStateChanged{call.id, slot});
    m_context.recorder.tell(ApprovalAsked{call.request});
}

void ToolPhase::closeQuestion(Call &call)
{
    if (m_asking != &call)
        return;
    m_asking = nullptr;
    m_context.control->limits.release();
    m_context.recorder.tell(ApprovalClosed{call.id});
}

void ToolPhase::start(Call &call)
{
    call.startedAtTime = QDateTime::currentDateTimeUtc();
    const QString &name = call.tool->spec().name;
    call.limit = m_context.request.toolLimits.contains(name)
        ? m_context.request.toolLimits.value(name)
        : call.tool->spec().limit.value_or(m_context.request.limits.tool);

    ToolSlot slot;
    slot.state = ToolState::Running;
    slot.startedAt = call.startedAtTime;
    m_context.recorder.tellSaved(call.id, ToolStateChanged{call.id, slot});

    // Looked at after the save, which takes its time: what is not started here is settled as not run.
    if (m_context.token().isCancelled())
        return;
    call.step = Call::Step::Running;
    // Its time begins here: neither the save nor who is told of the start takes any of it.
    call.startedAt = m_context.clock.now();
    if (call.limit)
        call.limitAt = call.startedAt + *call.limit;
    ToolRunOptions options;
    options.call = call.id;
    options.arguments = call.arguments;
    options.workspace = m_context.request.workspace;
    options.parent = m_context.token();
    options.grace = grace();
    options.approved = call.request;
    options.cleanup = m_context.cleanup;
    call.run = ToolRun::start(call.tool, std::move(options),
                              [control = m_context.control](ToolRunEvent event) {
                                  control->inbox.send(InboxMessage(std::move(event)));
                              });
}

void ToolPhase::handle(const InboxMessage &message)
{
    if (const auto *event = std::get_if<ToolRunEvent>(&message)) {
        if (const auto *described = std::get_if<ToolDescribed>(event)) {
            Call *call = find(described->call);
            if (!call || call->step != Call::Step::Describing)
                return;
            if (described->request.ok())
                judge(*call, *described->request);
            else if (!described->request.isCancelled())
                settle(*call, ToolState::Failed, described->request.error().message);
        } else if (const auto *output = std::get_if<ToolOutputReported>(event)) {
            if (Call *call = find(output->call); call && call->step == Call::Step::Running)
                m_context.recorder.tell(ToolOutputAppended{call->id, output->text});
        } else if (const auto *ended = std::get_if<ToolEnded>(event)) {
            if (Call *call = find(ended->call); call && call->step == Call::Step::Running)
                handleEnd(*call, *ended);
        } else if (const auto *stop = std::get_if<ToolTurnStopRequested>(event)) {
            if (Call *call = find(stop->call); call && call->step == Call::Step::Running) {
                m_context.control->noteStop();
                m_context.control->source.cancel(
                    {CancellationCause::External, stop->reason, call->tool->spec().name, {}});
            }
        }
    } else if (const auto *answer = std::get_if<ApprovalAnswered>(&message)) {
        handleAnswer(*answer);
    } else if (const auto *stop = std::get_if<ToolStopAsked>(&message)) {
        if (Call *call = find(stop->call))
            stopCall(*call);
    } else if (const auto *extended = std::get_if<LimitExtended>(&message)) {
        if (extended->limit == Limit::Tool) {
            for (const auto &call : m_calls) {
                if (call->step == Call::Step::Running && call->limitAt && !call->limitFired) {
                    *call->limitAt += extended->by;
                    *call->limit += extended->by;
                }
            }
        }
    } else if (std::holds_alternative<Forced>(message)) {
        for (const auto &call : m_calls) {
            if (call->step == Call::Step::Running)
                call->run->force();
        }
    }
}

void ToolPhase::handleEnd(Call &call, const ToolEnded &ended)
{
    const Result<ToolResult> &result = ended.result;
    if (result.isCancelled()) {
        if (ended.entered)
            handleCancelled(call);
        else
            settleNotEntered(call);
    } else if (!result.ok()) {
        settle(call, ToolState::Failed, result.error().message);
    } else {
        settle(call, result->isError ? ToolState::Failed : ToolState::Finished, {}, *result);
    }
}

void ToolPhase::handleCancelled(Call &call)
{
    const Duration ranFor = m_context.clock.now() - call.startedAt;
    if (call.limitFired) {
        settle(call, ToolState::TimedOut,
               turntext::toolTimedOut(call.tool->spec().title, *call.limit));
    } else if (call.cancelledByUs) {
        settle(call, ToolState::Interrupted,
               turntext::interrupted(turntext::skippedByUser(), ranFor));
    } else {
        // Nobody cancelled the run, so the tool gave up the turn by itself.
        if (!m_context.token().isCancelled()) {
            m_context.control->noteStop();
            m_context.control->source.cancel(
                {CancellationCause::External, {}, call.tool->spec().name, {}});
        }
        settle(call, ToolState::Interrupted,
               turntext::interrupted(
                   turntext::becauseOf(*m_context.token().reason(), m_context.firedLimit), ranFor));
    }
}

// The stop came between the start of the run and the tool itself: nothing was done.
void ToolPhase::settleNotEntered(Call &call)
{
    QString why = turntext::skippedByUser();
    if (call.limitFired)
        why = turntext::limitBeforeStart(*call.limit);
    else if (!call.cancelledByUs)
        why = turntext::becauseOf(*m_context.token().reason(), m_context.firedLimit);
    call.step = Call::Step::Allowed; // as if it had not been started: without time and output
    settle(call, ToolState::NotRun, turntext::notRun(why));
}

void ToolPhase::handleAnswer(const ApprovalAnswered &answer)
{
    Call *call = find(answer.call);
    if (!call || call != m_asking || answer.fingerprint != call->request.fingerprint) {
        ++m_context.control->lateCalls;
        return;
    }
    closeQuestion(*call);
    switch (answer.decision) {
    case ApprovalDecision::Deny:
        m_memory.deniedFingerprints.insert(call->request.fingerprint);
        settle(*call, ToolState::Denied, turntext::deniedByUser());
        return;
    case ApprovalDecision::AllowInConversation:
        if (m_context.request.policy)
            m_context.request.policy->allowInConversation(call->request);
        break;
    case ApprovalDecision::AllowAlways:
        if (m_context.request.policy)
            m_context.request.policy->allowAlways(call->request);
        break;
    case ApprovalDecision::AllowOnce:
        break;
    }
    if (m_context.request.policy)
        m_context.request.policy->notePlace(call->request);
    m_memory.runWithoutAsking = 0;
    call->approvedFingerprint = call->request.fingerprint;
    call->step = Call::Step::Allowed;
}

void ToolPhase::stopCall(Call &call)
{
    switch (call.step) {
    case Call::Step::Done:
        return;
    case Call::Step::Running:
        if (call.cancelledByUs) {
            call.run->force();
            return;
        }
        call.cancelledByUs = true;
        call.detachAt = detachTime();
        call.run->cancel({CancellationCause::User, {}, {}, {}});
        return;
    default:
        closeQuestion(call);
        settle(call, ToolState::NotRun, turntext::notRun(turntext::skippedByUser()));
    }
}

void ToolPhase::enforceLimits()
{
    const Instant now = m_context.clock.now();
    for (const auto &call : m_calls) {
        if (call->isUnanswered() && call->answerBy && now >= *call->answerBy) {
            m_memory.deniedFingerprints.insert(call->request.fingerprint);
            closeQuestion(*call);
            settle(*call, ToolState::Denied,
                   turntext::deniedByLimit(*m_context.request.limits.approval));
        }
        if (call->step != Call::Step::Running)
            continue;
        if (call->limitAt && now >= *call->limitAt && !call->limitFired && !call->cancelledByUs) {
            call->limitFired = true;
            call->detachAt = now + grace() + DetachMargin;
            call->run->cancel({CancellationCause::ToolLimit, {}, {}, {}});
        }
        if (call->detachAt && now >= *call->detachAt && !call->run->isPastPointOfNoReturn())
            detach(*call);
    }
}

Deadline ToolPhase::nextDeadline() const
{
    Deadline next =
        earlier(m_context.recorder.nextCheckpoint(), m_context.control->limits.nearest());
    for (const auto &call : m_calls) {
        if (call->isUnanswered())
            next = earlier(next, call->answerBy);
        // Past its point of no return only its own end is waited for.
        if (call->step != Call::Step::Running
            || (call->detachAt && call->run->isPastPointOfNoReturn()))
            continue;
        next = earlier(next, call->detachAt ? call->detachAt : call->limitAt);
    }
    return next;
}

void ToolPhase::showLimits()
{
    std::optional<RunningLimit> nearest;
    for (const auto &call : m_calls) {
        if (call->step == Call::Step::Running && call->limitAt && !call->detachAt
            && (!nearest || *call->limitAt < nearest->deadline))
            nearest = RunningLimit{Limit::Tool, *call->limit, *call->limitAt};
    }
    m_context.control->limits.showTool(nearest);
}

// The turn was cancelled. Nothing starts any more; what runs has heard it through its own token and gets its grace
// time; what ends by itself in that time keeps its real result.
void ToolPhase::unwind()
{
    const QString why = turntext::becauseOf(*m_context.token().reason(), m_context.firedLimit);
    for (const auto &call : m_calls) {
        if (call->step == Call::Step::Running) {
            (void)call->run->revoke(); // what is not entered yet ends as not run
            call->detachAt = earlier(call->detachAt, detachTime());
        } else if (call->step != Call::Step::Done) {
            closeQuestion(*call);
            settle(*call, ToolState::NotRun, turntext::notRun(why));
        }
    }
    if (m_context.request.stopMode == StopMode::Immediate) {
        for (const auto &call : m_calls) {
            if (call->step == Call::Step::Running)
                call->run->force();
        }
    }
    if (!allFinal())
        m_context.setStage(TurnStage::Stopping);
    const CancellationToken forced = m_context.control->forceSource.token();
    bool shortened = false;
    while (!allFinal()) {
        if (forced.isCancelled() && !std::exchange(shortened, true)) {
            for (const auto &call : m_calls) {
                if (call->step != Call::Step::Running)
                    continue;
                // What is past its point of no return had no time to end until now.
                const Deadline last = m_context.clock.now() + DetachMargin;
                call->detachAt =
                    call->run->isPastPointOfNoReturn() ? last : earlier(call->detachAt, last);
            }
        }
        Deadline next = m_context.recorder.nextCheckpoint();
        for (const auto &call : m_calls) {
            if (call->step == Call::Step::Running
                && (shortened || !call->run->isPastPointOfNoReturn()))
                next = earlier(next, call->detachAt);
        }
        const auto item = m_context.control->inbox.receive({}, next);
        if (item.value)
            handle(*item.value);
        m_context.recorder.checkpointIfDue();
        for (const auto &call : m_calls) {
            if (call->step == Call::Step::Running && m_context.clock.hasPassed(call->detachAt)
                && (shortened || !call->run->isPastPointOfNoReturn()))
                detach(*call);
        }
    }
}

void ToolPhase::detach(Call &call)
{
    if (call.run->revoke()) {
        settleNotEntered(call);
        return;
    }
    qCWarning(lcTurn).noquote() << "the tool" << call.tool->spec().name
                                << "did not end within its grace time and is left behind";
    settle(call, ToolState::StillRunning, turntext::stillRunning(call.tool->spec().title));
}

void ToolPhase::settle(Call &call, ToolState state, const QString &note, const ToolResult &result)
{
    ToolSlot slot;
    slot.state = state;
    slot.note = note;
    slot.output = result.output;
    slot.exitStatus = result.exitStatus;
    slot.undo = result.undo;
    if (call.step == Call::Step::Running) {
        if (slot.output.isEmpty())
            slot.output = call.run->outputSoFar();
        slot.startedAt = call.startedAtTime;
        slot.duration =
            std::chrono::duration_cast<milliseconds>(m_context.clock.now() - call.startedAt);
    }
    // A result that counts is saved before anybody is asked about it.
    const bool mayRetry =
        !call.hooks.empty() && (state == ToolState::Failed || state == ToolState::TimedOut);
    if (mayRetry && retries(call, slot))
        return;
    call.step = Call::Step::Done;
    call.run.reset();
    m_context.recorder.tellSaved(call.id, ToolStateChanged{call.id, slot});
    if (!call.hooks.empty())
        (void)m_context.hooks->afterTool(infoOf(call), slot, call.hooks); // nothing to decide
}

void ToolPhase::settleUnstarted(TurnContext &context, const QString &why)
{
    std::vector<CallId> open;
    for (const AssistantMessage &message : context.recorder.record().answer) {
        for (const ContentBlock &block : message.blocks) {
            if (const auto *call = std::get_if<ToolCallBlock>(&block)) {
                if (!isFinal(call->slot.state))
                    open.push_back(call->id);
            }
        }
    }
    for (const CallId &id : open) {
        ToolSlot slot;
        slot.state = ToolState::NotRun;
        slot.note = why;
        context.recorder.tellSaved(id, ToolStateChanged{id, slot});
    }
}

milliseconds ToolPhase::grace() const
{
    return m_context.request.stopMode == StopMode::Immediate ? milliseconds(0)
                                                             : m_context.request.toolGrace;
}

Instant ToolPhase::detachTime() const
{
    const bool immediate = m_context.request.stopMode == StopMode::Immediate;
    return m_context.clock.now() + (immediate ? ImmediateDetachMargin : grace() + DetachMargin);
}

ToolPhase::Call *ToolPhase::find(const CallId &id)
{
    const auto found =
        std::ranges::find_if(m_calls, [&](const auto &call) { return call->id == id; });
    return found == m_calls.end() ? nullptr : found->get();
}

bool ToolPhase::allFinal() const
{
    return std::ranges::all_of(m_calls,
                               [](const auto &call) { return call->step == Call::Step::Done; });
}

int ToolPhase::runningCount() const
{
    return int(std::ranges::count_if(
        m_calls, [](const auto &call) { return call->step == Call::Step::Running; }));
}

} // namespace fermata
