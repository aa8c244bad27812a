// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/channel.h"
#include "recordinghooks.h"
#include "support/enumcomparison.h"
#include "support/logrecorder.h"
#include "turnfixture.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

CancellationReason byUser(const QString &text = {})
{
    return {CancellationCause::User, text, {}, {}};
}

struct ObserverFixture : TurnFixture
{
    explicit ObserverFixture(Time time = Time::Still) : TurnFixture(time)
    {
        request.hooks.addObserver(observer);
        onEvent = [this](const TurnEvent &event) {
            if (std::holds_alternative<TurnFinished>(event))
                log.add(u"TurnFinished"_s);
        };
    }

    ScriptStep stopping(const QString &text = {})
    {
        return Call{[this, text] { control->stop(byUser(text)); }};
    }

    HookLog log;
    std::shared_ptr<RecordingObserver> observer = std::make_shared<RecordingObserver>(log);
};

} // namespace

class tst_TurnObservers : public QObject
{
    Q_OBJECT

private slots:
    void aCancelledTurnIsToldOnceBeforeItsEnd();
    void everyEndIsToldOnce_data();
    void everyEndIsToldOnce();
    void everyStartHasItsEnd();
    void eventsPairUpById();
    void theBudgetIsToldOnce();
    void anObserverThatThrowsHarmsNothing();
    void anObserverThatHangsIsLeftBehind();
    void aSlowObserverOfAStoppedTurnSharesItsTime();
    void aSlowObserverTakesNothingOfAToolsTime();
    void aTimeLimitFiresInAnObserver();
    void removingOneTwiceIsHarmless();
};

// behaviours: 130
void tst_TurnObservers::aCancelledTurnIsToldOnceBeforeItsEnd()
{
    ObserverFixture fixture;
    HookLog otherLog;
    const auto other = std::make_shared<RecordingObserver>(otherLog);
    fixture.request.hooks.addObserver(other);
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)));
    fixture.script({sent() + toolCall(u"look"_s) + done(),
                    sent() + text(u"half"_s)
                        + Script{fixture.stopping(u"enough"_s), fixture.stopping(u"more"_s)}
                        + done()});
    QCOMPARE(fixture.run().status, TurnStatus::Stopped);
    const QStringList lines = fixture.log.lines();
    QCOMPARE(lines.mid(lines.size() - 3),
             QStringList({u"cancelled 2 user enough"_s, u"turn Stopped"_s, u"TurnFinished"_s}));
    QCOMPARE(lines.filter(u"cancelled 2"_s).size(), 1);
    QCOMPARE(otherLog.lines().filter(u"cancelled 2"_s).size(), 1);
    QCOMPARE(fixture.observer->cancelledTurn, fixture.request.turn.id);
}

void tst_TurnObservers::everyEndIsToldOnce_data()
{
    QTest::addColumn<int>("end");
    QTest::addColumn<TurnStatus>("status");
    QTest::addColumn<bool>("cancelled");
    QTest::newRow("completed") << 0 << TurnStatus::Completed << false;
    QTest::newRow("stopped") << 1 << TurnStatus::Stopped << true;
    QTest::newRow("stopped before the start") << 2 << TurnStatus::Stopped << true;
    QTest::newRow("timed out") << 3 << TurnStatus::TimedOut << true;
    QTest::newRow("failed") << 4 << TurnStatus::Failed << false;
    QTest::newRow("limit") << 5 << TurnStatus::LimitReached << false;
}

// behaviours: 130, 132
void tst_TurnObservers::everyEndIsToldOnce()
{
    QFETCH(int, end);
    QFETCH(TurnStatus, status);
    QFETCH(bool, cancelled);
    ObserverFixture fixture;
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)));
    switch (end) {
    case 1:
        fixture.script({sent() + Script{fixture.stopping()} + done()});
        break;
    case 2:
        fixture.control->stop(byUser());
        break;
    case 3:
        fixture.script(
            {sent()
             + Script{Call{[&] { fixture.manualClock.advance(std::chrono::hours(1)); }}, Hang{}}});
        break;
    case 4:
        fixture.script({sent() + Script{Fail{Error(ErrorCode::ServerError, u"broke"_s), {}}}});
        break;
    case 5:
        fixture.request.limits.outputTokens = 1;
        fixture.script({sent() + toolCall(u"look"_s) + done()});
        break;
    default:
        break;
    }
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, status);
    QCOMPARE(outcome.isCancelled(), cancelled);
    const QStringList lines = fixture.log.lines();
    QCOMPARE(lines.front(), u"turn started"_s);
    QCOMPARE(lines.count(u"turn started"_s), 1);
    QCOMPARE(lines.count(u"turn "_s + toString(status)), 1);
    QCOMPARE(lines.count(u"TurnFinished"_s), 1);
    QCOMPARE(lines.filter(u"cancelled "_s).size(), cancelled ? 1 : 0);
    QCOMPARE(lines.mid(lines.size() - 2),
             QStringList({u"turn "_s + toString(status), u"TurnFinished"_s}));
}

