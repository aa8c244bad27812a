// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/retrypolicy.h"
#include "conversation/serialization.h"
#include "support/enumcomparison.h"
#include "turnfixture.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

Script busy(std::optional<std::chrono::milliseconds> retryAfter = {})
{
    return {Fail{Error(ErrorCode::RateLimited, u"busy"_s), {true, retryAfter}}};
}

} // namespace

// When a model call is tried again, how long it waits for that, and what its failure says.
class tst_TurnRetries : public QObject
{
    Q_OBJECT

private slots:
    void aWaitEndsByItsTokenOrItsTime();
    void withoutRetriesTheFirstFaultIsTheEnd();
    void aFaultAfterSomethingWasSeenIsNotTriedAgain_data();
    void aFaultAfterSomethingWasSeenIsNotTriedAgain();
    void aFailureSaysWhetherAnythingHadArrived();
    void aWaitBeyondTheTotalEndsTheTrying();
    void theWaitsDoubleUpToTheLongestWithJitter();
    void theWaitThatAServerAsksForIsClamped();
    void aNewTurnCountsAnew();
    void aRequestOverTheLimitWaits();
    void aStopEndsTheWaitForTheLimit();
};

// behaviours: 116
void tst_TurnRetries::aWaitEndsByItsTokenOrItsTime()
{
    TurnFixture fixture(TurnFixture::Time::Still); // time passes by the test's word only
    const auto control =
        std::make_shared<TurnControl::Private>(fixture.request.turn.id, fixture.clock);
    TurnRecorder recorder(
        fixture.request.conversation, fixture.request.turn, fixture.journal,
        [](const TurnEvent &) {}, fixture.clock);
    TurnContext context{fixture.request, control, recorder, fixture.clock};
    QVERIFY(context.waitUntil(fixture.clock.now()).ok()); // of 0 s
    control->source.cancel(CancellationCause::User);
    const auto waited = context.waitUntil(fixture.clock.now() + 5s);
    QVERIFY(waited.isCancelled());
    QVERIFY(context.waitUntil(fixture.clock.now()).isCancelled());
}

