// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/agentthreads.h"
#include "base/channel.h"
#include "base/cleanupstack.h"
#include "recordinghooks.h"
#include "support/enumcomparison.h"
#include "turnfixture.h"

#include <QTest>

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// What all journals of one test were told, in the order of the calls.
struct JournalLog
{
    std::mutex mutex;
    QStringList lines;

    void add(const QString &what, const TurnRecord &turn)
    {
        const std::lock_guard lock(mutex);
        lines << what + u' ' + turn.id.toString();
    }
    QStringList taken()
    {
        const std::lock_guard lock(mutex);
        return lines;
    }
};

class LoggingJournal final : public TurnJournal
{
public:
    explicit LoggingJournal(std::shared_ptr<JournalLog> log) : m_log(std::move(log)) { }

    Result<void> begin(const Conversation &, const TurnRecord &turn) override
    {
        if (turn.userText == u"throw")
            throw std::runtime_error("the journal is broken");
        m_log->add(u"begin"_s, turn);
        return {};
    }
    Result<void> checkpoint(const TurnRecord &) override { return {}; }
    Result<void> saveCall(const TurnRecord &, const ToolCallBlock &) override { return {}; }
    Result<void> finish(const TurnRecord &turn) override
    {
        if (turn.userText == u"throw at the end")
            throw std::runtime_error("the journal is broken");
        m_log->add(u"finish"_s, turn);
        return {};
    }

private:
    const std::shared_ptr<JournalLog> m_log;
};

// A turn for an agent, and what came of it.
class PostedTurn final
{
public:
    explicit PostedTurn(std::vector<Script> scripts = {answer(u"Hi"_s)})
        : fixture(TurnFixture::Time::Real),
          m_relay(fixture.request.turn.id, [this](const TurnEventBatch &batch) { take(batch); })
    {
        fixture.script(std::move(scripts));
    }

    void postTo(Agent *agent) { agent->post(fixture.request, fixture.control, m_relay.sender()); }

    TurnFixture fixture;
    QStringList told;
    std::optional<TurnOutcome> outcome;
    QString text;

private:
    void take(const TurnEventBatch &batch)
    {
        for (const TurnEvent &event : batch.events) {
            told << describe(event);
            if (const auto *appended = std::get_if<TextAppended>(&event))
                text += appended->text;
            if (const auto *finished = std::get_if<TurnFinished>(&event))
                outcome = finished->outcome;
        }
    }

    TurnEventRelay m_relay;
};

Script hanging()
{
    return sent() + text(u"part"_s) + Script{Hang{}};
}

} // namespace

// Turns on an agent's own thread: one after the other, each with a source of its own.
class tst_Agent : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void anIdleAgentHasNothingToCancel();
    void cancelReachesWhicheverTurnRuns();
    void aStopEndsTheWaitForTheJournalForItsTurnOnly();
    void anAgentKeepsNothingOfATurnThatEnded_data();
    void anAgentKeepsNothingOfATurnThatEnded();
    void otherAgentsGoOn();
    void aTurnBeginsAfterTheEndOfTheOneBefore();
    void aTurnThatWaitsCanBeCancelled();
    void aStopWhileTheDatabaseIsOpenedEndsTheTurn();
    void aStopForARetiredAgentIsSilent();
    void aShutdownCleansUpThoughOneHandlerThrows();
    void oneThatFailsDoesNotKeepTheOthersFromClosing();
    void whatAnUndoThrowsEndsThere_data();
    void whatAnUndoThrowsEndsThere();

private:
    std::shared_ptr<JournalLog> m_log;
    std::unique_ptr<AgentThreads> m_threads;
};

void tst_Agent::init()
{
    m_log = std::make_shared<JournalLog>();
    m_threads = std::make_unique<AgentThreads>(
        [log = m_log](const CancellationToken &) { return std::make_unique<LoggingJournal>(log); });
}

void tst_Agent::cleanup()
{
    QVERIFY(m_threads->waitForAll(std::chrono::seconds(20)));
    m_threads.reset();
}

