// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/toolphase.h"
#include "support/enumcomparison.h"
#include "support/logrecorder.h"
#include "turnfixture.h"

#include <QTest>

#include <mutex>
#include <thread>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// A turn with a single call of `tool`, and an answer if it comes to that.
void callOnce(TurnFixture &fixture, const std::shared_ptr<ScriptedTool> &tool)
{
    fixture.tool(tool);
    fixture.script({sent() + toolCall(tool->spec().name) + done(), answer(u"Done."_s)});
}

bool isStopping(const TurnEvent &event)
{
    const auto *stage = std::get_if<StageChanged>(&event);
    return stage && stage->stage == TurnStage::Stopping;
}

} // namespace

// A stop, a limit or a fault while a tool runs that takes its time.
class tst_TurnLongTools : public QObject
{
    Q_OBJECT

private slots:
    void aToolThatBlocksEndsTheTurnWithItsGraceTime();
    void aCancellationThatNobodyAskedForEndsTheTurn_data();
    void aCancellationThatNobodyAskedForEndsTheTurn();
    void theToolsOwnCleanupComesBeforeItsOneEnd();
    void aToolsCleanupThatHangsIsLeftBehindOnce();
    void aToolPastItsPointOfNoReturnKeepsItsResult();
    void aLimitWaitsForAToolPastItsPointOfNoReturn();
    void aSecondStopLeavesAToolThatHangsPastItBehind();
    void aSecondStopDropsTheGraceAfterTheDoubleClickTime();
    void immediateModeLeavesADeafToolBehindAtOnce_data();
    void immediateModeLeavesADeafToolBehindAtOnce();
    void aToolThatWasStoppedOftenIsStillThere();
    void aLateAnswerIsNotUsed();
    void aStopWhileALongHistoryIsBuiltSendsNothing();
    void buildingALongHistoryLooksAtTheToken();
};

// behaviours: 94
void tst_TurnLongTools::aToolThatBlocksEndsTheTurnWithItsGraceTime()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    auto release = std::make_shared<Gate>();
    auto tool = std::make_shared<ScriptedTool>(
        u"block"_s, [&, release](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
            fixture.manualClock.advance(150ms);
            fixture.stop();
            (void)release->wait(); // deaf
            return ToolResult{u"too late"_s, false, {}, {}};
        });
    callOnce(fixture, tool);
    fixture.onEvent = [&](const TurnEvent &event) {
        if (isStopping(event))
            fixture.manualClock.advance(fixture.request.toolGrace + ToolPhase::DetachMargin);
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QVERIFY(outcome.duration <= 2500ms);
    QCOMPARE(tool->entered(), 1);
    QCOMPARE(fixture.slot(u"block"_s).state, ToolState::StillRunning);
    QCOMPARE(fixture.provider->requests().size(), size_t(1));
    release->open();
    QTRY_COMPARE(ToolRun::detachedRuns(), 0);
}

void tst_TurnLongTools::aCancellationThatNobodyAskedForEndsTheTurn_data()
{
    QTest::addColumn<int>("wrappings");
    QTest::addColumn<bool>("thrown");
    QTest::newRow("returned") << 0 << false;
    QTest::newRow("thrown") << 0 << true;
    QTest::newRow("as the cause of another") << 1 << false;
    QTest::newRow("deep in the chain") << 12 << false;
}

// behaviours: 95, 96
void tst_TurnLongTools::aCancellationThatNobodyAskedForEndsTheTurn()
{
    QFETCH(int, wrappings);
    QFETCH(bool, thrown);
    TurnFixture fixture(TurnFixture::Time::Still);
    callOnce(fixture,
             std::make_shared<ScriptedTool>(
                 u"gives_up"_s, [=](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
                     const CancellationError cancellation(TurnPhase::ToolCalls);
                     if (thrown)
                         throw CancellationError(cancellation);
                     Error error(cancellation);
                     for (int i = 0; i < wrappings; ++i)
                         error = error.wrappedIn(ErrorCode::Io, u"could not be read"_s);
                     return error;
                 }));
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.reason->cause, CancellationCause::External);
    QCOMPARE(outcome.reason->source, u"gives_up"_s);
    QCOMPARE(fixture.slot(u"gives_up"_s).state, ToolState::Interrupted);
    QVERIFY(!fixture.slot(u"gives_up"_s).note.contains(u"could not be read"_s));
    QCOMPARE(fixture.provider->requests().size(), size_t(1));
}

