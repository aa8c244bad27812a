// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/enumcomparison.h"
#include "support/logrecorder.h"
#include "turnfixture.h"

#include <QTest>

#include <thread>

using namespace fermata;
using namespace Qt::StringLiterals;

class tst_Turn : public QObject
{
    Q_OBJECT

private slots:
    void tellsAWholeAnswerInOrder();
    void aStopBeforeTheStartOpensNoConnection();
    void aStopInMidStreamKeepsWhatCame();
    void aStopAfterTheTerminatorIsNoted();
    void aStopInARetryWaitSendsNothing();
    void aStreamWithoutTerminatorFails();
    void anEmptyAnswerFails();
    void eachLimitFiresAtItsValue_data();
    void eachLimitFiresAtItsValue();
    void anExtendedLimitFiresLater();
    void aFaultThatNobodySawIsTriedAgain();
    void aToolRoundTakesTwoRequests();
    void aStopBetweenToolsLeavesTheRestNotRun();
    void aStopInAToolKeepsItsOutput();
    void aToolThatDoesNotEndIsLeftBehind();
    void aDeniedCallIsAnsweredAndTheTurnGoesOn();
    void aStopWhileAskingReleasesTheQuestion();
    void theClockStandsStillWhileAsking();
    void aToolOverItsLimitIsTimedOutAndTheTurnGoesOn();
    void theUserIsAskedAtTheIterationLimit();
    void anAnswerCountsOnlyForTheQuestionThatIsOpen();
    void aFullDiskNeverEndsATurn();
    void callsCutByTheTokenLimitAreNotRun();
};

void tst_Turn::tellsAWholeAnswerInOrder()
{
    // behaviours: 66, 140, 197, 198
    TurnFixture fixture;
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(outcome.stopReason, StopReason::EndTurn);
    QCOMPARE(outcome.text, u"Hi"_s);
    QVERIFY(outcome.isAnswer());
    QVERIFY(outcome.usage.estimated);
    QCOMPARE(fixture.events().constFirst(), u"TurnStarted"_s);
    QVERIFY(fixture.events().constLast().startsWith(u"TurnFinished"_s));
    QCOMPARE(fixture.count(u"TurnFinished"_s), 1);
    QCOMPARE(fixture.journal.log.constFirst(), u"begin"_s);
    QCOMPARE(fixture.journal.log.constLast(), u"finish"_s);
    QCOMPARE(fixture.record().answerText(), u"Hi"_s);
}

void tst_Turn::aStopBeforeTheStartOpensNoConnection()
{
    // behaviours: 26, 41, 42
    TurnFixture fixture;
    QVERIFY(fixture.control->stop({CancellationCause::User, {}, {}, {}}));
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.phase, TurnPhase::Initialization);
    QCOMPARE(outcome.iterations, 0);
    QVERIFY(!outcome.sent);
    QVERIFY(fixture.provider->requests().empty());
    QCOMPARE(fixture.journal.saved->userText, u"Hello"_s);
}

void tst_Turn::aStopInMidStreamKeepsWhatCame()
{
    // behaviours: 49, 54, 65, 68
    TurnFixture fixture;
    fixture.script({sent() + text(u"one "_s) + text(u"two "_s) + text(u"three"_s)
                    + Script{Call{[&] {
                          fixture.control->stop({CancellationCause::User, {}, {}, {}});
                      }}}
                    + text(u"four"_s) + done()});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.phase, TurnPhase::Streaming);
    QCOMPARE(outcome.stopReason, StopReason::Cancelled);
    QCOMPARE(outcome.text, u"one two three"_s);
    QVERIFY(outcome.partial);
    QVERIFY(outcome.usage.estimated);
    QVERIFY(outcome.usage.output > 0);
    QCOMPARE(fixture.journal.saved->answerText(), u"one two three"_s);
    QCOMPARE(fixture.journal.saved->outcome->reason->cause, CancellationCause::User);
}

