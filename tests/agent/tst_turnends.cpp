// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cleanupstack.h"
#include "store/conversationstore.h"
#include "support/enumcomparison.h"
#include "support/logrecorder.h"
#include "turnfixture.h"

#include <QTemporaryDir>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// Where the turn is when it is stopped.
enum class Place {
    BeforeTheLoop,
    AfterTheLastTool,
    BetweenIterations,
    Connecting,
    Streaming,
    RetryWait,
    BeforeTools,
    Question,
    InATool,
    CleanUp,
};

void addPlaces()
{
    QTest::addColumn<int>("place");
    QTest::addColumn<TurnPhase>("phase");
    const auto add = [](const char *name, Place place, TurnPhase phase) {
        QTest::newRow(name) << int(place) << phase;
    };
    add("before the loop", Place::BeforeTheLoop, TurnPhase::Initialization);
    add("after the last tool", Place::AfterTheLastTool, TurnPhase::ToolCalls);
    add("between iterations", Place::BetweenIterations, TurnPhase::Execution);
    add("connecting", Place::Connecting, TurnPhase::Execution);
    add("streaming", Place::Streaming, TurnPhase::Streaming);
    add("retry wait", Place::RetryWait, TurnPhase::Execution);
    add("before tools", Place::BeforeTools, TurnPhase::ToolCalls);
    add("in the question at the loop top", Place::Question, TurnPhase::Execution);
    add("in a tool", Place::InATool, TurnPhase::ToolCalls);
}

// A turn that is stopped at a place.
struct StoppedFixture : TurnFixture
{
    explicit StoppedFixture(Place place) : TurnFixture(Time::Still)
    {
        const auto stopHere = [this] {
            control->stop({CancellationCause::User, u"enough"_s, {}, {}});
        };
        const auto stopAt = [this, stopHere](auto matches) {
            this->onEvent = [stopHere, matches](const TurnEvent &event) {
                if (matches(event))
                    stopHere();
            };
        };
        const Script round = sent() + toolCall(u"look"_s) + done();
        script({round, answer(u"never asked for"_s)});
        ScriptedTool::Body body = returns(u"seen"_s);
        switch (place) {
        case Place::BeforeTheLoop:
            stopHere();
            break;
        case Place::BetweenIterations: // no tool is run, and the next call is due
            script({sent() + toolCall(u"look"_s) + done(StopReason::MaxTokens),
                    answer(u"never asked for"_s)});
            stopAt([](const TurnEvent &event) {
                const auto *changed = std::get_if<ToolStateChanged>(&event);
                return changed && changed->slot.state == ToolState::NotRun;
            });
            break;
        case Place::AfterTheLastTool:
            stopAt([](const TurnEvent &event) {
                const auto *changed = std::get_if<ToolStateChanged>(&event);
                return changed && changed->slot.state == ToolState::Finished;
            });
            break;
        case Place::Connecting:
            script({Script{Call{stopHere}, Hang{}}});
            break;
        case Place::Streaming:
            script({sent() + text(u"half"_s) + Script{Call{stopHere}} + done()});
            break;
        case Place::RetryWait:
            request.retries = 1;
            script({Script{Fail{Error(ErrorCode::ServerError, u"busy"_s), {true, {}}}}});
            stopAt([](const TurnEvent &event) {
                return std::holds_alternative<RetryScheduled>(event);
            });
            break;
        case Place::BeforeTools:
            stopAt([](const TurnEvent &event) {
                return std::holds_alternative<MessageCompleted>(event);
            });
            break;
        case Place::Question:
            request.limits.modelCalls = 1;
            stopAt([](const TurnEvent &event) {
                return std::holds_alternative<QuestionAsked>(event);
            });
            break;
        case Place::InATool:
            body = [stopHere](const QJsonObject &arguments, ToolContext &context) {
                stopHere();
                return waitsForStop()(arguments, context);
            };
            break;
        case Place::CleanUp:
            break;
        }
        tool(std::make_shared<ScriptedTool>(u"look"_s, body));
    }
};

} // namespace

