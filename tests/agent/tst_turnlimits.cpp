// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/enumcomparison.h"
#include "turnfixture.h"

#include <QDir>
#include <QTest>

#include <ctime>
#include <type_traits>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

int threadCount()
{
    return int(QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size());
}

} // namespace

// Time limits against stops, questions, the turns that follow and clocks that jump.
class tst_TurnLimits : public QObject
{
    Q_OBJECT

private slots:
    void aStopAndALimitAtOnceHaveOneCause_data();
    void aStopAndALimitAtOnceHaveOneCause();
    void aTurnAfterOneThatTimedOutWorks();
    void onlyRunningTimeCounts();
    void theClockIsMonotonic();
    void anUnansweredQuestionIsDeniedByItsLimit();
    void withoutAnApprovalLimitAQuestionWaits();
    void anExtensionLastsWhenTheSilenceBeginsAnew();
    void aLimitIsExtendedWhileAQuestionHoldsIt();
    void aPausedStreamHoldsWhatWaitsForTheServer_data();
    void aPausedStreamHoldsWhatWaitsForTheServer();
    void aPausedStreamEndsAtOnce_data();
    void aPausedStreamEndsAtOnce();
};

void tst_TurnLimits::aStopAndALimitAtOnceHaveOneCause_data()
{
    QTest::addColumn<bool>("stopFirst");
    QTest::addColumn<CancellationCause>("cause");
    QTest::newRow("the stop first") << true << CancellationCause::User;
    QTest::newRow("the limit first") << false << CancellationCause::SilenceLimit;
}

// behaviours: 157
void tst_TurnLimits::aStopAndALimitAtOnceHaveOneCause()
{
    QFETCH(bool, stopFirst);
    QFETCH(CancellationCause, cause);
    TurnFixture fixture(TurnFixture::Time::Still);
    // The limit is over in the moment of the stop, and nobody has looked at it yet.
    const auto both = [&] {
        fixture.manualClock.advance(*fixture.request.limits.silence + 1s);
        fixture.stop();
    };
    if (stopFirst) {
        fixture.script({sent() + text(u"part"_s) + Script{Call{both}, Hang{}}});
    } else {
        // The limit is found by the wait that it ends; the stop comes with the next thing that happens.
        fixture.script(
            {sent() + text(u"part"_s)
             + Script{
                 Call{[&] { fixture.manualClock.advance(*fixture.request.limits.silence + 1s); }},
                 Hang{}}});
        fixture.onEvent = [&](const TurnEvent &event) {
            const auto *stage = std::get_if<StageChanged>(&event);
            if (stage && stage->stage == TurnStage::Saving)
                fixture.stop();
        };
    }
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, stopFirst ? TurnStatus::Stopped : TurnStatus::TimedOut);
    QCOMPARE(outcome.reason->cause, cause);
    QCOMPARE(outcome.limit.has_value(), !stopFirst);
    QCOMPARE(fixture.control->token().reason()->cause, cause);
    QCOMPARE(outcome.stopReason, StopReason::Cancelled);
    QCOMPARE(fixture.count(u"TurnFinished"_s), 1);
}

// behaviours: 158
void tst_TurnLimits::aTurnAfterOneThatTimedOutWorks()
{
    TurnFixture first;
    first.script({sent() + text(u"half "_s) + Script{Hang{}}});
    QCOMPARE(first.run().status, TurnStatus::TimedOut);

    TurnFixture next;
    next.request.conversation.turns = {first.record()};
    next.request.conversation.activeTurn = first.record().id;
    next.request.turn.parent = first.record().id;
    next.request.turn.userText = u"And now?"_s;
    const TurnOutcome outcome = next.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(outcome.text, u"Hi"_s);
    const History history = next.provider->requests().front().history;
    QVERIFY(validateHistory(history).empty());
    QCOMPARE(history.size(), size_t(3));
    QCOMPARE(std::get<TextBlock>(history.at(1).blocks.front()).text.trimmed(), u"half"_s);
}

