// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/foottext.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

QDateTime at(int hour, int minute, int second)
{
    return QDateTime(QDate(2026, 11, 20), QTime(hour, minute, second)).toUTC();
}

TurnRecord ended(TurnStatus status)
{
    TurnRecord turn;
    turn.id = TurnId(u"t"_s);
    TurnOutcome outcome;
    outcome.status = status;
    outcome.endedAt = at(14, 2, 11);
    outcome.duration = 12'400ms;
    outcome.usage.input = 900;
    outcome.usage.output = 348;
    turn.outcome = outcome;
    return turn;
}

TurnRecord stopped(CancellationCause cause)
{
    TurnRecord turn = ended(TurnStatus::Stopped);
    CancellationReason reason;
    reason.cause = cause;
    turn.outcome->reason = reason;
    return turn;
}

} // namespace

class FootTextTest final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void runningTurnHasNone();
    void finishedTurnSaysWhenAndHowMuch();
    void stopByTheUserIsNeutral();
    void everyCauseOfAStopHasItsWords_data();
    void everyCauseOfAStopHasItsWords();
    void limitNamesItselfAndItsValueAndLinksToIt();
    void numberLimitTellsTheCalls();
    void failureIsRedAndHasDetails();
    void endsNeverMixTheirWords();
    void ruleSaysWhy();
    void crashIsToldApart();
    void ledgerCountsWhatWasAndWasNotDone();
    void ledgerTellsWhatFailedAndWhatWasDenied();
    void ledgerOfACrashComesFromTheCalls();
    void ledgerNamesWhatStillRuns();
    void unsavedTurnSaysSo();
    void seamTellsTheTime();
};

void FootTextTest::runningTurnHasNone()
{
    QVERIFY(footText(TurnRecord()).isEmpty());
}

void FootTextTest::finishedTurnSaysWhenAndHowMuch()
{
    TurnRecord turn = ended(TurnStatus::Completed);
    turn.outcome->endedAt = at(13, 20, 5);
    turn.outcome->duration = 6'100ms;
    turn.outcome->usage.output = 212;
    const FootText foot = footText(turn);
    QCOMPARE(foot.line, u"Finished · 13:20:05 · 6.1 s · 212 tokens"_s);
    QCOMPARE(foot.mark, Mark::Finished);
    QCOMPARE(foot.link, FootText::Link::None);
    QVERIFY(foot.ledger.isEmpty());
}

// behaviours: 249
void FootTextTest::stopByTheUserIsNeutral()
{
    TurnRecord turn = stopped(CancellationCause::User);
    turn.outcome->serverIdleAfter = 300ms;
    const FootText foot = footText(turn);
    QCOMPARE(foot.line,
             u"Stopped by you · 14:02:11 · after 12.4 s · 348 tokens · server idle after 0.3 s"_s);
    QCOMPARE(foot.mark, Mark::Stopped);
    QCOMPARE(foot.tone, FootText::Tone::Neutral);

    turn.outcome->serverIdleAfter = 0ms; // less than one was measured
    QVERIFY(footText(turn).line.endsWith(u" · server idle after 1 ms"_s));
}

void FootTextTest::everyCauseOfAStopHasItsWords_data()
{
    QTest::addColumn<CancellationCause>("cause");
    QTest::addColumn<QString>("words");
    using Cause = CancellationCause;
    QTest::newRow("user") << Cause::User << u"Stopped by you"_s;
    QTest::newRow("superseded") << Cause::Superseded << u"Stopped by your next message"_s;
    QTest::newRow("window") << Cause::WindowClosed << u"Stopped when the window was closed"_s;
    QTest::newRow("quit") << Cause::ApplicationQuit << u"Stopped when the application was quit"_s;
    QTest::newRow("external") << Cause::External << u"Stopped by another program"_s;
    QTest::newRow("parent") << Cause::Parent << u"Stopped with the turn it belonged to"_s;
}