void tst_Turn::aStopAfterTheTerminatorIsNoted()
{
    // behaviours: 59
    TurnFixture fixture;
    fixture.onEvent = [&](const TurnEvent &event) {
        if (std::holds_alternative<MessageCompleted>(event))
            fixture.control->stop({CancellationCause::User, {}, {}, {}});
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QVERIFY(outcome.stopRequested);
}

void tst_Turn::aStopInARetryWaitSendsNothing()
{
    // behaviours: 115, 117, 128
    TurnFixture fixture(TurnFixture::Time::Still); // the wait ends by the stop or never
    fixture.request.retries = 3;
    fixture.script({Script{Fail{Error(ErrorCode::ServerError, u"busy"_s), {true, {}}}}});
    std::thread stopper;
    fixture.onEvent = [&](const TurnEvent &event) {
        const auto *stage = std::get_if<StageChanged>(&event);
        if (stage && stage->stage == TurnStage::RetryWait)
            stopper = std::thread([&] { fixture.stop(); });
    };
    const TurnOutcome outcome = fixture.run();
    stopper.join();
    QCOMPARE(outcome.reason->cause, CancellationCause::User);
    QCOMPARE(outcome.timeToStop, std::optional(std::chrono::milliseconds(0)));
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(fixture.provider->requests().size(), size_t(1));
    QCOMPARE(fixture.count(u"RetryScheduled"_s), 1);
}

void tst_Turn::aStreamWithoutTerminatorFails()
{
    // behaviours: 61
    TurnFixture fixture;
    fixture.script({sent() + text(u"half"_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Failed);
    QCOMPARE(outcome.error->code, ErrorCode::Truncated);
    QCOMPARE(outcome.text, u"half"_s);
    QVERIFY(outcome.partial);
}

void tst_Turn::anEmptyAnswerFails()
{
    // behaviours: 62
    TurnFixture fixture;
    fixture.script({sent() + done()});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Failed);
    QCOMPARE(outcome.error->code, ErrorCode::EmptyAnswer);
}

void tst_Turn::eachLimitFiresAtItsValue_data()
{
    QTest::addColumn<int>("limit");
    QTest::addColumn<CancellationCause>("cause");
    QTest::newRow("connect") << int(Limit::Connect) << CancellationCause::ConnectLimit;
    QTest::newRow("first token") << int(Limit::FirstToken) << CancellationCause::FirstTokenLimit;
    QTest::newRow("silence") << int(Limit::Silence) << CancellationCause::SilenceLimit;
    QTest::newRow("turn") << int(Limit::Turn) << CancellationCause::TurnLimit;
}

void tst_Turn::eachLimitFiresAtItsValue()
{
    // behaviours: 145, 146, 147, 148, 149, 151
    QFETCH(int, limit);
    QFETCH(CancellationCause, cause);
    TurnFixture fixture;
    fixture.request.limits.turn = std::chrono::minutes(30);
    std::chrono::milliseconds value{};
    switch (Limit(limit)) {
    case Limit::Connect:
        value = *fixture.request.limits.connect;
        fixture.script({Script{Hang{}}});
        break;
    case Limit::FirstToken:
        value = *fixture.request.limits.firstToken;
        fixture.script(
            {sent() + Script{Pass{std::chrono::minutes(2)}, ModelEvent(KeepAlive{}), Hang{}}});
        break;
    case Limit::Silence:
        value = *fixture.request.limits.silence;
        fixture.script({sent() + text(u"part"_s) + Script{Hang{}}});
        break;
    default: {
        value = *fixture.request.limits.turn;
        Script drip = sent();
        for (int i = 0; i < 40; ++i)
            drip = drip + Script{Pass{std::chrono::minutes(1)}} + text(u"x"_s);
        fixture.script({drip});
    }
    }
    const Instant before = fixture.clock.now();
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::TimedOut);
    QCOMPARE(outcome.reason->cause, cause);
    QCOMPARE(outcome.limit->limit, Limit(limit));
    QCOMPARE(outcome.limit->value, value);
    const auto took = fixture.clock.now() - before;
    QVERIFY2(took >= value && took < value + std::chrono::seconds(1),
             qPrintable(QString::number(std::chrono::duration<double>(took).count())));
}

void tst_Turn::anExtendedLimitFiresLater()
{
    // behaviours: 155
    TurnFixture fixture;
    fixture.script(
        {sent() + text(u"part"_s)
         + Script{Call{[&] { fixture.control->extend(Limit::Silence, std::chrono::minutes(5)); }},
                  Hang{}}});
    const Instant before = fixture.clock.now();
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.reason->cause, CancellationCause::SilenceLimit);
    QCOMPARE(outcome.limit->value, std::chrono::milliseconds(std::chrono::minutes(7)));
    QVERIFY(fixture.clock.now() - before >= std::chrono::minutes(7));

    // This turn's only.
    fixture.nextTurn();
    fixture.script({sent() + text(u"part"_s) + Script{Hang{}}});
    QCOMPARE(fixture.run().limit->value, *fixture.request.limits.silence);
}