class tst_TurnEnds : public QObject
{
    Q_OBJECT

private slots:
    void thePhaseSaysWhereItWas_data() { addPlaces(); }
    void thePhaseSaysWhereItWas();
    void aLimitIsACancellationToo();
    void ofSeveralReasonsTheStopIsFirstThenTheLimit();
    void anUnknownReasonOfTheProviderIsKept();
    void anAnswerCutByTheTokenLimitIsPartial();
    void theCleanUpHasAPhaseOfItsOwn();
    void eventDatabaseAndLogAgree_data();
    void eventDatabaseAndLogAgree();
    void aStopIsNoErrorInTheLog_data() { addPlaces(); }
    void aStopIsNoErrorInTheLog();
    void aFailureIsNoMessageOfTheAssistant();
    void aStopBeforeAnyTextLeavesNoEmptyMessage_data();
    void aStopBeforeAnyTextLeavesNoEmptyMessage();
};

// behaviours: 238, 243
void tst_TurnEnds::thePhaseSaysWhereItWas()
{
    QFETCH(int, place);
    QFETCH(TurnPhase, phase);
    StoppedFixture fixture{Place(place)};
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.stopReason, StopReason::Cancelled);
    QCOMPARE(outcome.phase, phase);
    QCOMPARE(outcome.reason->cause, CancellationCause::User);
    QCOMPARE(outcome.reason->text, u"enough"_s);
    QVERIFY(!outcome.error);
    QCOMPARE(outcome.cancellation()->phase(), phase);
    QCOMPARE(outcome.cancellation()->code(), u"CANCELLATION_ERROR"_s);
}

// behaviours: 243
void tst_TurnEnds::aLimitIsACancellationToo()
{
    TurnFixture fixture;
    fixture.script({sent() + text(u"half"_s) + Script{Hang{}}});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::TimedOut);
    QCOMPARE(outcome.stopReason, StopReason::Cancelled);
    QVERIFY(!outcome.error);
    QCOMPARE(outcome.cancellation()->cause(), CancellationCause::SilenceLimit);
}

// behaviours: 244
void tst_TurnEnds::ofSeveralReasonsTheStopIsFirstThenTheLimit()
{
    for (const bool stopped : {true, false}) {
        TurnFixture fixture(TurnFixture::Time::Still);
        fixture.tool(std::make_shared<ScriptedTool>(
            u"look"_s, [&](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
                if (stopped)
                    fixture.stop();
                return ToolResult{u"seen"_s, false, {}, {}};
            }));
        // The provider says why it ended, the budget is used up, and perhaps there was a stop.
        fixture.request.limits.outputTokens = 1;
        fixture.script({sent() + toolCall(u"look"_s)
                            + Script{ModelEvent(UsageReported{{9, 9, false}})}
                            + done(StopReason::StopSequence),
                        answer(u"never asked for"_s)});
        const TurnOutcome outcome = fixture.run();
        QCOMPARE(outcome.status, stopped ? TurnStatus::Stopped : TurnStatus::LimitReached);
        QCOMPARE(outcome.stopReason, stopped ? StopReason::Cancelled : StopReason::Limit);
        QCOMPARE(outcome.reason->cause,
                 stopped ? CancellationCause::User : CancellationCause::TokenBudget);
        QCOMPARE(fixture.count(u"BudgetReached"_s), stopped ? 0 : 1);
        QCOMPARE(fixture.provider->requests().size(), size_t(1));
    }
}

// behaviours: 244
void tst_TurnEnds::anUnknownReasonOfTheProviderIsKept()
{
    TurnFixture fixture;
    fixture.script({sent() + text(u"Hi"_s)
                    + Script{ModelEvent(AnswerEnded{StopReason::EndTurn, u"mysterious"_s, {}})}});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(outcome.stopReason, StopReason::EndTurn);
    QCOMPARE(outcome.providerStopReason, u"mysterious"_s);
    QCOMPARE(fixture.journal.saved->outcome->providerStopReason, u"mysterious"_s);
}