// behaviours: 23, 24
void tst_Agent::anIdleAgentHasNothingToCancel()
{
    Agent *agent = m_threads->start();
    QVERIFY(!agent->cancel({CancellationCause::User, {}, {}, {}}));
    QVERIFY(!agent->isCancelled());
    QVERIFY(m_log->taken().isEmpty());
    PostedTurn turn;
    turn.postTo(agent);
    QTRY_VERIFY(turn.outcome);
    QCOMPARE(turn.outcome->status, TurnStatus::Completed);
    QVERIFY(!turn.outcome->stopRequested);
    QCOMPARE(turn.text, u"Hi"_s);
}

void tst_Agent::aStopEndsTheWaitForTheJournalForItsTurnOnly()
{
    const auto recovered = std::make_shared<Channel<int>>();
    const auto made = std::make_shared<std::atomic<int>>(0);
    AgentThreads threads([recovered, made, log = m_log](const CancellationToken &token) {
        (void)recovered->receive(token);
        ++*made;
        return std::make_unique<LoggingJournal>(log);
    });
    Agent *agent = threads.start();
    PostedTurn stopped;
    stopped.fixture.stop();
    stopped.postTo(agent);
    QTRY_VERIFY(stopped.outcome);
    QCOMPARE(stopped.outcome->status, TurnStatus::Stopped);
    QCOMPARE(made->load(), 1);

    PostedTurn next;
    next.postTo(agent);
    recovered->close();
    QTRY_VERIFY(next.outcome);
    QCOMPARE(next.outcome->status, TurnStatus::Completed);
    QCOMPARE(made->load(), 2); // it has waited, too
    QVERIFY(threads.waitForAll(std::chrono::seconds(20)));
}

// behaviours: 18
void tst_Agent::cancelReachesWhicheverTurnRuns()
{
    Agent *agent = m_threads->start();
    for (int round = 0; round < 3; ++round) {
        PostedTurn stopped({hanging()});
        stopped.postTo(agent);
        QTRY_COMPARE(stopped.text, u"part"_s);
        QVERIFY(agent->cancel({CancellationCause::External, u"enough"_s, {}, {}}));
        QVERIFY(!agent->cancel({CancellationCause::User, u"again"_s, {}, {}}));
        QTRY_VERIFY(stopped.outcome);
        QCOMPARE(stopped.outcome->status, TurnStatus::Stopped);
        QCOMPARE(stopped.outcome->reason->text, u"enough"_s);
        QVERIFY(!agent->isCancelled()); // idle again: nothing has to be reset

        PostedTurn next;
        next.postTo(agent);
        QTRY_VERIFY(next.outcome);
        QCOMPARE(next.outcome->status, TurnStatus::Completed);
        QVERIFY(!next.fixture.control->token().isCancelled());
        QVERIFY(stopped.fixture.control->token().isCancelled());
    }
}

void tst_Agent::anAgentKeepsNothingOfATurnThatEnded_data()
{
    QTest::addColumn<QString>("ending");
    QTest::addColumn<TurnStatus>("status");
    QTest::newRow("returned") << u"return"_s << TurnStatus::Completed;
    QTest::newRow("failed") << u"fail"_s << TurnStatus::Failed;
    QTest::newRow("stopped") << u"stop"_s << TurnStatus::Stopped;
    QTest::newRow("threw") << u"throw"_s << TurnStatus::Failed;
}

// behaviours: 19
void tst_Agent::anAgentKeepsNothingOfATurnThatEnded()
{
    QFETCH(QString, ending);
    QFETCH(TurnStatus, status);
    Agent *agent = m_threads->start();
    PostedTurn turn;
    CancellationSource external;
    turn.fixture.request.external = external.token();
    turn.fixture.request.turn.userText = ending;
    if (ending == u"fail")
        turn.fixture.script({Script{Fail{Error(ErrorCode::BadRequest, u"no"_s), {}}}});
    if (ending == u"stop")
        turn.fixture.stop();
    const std::weak_ptr<TurnControl> control = turn.fixture.control;
    const CancellationToken ended = turn.fixture.control->endToken();
    const CancellationToken token = turn.fixture.control->token();
    turn.postTo(agent);
    turn.fixture.control.reset();
    QTRY_VERIFY(turn.outcome);
    QCOMPARE(turn.outcome->status, status);
    QTRY_VERIFY(control.expired());
    QVERIFY(ended.isCancelled());
    external.cancel(CancellationCause::External);
    QCOMPARE(token.isCancelled(), ending == u"stop");
    QVERIFY(!agent->cancel({CancellationCause::User, {}, {}, {}}));
}

