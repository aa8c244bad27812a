// SPDX-License-Identifier: GPL-3.0-or-later
#include "recordinghooks.h"
#include "support/enumcomparison.h"
#include "support/logrecorder.h"
#include "turnfixture.h"

#include <QTest>

#include <atomic>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

CancellationReason byUser()
{
    return {CancellationCause::User, {}, {}, {}};
}

struct PolicyFixture : TurnFixture
{
    explicit PolicyFixture(Time time = Time::Still)
        : TurnFixture(time), look(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)))
    {
        tool(look);
        request.hooks.addPolicy(policy);
        onEvent = [this](const TurnEvent &event) {
            if (const auto *notice = std::get_if<NoticeAdded>(&event))
                notices << notice->text;
        };
    }

    QStringList lines(const QString &hook = {}) const { return log.lines().filter(hook); }

    HookLog log;
    std::shared_ptr<ScriptedPolicy> policy = std::make_shared<ScriptedPolicy>(u"p"_s, log);
    std::shared_ptr<ScriptedTool> look;
    QStringList notices;
};

Script lookOnce()
{
    return sent() + toolCall(u"look"_s) + done();
}

} // namespace

class tst_TurnPolicies : public QObject
{
    Q_OBJECT

private slots:
    void hooksAreCalledInTheirOrder();
    void aVetoBeforeAnythingSendsNothing_data();
    void aVetoBeforeAnythingSendsNothing();
    void aStopInAHookSendsNothing_data();
    void aStopInAHookSendsNothing();
    void aCancelledModelCallHasItsEnd();
    void aLaterFaultStillGivesTheEndOfTheBatch();
    void aVetoOnTheBatchAnswersEachCall();
    void anAfterToolsHookEndsTheTurn_data();
    void anAfterToolsHookEndsTheTurn();
    void anEndOfTurnHookGoesOnThreeTimesAtMost();
    void aPolicyThatFailsDenies_data();
    void aPolicyThatFailsDenies();
    void aPolicyThatHangsDeniesAndIsLeftBehind();
    void aFaultInAnAfterHookEndsTheTurn();
    void aFaultAtTheEndOfTheTurnKeepsItFromGoingOn();
    void aHangingHookDoesNotHoldAStop();
    void aTimeLimitFiresInAHook();
    void aHookAsksForTheRequestOnceMore();
    void retriesOfAHookAreBounded();
    void aCallThatFailedBeforeItBeganIsTriedAgainAtOnce();
    void aHookRetryIsIgnoredWhereItHasNoPlace_data();
    void aHookRetryIsIgnoredWhereItHasNoPlace();
    void removingOneTwiceIsHarmless();
    void whatAHookRegistersIsCleanedUp();
};

