// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cancellation.h"
#include "support/logrecorder.h"

#include <QtTest>

#include <atomic>
#include <barrier>
#include <latch>
#include <thread>
#include <vector>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

template <typename T>
concept CanBeReset = requires(T object)
{
    object.reset();
};
static_assert(!CanBeReset<CancellationSource> && !CanBeReset<CancellationToken>);
static_assert(!std::is_copy_constructible_v<Registration>);

} // namespace

class TestCancellation final : public QObject
{
    Q_OBJECT

private slots:
    void newSourceIsNotCancelled();
    void copiesOfATokenSeeTheSameCancel();
    void defaultTokenIsNeverCancelled();
    void onlyTheFirstCancelWins();
    void firstCauseAndReasonAreKept();
    void reasonWithoutTextIsEmpty();
    void reasonIsCleanedAndGetsAUtcTime();
    void checkOfACancelledTokenReturnsTheError();
    void throwOfACancelledTokenIsNoStandardException();
    void exactlyOneOfTenThreadsWins();
    void everyThreadSeesTheCancelWhenItsCallReturns();
    void workerSeesACancelFromAnotherThread();
    void callbackHasRunOnTheCancellingThreadWhenCancelReturns();
    void callbackOfACancelledTokenRunsAtOnceAndOnce();
    void releasedRegistrationDoesNotRun();
    void movedRegistrationStillBelongsToItsCallback();
    void destroyingARegistrationWaitsForItsRunningCallback();
    void registrationDestroyedInItsOwnCallbackDoesNotWait();
    void callbackMayTakeBackAnotherOne();
    void throwingCallbackDoesNotKeepTheOthersFromRunning();
    void callbackMayUseItsOwnToken();
    void callbackMayDestroyTheLastSource();
    void newWorkNeedsANewSource();
    void destroyedSourceLeavesItsTokensAlone();
    void standardStopTokenFollows();
    void cancelAgainstDestroyRaces();
    void cancelAgainstRegisterRaces();
};

void TestCancellation::newSourceIsNotCancelled()
{
    // behaviours: 1
    const CancellationSource source;
    const CancellationToken token = source.token();
    QVERIFY(!token.isCancelled());
    QVERIFY(token.canBeCancelled());
    QVERIFY(!token.cause());
    QVERIFY(!token.reason());
    QVERIFY(token.check(TurnPhase::Execution).ok());
    token.throwIfCancelled(TurnPhase::Execution);
}

void TestCancellation::copiesOfATokenSeeTheSameCancel()
{
    // behaviours: 2
    const CancellationSource source;
    struct Holder
    {
        CancellationToken token;
    };
    const std::vector<Holder> holders(3, Holder{source.token()});
    const CancellationSource copyOfSource = source;
    QVERIFY(copyOfSource.cancel(CancellationCause::SilenceLimit, u"quiet"_s));
    for (const Holder &holder : holders) {
        QVERIFY(holder.token.isCancelled());
        QVERIFY(holder.token.cause() == CancellationCause::SilenceLimit);
        QCOMPARE(holder.token.reason()->text, u"quiet"_s);
        QCOMPARE(holder.token.reason(), source.token().reason());
    }
}

void TestCancellation::defaultTokenIsNeverCancelled()
{
    // behaviours: 3
    const CancellationToken token;
    bool ran = false;
    {
        Registration registration = token.onCancelled([&] { ran = true; });
        registration.release();
    }
    const CancellationSource linked;
    linked.linkTo(token);
    QVERIFY(!token.canBeCancelled());
    QVERIFY(!token.isCancelled());
    QVERIFY(!token.reason());
    QVERIFY(token.check(TurnPhase::Cleanup).ok());
    token.throwIfCancelled(TurnPhase::Cleanup);
    QVERIFY(!linked.token().isCancelled());
    QVERIFY(!ran);
}