// behaviours: 99
void tst_TurnLongTools::theToolsOwnCleanupComesBeforeItsOneEnd()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    std::mutex mutex;
    QStringList order;
    const auto note = [&](const QString &what) {
        const std::lock_guard lock(mutex);
        order << what;
    };
    callOnce(fixture,
             std::make_shared<ScriptedTool>(
                 u"watch"_s, [&](const QJsonObject &arguments, ToolContext &context) {
                     fixture.stop();
                     Result<ToolResult> result = waitsForStop()(arguments, context);
                     note(u"cleanup"_s);
                     return result;
                 }));
    fixture.onEvent = [&](const TurnEvent &event) {
        const auto *changed = std::get_if<ToolStateChanged>(&event);
        if (changed && isFinal(changed->slot.state))
            note(u"end"_s);
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(order, QStringList({u"cleanup"_s, u"end"_s}));
    const ToolSlot slot = fixture.slot(u"watch"_s);
    QCOMPARE(slot.state, ToolState::Interrupted);
    QVERIFY2(slot.note.startsWith(u"Interrupted: stopped by the user"_s), qPrintable(slot.note));
}

// behaviours: 100
void tst_TurnLongTools::aToolsCleanupThatHangsIsLeftBehindOnce()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    auto release = std::make_shared<Gate>();
    auto inCleanup = std::make_shared<Gate>();
    callOnce(fixture,
             std::make_shared<ScriptedTool>(
                 u"hangs"_s,
                 [&, release, inCleanup](const QJsonObject &arguments, ToolContext &context) {
                     fixture.stop();
                     Result<ToolResult> result = waitsForStop()(arguments, context);
                     inCleanup->open();
                     (void)release->wait();
                     return result;
                 }));
    fixture.onEvent = [&](const TurnEvent &event) {
        if (isStopping(event)) {
            QVERIFY(inCleanup->wait());
            fixture.manualClock.advance(fixture.request.toolGrace + ToolPhase::DetachMargin);
        }
    };
    int warnings = 0;
    {
        const LogRecorder log;
        QCOMPARE(fixture.run().status, TurnStatus::Stopped);
        warnings = int(LogRecorder::lines().filter(u"is left behind"_s).size());
    }
    QCOMPARE(warnings, 1);
    release->open();
    QTRY_COMPARE(ToolRun::detachedRuns(), 0);
    const std::vector expected{ToolState::StillRunning};
    QVERIFY(fixture.endsOf(fixture.calls().front().id) == expected);
}

// behaviours: 111
void tst_TurnLongTools::aToolPastItsPointOfNoReturnKeepsItsResult()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    auto graceIsOver = std::make_shared<Gate>();
    callOnce(fixture,
             std::make_shared<ScriptedTool>(
                 u"commit"_s,
                 [&, graceIsOver](const QJsonObject &, ToolContext &context) -> Result<ToolResult> {
                     context.passPointOfNoReturn();
                     fixture.stop();
                     (void)graceIsOver->wait();
                     return ToolResult{u"committed"_s, false, {}, {}};
                 }));
    fixture.onEvent = [&](const TurnEvent &event) {
        if (isStopping(event)) {
            fixture.manualClock.advance(1min); // far beyond its grace time
            graceIsOver->open();
        }
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(fixture.slot(u"commit"_s).state, ToolState::Finished);
    QCOMPARE(fixture.slot(u"commit"_s).output, u"committed"_s);
    QCOMPARE(outcome.tools.finished, 1);
    QCOMPARE(fixture.provider->requests().size(), size_t(1));
}

// Its limit ends a tool only up to that point; and who waits for its end sleeps.
// behaviours: 111
void tst_TurnLongTools::aLimitWaitsForAToolPastItsPointOfNoReturn()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.request.toolLimits.insert(u"commit"_s, 1s);
    qint64 looks = 0;
    callOnce(fixture,
             std::make_shared<ScriptedTool>(
                 u"commit"_s, [&](const QJsonObject &, ToolContext &context) -> Result<ToolResult> {
                     context.passPointOfNoReturn();
                     fixture.manualClock.advance(1min);
                     Channel<int> nothing;
                     (void)nothing.receive(context.token()); // the limit has fired
                     const qint64 before = fixture.manualClock.looks();
                     // For so long nothing happens, and the turn has nothing to look at.
                     (void)nothing.receive({}, steadyClock().now() + 200ms);
                     looks = fixture.manualClock.looks() - before;
                     return ToolResult{u"committed"_s, false, {}, {}};
                 }));
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(fixture.slot(u"commit"_s).state, ToolState::Finished);
    QCOMPARE(fixture.slot(u"commit"_s).output, u"committed"_s);
    // The test's clock is looked at once a millisecond by who waits; who turns round looks a million times.
    QVERIFY2(looks < 50'000, qPrintable(QString::number(looks)));
}