// behaviours: 245
void tst_TurnEnds::anAnswerCutByTheTokenLimitIsPartial()
{
    TurnFixture fixture;
    fixture.script({sent() + text(u"half"_s) + done(StopReason::MaxTokens)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(outcome.stopReason, StopReason::MaxTokens);
    QVERIFY(outcome.partial);
    QVERIFY(!outcome.isAnswer());
    TurnFixture whole;
    QVERIFY(!whole.run().partial);
}

// behaviours: 238
void tst_TurnEnds::theCleanUpHasAPhaseOfItsOwn()
{
    StoppedFixture fixture(Place::Streaming);
    CleanupLimits limits;
    limits.handler = std::chrono::seconds(30);
    limits.clock = &fixture.manualClock;
    fixture.request.cleanup = std::make_shared<CleanupStack>(limits);
    fixture.request.cleanup->add(u"slow"_s, [&](const CancellationToken &) -> Result<void> {
        fixture.manualClock.advance(std::chrono::seconds(6));
        return {};
    });
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.phase, TurnPhase::Streaming);
    QCOMPARE(outcome.cancellation()->phase(), TurnPhase::Cleanup);
    QVERIFY(outcome.cancellation()->isGracefulTimeout());
}

void tst_TurnEnds::eventDatabaseAndLogAgree_data()
{
    QTest::addColumn<TurnStatus>("status");
    QTest::newRow("completed") << TurnStatus::Completed;
    QTest::newRow("stopped") << TurnStatus::Stopped;
    QTest::newRow("timed out") << TurnStatus::TimedOut;
    QTest::newRow("limit reached") << TurnStatus::LimitReached;
    QTest::newRow("failed") << TurnStatus::Failed;
}

// behaviours: 246
void tst_TurnEnds::eventDatabaseAndLogAgree()
{
    QFETCH(TurnStatus, status);
    const LogRecorder recorder;
    StoppedFixture fixture(status == TurnStatus::Stopped ? Place::Streaming : Place::CleanUp);
    switch (status) {
    case TurnStatus::Stopped:
        break;
    case TurnStatus::Completed:
        fixture.script({answer(u"Hi"_s)});
        break;
    case TurnStatus::TimedOut:
        fixture.script(
            {sent()
             + Script{Call{[&] { fixture.manualClock.advance(std::chrono::hours(1)); }}, Hang{}}});
        break;
    case TurnStatus::LimitReached:
        fixture.request.limits.outputTokens = 1;
        break;
    case TurnStatus::Failed:
        fixture.script({sent() + text(u"half"_s)
                        + Script{Fail{Error(ErrorCode::ServerError, u"broke"_s), {}}}});
        break;
    }
    std::optional<TurnOutcome> told;
    const auto stopping = fixture.onEvent;
    fixture.onEvent = [&](const TurnEvent &event) {
        if (stopping)
            stopping(event);
        if (const auto *finished = std::get_if<TurnFinished>(&event))
            told = finished->outcome;
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, status);

    const QTemporaryDir folder;
    auto store = ConversationStore::open(folder.filePath(u"fermata.sqlite"_s));
    QVERIFY(store.ok());
    QVERIFY((*store)->beginTurn(fixture.request.conversation, *fixture.journal.saved).ok());
    QVERIFY((*store)->finishTurn(*fixture.journal.saved).ok());
    const auto loaded = (*store)->load(fixture.request.conversation.id);
    QVERIFY(loaded.ok());
    const TurnOutcome stored = *loaded->turns.front().outcome;

    for (const TurnOutcome &other : {*told, stored}) {
        QCOMPARE(other.status, outcome.status);
        QCOMPARE(other.stopReason, outcome.stopReason);
        QCOMPARE(other.phase, outcome.phase);
        QCOMPARE(other.reason.has_value(), outcome.reason.has_value());
        if (outcome.reason) {
            QCOMPARE(other.reason->cause, outcome.reason->cause);
            QCOMPARE(other.reason->text, outcome.reason->text);
        }
        QCOMPARE(other.error.has_value(), outcome.error.has_value());
    }
    const QStringList lines =
        LogRecorder::lines().filter(u"turn %1 ended"_s.arg(outcome.turn.toString()));
    QCOMPARE(lines.size(), 1);
    QVERIFY(lines.front().contains(u": "_s + toString(outcome.status) + u", "_s
                                   + toString(outcome.stopReason)));
    if (outcome.reason) {
        QVERIFY(lines.front().contains(u"cause "_s + toString(outcome.reason->cause)));
        QVERIFY(lines.front().contains(outcome.reason->text));
    }
}

// behaviours: 247
void tst_TurnEnds::aStopIsNoErrorInTheLog()
{
    QFETCH(int, place);
    const LogRecorder recorder;
    StoppedFixture fixture{Place(place)};
    QCOMPARE(fixture.run().status, TurnStatus::Stopped);
    QCOMPARE(LogRecorder::lines(QtCriticalMsg), QStringList());
    QCOMPARE(LogRecorder::lines(QtWarningMsg), QStringList());
    QCOMPARE(LogRecorder::lines().filter(u"ended: Stopped"_s).size(), 1);
}

// behaviours: 248
void tst_TurnEnds::aFailureIsNoMessageOfTheAssistant()
{
    TurnFixture fixture;
    fixture.script({sent() + text(u"half"_s)
                    + Script{Fail{Error(ErrorCode::ServerError, u"The server is broken."_s), {}}}});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Failed);
    QCOMPARE(outcome.error->message, u"The server is broken."_s);
    QCOMPARE(outcome.text, u"half"_s);
    QCOMPARE(fixture.record().answerText(), u"half"_s);
    QCOMPARE(fixture.journal.saved->answerText(), u"half"_s);
    const History next = buildHistory({&*fixture.journal.saved});
    for (const HistoryMessage &message : next) {
        for (const HistoryBlock &block : message.blocks)
            QVERIFY(!std::get<TextBlock>(block).text.contains(u"broken"_s));
    }
}

