// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/channel.h"
#include "base/cleanupstack.h"
#include "support/eventlog.h"
#include "support/logrecorder.h"
#include "support/manualclock.h"

#include <QtTest>

#include <atomic>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

CancellationToken cancelledToken()
{
    const CancellationSource source;
    source.cancel(CancellationCause::User, u"enough"_s);
    return source.token();
}

CleanupLimits limitsOn(const ManualClock &clock)
{
    CleanupLimits limits;
    limits.clock = &clock;
    return limits;
}

} // namespace

class TestCleanupStack final : public QObject
{
    Q_OBJECT

private slots:
    void handlersRunInReverseAfterTheFlag();
    void failingHandlerDoesNotHoldTheOthers_data();
    void failingHandlerDoesNotHoldTheOthers();
    void nothingRegisteredIsCompleted();
    void switchedOffNoHandlerRuns();
    void completedTurnRunsNoHandler();
    void removedHandlerDoesNotRun();
    void hangingHandlerIsLeftBehindAndTheNextRuns();
    void limitOfAHandlerIsCancelledWhenItsTimeIsOver();
    void handlerMayHaveALimitOfItsOwn();
    void gracefulLimitBeginsTheForcedStep();
    void forcedStepMayEndTheHandlerItWaitsFor();
    void failingForcedStepIsNoted();
    void forcedLimitLeavesTheRestBehind();
    void hangingForcedStepIsLeftBehind();
    void lateEndIsOnlyALogLine();
    void whatAHandlerCapturedIsGoneWhenItHasEnded();
    void runsOnce();
    void secondCallWaitsForTheFirst();
    void handlersMayBeAddedAndRemovedByAnyThread();
};

void TestCleanupStack::handlersRunInReverseAfterTheFlag()
{
    // behaviours: 217
    EventLog log;
    const CancellationSource source;
    CleanupStack stack;
    for (int i = 1; i <= 3; ++i) {
        stack.add(QString::number(i), [&, i, token = source.token()](const auto &) -> Result<void> {
            log.add(QString::number(i)
                    + (token.isCancelled() ? u" after the flag"_s : u" early"_s));
            return {};
        });
    }
    source.cancel(CancellationCause::User);
    const CleanupReport report = stack.run(source.token());
    QCOMPARE(log.events(),
             QStringList({u"3 after the flag"_s, u"2 after the flag"_s, u"1 after the flag"_s}));
    QVERIFY(report.cleanupCompleted);
    QVERIFY(report.failed.isEmpty() && report.detached.isEmpty() && report.notRun.isEmpty());
    QVERIFY(!report.gracefulTimeout);
}

void TestCleanupStack::failingHandlerDoesNotHoldTheOthers_data()
{
    QTest::addColumn<QString>("fault");
    for (const char *fault : {"error", "exception", "number", "cancellation", "cancelled result"})
        QTest::newRow(fault) << QString::fromLatin1(fault);
}

void TestCleanupStack::failingHandlerDoesNotHoldTheOthers()
{
    // behaviours: 218
    QFETCH(QString, fault);
    EventLog log;
    CleanupStack stack;
    const auto fine = [&](const auto &) -> Result<void> {
        log.add(u"fine"_s);
        return {};
    };
    stack.add(u"first"_s, fine);
    stack.add(u"broken"_s, [&](const auto &) -> Result<void> {
        log.add(fault);
        if (fault == u"exception")
            throw std::runtime_error("broken");
        if (fault == u"number")
            throw 7;
        if (fault == u"cancellation")
            throw CancellationError(TurnPhase::Cleanup);
        if (fault == u"cancelled result")
            return CancellationError(TurnPhase::Cleanup);
        return Error(ErrorCode::Io, u"broken"_s);
    });
    stack.add(u"last"_s, fine);
    const LogRecorder recorder;
    const CleanupReport report = stack.run(cancelledToken());
    QCOMPARE(log.events(), QStringList({u"fine"_s, fault, u"fine"_s}));
    QVERIFY(!report.cleanupCompleted);
    QCOMPARE(report.failed, QStringList(u"broken"_s));
    QVERIFY(report.detached.isEmpty());
    QVERIFY(!report.gracefulTimeout);
    QCOMPARE(LogRecorder::take().filter(u"\"broken\" failed"_s).size(), 1);
}

void TestCleanupStack::nothingRegisteredIsCompleted()
{
    // behaviours: 219
    bool forced = false;
    CleanupStack stack;
    const CleanupReport report = stack.run(cancelledToken(), [&] { forced = true; });
    QVERIFY(report.cleanupCompleted);
    QVERIFY(!report.gracefulTimeout);
    QVERIFY(!forced);
}