void TestCancellation::onlyTheFirstCancelWins()
{
    // behaviours: 4
    const CancellationSource source;
    QVERIFY(source.cancel(CancellationCause::User));
    QVERIFY(!source.cancel(CancellationCause::User));
    QVERIFY(!source.cancel(CancellationCause::ApplicationQuit));
    QVERIFY(source.token().isCancelled());
}

void TestCancellation::firstCauseAndReasonAreKept()
{
    // behaviours: 5
    const CancellationSource source;
    source.cancel(CancellationCause::User, u"a"_s);
    const auto first = source.token().reason();
    source.cancel(CancellationCause::TurnLimit, u"b"_s);
    QVERIFY(source.token().cause() == CancellationCause::User);
    QCOMPARE(source.token().reason()->text, u"a"_s);
    QCOMPARE(source.token().reason(), first);
}

void TestCancellation::reasonWithoutTextIsEmpty()
{
    const CancellationSource source;
    source.cancel(CancellationCause::User);
    QVERIFY(source.token().reason()->text.isEmpty());
    QVERIFY(source.token().reason()->source.isEmpty());
    QVERIFY(source.token().cause() == CancellationCause::User);
}

void TestCancellation::reasonIsCleanedAndGetsAUtcTime()
{
    const CancellationSource source;
    const QDateTime before = QDateTime::currentDateTimeUtc();
    source.cancel({CancellationCause::External, u"a\u202Eb\u0007"_s, u"tool\u0000"_s, {}});
    const auto reason = source.token().reason();
    QCOMPARE(reason->text, u"ab"_s);
    QCOMPARE(reason->source, u"tool"_s);
    QCOMPARE(reason->time.timeSpec(), Qt::UTC);
    QVERIFY(reason->time >= before && reason->time <= QDateTime::currentDateTimeUtc());

    const CancellationSource timed;
    const QDateTime given(QDate(2024, 2, 29), QTime(12, 0), Qt::OffsetFromUTC, 3600);
    timed.cancel({CancellationCause::External, {}, {}, given});
    QCOMPARE(timed.token().reason()->time, given);
    QCOMPARE(timed.token().reason()->time.timeSpec(), Qt::UTC);
}

void TestCancellation::checkOfACancelledTokenReturnsTheError()
{
    // behaviours: 7
    const CancellationSource source;
    source.cancel(CancellationCause::FirstTokenLimit, u"too slow"_s);
    const Result<void> result = source.token().check(TurnPhase::Streaming);
    QVERIFY(result.isCancelled());
    QVERIFY(!result.isFault());
    const auto error = cancellationOf(result.error());
    QVERIFY(error);
    QVERIFY(error->cause() == CancellationCause::FirstTokenLimit);
    QCOMPARE(error->reasonText(), u"too slow"_s);
    QVERIFY(error->phase() == TurnPhase::Streaming);
}

void TestCancellation::throwOfACancelledTokenIsNoStandardException()
{
    // behaviours: 8
    const CancellationSource source;
    source.cancel(CancellationCause::User, u"enough"_s);
    std::optional<CancellationError> caught;
    try {
        try {
            source.token().throwIfCancelled(TurnPhase::ToolCalls);
        } catch (const std::exception &) {
            QFAIL("caught as a standard exception");
        }
    } catch (const CancellationError &error) {
        caught = error;
    }
    QVERIFY(caught);
    QVERIFY(caught->cause() == CancellationCause::User);
    QCOMPARE(caught->reasonText(), u"enough"_s);
    QVERIFY(caught->phase() == TurnPhase::ToolCalls);
}