// behaviours: 20
void tst_Agent::otherAgentsGoOn()
{
    auto gate = std::make_shared<Gate>();
    PostedTurn first({hanging()});
    PostedTurn second({sent() + text(u"own "_s) + Script{Call{[gate] { (void)gate->wait(); }}}
                       + text(u"answer"_s) + done()});
    Agent *firstAgent = m_threads->start();
    first.postTo(firstAgent);
    second.postTo(m_threads->start());
    QTRY_COMPARE(first.text, u"part"_s);
    QTRY_COMPARE(second.text, u"own "_s);
    QVERIFY(firstAgent->cancel({CancellationCause::User, {}, {}, {}}));
    QTRY_VERIFY(first.outcome);
    gate->open();
    QTRY_VERIFY(second.outcome);
    QCOMPARE(first.outcome->status, TurnStatus::Stopped);
    QCOMPARE(second.outcome->status, TurnStatus::Completed);
    QCOMPARE(second.outcome->text, u"own answer"_s);
    QVERIFY(!second.outcome->stopRequested);
}

// behaviours: 34
void tst_Agent::aTurnBeginsAfterTheEndOfTheOneBefore()
{
    auto inTool = std::make_shared<Gate>();
    auto release = std::make_shared<Gate>();
    PostedTurn unwinding;
    unwinding.fixture.tool(std::make_shared<ScriptedTool>(
        u"slow"_s, [=](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
            inTool->open();
            (void)release->wait(); // in its grace time
            return ToolResult{u"real"_s, false, {}, {}};
        }));
    unwinding.fixture.script({sent() + toolCall(u"slow"_s) + done()});
    unwinding.fixture.request.toolGrace = std::chrono::minutes(1);
    Agent *agent = m_threads->start();
    unwinding.postTo(agent);
    QVERIFY(inTool->wait());
    QVERIFY(unwinding.fixture.stop());

    bool endedBefore = false;
    PostedTurn next;
    next.fixture.script({Script{Call{[&] { endedBefore = unwinding.fixture.control->hasEnded(); }}}
                         + answer(u"Hi"_s)});
    next.postTo(agent);
    const QString begun = u"begin "_s + next.fixture.request.turn.id.toString();
    QVERIFY(!m_log->taken().contains(begun));
    release->open();
    QTRY_VERIFY(next.outcome);
    QVERIFY(unwinding.outcome);
    QCOMPARE(unwinding.outcome->status, TurnStatus::Stopped);
    QCOMPARE(unwinding.outcome->tools.finished, 1);
    QVERIFY(endedBefore);
    const QStringList log = m_log->taken();
    QCOMPARE(log.indexOf(begun),
             log.indexOf(u"finish "_s + unwinding.fixture.request.turn.id.toString()) + 1);
}

// behaviours: 114
void tst_Agent::aTurnThatWaitsCanBeCancelled()
{
    Agent *agent = m_threads->start();
    PostedTurn running({hanging()});
    PostedTurn waiting;
    running.postTo(agent);
    QTRY_COMPARE(running.text, u"part"_s);
    waiting.postTo(agent);
    QVERIFY(waiting.fixture.control->cancel({CancellationCause::External, {}, {}, {}}));
    QVERIFY(!waiting.outcome);
    QVERIFY(!running.fixture.control->token().isCancelled());
    running.fixture.stop();
    QTRY_VERIFY(waiting.outcome);
    QCOMPARE(waiting.outcome->status, TurnStatus::Stopped);
    QCOMPARE(waiting.outcome->phase, TurnPhase::Initialization);
    QCOMPARE(waiting.outcome->iterations, 0);
    QVERIFY(waiting.fixture.provider->requests().empty());
    // Nothing is left to cancel.
    QVERIFY(!waiting.fixture.control->cancel({CancellationCause::External, {}, {}, {}}));
    QCOMPARE(waiting.fixture.control->lateCalls(), 1);
}

