// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/status/turnmeter.h"
#include "ui/text/statustext.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

TurnProgress progress(TurnStage stage)
{
    TurnProgress p;
    p.stage.stage = stage;
    p.elapsed = 6'400ms;
    p.now = Instant(1h);
    return p;
}

} // namespace

class StatusTextTest final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void everyStageHasItsWords_data();
    void everyStageHasItsWords();
    void oneToolOfOneIsNotCounted();
    void factsStandInOrder();
    void nearestLimitCountsDown();
    void lastFifthIsUrgent();
    void extendedLimitIsMeasuredByItsNewValue();
    void withoutALimitTimeIsStillShown();
    void noLimitRunsWhileTheUserDecides();
    void retryCountsDownAndCountsTries();
    void aStreamOnHoldHasNoRate();
    void stoppingSaysHowToForce();
    void longSilenceIsTold_data();
    void longSilenceIsTold();
    void afterAnEarlyEndItSaysHowToGoOn_data();
    void afterAnEarlyEndItSaysHowToGoOn();
    void announcementLeavesOutWhatRuns();
    void meterMeasuresTheLastSeconds();
    void meterShowsNothingForAStandstill();
};

void StatusTextTest::everyStageHasItsWords_data()
{
    QTest::addColumn<TurnStage>("stage");
    QTest::addColumn<QString>("words");
    QTest::newRow("resolving") << TurnStage::Resolving << u"Resolving the address"_s;
    QTest::newRow("connecting") << TurnStage::Connecting << u"Connecting"_s;
    QTest::newRow("first token") << TurnStage::WaitingForFirstToken
                                 << u"Waiting for the first token"_s;
    QTest::newRow("thinking") << TurnStage::Thinking << u"Thinking"_s;
    QTest::newRow("writing") << TurnStage::Writing << u"Writing"_s;
    QTest::newRow("tool") << TurnStage::RunningTool << u"Running tool 3 of 5"_s;
    QTest::newRow("asking") << TurnStage::WaitingForUser << u"Waiting for you"_s;
    QTest::newRow("request limit")
        << TurnStage::RequestLimit << u"Waiting for your request limit"_s;
    QTest::newRow("saving") << TurnStage::Saving << u"Saving"_s;
    QTest::newRow("stopping") << TurnStage::Stopping << u"Stopping…"_s;
}

void StatusTextTest::everyStageHasItsWords()
{
    QFETCH(TurnStage, stage);
    QTEST(stageText({stage, 3, 5}), "words");
}

void StatusTextTest::oneToolOfOneIsNotCounted()
{
    QCOMPARE(stageText({TurnStage::RunningTool, 1, 1}), u"Running tool"_s);
}

void StatusTextTest::factsStandInOrder()
{
    TurnProgress p = progress(TurnStage::Writing);
    p.tokens = 212;
    p.tokensPerSecond = 41.2;
    p.limits = {{Limit::Silence, 2min, p.now + 118s}};
    const StatusText text = statusText(p);
    QVERIFY(text.isTurning);
    QCOMPARE(text.spoken(), u"Writing, 6.4 s, 212 tokens, 41 tokens/s, Silence limit in 1:58"_s);
}

void StatusTextTest::nearestLimitCountsDown()
{
    TurnProgress p = progress(TurnStage::RunningTool);
    p.limits = {{Limit::Turn, 1h, p.now + 50min}, {Limit::Tool, 2min, p.now + 116s}};
    const StatusText text = statusText(p);
    QCOMPARE(text.limit, u"Tool call limit in 1:56"_s);
    QCOMPARE(text.which, std::optional(Limit::Tool));
    QVERIFY(!text.isUrgent);
}

void StatusTextTest::lastFifthIsUrgent()
{
    TurnProgress p = progress(TurnStage::WaitingForFirstToken);
    p.limits = {{Limit::FirstToken, 5min, p.now + 61s}};
    QVERIFY(!statusText(p).isUrgent);
    p.limits = {{Limit::FirstToken, 5min, p.now + 48s}};
    const StatusText text = statusText(p);
    QVERIFY(text.isUrgent);
    QCOMPARE(text.limit, u"First token limit in 0:48"_s);
    QCOMPARE(qRound(text.share * 100), 16);
}

void StatusTextTest::extendedLimitIsMeasuredByItsNewValue()
{
    TurnProgress p = progress(TurnStage::WaitingForFirstToken);
    p.limits = {{Limit::FirstToken, 10min, p.now + 348s}};
    const StatusText text = statusText(p);
    QCOMPARE(qRound(text.share * 100), 58);
    QVERIFY(!text.isUrgent);
}

void StatusTextTest::withoutALimitTimeIsStillShown()
{
    // behaviours: 165
    const StatusText text = statusText(progress(TurnStage::Writing));
    QCOMPARE(text.elapsed, u"6.4 s"_s);
    QVERIFY(text.limit.isEmpty());
    QVERIFY(!text.which);
}

void StatusTextTest::noLimitRunsWhileTheUserDecides()
{
    // behaviours: 156
    TurnProgress p = progress(TurnStage::WaitingForUser);
    p.silence = 10min;
    const StatusText text = statusText(p);
    QCOMPARE(text.stage, u"Waiting for you"_s);
    QCOMPARE(text.mark, Mark::Asking);
    QVERIFY(!text.isTurning);
    QCOMPARE(text.limit, u"No limit runs while you decide"_s);
    QVERIFY(!text.which);
    QVERIFY(text.hint.isEmpty());
}