// behaviours: 120
void tst_TurnRetries::withoutRetriesTheFirstFaultIsTheEnd()
{
    TurnFixture fixture;
    fixture.request.retries = 0;
    fixture.script({busy(), answer(u"never"_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Failed);
    QCOMPARE(outcome.error->code, ErrorCode::RateLimited);
    QCOMPARE(fixture.provider->requests().size(), size_t(1));
    QCOMPARE(fixture.count(u"RetryScheduled"_s), 0);
}

void tst_TurnRetries::aFaultAfterSomethingWasSeenIsNotTriedAgain_data()
{
    QTest::addColumn<int>("content");
    QTest::newRow("text") << 0;
    QTest::newRow("thinking") << 1;
    QTest::newRow("tool call") << 2;
}

// behaviours: 63, 64, 121
void tst_TurnRetries::aFaultAfterSomethingWasSeenIsNotTriedAgain()
{
    QFETCH(int, content);
    const Script arrived[] = {
        text(u"seen"_s), {ModelEvent(ThinkingDelta{u"hm"_s})}, toolCall(u"look"_s)};
    const QString message = u"Your subscription was cancelled."_s; // words decide nothing
    TurnFixture fixture;
    auto tool = std::make_shared<ScriptedTool>(u"look"_s, returns({}));
    fixture.tool(tool);
    fixture.request.retries = 3;
    fixture.script({sent() + arrived[content]
                        + Script{Fail{Error(ErrorCode::ServerError, message, u"aborted by user"_s),
                                      {true, {}}}},
                    answer(u"never asked for"_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Failed);
    QCOMPARE(outcome.stopReason, StopReason::Error);
    QCOMPARE(outcome.error->code, ErrorCode::ServerError);
    QCOMPARE(outcome.error->message, message);
    QVERIFY(!outcome.cancellation());
    QVERIFY(!outcome.reason);
    QVERIFY(!outcome.stopRequested);
    QVERIFY(outcome.partial);
    QCOMPARE(outcome.text, content == 0 ? u"seen"_s : QString());
    QCOMPARE(fixture.journal.saved->answerText(), outcome.text);
    QCOMPARE(fixture.provider->requests().size(), size_t(1));
    QCOMPARE(fixture.count(u"RetryScheduled"_s), 0);
    QCOMPARE(tool->entered(), 0);
    for (const ToolCallBlock &call : fixture.calls())
        QCOMPARE(call.slot.note, u"Not run: the answer failed."_s);
}

// behaviours: 122
void tst_TurnRetries::aFailureSaysWhetherAnythingHadArrived()
{
    const Script broken{Fail{Error(ErrorCode::ServerError, u"broke"_s), {}}};
    TurnFixture before;
    before.script({sent() + broken});
    const TurnOutcome nothing = before.run();
    QCOMPARE(nothing.status, TurnStatus::Failed);
    QVERIFY(!nothing.streamed);

    const Script arrived[] = {
        text(u"half"_s), {ModelEvent(ThinkingDelta{u"hm"_s})}, toolCall(u"look"_s)};
    for (const Script &content : arrived) {
        TurnFixture after;
        after.script({sent() + content + broken});
        const TurnOutcome some = after.run();
        QCOMPARE(some.status, TurnStatus::Failed);
        QVERIFY(some.streamed);
        QVERIFY(turnOutcomeFromJson(toJson(some))->streamed);
    }
}

// behaviours: 124
void tst_TurnRetries::aWaitBeyondTheTotalEndsTheTrying()
{
    RetryLimits limits;
    limits.retries = 10;
    limits.totalWait = 60s;
    RetryPolicy policy(limits, [] { return 0.5; });
    QCOMPARE(policy.nextWait({true, 40s}), std::optional(40'000ms));
    QCOMPARE(policy.nextWait({true, 20s}), std::optional(20'000ms)); // exactly all of it
    QVERIFY(policy.attempt() < policy.attempts());
    QCOMPARE(policy.nextWait({true, {}}), std::nullopt);

    TurnFixture fixture;
    fixture.request.retries = 10;
    fixture.script({busy(40s)});
    const Instant before = fixture.clock.now();
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Failed);
    QCOMPARE(outcome.error->code, ErrorCode::RateLimited);
    QCOMPARE(fixture.provider->requests().size(), size_t(2));
    QCOMPARE(fixture.clock.now() - before, Duration(40s));
}

void tst_TurnRetries::theWaitsDoubleUpToTheLongestWithJitter()
{
    for (const double random : {0.0, 0.5, 1.0}) {
        RetryLimits limits;
        limits.retries = 7;
        limits.totalWait = 1h;
        RetryPolicy policy(limits, [random] { return random; });
        for (const auto wait : {1s, 2s, 4s, 8s, 16s, 30s, 30s}) {
            const auto expected = std::chrono::milliseconds(wait) * int(75 + 50 * random) / 100;
            QCOMPARE(policy.nextWait({true, {}}), std::optional(expected));
        }
        QCOMPARE(policy.nextWait({true, {}}), std::nullopt);
    }
}

// behaviours: 123
void tst_TurnRetries::theWaitThatAServerAsksForIsClamped()
{
    const std::pair<std::chrono::milliseconds, std::chrono::milliseconds> waits[] = {
        {-3s, 0s}, {0s, 0s}, {250ms, 250ms}, {60s, 60s}, {24h, 60s}};
    for (const auto &[asked, waited] : waits) {
        QCOMPARE(RetryPolicy().nextWait({true, asked}), std::optional(waited));
        TurnFixture fixture;
        fixture.request.retries = 1;
        fixture.script({busy(asked), answer(u"at last"_s)});
        const Instant before = fixture.clock.now();
        QCOMPARE(fixture.run().status, TurnStatus::Completed);
        QCOMPARE(fixture.clock.now() - before, Duration(waited));
    }
}

// behaviours: 127, 128
void tst_TurnRetries::aNewTurnCountsAnew()
{
    for (int turn = 0; turn < 2; ++turn) {
        TurnFixture fixture;
        fixture.request.retries = 2;
        fixture.script({busy(), busy(), answer(u"at last"_s)});
        std::vector<RetryScheduled> plans;
        std::vector<Duration> waits;
        fixture.onEvent = [&](const TurnEvent &event) {
            if (const auto *plan = std::get_if<RetryScheduled>(&event)) {
                plans.push_back(*plan);
                waits.push_back(plan->at - fixture.clock.now());
            }
        };
        QCOMPARE(fixture.run().status, TurnStatus::Completed);
        QCOMPARE(plans.size(), size_t(2));
        QCOMPARE(plans[0].attempt, 2);
        QCOMPARE(plans[1].attempt, 3);
        QCOMPARE(plans[1].attempts, 3);
        QCOMPARE(plans[0].why, u"busy"_s);
        QVERIFY(waits[0] >= 750ms && waits[0] <= 1250ms);
        QVERIFY(waits[1] >= 1500ms && waits[1] <= 2500ms);
    }
}

// behaviours: 281
void tst_TurnRetries::aRequestOverTheLimitWaits()
{
    TurnFixture fixture;
    fixture.request.limiter = std::make_shared<RequestLimiter>(RequestRate{2, 1}, fixture.clock);
    fixture.request.retries = 1;
    fixture.script({busy(0s), answer(u"Done."_s)});
    const Instant before = fixture.clock.now();
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(fixture.clock.now() - before, Duration(30s));
    QCOMPARE(fixture.count(u"StageChanged RequestLimit"_s), 1);

    TurnFixture off;
    const Instant start = off.clock.now();
    QCOMPARE(off.run().status, TurnStatus::Completed);
    QCOMPARE(off.clock.now(), start);
}

// behaviours: 281
void tst_TurnRetries::aStopEndsTheWaitForTheLimit()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.request.limiter = std::make_shared<RequestLimiter>(RequestRate{1, 1}, fixture.clock);
    const Instant first = fixture.request.limiter->reserve(); // another turn's
    fixture.onEvent = [&](const TurnEvent &event) {
        const auto *stage = std::get_if<StageChanged>(&event);
        if (stage && stage->stage == TurnStage::RequestLimit)
            fixture.stop();
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QVERIFY(fixture.provider->requests().empty());
    // The place that was not used is there for the next one.
    QCOMPARE(fixture.request.limiter->reserve(), first + 1min);
}

QTEST_GUILESS_MAIN(tst_TurnRetries)
#include "tst_turnretries.moc"