void tst_TurnEnds::aStopBeforeAnyTextLeavesNoEmptyMessage_data()
{
    QTest::addColumn<bool>("sent");
    QTest::newRow("it was sent") << true;
    QTest::newRow("it was not sent") << false;
}

// behaviours: 41, 56
void tst_TurnEnds::aStopBeforeAnyTextLeavesNoEmptyMessage()
{
    QFETCH(bool, sent);
    TurnFixture stopped(TurnFixture::Time::Still);
    stopped.request.turn.userText = u"First"_s;
    stopped.script({fermata::sent() + Script{Call{[&] { stopped.stop(); }}} + done()});
    if (!sent)
        stopped.stop();
    const TurnOutcome outcome = stopped.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.sent, sent);
    QCOMPARE(stopped.journal.saved->userText, u"First"_s); // kept in any case

    TurnFixture next;
    next.request.conversation.turns = {stopped.record()};
    next.request.conversation.activeTurn = stopped.record().id;
    next.request.turn.parent = stopped.record().id;
    next.request.turn.userText = u"Second"_s;
    QCOMPARE(next.run().status, TurnStatus::Completed);
    const History history = next.provider->requests().front().history;
    QVERIFY(validateHistory(history).empty());
    QStringList texts;
    for (const HistoryMessage &message : history) {
        QCOMPARE(message.role, HistoryRole::User); // no answer was begun
        for (const HistoryBlock &block : message.blocks)
            texts << std::get<TextBlock>(block).text;
    }
    QCOMPARE(texts, sent ? QStringList({u"First"_s, u"Second"_s}) : QStringList(u"Second"_s));
}

QTEST_GUILESS_MAIN(tst_TurnEnds)
#include "tst_turnends.moc"