// behaviours: 249
void FootTextTest::everyCauseOfAStopHasItsWords()
{
    QFETCH(CancellationCause, cause);
    QFETCH(QString, words);
    QVERIFY(footText(stopped(cause)).line.startsWith(words + u" · "_s));
}

void FootTextTest::limitNamesItselfAndItsValueAndLinksToIt()
{
    // behaviours: 151, 249
    TurnRecord turn = ended(TurnStatus::TimedOut);
    turn.outcome->limit = LimitInfo{Limit::Silence, 2min};
    turn.outcome->endedAt = at(13, 52, 7);
    turn.outcome->duration = 206s;
    turn.outcome->usage.output = 112;
    const FootText foot = footText(turn);
    QCOMPARE(foot.line,
             u"Silence limit of 2 min reached · 13:52:07 · after 3 min 26 s · 112 tokens"_s);
    QCOMPARE(foot.mark, Mark::Limit);
    QCOMPARE(foot.tone, FootText::Tone::Limit);
    QCOMPARE(foot.link, FootText::Link::ChangeLimit);
    QCOMPARE(foot.linkText, u"Change limit…"_s);
    QCOMPARE(foot.limit, std::optional(Limit::Silence));
}

void FootTextTest::numberLimitTellsTheCalls()
{
    TurnRecord turn = ended(TurnStatus::LimitReached);
    CancellationReason reason;
    reason.cause = CancellationCause::IterationLimit;
    turn.outcome->reason = reason;
    turn.outcome->iterations = 50;
    const FootText foot = footText(turn);
    QVERIFY(foot.line.startsWith(u"Ended after 50 model calls · "));
    QCOMPARE(foot.tone, FootText::Tone::Limit);
}

// behaviours: 248, 249
void FootTextTest::failureIsRedAndHasDetails()
{
    TurnRecord turn = ended(TurnStatus::Failed);
    turn.outcome->error = Error(ErrorCode::ConnectionLost,
                                u"localhost:11434 closed the connection."_s, u"errno 104"_s);
    turn.outcome->endedAt = at(13, 48, 20);
    turn.outcome->duration = 3'200ms;
    turn.outcome->usage.output = 41;
    const FootText foot = footText(turn);
    QCOMPARE(
        foot.line,
        u"Failed: localhost:11434 closed the connection · 13:48:20 · after 3.2 s · 41 tokens"_s);
    QCOMPARE(foot.tone, FootText::Tone::Failure);
    QCOMPARE(foot.mark, Mark::Failed);
    QCOMPARE(foot.linkText, u"Details"_s);
    QCOMPARE(foot.details, u"localhost:11434 closed the connection.\nerrno 104"_s);
}

// behaviours: 249
void FootTextTest::endsNeverMixTheirWords()
{
    TurnRecord limit = ended(TurnStatus::TimedOut);
    limit.outcome->limit = LimitInfo{Limit::Turn, 30min};
    TurnRecord failure = ended(TurnStatus::Failed);
    failure.outcome->error = Error(ErrorCode::ServerError, u"The server is broken."_s);
    const FootText stop = footText(stopped(CancellationCause::User));
    const FootText reached = footText(limit);
    const FootText failed = footText(failure);
    QVERIFY(stop.tone != reached.tone && reached.tone != failed.tone && stop.tone != failed.tone);
    for (const FootText *foot : {&stop, &reached, &failed}) {
        QVERIFY(!foot->line.contains(u"cancel"_s, Qt::CaseInsensitive));
        QVERIFY(!foot->line.contains(u"abort"_s, Qt::CaseInsensitive));
    }
    QVERIFY(!reached.line.contains(u"Failed"_s) && !stop.line.contains(u"Failed"_s));
}