void TestCleanupStack::switchedOffNoHandlerRuns()
{
    // behaviours: 220
    const auto resource = std::make_shared<int>(0);
    CleanupLimits limits;
    limits.cleanupOnCancel = false;
    CleanupStack stack(limits);
    stack.add(u"first"_s, [resource](const auto &) -> Result<void> {
        ++*resource;
        return {};
    });
    stack.add(u"second"_s, [](const auto &) -> Result<void> { return {}; });
    const CleanupReport report = stack.run(cancelledToken());
    QCOMPARE(*resource, 0);
    QCOMPARE(resource.use_count(), 1); // what the handlers held is released all the same
    QVERIFY(!report.cleanupCompleted);
    QCOMPARE(report.notRun, QStringList({u"second"_s, u"first"_s}));

    CleanupStack empty(limits);
    QVERIFY(empty.run(cancelledToken()).cleanupCompleted);
}

void TestCleanupStack::completedTurnRunsNoHandler()
{
    // behaviours: 221
    const auto resource = std::make_shared<int>(0);
    const CancellationSource source;
    CleanupStack stack;
    stack.add(u"handler"_s, [resource](const auto &) -> Result<void> {
        ++*resource;
        return {};
    });
    const CleanupReport report = stack.run(source.token());
    QVERIFY(report.cleanupCompleted);
    QVERIFY(report.notRun.isEmpty());
    QCOMPARE(*resource, 0);
    QCOMPARE(resource.use_count(), 1);
    source.cancel(CancellationCause::User); // too late
    stack.run(source.token());
    QCOMPARE(*resource, 0);
}

void TestCleanupStack::removedHandlerDoesNotRun()
{
    // behaviours: 222
    EventLog log;
    CleanupStack stack;
    const auto logging = [&](const QString &name) {
        return [&log, name](const auto &) -> Result<void> {
            log.add(name);
            return {};
        };
    };
    stack.add(u"first"_s, logging(u"first"_s));
    const auto second = stack.add(u"second"_s, logging(u"second"_s));
    stack.add(u"third"_s, logging(u"third"_s));
    QVERIFY(stack.remove(second));
    QVERIFY(!stack.remove(second));
    QVERIFY(stack.run(cancelledToken()).cleanupCompleted);
    QCOMPARE(log.events(), QStringList({u"third"_s, u"first"_s}));
    QVERIFY(!stack.remove(second));
}

void TestCleanupStack::hangingHandlerIsLeftBehindAndTheNextRuns()
{
    // behaviours: 223
    ManualClock clock;
    EventLog log;
    const auto captured = std::make_shared<std::atomic<int>>(0);
    auto gate = std::make_shared<Channel<int>>();
    CleanupStack stack(limitsOn(clock));
    stack.add(u"next"_s, [&](const auto &) -> Result<void> {
        log.add(u"next"_s);
        return {};
    });
    stack.add(u"deaf"_s, [&clock, gate, captured](const auto &) -> Result<void> {
        clock.advance(1s);
        gate->receive();
        ++*captured; // still there, long after the stack
        return {};
    });
    const LogRecorder recorder;
    const CleanupReport report = stack.run(cancelledToken());
    QCOMPARE(log.events(), QStringList(u"next"_s));
    QCOMPARE(report.detached, QStringList(u"deaf"_s));
    QVERIFY(report.failed.isEmpty());
    QVERIFY(report.notRun.isEmpty());
    QVERIFY(!report.cleanupCompleted);
    QVERIFY(!report.gracefulTimeout);
    QCOMPARE(captured.use_count(), 2);
    gate->send(1);
    QTRY_COMPARE(captured.use_count(), 1);
    QCOMPARE(captured->load(), 1);
    QTRY_COMPARE(LogRecorder::lines().filter(u"ended late"_s).size(), 1);
}

void TestCleanupStack::limitOfAHandlerIsCancelledWhenItsTimeIsOver()
{
    // behaviours: 223
    ManualClock clock;
    auto ends = std::make_shared<Channel<CancellationReason>>();
    CleanupStack stack(limitsOn(clock));
    stack.add(u"waiting"_s, [&clock, ends](const CancellationToken &limit) -> Result<void> {
        clock.advance(1s);
        Channel<int> never;
        if (never.receive(limit).end == ChannelWait::Cancelled)
            ends->send(*limit.reason());
        return limit.check(TurnPhase::Cleanup);
    });
    const LogRecorder recorder;
    const CleanupReport report = stack.run(cancelledToken());
    QCOMPARE(report.detached, QStringList(u"waiting"_s));
    const auto end = ends->receive({}, steadyClock().now() + 60s);
    QCOMPARE(end.end, ChannelWait::Received);
    QVERIFY(isTimeLimit(end.value->cause));
    QTRY_COMPARE(LogRecorder::lines().filter(u"ended late"_s).size(), 1);
}

