// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/agent.h"

#include "agent/foreigncall.h"
#include "agent/turn.h"
#include "base/logging.h"

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

// What a turn ends with that a fault of ours has broken off: the window must never wait for an end that does not come.
TurnOutcome brokenOutcome(const TurnId &turn, const QString &detail)
{
    TurnOutcome outcome;
    outcome.turn = turn;
    outcome.status = TurnStatus::Failed;
    outcome.stopReason = StopReason::Error;
    outcome.partial = true;
    outcome.saved = false;
    outcome.error = Error(
        ErrorCode::Internal,
        u"Fermata made a mistake and had to end this turn. What had arrived is kept."_s, detail);
    outcome.startedAt = outcome.endedAt = QDateTime::currentDateTimeUtc();
    return outcome;
}

} // namespace

Agent::Agent(JournalFactory makeJournal)
    : m_makeJournal(std::move(makeJournal)),
      m_jobs(new Mailbox<std::variant<Job, SaveJob, UndoJob>>([this](const auto &jobs) {
          for (const auto &item : jobs)
              std::visit([this](const auto &job) { this->handle(job); }, item);
      }))
{
    m_jobs->setParent(this);
}

Agent::~Agent() = default;

void Agent::post(TurnRequest request, std::shared_ptr<TurnControl> control,
                 TurnEventRelay::Sender sender)
{
    m_jobs->post(Job{std::move(request), std::move(control), std::move(sender)});
}

void Agent::postSave(TurnRecord record, Conversation conversation, std::function<void(bool)> done)
{
    m_jobs->post(SaveJob{std::move(record), std::move(conversation), std::move(done)});
}

bool Agent::cancel(CancellationReason reason)
{
    std::shared_ptr<TurnControl> running;
    {
        const std::lock_guard lock(m_mutex);
        running = m_running;
    }
    return running && running->cancel(std::move(reason));
}

bool Agent::isCancelled() const
{
    const std::lock_guard lock(m_mutex);
    return m_running && m_running->isStopping();
}

void Agent::postUndo(UndoRequest request, std::function<void(const UndoEnd &)> done)
{
    m_jobs->post(UndoJob{std::move(request), std::move(done)});
}

void Agent::handle(const Job &job)
{
    auto sender = job.sender;
    run(job.request, job.control, sender);
}

void Agent::handle(const UndoJob &job)
{
    UndoEnd end{Error(ErrorCode::Internal, u"The change could not be undone."_s), false};
    const auto fault = faultOf([&] {
        end.undone = job.request.tool->undo(job.request.undo, job.request.workspace);
        if (end.undone)
            end.saved = journal({}).finish(job.request.turn).ok();
    });
    if (fault)
        qCCritical(lcTurn).noquote() << "an undo was broken off:" << *fault;
    job.done(end);
}

void Agent::handle(const SaveJob &job)
{
    bool isSaved = false;
    const auto fault = faultOf([&] {
        auto saved = journal({}).finish(job.record);
        // Only a turn that is not there is begun: that makes it the conversation's last one, which it may no longer be.
        if (!saved.ok() && saved.error().code == ErrorCode::NotFound
            && journal({}).begin(job.conversation, job.record).ok())
            saved = journal({}).finish(job.record);
        isSaved = saved.ok();
    });
    if (fault)
        qCCritical(lcTurn).noquote() << "a save was broken off:" << *fault;
    job.done(isSaved);
}

void Agent::run(const TurnRequest &request, const std::shared_ptr<TurnControl> &control,
                TurnEventRelay::Sender &sender)
{
    bool finished = false;
    const auto sink = [&](const TurnEvent &event) {
        finished = finished || std::holds_alternative<TurnFinished>(event);
        sender.send(event);
    };
    setRunning(control);
    const bool hadJournal = m_journal != nullptr;
    const auto fault =
        faultOf([&] { Turn(request, control, journal(control->token()), sink).run(); });
    if (!finished) {
        const QString why = fault.value_or(QString());
        qCCritical(lcTurn).noquote() << "a turn was broken off:" << why;
        sender.send(TurnFinished{brokenOutcome(request.turn.id, why)});
    }
    // Made in a turn that was stopped, it may not have waited for what comes before all turns: the next one's does.
    if (!hadJournal && control->token().isCancelled())
        m_journal.reset();
    setRunning(nullptr);
}

// What it was is let go of without the lock: its end calls out.
void Agent::setRunning(std::shared_ptr<TurnControl> control)
{
    {
        const std::lock_guard lock(m_mutex);
        m_running.swap(control);
    }
    control.reset();
}

TurnJournal &Agent::journal(const CancellationToken &token)
{
    if (!m_journal)
        m_journal = m_makeJournal(token);
    return *m_journal;
}

} // namespace fermata