// behaviours: 26
void tst_Agent::aStopWhileTheDatabaseIsOpenedEndsTheTurn()
{
    auto opening = std::make_shared<Gate>();
    AgentThreads threads([opening, log = m_log](const CancellationToken &token) {
        opening->open();
        Channel<int> nothing;
        (void)nothing.receive(token); // until it is stopped
        return std::make_unique<LoggingJournal>(log);
    });
    PostedTurn turn;
    turn.postTo(threads.start());
    QVERIFY(opening->wait());
    QVERIFY(turn.fixture.stop());
    QTRY_VERIFY(turn.outcome);
    QCOMPARE(turn.outcome->status, TurnStatus::Stopped);
    QCOMPARE(turn.outcome->phase, TurnPhase::Initialization);
    QCOMPARE(turn.outcome->iterations, 0);
    QVERIFY(!turn.outcome->sent);
    QVERIFY(turn.fixture.provider->requests().empty());
    QVERIFY(m_log->taken().contains(u"finish "_s + turn.fixture.request.turn.id.toString()));
    QVERIFY(threads.waitForAll(std::chrono::seconds(20)));
}

// behaviours: 36
void tst_Agent::aStopForARetiredAgentIsSilent()
{
    Agent *agent = m_threads->start();
    PostedTurn turn;
    turn.postTo(agent);
    QTRY_VERIFY(turn.outcome);
    m_threads->retire(agent);
    QVERIFY(m_threads->waitForAll(std::chrono::seconds(20)));
    const QStringList told = turn.told;
    const QStringList log = m_log->taken();
    QVERIFY(!turn.fixture.stop());
    turn.fixture.control->force();
    QCoreApplication::processEvents();
    QCOMPARE(turn.told, told);
    QCOMPARE(m_log->taken(), log);
    QVERIFY(!turn.fixture.control->token().isCancelled());
}

// behaviours: 230
void tst_Agent::aShutdownCleansUpThoughOneHandlerThrows()
{
    QVERIFY(m_threads->waitForAll(std::chrono::seconds(20))); // nothing runs: at once

    HookLog cleaned;
    std::vector<std::unique_ptr<PostedTurn>> turns;
    for (int i = 0; i < 3; ++i) {
        auto turn = std::make_unique<PostedTurn>(std::vector<Script>{hanging()});
        const auto patience = std::chrono::seconds(60);
        CleanupLimits limits;
        limits.handler = limits.graceful = limits.forced = patience;
        turn->fixture.request.cleanup = std::make_shared<CleanupStack>(limits);
        const auto add = [&](const QString &name, bool throws) {
            turn->fixture.request.cleanup->add(
                name, [&cleaned, name, throws](const CancellationToken &) -> Result<void> {
                    if (throws)
                        throw std::runtime_error("broken handler");
                    cleaned.add(name);
                    return {};
                });
        };
        add(u"first of %1"_s.arg(i), false);
        add(u"broken"_s, i == 1);
        add(u"last of %1"_s.arg(i), false);
        turn->postTo(m_threads->start());
        turns.push_back(std::move(turn));
    }
    for (const auto &turn : turns)
        QTRY_COMPARE(turn->text, u"part"_s);
    for (const auto &turn : turns)
        turn->fixture.stop(CancellationCause::ApplicationQuit);
    QVERIFY(m_threads->waitForAll(std::chrono::seconds(20)));
    for (int i = 0; i < 3; ++i) {
        QCOMPARE(cleaned.count(u"first of %1"_s.arg(i)), 1);
        QCOMPARE(cleaned.count(u"last of %1"_s.arg(i)), 1);
        QTRY_VERIFY(turns[size_t(i)]->outcome);
        QCOMPARE(turns[size_t(i)]->outcome->cleanupCompleted, i != 1);
        QCOMPARE(turns[size_t(i)]->outcome->reason->cause, CancellationCause::ApplicationQuit);
    }
    QCOMPARE(cleaned.count(u"broken"_s), 2);
    const QStringList log = m_log->taken();
    QVERIFY(m_threads->waitForAll(std::chrono::milliseconds(0))); // again: nothing left to do
    QCOMPARE(m_log->taken(), log);
}