// behaviours: 103
void tst_TurnLongTools::aSecondStopLeavesAToolThatHangsPastItBehind()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    auto release = std::make_shared<Gate>();
    callOnce(fixture,
             std::make_shared<ScriptedTool>(
                 u"commit"_s,
                 [&, release](const QJsonObject &, ToolContext &context) -> Result<ToolResult> {
                     context.passPointOfNoReturn();
                     fixture.stop();
                     fixture.control->force();
                     (void)release->wait();
                     return ToolResult{u"committed"_s, false, {}, {}};
                 }));
    std::jthread passing([&fixture](const std::stop_token &ended) {
        Channel<int> nothing;
        while (!ended.stop_requested()) {
            fixture.manualClock.advance(ToolPhase::DetachMargin);
            (void)nothing.receive({}, steadyClock().now() + 1ms);
        }
    });
    QCOMPARE(fixture.run().status, TurnStatus::Stopped);
    QCOMPARE(fixture.slot(u"commit"_s).state, ToolState::StillRunning);
    passing.request_stop();
    release->open();
    QTRY_COMPARE(ToolRun::detachedRuns(), 0);
}

// behaviours: 103
void tst_TurnLongTools::aSecondStopDropsTheGraceAfterTheDoubleClickTime()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    bool forcedByDoubleClick = true;
    callOnce(fixture,
             std::make_shared<ScriptedTool>(
                 u"slow"_s, [&](const QJsonObject &, ToolContext &context) -> Result<ToolResult> {
                     fixture.stop(CancellationCause::User, u"first"_s);
                     fixture.manualClock.advance(399ms);
                     fixture.stop(CancellationCause::WindowClosed, u"second"_s);
                     forcedByDoubleClick = context.forceToken().isCancelled();
                     fixture.manualClock.advance(1ms);
                     fixture.stop(CancellationCause::WindowClosed, u"third"_s);
                     Channel<int> nothing;
                     (void)nothing.receive(context.forceToken(), steadyClock().now() + 20s);
                     const bool dropped = context.grace() == 0ms;
                     return dropped ? context.token().check(TurnPhase::ToolCalls).error()
                                    : Error(ErrorCode::Internal, u"still has its grace time"_s);
                 }));
    const TurnOutcome outcome = fixture.run();
    QVERIFY(!forcedByDoubleClick);
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.reason->cause, CancellationCause::User);
    QCOMPARE(outcome.reason->text, u"first"_s);
    QCOMPARE(fixture.slot(u"slow"_s).state, ToolState::Interrupted);
    QCOMPARE(fixture.endsOf(fixture.calls().front().id).size(), size_t(1));
    QCOMPARE(fixture.count(u"TurnFinished"_s), 1);
}

void tst_TurnLongTools::immediateModeLeavesADeafToolBehindAtOnce_data()
{
    QTest::addColumn<bool>("skipped");
    QTest::addColumn<bool>("forced");
    QTest::newRow("the turn is stopped") << false << false;
    QTest::newRow("the turn is stopped twice") << false << true;
    QTest::newRow("the tool is skipped") << true << false;
}

// behaviours: 102, 300
void tst_TurnLongTools::immediateModeLeavesADeafToolBehindAtOnce()
{
    QFETCH(bool, skipped);
    QFETCH(bool, forced);
    QCOMPARE(TurnRequest().stopMode, StopMode::Graceful);
    QCOMPARE(TurnRequest().toolGrace, std::chrono::milliseconds(2s));
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.request.stopMode = StopMode::Immediate;
    auto release = std::make_shared<Gate>();
    const auto tool = std::make_shared<ScriptedTool>(
        u"deaf"_s, [&, release](const QJsonObject &, ToolContext &context) -> Result<ToolResult> {
            if (skipped)
                fixture.control->stopTool(fixture.calls().front().id);
            else
                fixture.stop();
            if (forced)
                fixture.control->force();
            Channel<int> nothing;
            (void)nothing.receive(context.token()); // it was told, and goes on
            if (skipped)
                fixture.manualClock.advance(49ms);
            (void)release->wait();
            return ToolResult{u"too late"_s, false, {}, {}};
        });
    callOnce(fixture, tool);
    fixture.onEvent = [&](const TurnEvent &event) {
        if (isStopping(event))
            fixture.manualClock.advance(49ms);
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, skipped ? TurnStatus::Completed : TurnStatus::Stopped);
    QCOMPARE(fixture.slot(u"deaf"_s).state, ToolState::StillRunning);
    QVERIFY(outcome.duration < 50ms);
    release->open();
    QTRY_COMPARE(ToolRun::detachedRuns(), 0);
}

