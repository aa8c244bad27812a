// SPDX-License-Identifier: GPL-3.0-or-later
#include "plannedtools.h"

#include "base/channel.h"

#include <QJsonDocument>
#include <QScopeGuard>

#include <algorithm>
#include <stdexcept>

namespace fermata {

using namespace Qt::StringLiterals;
using turnplan::PlannedCall;

namespace {

constexpr int SameNumber = -1;

QString name(const CallId &call)
{
    return call.toString().left(8);
}

class PlannedTool final : public Tool
{
public:
    PlannedTool(QStringView toolName, ToolAccess access, bool asks,
                std::shared_ptr<ToolWorld> world)
        : m_world(std::move(world))
    {
        m_spec.name = m_spec.title = toolName.toString();
        m_spec.parameters = {{u"type"_s, u"object"_s}};
        m_spec.access = access;
        m_spec.asksByDefault = asks;
    }

    const ToolSpec &spec() const override { return m_spec; }
    QString summary(const QJsonObject &) const override { return m_spec.name; }

    Result<ApprovalRequest> describe(const QJsonObject &arguments, const QString &) const override
    {
        const int number = arguments.value("n"_L1).toInt(SameNumber);
        const auto done = qScopeGuard([&] { m_world->log->described(number); });
        if (number != SameNumber) {
            const PlannedCall &plan = m_world->calls.at(size_t(number));
            if (plan.stopsWhileDescribing)
                pressStop();
            if (plan.hangsWhileDescribing) {
                m_world->log->described(number);
                Channel<int> nothing(m_world->clock);
                (void)nothing.receive(m_world->release.token());
            }
            if (!plan.describes)
                return Error(ErrorCode::InvalidArgument, u"there is no such thing"_s);
        }
        ApprovalRequest request;
        request.title = m_spec.title;
        request.exactText = QString::fromUtf8(QJsonDocument(arguments).toJson());
        request.fingerprint = approvalFingerprint(m_spec.name, arguments);
        return request;
    }

    Result<ToolResult> run(const QJsonObject &arguments, ToolContext &context) override
    {
        const int number = arguments.value("n"_L1).toInt(SameNumber);
        if (number == SameNumber)
            return ToolResult{u"the same"_s, false, {}, {}};
        const CallId call = m_world->log->entered(
            number, m_spec.asksByDefault && m_world->needsApproval, m_world->needsSave);
        const PlannedCall &plan = m_world->calls.at(size_t(number));
        // Noted before it is returned: what the turn does with it comes after.
        const auto end = [&](const Result<ToolResult> &result) {
            m_world->log->ended(call, result);
            return result;
        };
        for (int i = 0; i < plan.outputs; ++i)
            context.reportOutput("some output\n");
        if (plan.pressesStop)
            pressStop();
        if (plan.asksToStopTurn)
            context.requestTurnStop(u"the tool says so"_s);
        if (plan.cannotBeTakenBack)
            context.passPointOfNoReturn();
        m_world->log->waits(number);
        const auto waited = wait(plan, context);
        m_world->log->goesOn(number);
        if (!waited.ok())
            return end(waited.error());
        switch (plan.end) {
        case PlannedCall::End::Result:
        case PlannedCall::End::ErrorResult:
            return end(ToolResult{
                u"result "_s + call.toString(), plan.end == PlannedCall::End::ErrorResult, {}, {}});
        case PlannedCall::End::Fault:
            return end(Error(ErrorCode::Io, u"the tool could not"_s));
        case PlannedCall::End::Throw:
            m_world->log->ended(call, Error(ErrorCode::Internal, u"thrown"_s));
            throw std::runtime_error("thrown");
        case PlannedCall::End::CancelledByItself:
            return end(CancellationError(TurnPhase::ToolCalls));
        case PlannedCall::End::ThrownCancellation: {
            const CancellationError error(TurnPhase::ToolCalls);
            m_world->log->ended(call, error);
            throw error;
        }
        }
        return end(Error(ErrorCode::Internal, {}));
    }

private:
    void pressStop() const
    {
        if (const auto control = m_world->control.lock())
            control->stop({CancellationCause::User, {}, {}, {}});
    }

    Result<void> wait(const PlannedCall &plan, ToolContext &context) const
    {
        Channel<int> nothing(m_world->clock);
        const Instant until = m_world->clock.now() + plan.time;
        switch (plan.wait) {
        case PlannedCall::Wait::None:
            return {};
        case PlannedCall::Wait::Listening:
            (void)nothing.receive(context.token(), until); // how it ends is looked at next
            return plan.cannotBeTakenBack ? Result<void>()
                                          : context.token().check(TurnPhase::ToolCalls);
        case PlannedCall::Wait::Deaf:
            (void)nothing.receive({}, until);
            return {};
        case PlannedCall::Wait::UntilReleased:
            (void)nothing.receive(m_world->release.token());
            return {};
        }
        return {};
    }