// behaviours: 231
void tst_Agent::oneThatFailsDoesNotKeepTheOthersFromClosing()
{
    std::vector<std::unique_ptr<PostedTurn>> turns;
    std::vector<Agent *> agents;
    for (int i = 0; i < 3; ++i) {
        auto turn = std::make_unique<PostedTurn>(std::vector<Script>{hanging()});
        if (i == 1)
            turn->fixture.request.turn.userText = u"throw at the end"_s;
        agents.push_back(m_threads->start());
        turn->postTo(agents.back());
        turns.push_back(std::move(turn));
    }
    for (const auto &turn : turns)
        QTRY_COMPARE(turn->text, u"part"_s);
    for (size_t i = 0; i < turns.size(); ++i) {
        turns[i]->fixture.stop(CancellationCause::WindowClosed);
        m_threads->retire(agents[i]);
    }
    QVERIFY(m_threads->waitForAll(std::chrono::seconds(20)));
    for (size_t i = 0; i < turns.size(); ++i) {
        QTRY_VERIFY(turns[i]->outcome);
        QCOMPARE(turns[i]->told.filter(u"TurnFinished"_s).size(), 1);
        QCOMPARE(turns[i]->outcome->status, i == 1 ? TurnStatus::Failed : TurnStatus::Stopped);
        const QString end = u"finish "_s + turns[i]->fixture.request.turn.id.toString();
        QCOMPARE(m_log->taken().count(end), i == 1 ? 0 : 1);
    }
}

namespace {

class BrokenUndo final : public Tool
{
public:
    explicit BrokenUndo(bool cancels) : m_cancels(cancels) { m_spec.name = u"broken"_s; }

    const ToolSpec &spec() const override { return m_spec; }
    Result<ApprovalRequest> describe(const QJsonObject &, const QString &) const override
    {
        return ApprovalRequest();
    }
    QString summary(const QJsonObject &) const override { return {}; }
    Result<ToolResult> run(const QJsonObject &, ToolContext &) override { return ToolResult(); }
    Result<void> undo(const QJsonObject &, const QString &) override
    {
        if (m_cancels)
            throw CancellationError(TurnPhase::ToolCalls); // no std::exception
        throw std::runtime_error("broken");
    }

private:
    const bool m_cancels;
    ToolSpec m_spec;
};

} // namespace

void tst_Agent::whatAnUndoThrowsEndsThere_data()
{
    QTest::addColumn<bool>("cancels");
    QTest::newRow("exception") << false;
    QTest::newRow("cancellation") << true;
}

void tst_Agent::whatAnUndoThrowsEndsThere()
{
    QFETCH(bool, cancels);
    Agent *agent = m_threads->start();
    Channel<UndoEnd> ends;
    agent->postUndo({std::make_shared<BrokenUndo>(cancels), {}, {}, {}},
                    [&](const UndoEnd &end) { ends.send(end); });
    const auto end = ends.receive({}, steadyClock().now() + std::chrono::seconds(20));
    QVERIFY(end.value);
    QVERIFY(!end.value->undone.ok());
    QVERIFY(!end.value->saved);
    QVERIFY(m_log->taken().isEmpty());
    PostedTurn next; // the agent is as it was
    next.postTo(agent);
    QTRY_VERIFY(next.outcome);
    QCOMPARE(next.outcome->status, TurnStatus::Completed);
}

QTEST_GUILESS_MAIN(tst_Agent)
#include "tst_agent.moc"