// behaviours: 133, 134, 143
void tst_TurnPolicies::hooksAreCalledInTheirOrder()
{
    PolicyFixture fixture;
    fixture.request.hooks = {};
    for (const auto &[name, order] :
         {std::pair(u"c"_s, 3), std::pair(u"a"_s, 1), std::pair(u"b"_s, 2), std::pair(u"b2"_s, 2)})
        fixture.request.hooks.addPolicy(std::make_shared<ScriptedPolicy>(name, fixture.log), order);
    fixture.script({lookOnce(), answer(u"Done."_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    const auto calls = [](const QString &hook, bool reversed) {
        QStringList names{u"a"_s, u"b"_s, u"b2"_s, u"c"_s};
        if (reversed)
            std::reverse(names.begin(), names.end());
        for (QString &name : names)
            name += u' ' + hook;
        return names;
    };
    const QStringList model =
        calls(u"beforeModelCall"_s, false) + calls(u"afterModelCall succeeded"_s, true);
    QCOMPARE(fixture.log.lines(),
             calls(u"beforeTurn"_s, false) + model + calls(u"beforeTools"_s, false)
                 + calls(u"beforeTool look 1"_s, false) + calls(u"afterTool look Finished"_s, true)
                 + calls(u"afterTools Finished"_s, true) + model + calls(u"endOfTurn"_s, true));
}

void tst_TurnPolicies::aVetoBeforeAnythingSendsNothing_data()
{
    QTest::addColumn<bool>("turn");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("notice");
    QTest::newRow("turn") << true << u"Not on a Sunday."_s << u"Not on a Sunday."_s;
    QTest::newRow("turn, no text") << true << QString() << u"The rule \"p\" does not allow it."_s;
    QTest::newRow("call") << false << u"Not on a Sunday."_s << u"Not on a Sunday."_s;
    QTest::newRow("call, no text") << false << QString() << u"The rule \"p\" does not allow it."_s;
}

// behaviours: 135
void tst_TurnPolicies::aVetoBeforeAnythingSendsNothing()
{
    QFETCH(bool, turn);
    QFETCH(QString, text);
    QFETCH(QString, notice);
    PolicyFixture fixture;
    (turn ? fixture.policy->onBeforeTurn : fixture.policy->onBeforeModelCall) =
        [text](const HookContext &) { return HookVeto(text); };
    fixture.request.retries = 3;
    const TurnOutcome outcome = fixture.run();
    QVERIFY(fixture.provider->requests().empty());
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(outcome.stopReason, StopReason::Vetoed);
    QVERIFY(!outcome.isAnswer());
    QVERIFY(!outcome.sent);
    QVERIFY(!outcome.error);
    QCOMPARE(outcome.notice, notice);
    QCOMPARE(fixture.notices, QStringList(notice));
    QCOMPARE(fixture.journal.saved->userText, u"Hello"_s);
    QVERIFY(fixture.record().answerText().isEmpty());
    QCOMPARE(fixture.lines(u"afterModelCall"_s),
             turn ? QStringList() : QStringList(u"p afterModelCall vetoed"_s));
}

void tst_TurnPolicies::aStopInAHookSendsNothing_data()
{
    QTest::addColumn<QString>("hook");
    for (const char *hook : {"beforeTurn", "beforeModelCall", "beforeTools", "beforeTool"})
        QTest::newRow(hook) << QString::fromLatin1(hook);
}

// behaviours: 71, 72, 171
void tst_TurnPolicies::aStopInAHookSendsNothing()
{
    QFETCH(QString, hook);
    PolicyFixture fixture;
    const CancellationSource external;
    fixture.request.external = external.token();
    std::atomic<int> heard = 0;
    const auto stop = [external, &heard](const HookContext &context) -> HookVeto {
        external.cancel(CancellationCause::User, u"from outside"_s);
        heard += context.token.isCancelled();
        return {};
    };
    const bool inTools = hook.startsWith(u"beforeTool");
    if (hook == u"beforeTurn")
        fixture.policy->onBeforeTurn = stop;
    else if (hook == u"beforeModelCall")
        fixture.policy->onBeforeModelCall = stop;
    else if (hook == u"beforeTools")
        fixture.policy->onBeforeTools = stop;
    else
        fixture.policy->onBeforeTool = [stop](const ToolCallInfo &, const HookContext &context) {
            (void)stop(context);
            return BeforeToolDecision();
        };
    fixture.script({sent() + toolCall(u"look"_s) + toolCall(u"look"_s, u"{\"n\":2}"_s) + done()});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.reason->cause, CancellationCause::External);
    QCOMPARE(outcome.reason->text, u"from outside"_s);
    QCOMPARE(heard.load(), 1);
    QCOMPARE(fixture.provider->requests().size(), size_t(inTools ? 1 : 0));
    QCOMPARE(fixture.look->entered(), 0);
    if (inTools) {
        QCOMPARE(outcome.phase, TurnPhase::ToolCalls);
        QCOMPARE(outcome.tools.notRun, 2);
        for (const ToolCallBlock &call : fixture.calls())
            QVERIFY(call.slot.note.startsWith(u"Not run:"_s));
        QCOMPARE(fixture.log.count(u"p afterTools NotRun NotRun"_s), 1);
        // The hook of the second call is not even asked; the first has its end.
        const bool inTool = hook == u"beforeTool";
        QCOMPARE(fixture.lines(u"beforeTool "_s).size(), inTool ? 1 : 0);
        QCOMPARE(fixture.log.count(u"p afterTool look NotRun"_s), inTool ? 1 : 0);
    } else if (hook == u"beforeModelCall") {
        QCOMPARE(fixture.log.count(u"p afterModelCall cancelled"_s), 1);
    }
}

// behaviours: 133
void tst_TurnPolicies::aCancelledModelCallHasItsEnd()
{
    PolicyFixture fixture;
    fixture.script({sent() + text(u"half"_s)
                    + Script{ModelEvent(UsageReported{{70, 5, false}}),
                             Call{[&] { fixture.control->stop(byUser()); }}}
                    + done()});
    QCOMPARE(fixture.run().status, TurnStatus::Stopped);
    QCOMPARE(fixture.lines(u"ModelCall"_s),
             QStringList({u"p beforeModelCall"_s, u"p afterModelCall cancelled"_s}));
    QCOMPARE(fixture.policy->lastModelCall.usage.input, qint64(70));
    QCOMPARE(fixture.policy->lastModelCall.usage.output, qint64(5));
    QVERIFY(isCancellation(*fixture.policy->lastModelCall.error));
}

// behaviours: 134, 142
void tst_TurnPolicies::aLaterFaultStillGivesTheEndOfTheBatch()
{
    PolicyFixture fixture;
    const auto second = std::make_shared<ScriptedPolicy>(u"broken"_s, fixture.log);
    second->onBeforeTools = [](const HookContext &) -> HookVeto { throw std::runtime_error("no"); };
    fixture.request.hooks.addPolicy(second, 1);
    const auto third = std::make_shared<ScriptedPolicy>(u"third"_s, fixture.log);
    fixture.request.hooks.addPolicy(third, 2);
    fixture.script({lookOnce(), answer(u"Then not."_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(fixture.look->entered(), 0);
    QCOMPARE(fixture.lines(u"Tools"_s),
             QStringList({u"p beforeTools"_s, u"broken beforeTools"_s, u"p afterTools Denied"_s}));
}

// behaviours: 136
void tst_TurnPolicies::aVetoOnTheBatchAnswersEachCall()
{
    PolicyFixture fixture;
    fixture.policy->onBeforeTools = [](const HookContext &) {
        return HookVeto(u"no tools today"_s);
    };
    fixture.script({sent() + toolCall(u"look"_s) + toolCall(u"look"_s, u"{\"n\":2}"_s) + done(),
                    answer(u"Then not."_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(outcome.text, u"Then not."_s);
    QCOMPARE(fixture.look->entered(), 0);
    QCOMPARE(outcome.tools.notRun, 2);
    for (const ToolCallBlock &call : fixture.calls()) {
        QCOMPARE(call.slot.state, ToolState::Denied);
        QCOMPARE(call.slot.note, u"Not run: no tools today."_s);
    }
    QVERIFY(validateHistory(fixture.provider->requests().at(1).history).empty());
}

void tst_TurnPolicies::anAfterToolsHookEndsTheTurn_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("ends");
    QTest::newRow("text") << u"That is enough."_s << true;
    QTest::newRow("empty") << QString() << false;
    QTest::newRow("blank") << u"  \n"_s << false;
}

// behaviours: 138
void tst_TurnPolicies::anAfterToolsHookEndsTheTurn()
{
    QFETCH(QString, text);
    QFETCH(bool, ends);
    PolicyFixture fixture;
    fixture.policy->onAfterTools = [text](const HookContext &) { return text; };
    fixture.script(
        {sent() + toolCall(u"look"_s) + toolCall(u"unknown"_s) + done(), answer(u"Done."_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(outcome.stopReason, ends ? StopReason::EndedByHook : StopReason::EndTurn);
    QCOMPARE(fixture.provider->requests().size(), size_t(ends ? 1 : 2));
    QCOMPARE(outcome.isAnswer(), !ends);
    QCOMPARE(outcome.notice, ends ? text : QString());
    QCOMPARE(fixture.notices, ends ? QStringList(text) : QStringList());
    for (const ToolCallBlock &call : fixture.calls())
        QVERIFY(isFinal(call.slot.state));
}

// behaviours: 139
void tst_TurnPolicies::anEndOfTurnHookGoesOnThreeTimesAtMost()
{
    PolicyFixture fixture;
    fixture.policy->onEndOfTurn = [](const HookContext &) { return u"Check it again."_s; };
    fixture.script({answer(u"Done."_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QVERIFY(outcome.isAnswer());
    QCOMPARE(outcome.iterations, 4);
    QCOMPARE(fixture.lines(u"endOfTurn"_s).size(), 3);
    const History history = fixture.provider->requests().back().history;
    QVERIFY(validateHistory(history).empty());
    QCOMPARE(history.back().role, HistoryRole::User);
    QCOMPARE(std::get<TextBlock>(history.back().blocks.front()).text, u"Check it again."_s);
    QVERIFY(!fixture.provider->requests().back().continueAnswer);

    PolicyFixture stopped; // a stop wins over the hook, and the whole answer over the stop
    stopped.policy->onEndOfTurn = [&](const HookContext &) {
        stopped.control->stop(byUser());
        return u"Go on."_s;
    };
    const TurnOutcome end = stopped.run();
    QCOMPARE(end.status, TurnStatus::Completed);
    QVERIFY(end.stopRequested);
    QCOMPARE(end.iterations, 1);
}

void tst_TurnPolicies::aPolicyThatFailsDenies_data()
{
    QTest::addColumn<QString>("hook");
    for (const char *hook : {"beforeTurn", "beforeModelCall", "beforeTools", "beforeTool"})
        QTest::newRow(hook) << QString::fromLatin1(hook);
}

// behaviours: 134, 142
void tst_TurnPolicies::aPolicyThatFailsDenies()
{
    QFETCH(QString, hook);
    const LogRecorder recorder;
    PolicyFixture fixture;
    const auto fail = [](const auto &...) -> HookVeto {
        throw std::runtime_error("broken policy");
    };
    if (hook == u"beforeTurn")
        fixture.policy->onBeforeTurn = fail;
    else if (hook == u"beforeModelCall")
        fixture.policy->onBeforeModelCall = fail;
    else if (hook == u"beforeTools")
        fixture.policy->onBeforeTools = fail;
    else
        fixture.policy->onBeforeTool = [](const auto &...) -> BeforeToolDecision { throw 7; };
    fixture.script({lookOnce(), answer(u"Then not."_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(fixture.look->entered(), 0);
    const QString denied = u"The rule \"p\" could not be asked, so it was not allowed."_s;
    if (hook.startsWith(u"beforeTool")) {
        QCOMPARE(outcome.stopReason, StopReason::EndTurn);
        QCOMPARE(fixture.calls().front().slot.state, ToolState::Denied);
        QCOMPARE(fixture.calls().front().slot.note, u"Not run: "_s + denied);
    } else {
        QCOMPARE(outcome.stopReason, StopReason::Vetoed);
        QCOMPARE(outcome.notice, denied);
        QVERIFY(fixture.provider->requests().empty());
    }
    // Its own end is not owed to it.
    QCOMPARE(fixture.lines(QString(hook).replace(u"before"_s, u"after"_s) + u' '), QStringList());
    QCOMPARE(fixture.lines(u"afterTool "_s), QStringList());
    QCOMPARE(fixture.lines(u"afterTools "_s).size(), hook == u"beforeTool" ? 1 : 0);
    QVERIFY(!LogRecorder::lines().filter(u"policy \"p\" in %1"_s.arg(hook)).isEmpty());
}

// behaviours: 142
void tst_TurnPolicies::aPolicyThatHangsDeniesAndIsLeftBehind()
{
    const LogRecorder recorder;
    PolicyFixture fixture;
    const auto release = std::make_shared<Channel<int>>();
    fixture.policy->onBeforeTools = [&, release](const HookContext &) -> HookVeto {
        fixture.manualClock.advance(std::chrono::seconds(5));
        (void)release->receive();
        return {};
    };
    fixture.script({lookOnce(), lookOnce(), answer(u"Then not."_s)});
    const TurnOutcome outcome = fixture.run();
    // It is not called again, and what it would have been asked about is denied: here the next model call.
    QCOMPARE(outcome.stopReason, StopReason::Vetoed);
    QCOMPARE(fixture.look->entered(), 0);
    QCOMPARE(fixture.calls().front().slot.state, ToolState::Denied);
    QCOMPARE(fixture.lines(u"beforeTools"_s).size(), 1);
    QCOMPARE(fixture.provider->requests().size(), size_t(1));
    release->close();
    QTRY_COMPARE(LogRecorder::lines().filter(u"policy \"p\" in beforeTools ended late"_s).size(),
                 1);
}

// behaviours: 142
void tst_TurnPolicies::aFaultInAnAfterHookEndsTheTurn()
{
    PolicyFixture fixture;
    fixture.policy->onAfterTool = [](const auto &...) -> AfterToolDecision { throw 7; };
    fixture.script({sent() + toolCall(u"look"_s) + toolCall(u"look"_s, u"{\"n\":2}"_s) + done(),
                    answer(u"never asked for"_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.stopReason, StopReason::EndedByHook);
    QVERIFY(outcome.notice.contains(u"\"p\""_s));
    QCOMPARE(fixture.provider->requests().size(), size_t(1));
    // What has run keeps its result; what comes next is denied.
    QCOMPARE(fixture.calls().at(0).slot.state, ToolState::Finished);
    QCOMPARE(fixture.calls().at(0).slot.output, u"seen"_s);
    QCOMPARE(fixture.calls().at(1).slot.state, ToolState::Denied);
    QCOMPARE(fixture.look->entered(), 1);
}

// behaviours: 139, 142
void tst_TurnPolicies::aFaultAtTheEndOfTheTurnKeepsItFromGoingOn()
{
    PolicyFixture fixture;
    const auto broken = std::make_shared<ScriptedPolicy>(u"broken"_s, fixture.log);
    broken->onEndOfTurn = [](const HookContext &) -> QString { throw 7; };
    fixture.request.hooks.addPolicy(broken, 1);
    fixture.policy->onEndOfTurn = [](const HookContext &) { return u"Check it again."_s; };
    fixture.script({answer(u"Done."_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(outcome.stopReason, StopReason::EndTurn); // the whole answer was there
    QCOMPARE(fixture.provider->requests().size(), size_t(1));
    QCOMPARE(fixture.lines(u"endOfTurn"_s), QStringList({u"broken endOfTurn"_s, u"p endOfTurn"_s}));
}

// behaviours: 144
void tst_TurnPolicies::aHangingHookDoesNotHoldAStop()
{
    const LogRecorder recorder;
    for (const bool listens : {true, false}) {
        PolicyFixture fixture;
        const auto release = std::make_shared<Channel<int>>();
        fixture.policy->onBeforeModelCall = [&, release](const HookContext &context) -> HookVeto {
            fixture.control->stop(byUser());
            if (listens) {
                (void)release->receive(context.token);
            } else {
                fixture.manualClock.advance(std::chrono::seconds(5));
                (void)release->receive();
            }
            return {};
        };
        const TurnOutcome outcome = fixture.run();
        QCOMPARE(outcome.status, TurnStatus::Stopped);
        QVERIFY(fixture.provider->requests().empty());
        QCOMPARE(*outcome.timeToStop, std::chrono::milliseconds(listens ? 0 : 5000));
        release->close();
    }
    QTRY_COMPARE(LogRecorder::lines().filter(u"ended late"_s).size(), 1);
}

// behaviours: 144, 149
void tst_TurnPolicies::aTimeLimitFiresInAHook()
{
    PolicyFixture fixture;
    fixture.request.limits.turn = std::chrono::seconds(2);
    fixture.policy->onBeforeModelCall = [&](const HookContext &context) -> HookVeto {
        fixture.manualClock.advance(std::chrono::seconds(2));
        Channel<int> nothing;
        (void)nothing.receive(context.token); // ends by the turn's limit
        return {};
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::TimedOut);
    QCOMPARE(outcome.reason->cause, CancellationCause::TurnLimit);
    QVERIFY(fixture.provider->requests().empty());
}

// behaviours: 126, 262
void tst_TurnPolicies::aHookAsksForTheRequestOnceMore()
{
    PolicyFixture fixture;
    fixture.request.retries = 1;
    fixture.request.limits.modelCalls = 1;
    int calls = 0;
    fixture.policy->onAfterModelCall = [&](const HookContext &) { return ++calls <= 2; };
    const Script busy{Fail{Error(ErrorCode::ServerError, u"busy"_s), {true, {}}}};
    fixture.script({busy, busy, answer(u"at last"_s)});
    const Instant before = fixture.clock.now();
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(fixture.provider->requests().size(), size_t(3));
    QCOMPARE(fixture.count(u"RetryScheduled"_s), 0); // neither waited for nor counted
    QCOMPARE(fixture.clock.now(), before);
    QCOMPARE(outcome.iterations, 1);
    QCOMPARE(fixture.lines(u"beforeModelCall"_s).size(), 3);
}

// behaviours: 126, 262
void tst_TurnPolicies::retriesOfAHookAreBounded()
{
    PolicyFixture fixture;
    fixture.policy->onAfterModelCall = [](const HookContext &) { return true; };
    fixture.script({Script{Fail{Error(ErrorCode::ServerError, u"busy"_s), {}}}});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Failed);
    QCOMPARE(outcome.error->message, u"busy"_s);
    QCOMPARE(fixture.provider->requests().size(), size_t(6));
}

// behaviours: 126
void tst_TurnPolicies::aCallThatFailedBeforeItBeganIsTriedAgainAtOnce()
{
    PolicyFixture fixture;
    const QJsonObject text{{u"type"_s, u"string"_s}};
    fixture.look->setParameters(
        {{u"type"_s, u"object"_s}, {u"properties"_s, QJsonObject{{u"path"_s, text}}}});
    fixture.policy->onBeforeTool = [](const ToolCallInfo &info, const HookContext &) {
        BeforeToolDecision decision;
        if (info.attempt == 1)
            decision.arguments = QJsonObject{{u"path"_s, 3}};
        else
            decision.arguments = QJsonObject{{u"path"_s, u"a"_s}};
        return decision;
    };
    fixture.policy->onAfterTool = [](const ToolCallInfo &, const ToolSlot &) {
        AfterToolDecision decision;
        decision.retry = true;
        return decision;
    };
    fixture.script({lookOnce(), answer(u"Done"_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(fixture.look->entered(), 1);
    QCOMPARE(fixture.slot(u"look"_s).output, u"seen"_s);
}

void tst_TurnPolicies::aHookRetryIsIgnoredWhereItHasNoPlace_data()
{
    QTest::addColumn<int>("end");
    QTest::addColumn<TurnStatus>("status");
    QTest::newRow("cancelled") << 0 << TurnStatus::Stopped;
    QTest::newRow("something was seen") << 1 << TurnStatus::Failed;
    QTest::newRow("succeeded") << 2 << TurnStatus::Completed;
    QTest::newRow("vetoed") << 3 << TurnStatus::Completed;
}

// behaviours: 117, 126
void tst_TurnPolicies::aHookRetryIsIgnoredWhereItHasNoPlace()
{
    QFETCH(int, end);
    QFETCH(TurnStatus, status);
    PolicyFixture fixture;
    fixture.policy->onAfterModelCall = [](const HookContext &) { return true; };
    if (end == 0)
        fixture.script({sent() + Script{Call{[&] { fixture.control->stop(byUser()); }}} + done()});
    else if (end == 1)
        fixture.script({sent() + text(u"seen"_s)
                        + Script{Fail{Error(ErrorCode::ServerError, u"broke"_s), {true, {}}}}});
    else if (end == 3)
        fixture.policy->onBeforeModelCall = [](const HookContext &) { return HookVeto(u"no"_s); };
    QCOMPARE(fixture.run().status, status);
    QCOMPARE(fixture.provider->requests().size(), size_t(end == 3 ? 0 : 1));
}

// behaviours: 143
void tst_TurnPolicies::removingOneTwiceIsHarmless()
{
    PolicyFixture fixture;
    HookLog log;
    const auto id = fixture.request.hooks.addPolicy(std::make_shared<ScriptedPolicy>(u"x"_s, log));
    QVERIFY(fixture.request.hooks.remove(id));
    QVERIFY(!fixture.request.hooks.remove(id));
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QVERIFY(log.lines().isEmpty());
    QVERIFY(!fixture.log.lines().isEmpty());
}

// behaviours: 217
void tst_TurnPolicies::whatAHookRegistersIsCleanedUp()
{
    PolicyFixture fixture;
    fixture.policy->onBeforeModelCall = [&](const HookContext &context) -> HookVeto {
        context.cleanup->add(u"of the hook"_s, [&](const CancellationToken &) -> Result<void> {
            fixture.log.add(u"cleaned up"_s);
            return {};
        });
        return {};
    };
    fixture.script({sent() + Script{Call{[&] { fixture.control->stop(byUser()); }}} + done()});
    QVERIFY(fixture.run().cleanupCompleted);
    QCOMPARE(fixture.log.count(u"cleaned up"_s), 1);
}

QTEST_GUILESS_MAIN(tst_TurnPolicies)
#include "tst_turnpolicies.moc"