void StatusTextTest::retryCountsDownAndCountsTries()
{
    TurnProgress p = progress(TurnStage::RetryWait);
    RetryScheduled retry;
    retry.attempt = 2;
    retry.attempts = 3;
    retry.at = p.now + 2'100ms;
    retry.why =
        u"localhost:8080 takes no more requests for now (429). Wait a little, then retry."_s;
    p.retry = retry;
    const StatusText text = statusText(p);
    QCOMPARE(text.stage, u"Retrying in 3 s"_s);
    QCOMPARE(text.hint, u"second of 3 tries"_s);
    QCOMPARE(text.reason, u"localhost:8080 takes no more requests for now (429)"_s);
    QCOMPARE(
        text.spoken(),
        u"Retrying in 3 s, second of 3 tries, localhost:8080 takes no more requests for now (429)"_s);
}

void StatusTextTest::aStreamOnHoldHasNoRate()
{
    TurnProgress p = progress(TurnStage::Paused);
    p.tokensPerSecond = 41;
    const StatusText text = statusText(p);
    QCOMPARE(text.stage, u"Stream on hold"_s);
    QVERIFY(text.rate.isEmpty());
    QVERIFY(!text.isTurning);
}

void StatusTextTest::stoppingSaysHowToForce()
{
    TurnProgress p = progress(TurnStage::Writing);
    p.isStopping = true;
    p.limits = {{Limit::Silence, 2min, p.now + 118s}};
    StatusText text = statusText(p);
    QCOMPARE(text.spoken(), u"Stopping…, press Esc again to force"_s);
    QCOMPARE(text.mark, Mark::Stopped);
    QVERIFY(!text.which);
    p.isForced = true;
    text = statusText(p);
    QCOMPARE(text.spoken(), u"Stopping…, forced"_s);
}

void StatusTextTest::longSilenceIsTold_data()
{
    QTest::addColumn<TurnStage>("stage");
    QTest::addColumn<int>("seconds");
    QTest::addColumn<QString>("hint");
    QTest::newRow("not yet") << TurnStage::Writing << 119 << QString();
    QTest::newRow("two minutes") << TurnStage::Writing << 120 << u"Nothing came for 2 min"_s;
    QTest::newRow("waiting") << TurnStage::WaitingForFirstToken << 400
                             << u"Nothing came for 6 min"_s;
    QTest::newRow("not while a tool runs") << TurnStage::RunningTool << 400 << QString();
}

void StatusTextTest::longSilenceIsTold()
{
    // behaviours: 163
    QFETCH(TurnStage, stage);
    QFETCH(int, seconds);
    TurnProgress p = progress(stage);
    p.silence = std::chrono::seconds(seconds);
    QTEST(statusText(p).hint, "hint");
}

void StatusTextTest::afterAnEarlyEndItSaysHowToGoOn_data()
{
    QTest::addColumn<TurnStatus>("status");
    QTest::addColumn<bool>("canContinue");
    QTest::newRow("completed") << TurnStatus::Completed << false;
    QTest::newRow("stopped") << TurnStatus::Stopped << true;
    QTest::newRow("timed out") << TurnStatus::TimedOut << true;
    QTest::newRow("limit") << TurnStatus::LimitReached << true;
    QTest::newRow("failed") << TurnStatus::Failed << true;
}

void StatusTextTest::afterAnEarlyEndItSaysHowToGoOn()
{
    QFETCH(TurnStatus, status);
    QFETCH(bool, canContinue);
    TurnRecord turn;
    turn.outcome = TurnOutcome();
    turn.outcome->status = status;
    QCOMPARE(endedEarly(turn), canContinue);
    QCOMPARE(idleStatusText(&turn).idle,
             canContinue ? u"Everything is kept. Continue with Ctrl+Shift+Enter."_s : QString());
    QVERIFY(idleStatusText(nullptr).idle.isEmpty());
}

void StatusTextTest::announcementLeavesOutWhatRuns()
{
    TurnProgress p = progress(TurnStage::Writing);
    p.tokens = 10;
    const QString before = statusText(p).announcement();
    p.elapsed = 9s;
    p.tokens = 500;
    QCOMPARE(statusText(p).announcement(), before);
    p.isStopping = true;
    QVERIFY(statusText(p).announcement() != before);
}

void StatusTextTest::meterMeasuresTheLastSeconds()
{
    TurnMeter meter;
    meter.start(Instant(0s));
    for (int i = 0; i <= 40; ++i)
        meter.sample(i < 20 ? 0 : (i - 20) * 10, Instant(i * 250ms));
    QCOMPARE(qRound(meter.tokensPerSecond()), 40);
    QCOMPARE(meter.silence(Instant(7s)), 7'000ms);
    meter.noteEvent(Instant(6s));
    QCOMPARE(meter.silence(Instant(7s)), 1'000ms);
}

void StatusTextTest::meterShowsNothingForAStandstill()
{
    TurnMeter meter;
    meter.start(Instant(0s));
    QCOMPARE(meter.tokensPerSecond(), 0.0);
    for (int i = 0; i < 20; ++i)
        meter.sample(300, Instant(i * 250ms));
    QCOMPARE(meter.tokensPerSecond(), 0.0);
}

QTEST_GUILESS_MAIN(StatusTextTest)
#include "tst_statustext.moc"