// behaviours: 132, 140
void tst_TurnObservers::everyStartHasItsEnd()
{
    ObserverFixture fixture;
    fixture.request.retries = 1;
    fixture.tool(std::make_shared<ScriptedTool>(
        u"first"_s, [&](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
            fixture.control->stop(byUser());
            return ToolResult{u"real"_s, false, {}, {}};
        }));
    fixture.tool(std::make_shared<ScriptedTool>(u"second"_s, returns({})));
    fixture.script({Script{Fail{Error(ErrorCode::RateLimited, u"busy"_s),
                                {true, std::chrono::milliseconds(0)}}},
                    sent() + toolCall(u"first"_s) + toolCall(u"second"_s) + done()});
    QCOMPARE(fixture.run().status, TurnStatus::Stopped);
    QCOMPARE(
        fixture.log.lines(),
        QStringList({u"turn started"_s, u"model started"_s, u"model failed"_s, u"model started"_s,
                     u"model succeeded"_s, u"tool started first"_s, u"tool Finished"_s,
                     u"cancelled 1 user"_s, u"turn Stopped"_s, u"TurnFinished"_s}));
}

// behaviours: 140
void tst_TurnObservers::eventsPairUpById()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.tool(std::make_shared<ScriptedTool>(
        u"first"_s, [&](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
            fixture.control->stop(byUser());
            return ToolResult{u"real"_s, false, {}, {}};
        }));
    fixture.script(
        {sent() + toolCall(u"first"_s) + toolCall(u"unknown"_s) + toolCall(u"first"_s) + done()});
    QStringList started;
    QStringList finished;
    QStringList turns;
    fixture.onEvent = [&](const TurnEvent &event) {
        if (const auto *start = std::get_if<TurnStarted>(&event))
            turns << u"started "_s + start->record.id.toString();
        else if (const auto *end = std::get_if<TurnFinished>(&event))
            turns << u"finished "_s + end->outcome.turn.toString();
        else if (const auto *changed = std::get_if<ToolStateChanged>(&event)) {
            if (changed->slot.state == ToolState::Running)
                started << changed->call.toString();
            else if (isFinal(changed->slot.state))
                finished << changed->call.toString();
        }
    };
    QCOMPARE(fixture.run().status, TurnStatus::Stopped);
    const QString id = fixture.request.turn.id.toString();
    QCOMPARE(turns, QStringList({u"started "_s + id, u"finished "_s + id}));
    const auto calls = fixture.calls();
    QCOMPARE(started, QStringList(calls.front().id.toString()));
    QCOMPARE(finished.size(), 3); // those that never started have only their finish
    for (const ToolCallBlock &call : calls)
        QCOMPARE(finished.count(call.id.toString()), 1);
}

// behaviours: 257
void tst_TurnObservers::theBudgetIsToldOnce()
{
    ObserverFixture fixture;
    fixture.request.limits.totalTokens = 1;
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)));
    fixture.script({sent() + toolCall(u"look"_s) + done()});
    QCOMPARE(fixture.run().status, TurnStatus::LimitReached);
    QCOMPARE(fixture.log.count(u"budget tokenBudget"_s), 1);
}