void TestCleanupStack::handlerMayHaveALimitOfItsOwn()
{
    ManualClock clock;
    CleanupStack stack(limitsOn(clock));
    stack.add(
        u"slow"_s,
        [&](const auto &) -> Result<void> {
            clock.advance(3s);
            return {};
        },
        4s);
    const CleanupReport report = stack.run(cancelledToken());
    QVERIFY(report.cleanupCompleted);
    QVERIFY(!report.gracefulTimeout);
}

void TestCleanupStack::gracefulLimitBeginsTheForcedStep()
{
    // behaviours: 224, 301
    ManualClock clock;
    EventLog log;
    CleanupStack stack(limitsOn(clock));
    stack.add(u"after"_s, [&](const auto &) -> Result<void> {
        log.add(u"after"_s);
        return {};
    });
    auto forced = std::make_shared<std::latch>(1);
    stack.add(
        u"slow"_s,
        [&, forced](const auto &) -> Result<void> {
            clock.advance(4999ms);
            log.add(u"slow"_s);
            clock.advance(1ms);
            forced->wait();
            return {};
        },
        8s);
    const CleanupReport report = stack.run(cancelledToken(), [&, forced] {
        log.add(u"forced"_s);
        forced->count_down();
    });
    QCOMPARE(log.events(), QStringList({u"slow"_s, u"forced"_s, u"after"_s}));
    QVERIFY(report.gracefulTimeout);
    QCOMPARE(report.gracefulTimeout->timeout(), 5000ms);
    QVERIFY(report.gracefulTimeout->cleanupAttempted());
    QVERIFY(!report.gracefulTimeout->cleanupCompleted());
    QCOMPARE(report.gracefulTimeout->reasonText(), u"enough"_s);
    QVERIFY(!report.cleanupCompleted);
    QVERIFY(report.failed.isEmpty() && report.detached.isEmpty() && report.notRun.isEmpty());
}

void TestCleanupStack::forcedStepMayEndTheHandlerItWaitsFor()
{
    ManualClock clock;
    auto process = std::make_shared<Channel<int>>(); // closed when "killed"
    CleanupStack stack(limitsOn(clock));
    stack.add(
        u"process"_s,
        [&clock, process](const auto &) -> Result<void> {
            clock.advance(5s);
            process->receive();
            return {};
        },
        9s);
    const CleanupReport report = stack.run(cancelledToken(), [process] { process->close(); });
    QVERIFY(report.gracefulTimeout);
    QVERIFY(report.detached.isEmpty());
    QVERIFY(!report.cleanupCompleted);
}

void TestCleanupStack::failingForcedStepIsNoted()
{
    ManualClock clock;
    CleanupStack stack(limitsOn(clock));
    stack.add(
        u"slow"_s,
        [&](const auto &) -> Result<void> {
            clock.advance(6s);
            return {};
        },
        8s);
    const LogRecorder recorder;
    const CleanupReport report =
        stack.run(cancelledToken(), [] { throw std::runtime_error("cannot kill"); });
    QVERIFY(report.gracefulTimeout);
    QCOMPARE(report.failed, QStringList(u"forced step"_s));
}

void TestCleanupStack::forcedLimitLeavesTheRestBehind()
{
    // behaviours: 225, 301
    ManualClock clock;
    std::atomic<int> started = 0;
    auto gate = std::make_shared<Channel<int>>();
    CleanupStack stack(limitsOn(clock));
    for (int i = 1; i <= 4; ++i) {
        stack.add(
            QString::number(i),
            [&clock, &started, gate](const auto &) -> Result<void> {
                ++started;
                clock.advance(5s);
                gate->receive();
                return {};
            },
            60s);
    }
    const LogRecorder recorder;
    std::atomic<int> forced = 0;
    // 4 hangs from 0 to 10 s: what advances the clock past the second limit is the forced step.
    const CleanupReport report = stack.run(cancelledToken(), [&] {
        ++forced;
        clock.advance(5s);
    });
    QCOMPARE(forced.load(), 1);
    QCOMPARE(started.load(), 1);
    QCOMPARE(report.detached.first(),
             u"4"_s); // the forced step itself may be left, too: its time is over
    QCOMPARE(report.notRun, QStringList({u"3"_s, u"2"_s, u"1"_s}));
    QVERIFY(report.gracefulTimeout);
    QVERIFY(!report.cleanupCompleted);
    gate->close();
    QTRY_COMPARE(LogRecorder::lines().filter(u"\"4\" ended late"_s).size(), 1);
}