// behaviours: 160
void tst_TurnLimits::onlyRunningTimeCounts()
{
    // The monotonic clock stands still, as it does while the computer sleeps; the wall clock goes on.
    TurnFixture slept(TurnFixture::Time::Still);
    slept.request.limits.turn = 1ms;
    slept.request.limits.silence = 1ms;
    slept.onEvent = [&](const TurnEvent &event) {
        if (!std::holds_alternative<IterationStarted>(event))
            return;
        const QDateTime before = QDateTime::currentDateTimeUtc();
        QTRY_VERIFY(before.msecsTo(QDateTime::currentDateTimeUtc()) > 5);
    };
    const TurnOutcome completed = slept.run();
    QCOMPARE(completed.status, TurnStatus::Completed);
    QCOMPARE(completed.duration, 0ms);

    // And the other way round: hours of running time in a moment of the wall clock.
    TurnFixture ran;
    ran.request.limits = {};
    ran.request.limits.firstToken.reset();
    ran.request.limits.turn = 3h;
    ran.script({sent() + Script{Hang{}}});
    const TurnOutcome outcome = ran.run();
    QCOMPARE(outcome.reason->cause, CancellationCause::TurnLimit);
    QVERIFY(outcome.duration >= 3h);
    QVERIFY(outcome.startedAt.secsTo(outcome.endedAt) < 3600);
}

// behaviours: 160
void tst_TurnLimits::theClockIsMonotonic()
{
    static_assert(std::is_same_v<Instant::clock, std::chrono::steady_clock>);
    static_assert(Instant::clock::is_steady);
    // CLOCK_MONOTONIC stands still while the computer sleeps, CLOCK_BOOTTIME would not.
    const auto monotonic = [] {
        timespec time{};
        ::clock_gettime(CLOCK_MONOTONIC, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    };
    const Duration before = monotonic();
    const Duration now = steadyClock().now().time_since_epoch();
    const Duration after = monotonic();
    QVERIFY(before <= now);
    QVERIFY(now <= after);
}

// behaviours: 161
void tst_TurnLimits::anUnansweredQuestionIsDeniedByItsLimit()
{
    TurnFixture fixture;
    fixture.request.limits.approval = 5min;
    auto tool = std::make_shared<ScriptedTool>(u"peek"_s, returns({}), ToolAccess::ReadOnly, true);
    fixture.tool(tool);
    fixture.script({sent() + toolCall(u"peek"_s) + toolCall(u"peek"_s, u"{\"other\":1}"_s) + done(),
                    sent() + toolCall(u"peek"_s) + done(), answer(u"All right."_s)});
    std::vector<Instant> asked;
    const int threads = threadCount();
    fixture.onEvent = [&](const TurnEvent &event) {
        if (!std::holds_alternative<ApprovalAsked>(event))
            return;
        asked.push_back(fixture.clock.now());
        QTRY_VERIFY(threadCount()
                    <= threads); // the other call is described, too, and waits for its turn to ask
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(tool->entered(), 0);
    // The second question waited behind the first one, for as long: it is never shown. Nor is the repeated one.
    QCOMPARE(fixture.count(u"ApprovalAsked"_s), 1);
    QCOMPARE(fixture.count(u"ApprovalClosed"_s), 1);
    const Duration waited = fixture.clock.now() - asked.front();
    QVERIFY(waited >= 5min && waited < 6min);
    for (const ToolCallBlock &call : fixture.calls())
        QCOMPARE(call.slot.state, ToolState::Denied);
    QVERIFY(fixture.calls().front().slot.note.contains(u"within 5 min"_s));
}

// behaviours: 161
void tst_TurnLimits::withoutAnApprovalLimitAQuestionWaits()
{
    QVERIFY(!TurnLimits().approval);
    TurnFixture fixture(TurnFixture::Time::Still);
    auto tool = std::make_shared<ScriptedTool>(u"write"_s, returns({}), ToolAccess::Writes, true);
    fixture.tool(tool);
    fixture.script({sent() + toolCall(u"write"_s) + done(), answer(u"Done."_s)});
    fixture.onEvent = [&](const TurnEvent &event) {
        if (const auto *asked = std::get_if<ApprovalAsked>(&event)) {
            fixture.manualClock.advance(std::chrono::hours(24 * 365));
            fixture.control->answerApproval(asked->request.call, ApprovalDecision::AllowOnce,
                                            asked->request.fingerprint);
        }
    };
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(tool->entered(), 1);
}

// behaviours: 148, 155
void tst_TurnLimits::anExtensionLastsWhenTheSilenceBeginsAnew()
{
    TurnFixture fixture;
    fixture.request.limits.silence = 2min;
    fixture.script({sent() + text(u"a"_s)
                    + Script{Call{[&] { fixture.control->extend(Limit::Silence, 5min); }},
                             Pass{6min}, ModelEvent(KeepAlive{}), Hang{}}});
    const Instant before = fixture.clock.now();
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.limit->value, std::chrono::milliseconds(7min));
    QCOMPARE(fixture.clock.now() - before, Duration(13min)); // from the last byte
}

// behaviours: 155, 156
void tst_TurnLimits::aLimitIsExtendedWhileAQuestionHoldsIt()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.request.limits.turn = 10min;
    Duration left{};
    fixture.tool(std::make_shared<ScriptedTool>(
        u"write"_s,
        [&](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
            for (const RunningLimit &limit : fixture.control->runningLimits()) {
                if (limit.limit == Limit::Turn)
                    left = limit.deadline - fixture.clock.now();
            }
            return ToolResult();
        },
        ToolAccess::Writes, true));
    fixture.script({sent() + toolCall(u"write"_s) + done(), answer(u"Done."_s)});
    fixture.onEvent = [&](const TurnEvent &event) {
        if (const auto *asked = std::get_if<ApprovalAsked>(&event)) {
            fixture.control->extend(Limit::Turn, 5min);
            fixture.manualClock.advance(2h);
            fixture.control->answerApproval(asked->request.call, ApprovalDecision::AllowOnce,
                                            asked->request.fingerprint);
        }
    };
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(left, Duration(15min));
}