// behaviours: 112
void tst_TurnLongTools::aToolThatWasStoppedOftenIsStillThere()
{
    auto stopNow = std::make_shared<std::function<void()>>();
    auto tool = std::make_shared<ScriptedTool>(
        u"search"_s, [stopNow](const QJsonObject &arguments, ToolContext &context) {
            if (!*stopNow)
                return returns(u"found"_s)(arguments, context);
            (*stopNow)();
            return waitsForStop()(arguments, context);
        });
    for (int i = 0; i < 3; ++i) {
        TurnFixture stopped(TurnFixture::Time::Still);
        *stopNow = [&] { stopped.stop(); };
        callOnce(stopped, tool);
        QCOMPARE(stopped.run().status, TurnStatus::Stopped);
        QCOMPARE(stopped.slot(u"search"_s).state, ToolState::Interrupted);
    }
    *stopNow = {};
    TurnFixture fixture(TurnFixture::Time::Still);
    callOnce(fixture, tool);
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(fixture.slot(u"search"_s).output, u"found"_s);
    QCOMPARE(tool->entered(), 4);
    QCOMPARE(fixture.provider->requests().front().tools.size(), size_t(1));
}

// behaviours: 53
void tst_TurnLongTools::aLateAnswerIsNotUsed()
{
    TurnFixture fixture;
    auto tool = std::make_shared<ScriptedTool>(u"write"_s, returns({}));
    fixture.tool(tool);
    fixture.script({sent() + Script{Pass{100ms}, Call{[&] { fixture.stop(); }}, Pass{4900ms}}
                    + text(u"late"_s) + toolCall(u"write"_s) + done()});
    const Instant before = fixture.clock.now();
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QVERIFY(fixture.clock.now() - before < 1s);
    QCOMPARE(tool->entered(), 0);
    QVERIFY(fixture.calls().empty());
    QCOMPARE(outcome.text, QString());
}

namespace {

Conversation longConversation(int turns)
{
    Conversation conversation;
    conversation.id = ConversationId::create();
    const QString words = u"word "_s.repeated(200);
    for (int i = 0; i < turns; ++i) {
        TurnRecord turn;
        turn.id = TurnId::create();
        turn.parent = conversation.activeTurn;
        turn.userText = words;
        AssistantMessage message;
        ToolCallBlock call;
        call.id = CallId::create();
        call.name = u"look"_s;
        call.arguments = u"{\"text\":\"%1\"}"_s.arg(words);
        call.slot.state = ToolState::Finished;
        call.slot.output = words;
        message.blocks = {TextBlock{words}, call};
        message.complete = true;
        turn.answer = {message};
        TurnOutcome outcome;
        outcome.sent = true;
        turn.outcome = outcome;
        conversation.activeTurn = turn.id;
        conversation.turns.push_back(turn);
    }
    return conversation;
}

} // namespace

// behaviours: 45
void tst_TurnLongTools::aStopWhileALongHistoryIsBuiltSendsNothing()
{
    TurnFixture fixture(TurnFixture::Time::Real);
    fixture.request.conversation = longConversation(5000);
    fixture.request.turn.parent = fixture.request.conversation.activeTurn;
    std::thread stopper;
    fixture.onEvent = [&](const TurnEvent &event) {
        if (std::holds_alternative<IterationStarted>(event))
            stopper = std::thread([&] { fixture.stop(); }); // while it is being built
    };
    const TurnOutcome outcome = fixture.run();
    stopper.join();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QVERIFY(!outcome.sent);
    QVERIFY(fixture.provider->requests().empty());
}

// behaviours: 45
void tst_TurnLongTools::buildingALongHistoryLooksAtTheToken()
{
    const Conversation conversation = longConversation(5000);
    const auto path = conversation.activePath();
    const Instant begun = steadyClock().now();
    const auto whole = buildRepairedHistory(path, {});
    const Duration wholeTime = steadyClock().now() - begun;
    QVERIFY(whole.ok());
    QCOMPARE(whole->size(), size_t(15000));

    // A path that cancels while it is walked cannot be had; so from each moment of a whole building, once.
    int cutShort = 0;
    for (int tenth = 1; tenth < 10; ++tenth) {
        CancellationSource source;
        Channel<int> moment;
        std::thread stopper([&, at = steadyClock().now() + wholeTime * tenth / 10] {
            (void)moment.receive({}, at);
            source.cancel(CancellationCause::User);
        });
        cutShort += buildRepairedHistory(path, source.token()).isCancelled();
        stopper.join();
    }
    QVERIFY2(cutShort > 0, qPrintable(QString::number(cutShort)));
    CancellationSource before;
    before.cancel(CancellationCause::User);
    QVERIFY(buildRepairedHistory(path, before.token()).isCancelled());
}

QTEST_GUILESS_MAIN(tst_TurnLongTools)
#include "tst_turnlongtools.moc"