void TestCancellation::exactlyOneOfTenThreadsWins()
{
    // behaviours: 9
    for (int round = 0; round < 100; ++round) {
        const CancellationSource source;
        std::atomic<int> winners = 0;
        std::atomic<int> runs = 0;
        std::atomic<int> winner = -1;
        const Registration registration = source.token().onCancelled([&] { ++runs; });
        {
            std::barrier start(10);
            std::vector<std::jthread> threads;
            for (int i = 0; i < 10; ++i) {
                threads.emplace_back([&, i] {
                    start.arrive_and_wait();
                    if (source.cancel(CancellationCause::External, QString::number(i))) {
                        ++winners;
                        winner = i;
                    }
                });
            }
        }
        QVERIFY(source.token().isCancelled());
        QCOMPARE(winners.load(), 1);
        QCOMPARE(runs.load(), 1);
        QCOMPARE(source.token().reason()->text, QString::number(winner));
    }
}

void TestCancellation::everyThreadSeesTheCancelWhenItsCallReturns()
{
    for (int round = 0; round < 1000; ++round) {
        const CancellationSource source;
        std::atomic<int> seen = 0;
        {
            std::barrier start(2);
            const auto cancelAndLook = [&] {
                start.arrive_and_wait();
                source.cancel(CancellationCause::User, u"x"_s);
                if (source.token().reason() && source.token().reason()->text == u"x"_s)
                    ++seen;
            };
            const std::jthread other(cancelAndLook);
            cancelAndLook();
        }
        QCOMPARE(seen.load(), 2);
    }
}

void TestCancellation::workerSeesACancelFromAnotherThread()
{
    // behaviours: 10
    for (int round = 0; round < 100; ++round) {
        const CancellationSource source;
        std::latch working(1);
        std::atomic<bool> cancelled = false;
        bool overlooked = false;
        std::optional<CancellationReason> seen;
        std::thread worker([&, token = source.token()] {
            int rounds = 0;
            for (;;) {
                const bool mustSee = cancelled.load(std::memory_order_relaxed);
                if (!token.check(TurnPhase::Execution).ok())
                    break;
                overlooked = overlooked || mustSee;
                if (++rounds == 1)
                    working.count_down();
            }
            seen = token.reason();
        });
        working.wait();
        source.cancel(CancellationCause::User, u"now"_s);
        cancelled.store(true, std::memory_order_relaxed);
        worker.join();
        QCOMPARE(seen->text, u"now"_s);
        QVERIFY(!overlooked); // the very next check
    }
}

void TestCancellation::callbackHasRunOnTheCancellingThreadWhenCancelReturns()
{
    // behaviours: 11
    const CancellationSource source;
    std::thread::id ranOn;
    std::thread::id cancelledOn;
    bool hadRun = false;
    bool sawReason = false;
    const CancellationToken token = source.token();
    const Registration registration = token.onCancelled([&] {
        ranOn = std::this_thread::get_id();
        sawReason = token.cause() == CancellationCause::WindowClosed;
    });
    std::thread canceller([&] {
        cancelledOn = std::this_thread::get_id();
        source.cancel(CancellationCause::WindowClosed);
        hadRun = ranOn == cancelledOn;
    });
    canceller.join();
    QVERIFY(hadRun);
    QVERIFY(sawReason);
    QVERIFY(ranOn != std::this_thread::get_id());
}

void TestCancellation::callbackOfACancelledTokenRunsAtOnceAndOnce()
{
    // behaviours: 12
    const CancellationSource source;
    source.cancel(CancellationCause::User);
    int runs = 0;
    std::thread::id ranOn;
    {
        const Registration registration = source.token().onCancelled([&] {
            ++runs;
            ranOn = std::this_thread::get_id();
        });
        QCOMPARE(runs, 1);
        QVERIFY(ranOn == std::this_thread::get_id());
        source.cancel(CancellationCause::User);
    }
    QCOMPARE(runs, 1);
}

void TestCancellation::releasedRegistrationDoesNotRun()
{
    // behaviours: 13
    const CancellationSource source;
    int runs = 0;
    Registration released = source.token().onCancelled([&] { ++runs; });
    released.release();
    released.release();
    {
        const Registration destroyed = source.token().onCancelled([&] { ++runs; });
    }
    Registration replaced = source.token().onCancelled([&] { ++runs; });
    replaced = Registration();
    source.cancel(CancellationCause::User);
    released.release();
    QCOMPARE(runs, 0);
}