    ToolSpec m_spec;
    const std::shared_ptr<ToolWorld> m_world;
};

} // namespace

void Faults::add(const QString &fault)
{
    const std::lock_guard lock(m_mutex);
    m_faults << fault;
}

QStringList Faults::all() const
{
    const std::lock_guard lock(m_mutex);
    return m_faults;
}

CallLog::CallLog(std::shared_ptr<Faults> faults, PatientClock &clock)
    : m_faults(std::move(faults)), m_clock(clock)
{
}

void CallLog::setWorking(int number, bool works)
{
    if (works && !m_done.contains(number))
        m_working.insert(number);
    else
        m_working.remove(number);
    m_clock.setWorking(int(m_working.size()));
}

void CallLog::added(const ToolCallBlock &call)
{
    const std::lock_guard lock(m_mutex);
    if (m_calls.contains(call.id))
        m_faults->add(u"call %1 was added twice"_s.arg(name(call.id)));
    Entry entry;
    entry.number = plannedNumber(call.arguments);
    entry.isReadOnly = call.name == turnplan::ReadTool;
    entry.willBeDescribed = call.name != turnplan::UnknownTool && call.arguments.endsWith(u'}');
    m_calls.insert(call.id, entry);
    m_done.remove(entry.number);
    if (std::exchange(m_messageIsComplete, false))
        m_message.clear();
    m_message.push_back(call.id);
}

void CallLog::messageCompleted()
{
    const std::lock_guard lock(m_mutex);
    m_messageIsComplete = true;
    beginDescriptions();
}

// What reads is described at once, what writes when all before it has its result.
void CallLog::beginDescriptions()
{
    bool allBeforeAreDone = true;
    for (const CallId &call : m_message) {
        Entry &entry = m_calls[call];
        if (entry.willBeDescribed && !entry.slot && (entry.isReadOnly || allBeforeAreDone)) {
            entry.willBeDescribed = false;
            setWorking(entry.number, true);
        }
        allBeforeAreDone = allBeforeAreDone && entry.slot;
    }
}

void CallLog::allowed(const CallId &call)
{
    const std::lock_guard lock(m_mutex);
    m_calls[call].isAllowed = true;
    m_allowedNumbers.insert(m_calls[call].number);
}

void CallLog::forbidden(const CallId &call)
{
    const std::lock_guard lock(m_mutex);
    m_calls[call].isForbidden = true;
}

void CallLog::toldRunning(const CallId &call, bool isCancelled)
{
    const std::lock_guard lock(m_mutex);
    Entry &entry = m_calls[call];
    if (entry.slot)
        m_faults->add(u"call %1 was started after its result"_s.arg(name(call)));
    if (std::exchange(entry.wasTold, true))
        m_faults->add(u"call %1 was started twice"_s.arg(name(call)));
    entry.wasCancelledWhenTold = isCancelled;
    m_running.insert(entry.number, call);
    setWorking(entry.number, !isCancelled);
}

void CallLog::savedRunning(const CallId &call)
{
    const std::lock_guard lock(m_mutex);
    m_calls[call].wasSaved = true;
}

void CallLog::toldFinal(const CallId &call, const ToolSlot &slot)
{
    const std::lock_guard lock(m_mutex);
    Entry &entry = m_calls[call];
    if (entry.slot)
        m_faults->add(u"call %1 has two results"_s.arg(name(call)));
    entry.slot = slot;
    m_done.insert(entry.number);
    setWorking(entry.number, false);
    if (m_messageIsComplete)
        beginDescriptions();
}

void CallLog::described(int number)
{
    const std::lock_guard lock(m_mutex);
    setWorking(number, false);
}

void CallLog::waits(int number)
{
    const std::lock_guard lock(m_mutex);
    setWorking(number, false);
}

void CallLog::goesOn(int number)
{
    const std::lock_guard lock(m_mutex);
    setWorking(number, true);
}

CallId CallLog::entered(int number, bool needsApproval, bool needsSave)
{
    const std::lock_guard lock(m_mutex);
    const CallId call = m_running.value(number);
    if (call.isNull()) {
        m_faults->add(u"a tool runs for call %1 of the plan, and nobody was told"_s.arg(number));
        return call;
    }
    Entry &entry = m_calls[call];
    if (++entry.timesEntered > 1)
        m_faults->add(u"call %1 ran twice"_s.arg(name(call)));
    if (entry.wasCancelledWhenTold)
        m_faults->add(u"call %1 was started after the stop"_s.arg(name(call)));
    if (entry.isForbidden)
        m_faults->add(u"call %1 was forbidden by a policy"_s.arg(name(call)));
    if (needsApproval && !entry.isAllowed && !m_allowedNumbers.contains(number))
        m_faults->add(u"call %1 was not allowed"_s.arg(name(call)));
    if (needsSave && !entry.wasSaved)
        m_faults->add(u"call %1 ran before it was saved"_s.arg(name(call)));
    return call;
}

void CallLog::ended(const CallId &call, const Result<ToolResult> &result)
{
    const std::lock_guard lock(m_mutex);
    m_calls[call].end = result;
}

void CallLog::check(bool couldBeCut, bool couldBeStoppedAlone) const
{
    const std::lock_guard lock(m_mutex);
    for (auto it = m_calls.cbegin(); it != m_calls.cend(); ++it) {
        const Entry &entry = it.value();
        const auto fault = [&](const QString &text) {
            m_faults->add(
                u"call %1 (%2 of the plan): %3"_s.arg(name(it.key())).arg(entry.number).arg(text));
        };
        if (!entry.slot) {
            fault(u"it has no result"_s);
            continue;
        }
        const ToolState state = entry.slot->state;
        const QString stateName = toString(state);
        const bool wasCut = state == ToolState::Interrupted || state == ToolState::TimedOut
            || state == ToolState::StillRunning;
        if (entry.timesEntered > 0 && !wasStarted(state))
            fault(u"it ran, and is said not to have: "_s + stateName);
        if (entry.wasCancelledWhenTold && state != ToolState::NotRun)
            fault(u"stopped before its start, and said to be "_s + stateName);
        if (wasCut && !couldBeCut && !couldBeStoppedAlone
            && !(entry.end && entry.end->isCancelled()))
            fault(u"nobody stopped it, and it is "_s + stateName);
        if (wasStarted(state) && !entry.wasTold && state != ToolState::Failed)
            fault(u"never started, and said to be "_s + stateName);
        if (entry.number == SameNumber)
            continue;
        if ((state == ToolState::Interrupted || state == ToolState::TimedOut)
            && entry.timesEntered == 0)
            fault(u"it never ran, and is said to be "_s + stateName);
        if (state == ToolState::Finished && (!entry.end || !entry.end->ok()))
            fault(u"a result was made up"_s);
        if (!entry.end || state == ToolState::StillRunning)
            continue;
        if (entry.end->ok()) {
            const ToolState expected =
                entry.end->value().isError ? ToolState::Failed : ToolState::Finished;
            if (state != expected || entry.slot->output != entry.end->value().output)
                fault(u"its real result was lost: "_s + stateName);
        } else if (entry.end->isCancelled()) {
            if (!wasCut)
                fault(u"cancelled, and said to be "_s + stateName);
        } else if (state != ToolState::Failed) {
            fault(u"its fault was lost: "_s + stateName);
        }
    }
}

QStringList CallLog::keptOutputs() const
{
    const std::lock_guard lock(m_mutex);
    QStringList outputs;
    for (const Entry &entry : m_calls) {
        if (entry.slot && entry.slot->state == ToolState::Finished)
            outputs << entry.slot->output;
    }
    return outputs;
}

int CallLog::count(ToolState state) const
{
    const std::lock_guard lock(m_mutex);
    return int(std::ranges::count_if(
        m_calls, [&](const Entry &entry) { return entry.slot && entry.slot->state == state; }));
}

std::vector<std::shared_ptr<Tool>> plannedTools(const std::shared_ptr<ToolWorld> &world)
{
    return {std::make_shared<PlannedTool>(turnplan::ReadTool, ToolAccess::ReadOnly, false, world),
            std::make_shared<PlannedTool>(turnplan::WriteTool, ToolAccess::Writes, false, world),
            std::make_shared<PlannedTool>(turnplan::AskingTool, ToolAccess::Writes, true, world),
            std::make_shared<PlannedTool>(turnplan::SameTool, ToolAccess::Writes, false, world)};
}

QString plannedArguments(int number)
{
    return u"{\"n\": %1}"_s.arg(number);
}

int plannedNumber(const QString &arguments)
{
    return QJsonDocument::fromJson(arguments.toUtf8()).object().value("n"_L1).toInt(SameNumber);
}

} // namespace fermata