// behaviours: 141
void tst_TurnObservers::anObserverThatThrowsHarmsNothing()
{
    const LogRecorder recorder;
    ObserverFixture fixture;
    HookLog otherLog;
    fixture.request.hooks.addObserver(std::make_shared<RecordingObserver>(otherLog));
    fixture.observer->also = [](const QString &line) {
        if (line.startsWith(u"model"))
            throw std::runtime_error("broken observer");
        throw 7;
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QVERIFY(outcome.isAnswer());
    // Called all the same, each time, and so is the next one.
    const QStringList all{u"turn started"_s, u"model started"_s, u"model succeeded"_s,
                          u"turn Completed"_s};
    QCOMPARE(fixture.log.lines(), all + QStringList(u"TurnFinished"_s));
    QCOMPARE(otherLog.lines(), all);
    QCOMPARE(LogRecorder::lines().filter(u"observer 1"_s).size(), 4);
    QCOMPARE(LogRecorder::lines().filter(u"broken observer"_s).size(), 2);
}

// behaviours: 141, 144
void tst_TurnObservers::anObserverThatHangsIsLeftBehind()
{
    const LogRecorder recorder;
    ObserverFixture fixture;
    HookLog otherLog;
    fixture.request.hooks.addObserver(std::make_shared<RecordingObserver>(otherLog));
    const auto release = std::make_shared<Channel<int>>();
    fixture.observer->also = [&fixture, release](const QString &) {
        fixture.manualClock.advance(std::chrono::seconds(5)); // the hook limit
        (void)release->receive();
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(fixture.log.lines(), QStringList({u"turn started"_s, u"TurnFinished"_s}));
    QCOMPARE(otherLog.lines().size(), 4);
    release->close();
    QTRY_COMPARE(LogRecorder::lines().filter(u"observer 1 ended late"_s).size(), 1);
}

// behaviours: 144
void tst_TurnObservers::aSlowObserverOfAStoppedTurnSharesItsTime()
{
    const LogRecorder recorder;
    ObserverFixture fixture;
    HookLog otherLog;
    const auto other = std::make_shared<RecordingObserver>(otherLog);
    fixture.request.hooks.addObserver(other);
    const auto release = std::make_shared<Channel<int>>();
    // Each of both would wait for ever; the time is the test's.
    fixture.observer->also = [&fixture, release](const QString &line) {
        if (!line.startsWith(u"cancelled"))
            return;
        fixture.manualClock.advance(std::chrono::seconds(5));
        (void)release->receive();
    };
    other->also = [&fixture, release](const QString &line) {
        if (!line.startsWith(u"cancelled"))
            return;
        fixture.manualClock.advance(std::chrono::milliseconds(100));
        (void)release->receive();
    };
    fixture.script({sent() + Script{fixture.stopping()} + done()});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    // The hook limit, and a last moment for who was not to blame.
    QCOMPARE(*outcome.timeToStop, std::chrono::milliseconds(5100));
    QCOMPARE(otherLog.lines().filter(u"cancelled 1"_s).size(), 1);
    release->close();
    QTRY_COMPARE(LogRecorder::lines().filter(u"ended late"_s).size(), 2);
}

// behaviours: 141, 150
void tst_TurnObservers::aSlowObserverTakesNothingOfAToolsTime()
{
    ObserverFixture fixture;
    fixture.request.limits.tool = std::chrono::seconds(2);
    fixture.observer->also = [&](const QString &line) {
        if (line.startsWith(u"tool started"))
            fixture.manualClock.advance(std::chrono::seconds(4));
    };
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)));
    fixture.script({sent() + toolCall(u"look"_s) + done(), answer(u"Done."_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(fixture.slot(u"look"_s).state, ToolState::Finished);
    QCOMPARE(fixture.slot(u"look"_s).output, u"seen"_s);
    QCOMPARE(fixture.slot(u"look"_s).duration, std::chrono::milliseconds(0));
}

// behaviours: 141, 149
void tst_TurnObservers::aTimeLimitFiresInAnObserver()
{
    ObserverFixture fixture;
    fixture.request.limits.turn = std::chrono::seconds(2);
    std::optional<ChannelWait> end;
    fixture.observer->also = [&](const QString &line) {
        if (line != u"model started")
            return;
        fixture.manualClock.advance(std::chrono::seconds(2));
        Channel<int> nothing;
        end = nothing
                  .receive(fixture.control->token(), steadyClock().now() + std::chrono::seconds(20))
                  .end;
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(end, std::optional(ChannelWait::Cancelled)); // while the observer still runs
    QCOMPARE(outcome.status, TurnStatus::TimedOut);
    QCOMPARE(outcome.reason->cause, CancellationCause::TurnLimit);
    QVERIFY(fixture.provider->requests().empty());

    // What runs out when the turn is over has nothing to end any more.
    ObserverFixture over;
    over.request.limits.turn = std::chrono::seconds(2);
    over.observer->also = [&](const QString &line) {
        if (line == u"turn Completed")
            over.manualClock.advance(std::chrono::seconds(3));
    };
    QCOMPARE(over.run().status, TurnStatus::Completed);
    QVERIFY(!over.control->token().isCancelled());
}

// behaviours: 143
void tst_TurnObservers::removingOneTwiceIsHarmless()
{
    ObserverFixture fixture;
    HookLog log;
    const auto id = fixture.request.hooks.addObserver(std::make_shared<RecordingObserver>(log));
    QVERIFY(fixture.request.hooks.remove(id));
    QVERIFY(!fixture.request.hooks.remove(id));
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QVERIFY(log.lines().isEmpty());
    QCOMPARE(fixture.log.lines().size(), 5);
}

QTEST_GUILESS_MAIN(tst_TurnObservers)
#include "tst_turnobservers.moc"