void TestCancellation::movedRegistrationStillBelongsToItsCallback()
{
    const CancellationSource source;
    int runs = 0;
    Registration first = source.token().onCancelled([&] { ++runs; });
    Registration second = std::move(first);
    first.release();
    source.cancel(CancellationCause::User);
    QCOMPARE(runs, 1);
}

void TestCancellation::destroyingARegistrationWaitsForItsRunningCallback()
{
    // behaviours: 14
    for (int round = 0; round < 200; ++round) {
        const CancellationSource source;
        std::latch entered(1);
        std::atomic<bool> destroying = false;
        bool callbackEnded = false; // plain: the wait is what orders it
        std::optional<Registration> registration = source.token().onCancelled([&] {
            entered.count_down();
            while (!destroying)
                std::this_thread::yield();
            for (int i = 0; i < 50; ++i)
                std::this_thread::yield();
            callbackEnded = true;
        });
        std::jthread canceller([&] { source.cancel(CancellationCause::User); });
        entered.wait();
        destroying = true;
        registration.reset();
        QVERIFY(callbackEnded);
    }
}

void TestCancellation::registrationDestroyedInItsOwnCallbackDoesNotWait()
{
    // behaviours: 14
    const CancellationSource source;
    Registration registration;
    QString seen;
    // What the callback captured is still there after the release.
    registration =
        source.token().onCancelled([&, text = u"a text too long for any small buffer"_s] {
            registration.release();
            seen = text + u"!"_s;
        });
    bool otherRan = false;
    const Registration other = source.token().onCancelled([&] { otherRan = true; });
    source.cancel(CancellationCause::User);
    QCOMPARE(seen, u"a text too long for any small buffer!"_s);
    QVERIFY(otherRan);
}

void TestCancellation::callbackMayTakeBackAnotherOne()
{
    const CancellationSource source;
    Registration first;
    Registration second;
    int runs = 0;
    first = source.token().onCancelled([&] {
        ++runs;
        second.release();
    });
    second = source.token().onCancelled([&] {
        ++runs;
        first.release();
    });
    source.cancel(CancellationCause::User);
    QCOMPARE(runs, 1);
}

void TestCancellation::throwingCallbackDoesNotKeepTheOthersFromRunning()
{
    // behaviours: 15
    const CancellationSource source;
    int runs = 0;
    const auto countAndThrow = [&] {
        ++runs;
        throw std::runtime_error("broken callback");
    };
    const auto throwNumber = [&] {
        ++runs;
        throw 7;
    };
    const LogRecorder log;
    const Registration first = source.token().onCancelled(countAndThrow);
    const Registration second = source.token().onCancelled([&] { ++runs; });
    const Registration third = source.token().onCancelled(throwNumber);
    QVERIFY(source.cancel(CancellationCause::User));
    QCOMPARE(runs, 3);
    QVERIFY(source.token().isCancelled());
    const Registration late = source.token().onCancelled(countAndThrow);
    QCOMPARE(runs, 4);
    const QStringList lines = LogRecorder::take();
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines.filter(u"broken callback"_s).size(), 2);
}

void TestCancellation::callbackMayUseItsOwnToken()
{
    // behaviours: 16
    const CancellationSource source;
    const CancellationToken token = source.token();
    QString seen;
    bool nestedRan = false;
    bool nestedWon = true;
    const Registration registration = token.onCancelled([&] {
        seen = token.reason()->text;
        nestedWon = source.cancel(CancellationCause::ApplicationQuit);
        const Registration nested = token.onCancelled([&] { nestedRan = token.isCancelled(); });
    });
    // No lock is held: another thread may use all of it while the callback runs.
    bool otherRan = false;
    const Registration waiting = token.onCancelled([&] {
        std::jthread([&] {
            const Registration other = token.onCancelled([&] { otherRan = token.isCancelled(); });
            source.cancel(CancellationCause::Superseded);
            source.linkedChild();
        }).join();
    });
    source.cancel(CancellationCause::User, u"mine"_s);
    QCOMPARE(seen, u"mine"_s);
    QVERIFY(nestedRan);
    QVERIFY(!nestedWon);
    QVERIFY(otherRan);
}