// behaviours: 135, 138
void FootTextTest::ruleSaysWhy()
{
    TurnRecord turn = ended(TurnStatus::Completed);
    turn.outcome->stopReason = StopReason::Vetoed;
    QVERIFY(footText(turn).line.startsWith(u"Ended by a rule · "_s));
    turn.outcome->notice = u"Not on a Sunday."_s;
    QVERIFY(footText(turn).line.startsWith(u"Ended by a rule: Not on a Sunday · "_s));
    turn.outcome->notice = QString(500, u'x');
    QVERIFY(footText(turn).line.size() < 200);
}

void FootTextTest::crashIsToldApart()
{
    TurnRecord turn = ended(TurnStatus::Failed);
    turn.cutByCrash = true;
    turn.outcome->endedAt = at(12, 40, 58);
    turn.outcome->duration = 8'100ms;
    turn.outcome->usage.output = 190;
    const FootText foot = footText(turn);
    QCOMPARE(foot.line, u"Cut when the application ended · 12:40:58 · after 8 s · 190 tokens"_s);
    QCOMPARE(foot.tone, FootText::Tone::Neutral);

    turn.outcome.reset();
    QCOMPARE(footText(turn).line, u"Cut when the application ended"_s);
}

void FootTextTest::ledgerCountsWhatWasAndWasNotDone()
{
    ToolLedger ledger;
    QVERIFY(ledgerText(ledger).isEmpty());
    ledger.finished = 2;
    ledger.interrupted = 1;
    ledger.interruptedAfter = 4'100ms;
    ledger.notRun = 2;
    QCOMPARE(ledgerText(ledger), u"Tools: 2 finished, 1 stopped after 4.1 s, 2 not started"_s);
}

void FootTextTest::ledgerTellsWhatFailedAndWhatWasDenied()
{
    TurnRecord turn;
    turn.outcome.emplace();
    turn.outcome->tools.finished = 2;
    turn.outcome->tools.notRun = 2;
    AssistantMessage message;
    for (const ToolState state :
         {ToolState::Finished, ToolState::Denied, ToolState::NotRun, ToolState::Failed}) {
        ToolCallBlock call;
        call.slot.state = state;
        message.blocks.emplace_back(call);
    }
    turn.answer.push_back(message);
    QCOMPARE(footText(turn).ledger, u"Tools: 1 finished, 1 failed, 1 denied, 1 not started"_s);
    std::get<ToolCallBlock>(turn.answer[0].blocks[2]).slot.state = ToolState::Denied;
    QCOMPARE(footText(turn).ledger, u"Tools: 1 finished, 1 failed, 2 denied"_s);
}

void FootTextTest::ledgerOfACrashComesFromTheCalls()
{
    TurnRecord turn;
    turn.cutByCrash = true;
    AssistantMessage message;
    for (const ToolState state : {ToolState::Finished, ToolState::Interrupted, ToolState::NotRun}) {
        ToolCallBlock call;
        call.slot.state = state;
        message.blocks.emplace_back(call);
    }
    turn.answer.push_back(message);
    QCOMPARE(footText(turn).ledger, u"Tools: 1 finished, 1 stopped, 1 not started"_s);
}

void FootTextTest::ledgerNamesWhatStillRuns()
{
    ToolLedger ledger;
    ledger.interrupted = 1;
    ledger.stillRunning = {u"run_command"_s};
    QCOMPARE(ledgerText(ledger), u"Tools: 1 stopped; still running: run_command"_s);
}

void FootTextTest::unsavedTurnSaysSo()
{
    TurnRecord turn = ended(TurnStatus::Completed);
    turn.outcome->saved = false;
    QVERIFY(footText(turn).line.endsWith(u" · not saved"));
}

void FootTextTest::seamTellsTheTime()
{
    TurnRecord turn;
    turn.kind = TurnKind::Continuation;
    turn.createdAt = at(13, 48, 41);
    QCOMPARE(seamText(turn), u"Continued at 13:48:41"_s);
}

QTEST_GUILESS_MAIN(FootTextTest)
#include "tst_foottext.moc"