void tst_Turn::aFaultThatNobodySawIsTriedAgain()
{
    // behaviours: 118, 119
    TurnFixture fixture;
    fixture.request.retries = 3;
    const Script busy{Fail{Error(ErrorCode::ServerError, u"busy"_s), {true, {}}}};
    fixture.script({busy, busy, answer(u"at last"_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(fixture.provider->requests().size(), size_t(3));
    QCOMPARE(fixture.record().answerText(), u"at last"_s);

    TurnFixture endless;
    endless.request.retries = 3;
    endless.script({busy});
    const TurnOutcome outcome = endless.run();
    QCOMPARE(outcome.status, TurnStatus::Failed);
    QCOMPARE(outcome.error->message, u"busy"_s);
    QCOMPARE(endless.provider->requests().size(), size_t(4));
}

void tst_Turn::aToolRoundTakesTwoRequests()
{
    // behaviours: 46, 66, 200
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)));
    QString shown; // in the middle of the message
    fixture.script({sent() + text(u"Look"_s)
                        + Script{Call{[&] { shown = fixture.record().answerText(); }}}
                        + text(u"ing."_s) + toolCall(u"look"_s) + done(),
                    answer(u"Done."_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(shown, u"Look"_s);
    QCOMPARE(outcome.iterations, 2);
    QCOMPARE(outcome.tools.finished, 1);
    QCOMPARE(fixture.calls().front().slot.output, u"seen"_s);
    const History history = fixture.provider->requests().at(1).history;
    QVERIFY(validateHistory(history).empty());
    QCOMPARE(history.back().role, HistoryRole::Tool);
    QCOMPARE(fixture.journal.log,
             QStringList({u"begin"_s, u"checkpoint"_s, u"call Running"_s, u"call Finished"_s,
                          u"finish"_s}));
}

void tst_Turn::aStopBetweenToolsLeavesTheRestNotRun()
{
    // behaviours: 80, 87
    TurnFixture fixture(TurnFixture::Time::Still);
    auto first = std::make_shared<ScriptedTool>(
        u"first"_s, [&](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
            fixture.control->stop({CancellationCause::User, {}, {}, {}});
            return ToolResult{u"real"_s, false, {}, {}};
        });
    auto second = std::make_shared<ScriptedTool>(u"second"_s, returns({}));
    fixture.tool(first).tool(second);
    fixture.script(
        {sent() + toolCall(u"first"_s) + toolCall(u"second"_s) + toolCall(u"second"_s) + done()});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.phase, TurnPhase::ToolCalls);
    QCOMPARE(second->entered(), 0);
    QCOMPARE(fixture.calls().at(0).slot.output, u"real"_s);
    QVERIFY(fixture.calls().at(1).slot.note.startsWith(u"Not run:"_s));
    QCOMPARE(outcome.tools.finished, 1);
    QCOMPARE(outcome.tools.notRun, 2);
    QCOMPARE(fixture.provider->requests().size(), size_t(1));
}

void tst_Turn::aStopInAToolKeepsItsOutput()
{
    // behaviours: 83, 110
    TurnFixture fixture(TurnFixture::Time::Still);
    auto tool = std::make_shared<ScriptedTool>(
        u"long"_s, [&](const QJsonObject &arguments, ToolContext &context) {
            context.reportOutput("half of it\n");
            fixture.control->stop({CancellationCause::User, {}, {}, {}});
            return waitsForStop()(arguments, context);
        });
    fixture.tool(tool);
    fixture.script({sent() + toolCall(u"long"_s) + done()});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    const ToolSlot slot = fixture.calls().front().slot;
    QCOMPARE(slot.state, ToolState::Interrupted);
    QVERIFY(slot.note.startsWith(u"Interrupted: stopped by the user"_s));
    QVERIFY(slot.output.contains(u"half of it"_s));
    QCOMPARE(outcome.tools.interrupted, 1);
}

void tst_Turn::aToolThatDoesNotEndIsLeftBehind()
{
    // behaviours: 93
    const LogRecorder recorder;
    TurnFixture fixture(TurnFixture::Time::Real);
    fixture.request.toolGrace = std::chrono::milliseconds(20);
    auto release = std::make_shared<Channel<int>>();
    auto tool = std::make_shared<ScriptedTool>(
        u"deaf"_s, [&, release](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
            fixture.control->stop({CancellationCause::User, {}, {}, {}});
            (void)release->receive();
            return ToolResult{u"too late"_s, false, {}, {}};
        });
    fixture.tool(tool);
    fixture.script({sent() + toolCall(u"deaf"_s) + done()});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(fixture.calls().front().slot.state, ToolState::StillRunning);
    QCOMPARE(outcome.tools.stillRunning, QStringList{u"deaf"_s});
    release->close();
    QTRY_COMPARE(ToolRun::detachedRuns(), 0);
    QCOMPARE(fixture.calls().front().slot.output, QString());
    QTRY_COMPARE(
        LogRecorder::lines().filter(u"a tool that was left behind has ended: deaf"_s).size(), 1);
}

void tst_Turn::aDeniedCallIsAnsweredAndTheTurnGoesOn()
{
    // behaviours: 77, 162
    TurnFixture fixture(TurnFixture::Time::Still);
    auto tool = std::make_shared<ScriptedTool>(u"delete"_s, returns({}), ToolAccess::Writes, true);
    fixture.tool(tool);
    fixture.script({sent() + toolCall(u"delete"_s) + done(),
                    sent() + toolCall(u"delete"_s) + done(), answer(u"All right."_s)});
    fixture.onEvent = [&](const TurnEvent &event) {
        if (const auto *asked = std::get_if<ApprovalAsked>(&event))
            fixture.control->answerApproval(asked->request.call, ApprovalDecision::Deny,
                                            asked->request.fingerprint);
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(tool->entered(), 0);
    QCOMPARE(fixture.count(u"ApprovalAsked"_s), 1);
    QCOMPARE(fixture.calls().at(0).slot.state, ToolState::Denied);
    QCOMPARE(fixture.calls().at(0).slot.note, u"Not run: denied by the user."_s);
    QCOMPARE(fixture.calls().at(1).slot.state, ToolState::Denied);
    QVERIFY(fixture.calls().at(1).slot.note.contains(u"before in this turn"_s));

    fixture.nextTurn(); // asks again
    fixture.script({sent() + toolCall(u"delete"_s) + done(), answer(u"All right."_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(fixture.count(u"ApprovalAsked"_s), 1);
    QCOMPARE(tool->entered(), 0);
}

void tst_Turn::aStopWhileAskingReleasesTheQuestion()
{
    // behaviours: 75
    TurnFixture fixture(TurnFixture::Time::Still);
    auto tool = std::make_shared<ScriptedTool>(u"delete"_s, returns({}), ToolAccess::Writes, true);
    fixture.tool(tool);
    fixture.script({sent() + toolCall(u"delete"_s) + done()});
    fixture.onEvent = [&](const TurnEvent &event) {
        if (std::holds_alternative<ApprovalAsked>(event))
            fixture.control->stop({CancellationCause::User, {}, {}, {}});
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(tool->entered(), 0);
    QCOMPARE(fixture.count(u"ApprovalClosed"_s), 1);
    QCOMPARE(fixture.calls().front().slot.state, ToolState::NotRun);
    QCOMPARE(fixture.calls().front().slot.note, u"Not run: stopped by the user."_s);
    QCOMPARE(outcome.timeToStop, std::optional(std::chrono::milliseconds(0)));
}

void tst_Turn::theClockStandsStillWhileAsking()
{
    // behaviours: 156
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.request.limits.turn = std::chrono::minutes(10);
    auto tool =
        std::make_shared<ScriptedTool>(u"delete"_s, returns(u"ok"_s), ToolAccess::Writes, true);
    fixture.tool(tool);
    fixture.script({sent() + toolCall(u"delete"_s) + done(), answer(u"Done."_s)});
    fixture.onEvent = [&](const TurnEvent &event) {
        if (const auto *asked = std::get_if<ApprovalAsked>(&event)) {
            QVERIFY(fixture.control->runningLimits().empty());
            fixture.manualClock.advance(std::chrono::hours(2));
            fixture.control->answerApproval(asked->request.call, ApprovalDecision::AllowOnce,
                                            asked->request.fingerprint);
        }
    };
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(tool->entered(), 1);
}

void tst_Turn::aToolOverItsLimitIsTimedOutAndTheTurnGoesOn()
{
    // behaviours: 150, 152
    TurnFixture fixture(TurnFixture::Time::Real);
    fixture.request.toolLimits.insert(u"slow"_s, std::chrono::milliseconds(70));
    fixture.tool(std::make_shared<ScriptedTool>(u"slow"_s, waitsForStop()));
    fixture.script({sent() + toolCall(u"slow"_s) + done(), answer(u"Too slow."_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    const ToolSlot slot = fixture.calls().front().slot;
    QCOMPARE(slot.state, ToolState::TimedOut);
    QVERIFY(slot.note.startsWith(u"Interrupted: slow timed out after 70 ms."_s));
    QVERIFY(slot.duration >= std::chrono::milliseconds(70));
    const HistoryMessage results = fixture.provider->requests().at(1).history.back();
    QVERIFY(std::get<HistoryResult>(results.blocks.front()).isError);

    // "Never" for one tool switches the general limit off.
    TurnFixture endless(TurnFixture::Time::Still);
    endless.request.limits.tool = std::chrono::milliseconds(1);
    endless.request.toolLimits.insert(u"slow"_s, LimitValue());
    endless.tool(std::make_shared<ScriptedTool>(
        u"slow"_s, [&](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
            endless.manualClock.advance(std::chrono::hours(30));
            return ToolResult{u"at last"_s, false, {}, {}};
        }));
    endless.script({sent() + toolCall(u"slow"_s) + done(), answer(u"Done."_s)});
    QCOMPARE(endless.run().status, TurnStatus::Completed);
    QCOMPARE(endless.calls().front().slot.output, u"at last"_s);
}

void tst_Turn::theUserIsAskedAtTheIterationLimit()
{
    // behaviours: 250, 258
    for (const bool goOn : {false, true}) {
        TurnFixture fixture(TurnFixture::Time::Still);
        fixture.request.limits.modelCalls = 1;
        auto tool = std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s));
        fixture.tool(tool);
        fixture.script({sent() + toolCall(u"look"_s) + done(), answer(u"Done."_s)});
        fixture.onEvent = [&](const TurnEvent &event) {
            if (std::holds_alternative<QuestionAsked>(event))
                fixture.control->answerQuestion(goOn);
        };
        const TurnOutcome outcome = fixture.run();
        QCOMPARE(tool->entered(), 1);
        QCOMPARE(outcome.status, goOn ? TurnStatus::Completed : TurnStatus::LimitReached);
        if (!goOn) {
            QCOMPARE(outcome.stopReason, StopReason::Limit);
            QCOMPARE(outcome.reason->cause, CancellationCause::IterationLimit);
        }
    }
}

// behaviours: 258
void tst_Turn::anAnswerCountsOnlyForTheQuestionThatIsOpen()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.request.limits.modelCalls = 1;
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)));
    fixture.script({sent() + toolCall(u"look"_s) + done()});
    fixture.control->answerQuestion(true); // nothing was asked
    int questions = 0;
    fixture.onEvent = [&](const TurnEvent &event) {
        if (!std::holds_alternative<QuestionAsked>(event))
            return;
        const bool isFirst = ++questions == 1;
        fixture.control->answerQuestion(isFirst);
        fixture.control->answerQuestion(true); // a double click
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::LimitReached);
    QCOMPARE(questions, 2);
    QCOMPARE(outcome.iterations, 2);
    QCOMPARE(fixture.control->lateCalls(), 3);
}

void tst_Turn::aFullDiskNeverEndsATurn()
{
    // behaviours: 208
    TurnFixture fixture;
    fixture.journal.failFrom = 0;
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QVERIFY(!outcome.saved);
    QCOMPARE(fixture.count(u"SaveFailed"_s), 1);
    QCOMPARE(fixture.record().answerText(), u"Hi"_s);

    TurnFixture healed;
    healed.journal.failFrom = 0;
    healed.journal.failUntil = 1;
    QVERIFY(healed.run().saved);
    QCOMPARE(healed.count(u"SaveRecovered"_s), 1);
    QCOMPARE(healed.journal.saved->answerText(), u"Hi"_s);

    // Once a save has failed, the next one saves all that is there, and not a call alone.
    TurnFixture inTools(TurnFixture::Time::Still);
    inTools.tool(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)));
    inTools.script({sent() + text(u"Looking."_s) + toolCall(u"look"_s) + done(), answer(u"Hi"_s)});
    inTools.journal.failFrom = 1;
    inTools.journal.failUntil = 2;
    QVERIFY(inTools.run().saved);
    QCOMPARE(inTools.journal.log,
             QStringList(
                 {u"begin"_s, u"checkpoint"_s, u"checkpoint"_s, u"call Finished"_s, u"finish"_s}));
    QCOMPARE(inTools.count(u"SaveFailed"_s), 1);
    QCOMPARE(inTools.count(u"SaveRecovered"_s), 1);
}

void tst_Turn::callsCutByTheTokenLimitAreNotRun()
{
    // behaviours: 261
    TurnFixture fixture(TurnFixture::Time::Still);
    auto tool = std::make_shared<ScriptedTool>(u"look"_s, returns({}));
    fixture.tool(tool);
    fixture.script({sent() + toolCall(u"look"_s, u"{\"pa"_s) + done(StopReason::MaxTokens)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(outcome.stopReason, StopReason::MaxTokens);
    QCOMPARE(tool->entered(), 0);
    QCOMPARE(fixture.provider->requests().size(), size_t(3));
    for (const ToolCallBlock &call : fixture.calls())
        QVERIFY(call.slot.note.startsWith(u"Not run:"_s));
}

QTEST_GUILESS_MAIN(tst_Turn)
#include "tst_turn.moc"