void TestCleanupStack::hangingForcedStepIsLeftBehind()
{
    // behaviours: 225
    ManualClock clock;
    EventLog log;
    auto gate = std::make_shared<Channel<int>>();
    CleanupStack stack(limitsOn(clock));
    stack.add(
        u"after"_s,
        [&](const auto &) -> Result<void> {
            log.add(u"after"_s);
            clock.advance(5s); // up to the forced limit
            return {};
        },
        6s);
    stack.add(
        u"slow"_s,
        [&](const auto &) -> Result<void> {
            clock.advance(5s);
            return {};
        },
        8s);
    const LogRecorder recorder;
    const CleanupReport report = stack.run(cancelledToken(), [gate] { gate->receive(); });
    QCOMPARE(log.events(), QStringList(u"after"_s));
    QVERIFY(report.detached.contains(u"forced step"_s));
    QVERIFY(report.gracefulTimeout);
    gate->close();
    QTRY_VERIFY(!LogRecorder::lines().filter(u"\"forced step\" ended late"_s).isEmpty());
}

void TestCleanupStack::lateEndIsOnlyALogLine()
{
    // behaviours: 226
    ManualClock clock;
    auto gate = std::make_shared<Channel<int>>();
    const LogRecorder recorder;
    CleanupReport report;
    CleanupReport again;
    {
        CleanupStack stack(limitsOn(clock));
        stack.add(u"late"_s, [&clock, gate](const auto &) -> Result<void> {
            clock.advance(1s);
            gate->receive();
            throw std::runtime_error("and broken");
        });
        report = stack.run(cancelledToken());
        LogRecorder::take();
        gate->send(1);
        QTRY_COMPARE(LogRecorder::lines().size(), 1);
        again = stack.run(cancelledToken());
    }
    QCOMPARE(LogRecorder::take(), QStringList(u"the clean-up handler \"late\" ended late"_s));
    QCOMPARE(again.detached, report.detached);
    QVERIFY(again.failed.isEmpty());
    QVERIFY(!again.cleanupCompleted);
}

void TestCleanupStack::whatAHandlerCapturedIsGoneWhenItHasEnded()
{
    const auto resource = std::make_shared<int>(0);
    CleanupStack stack;
    for (int i = 0; i < 50; ++i)
        stack.add(u"handler"_s, [resource](const auto &) -> Result<void> { return {}; });
    QVERIFY(stack.run(cancelledToken()).cleanupCompleted);
    QCOMPARE(resource.use_count(), 1);
}

void TestCleanupStack::runsOnce()
{
    std::atomic<int> runs = 0;
    CleanupStack stack;
    const auto counting = [&](const auto &) -> Result<void> {
        ++runs;
        return Error(ErrorCode::Io, u"full"_s);
    };
    stack.add(u"handler"_s, counting);
    const LogRecorder recorder;
    QCOMPARE(stack.run(cancelledToken()).failed, QStringList(u"handler"_s));
    const auto late = stack.add(u"late"_s, counting);
    const CleanupReport second = stack.run(cancelledToken());
    QCOMPARE(runs.load(), 1);
    QCOMPARE(second.failed, QStringList(u"handler"_s));
    QVERIFY(!second.cleanupCompleted);
    QVERIFY(!stack.remove(late));
}

void TestCleanupStack::secondCallWaitsForTheFirst()
{
    std::latch entered(1);
    std::latch go(1);
    bool handlerEnded = false; // plain: the report is what orders it
    CleanupLimits limits;
    limits.handler = 60s;
    limits.graceful = 60s;
    limits.forced = 60s;
    CleanupStack stack(limits);
    stack.add(u"handler"_s, [&](const auto &) -> Result<void> {
        entered.count_down();
        go.wait();
        handlerEnded = true;
        return {};
    });
    const std::jthread first([&] { stack.run(cancelledToken()); });
    entered.wait();
    const std::jthread opener([&] { go.count_down(); });
    QVERIFY(stack.run(cancelledToken()).cleanupCompleted);
    QVERIFY(handlerEnded);
}

void TestCleanupStack::handlersMayBeAddedAndRemovedByAnyThread()
{
    std::atomic<int> runs = 0;
    CleanupStack stack;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([&] {
                for (int i = 0; i < 100; ++i) {
                    const auto id = stack.add(u"handler"_s, [&](const auto &) -> Result<void> {
                        ++runs;
                        return {};
                    });
                    if (i % 10 != 0)
                        stack.remove(id);
                }
            });
        }
    }
    QVERIFY(stack.run(cancelledToken()).cleanupCompleted);
    QCOMPARE(runs.load(), 40);
}

QTEST_GUILESS_MAIN(TestCleanupStack)
#include "tst_cleanupstack.moc"