void TestCancellation::callbackMayDestroyTheLastSource()
{
    auto source = std::make_unique<CancellationSource>();
    CancellationSource *raw = source.get();
    Registration registration;
    bool afterwards = false;
    registration = source->token().onCancelled([&] {
        source.reset();
        registration.release();
        afterwards = true;
    });
    QVERIFY(raw->cancel(CancellationCause::User));
    QVERIFY(afterwards);
    QVERIFY(!source);
}

void TestCancellation::newWorkNeedsANewSource()
{
    // behaviours: 17
    CancellationSource source;
    const CancellationToken old = source.token();
    source.cancel(CancellationCause::User, u"first"_s);
    source = CancellationSource();
    QVERIFY(!source.token().isCancelled());
    QVERIFY(old.isCancelled());
    source.cancel(CancellationCause::Superseded, u"second"_s);
    QCOMPARE(old.reason()->text, u"first"_s);
    QVERIFY(old.cause() == CancellationCause::User);
}

void TestCancellation::destroyedSourceLeavesItsTokensAlone()
{
    // behaviours: 22
    CancellationToken token;
    int runs = 0;
    Registration registration;
    {
        const CancellationSource source;
        token = source.token();
        registration = token.onCancelled([&] { ++runs; });
    }
    QVERIFY(!token.isCancelled());
    QVERIFY(!token.reason());
    QVERIFY(token.check(TurnPhase::Streaming).ok());
    const Registration late = token.onCancelled([&] { ++runs; });
    registration.release();
    token = CancellationToken();
    QCOMPARE(runs, 0);
}

void TestCancellation::standardStopTokenFollows()
{
    const CancellationSource source;
    const std::stop_token stop = source.token().stopToken();
    QVERIFY(stop.stop_possible());
    QVERIFY(!stop.stop_requested());
    source.cancel(CancellationCause::User);
    QVERIFY(stop.stop_requested());
}

void TestCancellation::cancelAgainstDestroyRaces()
{
    // behaviours: 14
    std::atomic<int> runs = 0;
    for (int round = 0; round < 1000; ++round) {
        auto source = std::make_unique<CancellationSource>();
        auto target = std::make_unique<int>(0);
        std::optional<Registration> registration =
            source->token().onCancelled([&, raw = target.get()] {
                ++*raw; // a use after free if the callback outlives its registration
                ++runs;
            });
        std::barrier start(2);
        const std::jthread canceller([&start, copy = *source] {
            start.arrive_and_wait();
            copy.cancel(CancellationCause::User);
        });
        start.arrive_and_wait();
        for (int i = 0; i < round % 16; ++i)
            std::this_thread::yield();
        registration.reset();
        target.reset();
        source.reset();
    }
    QVERIFY(runs <= 1000);
}

void TestCancellation::cancelAgainstRegisterRaces()
{
    // behaviours: 12
    for (int round = 0; round < 1000; ++round) {
        const CancellationSource source;
        std::atomic<int> runs = 0;
        Registration registration;
        {
            std::barrier start(2);
            const std::jthread canceller([&] {
                start.arrive_and_wait();
                source.cancel(CancellationCause::User);
            });
            start.arrive_and_wait();
            registration = source.token().onCancelled([&] { ++runs; });
        }
        QCOMPARE(runs.load(), 1);
    }
}

QTEST_APPLESS_MAIN(TestCancellation)
#include "tst_cancellation.moc"