void tst_TurnLimits::aPausedStreamHoldsWhatWaitsForTheServer_data()
{
    QTest::addColumn<bool>("begun");
    QTest::newRow("silence") << true;
    QTest::newRow("first token") << false;
}

// behaviours: 293
void tst_TurnLimits::aPausedStreamHoldsWhatWaitsForTheServer()
{
    QFETCH(bool, begun);
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.request.limits.silence = 2min;
    fixture.request.limits.firstToken = 2min;
    std::vector<RunningLimit> whilePaused;
    Duration left{};
    const auto pauseLong = Call{[&] {
        fixture.manualClock.advance(90s);
        fixture.control->pause();
        fixture.manualClock.advance(1h);
        whilePaused = fixture.control->runningLimits();
        fixture.control->resume();
        left = fixture.control->runningLimits().front().deadline - fixture.clock.now();
    }};
    fixture.script(
        {sent() + (begun ? text(u"a"_s) : Script()) + Script{pauseLong} + text(u"b"_s) + done()});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QVERIFY(whilePaused.empty());
    QCOMPARE(left, Duration(30s)); // what was left before the pause
}

void tst_TurnLimits::aPausedStreamEndsAtOnce_data()
{
    QTest::addColumn<bool>("stopped");
    QTest::newRow("by a stop") << true;
    QTest::newRow("by the turn limit") << false;
}

// behaviours: 292, 293
void tst_TurnLimits::aPausedStreamEndsAtOnce()
{
    QFETCH(bool, stopped);
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.request.limits.turn = 10min;
    fixture.script({sent() + text(u"part"_s) + Script{Call{[&] {
                        fixture.control->pause();
                        fixture.manualClock.advance(9min); // far beyond the silence limit
                    }}}
                    + Script{Call{[&] {
                                 if (stopped)
                                     fixture.stop();
                                 else
                                     fixture.manualClock.advance(1min);
                             }},
                             Hang{}}});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, stopped ? TurnStatus::Stopped : TurnStatus::TimedOut);
    QCOMPARE(outcome.reason->cause,
             stopped ? CancellationCause::User : CancellationCause::TurnLimit);
    QCOMPARE(outcome.timeToStop, std::optional(0ms));
    QCOMPARE(outcome.duration, std::chrono::milliseconds(stopped ? 9min : 10min));
    QCOMPARE(outcome.text, u"part"_s);
    QCOMPARE(fixture.control->streamMetrics()->state, StreamState::Cancelled);
}

QTEST_GUILESS_MAIN(tst_TurnLimits)
#include "tst_turnlimits.moc"
