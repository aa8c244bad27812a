// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turntrace.h"
#include "recordinghooks.h"
#include "support/enumcomparison.h"
#include "turnfixture.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

struct TraceFixture : TurnFixture
{
    explicit TraceFixture(Time time = Time::Still) : TurnFixture(time) { request.trace = trace; }

    std::vector<TraceStep> steps(TraceKind kind) const
    {
        std::vector<TraceStep> found;
        for (const TraceStep &step : trace->steps()) {
            if (step.kind == kind)
                found.push_back(step);
        }
        return found;
    }
    QStringList kinds() const
    {
        QStringList names;
        for (const TraceStep &step : trace->steps()) {
            if (step.kind != TraceKind::Stage)
                names << toString(step.kind);
        }
        return names;
    }

    std::shared_ptr<TurnTrace> trace = std::make_shared<TurnTrace>();
};

} // namespace

class tst_TurnTrace : public QObject
{
    Q_OBJECT

private slots:
    void aCancelledTurnHasOneCancelledStep();
    void aTurnCancelledBeforeItsStartHasOne();
    void otherEndsHaveNone();
    void aBudgetIsOneStep();
    void stepsAreInTheOrderOfTheirMonotonicTimes();
    void theExportHasNoSecrets();
    void theExportHasNeitherTextsNorArguments();
    void aFloodIsCountedAndTheEndIsKept();
    void hooksAndCleanUpAreSteps();
};

// behaviours: 131
void tst_TurnTrace::aCancelledTurnHasOneCancelledStep()
{
    TraceFixture fixture;
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)));
    fixture.script({sent() + toolCall(u"look"_s) + done(),
                    sent() + text(u"half"_s) + Script{Call{[&] {
                        fixture.control->stop({CancellationCause::User, u"enough"_s, {}, {}});
                        fixture.control->stop({CancellationCause::User, u"again"_s, {}, {}});
                    }}} + done()});
    QCOMPARE(fixture.run().status, TurnStatus::Stopped);
    const auto cancelled = fixture.steps(TraceKind::Cancelled);
    QCOMPARE(cancelled.size(), size_t(1));
    QCOMPARE(cancelled.front().iteration, 2);
    QCOMPARE(cancelled.front().details.value("cause"_L1).toString(), u"user"_s);
    QCOMPARE(cancelled.front().details.value("reason"_L1).toString(), u"enough"_s);
    QCOMPARE(cancelled.front().details.value("phase"_L1).toString(), u"streaming"_s);
    QCOMPARE(fixture.kinds(),
             QStringList({u"TURN_STARTED"_s, u"MODEL_CALL_STARTED"_s, u"MODEL_CALL_FINISHED"_s,
                          u"TOOL_STARTED"_s, u"TOOL_FINISHED"_s, u"MODEL_CALL_STARTED"_s,
                          u"MODEL_CALL_FINISHED"_s, u"CANCELLED"_s, u"TURN_FINISHED"_s}));
}

// behaviours: 42, 131
void tst_TurnTrace::aTurnCancelledBeforeItsStartHasOne()
{
    TraceFixture fixture;
    fixture.control->stop({CancellationCause::User, {}, {}, {}});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.iterations, 0);
    const auto cancelled = fixture.steps(TraceKind::Cancelled);
    QCOMPARE(cancelled.size(), size_t(1));
    QCOMPARE(cancelled.front().iteration, 0);
    QCOMPARE(cancelled.front().details.value("phase"_L1).toString(), u"initialization"_s);
    QVERIFY(fixture.steps(TraceKind::ModelCallStarted).empty());
}

// behaviours: 131
void tst_TurnTrace::otherEndsHaveNone()
{
    TraceFixture completed;
    completed.onEvent = [&](const TurnEvent &event) {
        if (std::holds_alternative<MessageCompleted>(event))
            completed.control->stop({CancellationCause::User, {}, {}, {}}); // too late
    };
    QCOMPARE(completed.run().status, TurnStatus::Completed);
    QVERIFY(completed.steps(TraceKind::Cancelled).empty());

    TraceFixture failed;
    failed.script({sent() + Script{Fail{Error(ErrorCode::ServerError, u"broke"_s), {}}}});
    QCOMPARE(failed.run().status, TurnStatus::Failed);
    QVERIFY(failed.steps(TraceKind::Cancelled).empty());
    const QJsonObject end = failed.steps(TraceKind::TurnFinished).front().details;
    QCOMPARE(end.value("status"_L1).toString(), u"Failed"_s);
    QCOMPARE(end.value("errorCode"_L1).toString(), toString(ErrorCode::ServerError));
}

// behaviours: 257
void tst_TurnTrace::aBudgetIsOneStep()
{
    TraceFixture fixture;
    fixture.request.limits.outputTokens = 5;
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)));
    fixture.script({sent() + toolCall(u"look"_s) + Script{ModelEvent(UsageReported{{40, 6, false}})}
                    + done()});
    QCOMPARE(fixture.run().status, TurnStatus::LimitReached);
    const auto budgets = fixture.steps(TraceKind::BudgetReached);
    QCOMPARE(budgets.size(), size_t(1));
    const QJsonObject details = budgets.front().details;
    QCOMPARE(details.value("cause"_L1).toString(), u"tokenBudget"_s);
    QCOMPARE(details.value("text"_L1).toString(), u"6 of 5 output tokens"_s);
    QCOMPARE(details.value("inputTokens"_L1).toInt(), 40);
    QCOMPARE(details.value("outputTokens"_L1).toInt(), 6);
    QCOMPARE(details.value("iterations"_L1).toInt(), 1);
}

// behaviours: 131
void tst_TurnTrace::stepsAreInTheOrderOfTheirMonotonicTimes()
{
    TraceFixture fixture(TurnFixture::Time::Automatic);
    fixture.script({Script{Pass{std::chrono::milliseconds(1500)}} + answer(u"Hi"_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    Duration last{0};
    for (const TraceStep &step : fixture.trace->steps()) {
        QVERIFY(step.at >= last);
        last = step.at;
    }
    QVERIFY(fixture.trace->steps().front().at == Duration(0));
    QVERIFY(last >= std::chrono::milliseconds(1500));
    const QJsonObject json = fixture.trace->toJson();
    QCOMPARE(json.value("turn"_L1).toString(), fixture.request.turn.id.toString());
    QCOMPARE(json.value("steps"_L1).toArray().last().toObject().value("kind"_L1).toString(),
             u"TURN_FINISHED"_s);
    QVERIFY(json.value("steps"_L1).toArray().last().toObject().value("atMs"_L1).toDouble()
            >= 1500.0);
}

// behaviours: 283
void tst_TurnTrace::theExportHasNoSecrets()
{
    const QString key = u"sk-abcdefghijklmnop1234567890"_s;
    TraceFixture fixture;
    fixture.script({Script{Fail{
        Error(ErrorCode::Authentication, u"Refused: Authorization: Bearer %1"_s.arg(key)), {}}}});
    QCOMPARE(fixture.run().status, TurnStatus::Failed);

    TraceFixture stopped;
    stopped.script(
        {sent() + Script{Call{[&] {
             stopped.control->stop({CancellationCause::External, u"key "_s + key, {}, {}});
         }}}
         + done()});
    QCOMPARE(stopped.run().status, TurnStatus::Stopped);
    for (const TraceFixture *each : {&fixture, &stopped}) {
        const QByteArray json = QJsonDocument(each->trace->toJson()).toJson();
        QVERIFY(!json.contains(key.toUtf8()));
        QVERIFY(json.contains("[redacted]"));
    }
}

// behaviours: 131
void tst_TurnTrace::theExportHasNeitherTextsNorArguments()
{
    TraceFixture fixture;
    fixture.request.turn.userText = u"MARK question"_s;
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns(u"MARK result"_s)));
    fixture.script(
        {sent() + text(u"MARK text"_s) + toolCall(u"look"_s, u"{\"a\":\"MARK\"}"_s) + done(),
         answer(u"MARK answer"_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    const QByteArray json = QJsonDocument(fixture.trace->toJson()).toJson();
    QVERIFY(json.contains("look"));
    QVERIFY(!json.contains("MARK"));
}

// behaviours: 131
void tst_TurnTrace::aFloodIsCountedAndTheEndIsKept()
{
    TurnTrace trace;
    trace.start(TurnId::create(), Instant());
    for (size_t i = 0; i < TurnTrace::MostSteps + 7; ++i)
        trace.add(TraceKind::Stage, Instant(), 1);
    trace.add(TraceKind::Cancelled, Instant(), 1);
    trace.add(TraceKind::TurnFinished, Instant(), 1);
    QCOMPARE(trace.steps().size(), TurnTrace::MostSteps + 2);
    QCOMPARE(trace.steps().back().kind, TraceKind::TurnFinished);
    QCOMPARE(trace.toJson().value("droppedSteps"_L1).toInt(), 7);
}

// behaviours: 135, 142, 218
void tst_TurnTrace::hooksAndCleanUpAreSteps()
{
    HookLog log;
    TraceFixture fixture;
    const auto policy = std::make_shared<ScriptedPolicy>(u"p"_s, log);
    policy->onBeforeTools = [](const HookContext &) { return HookVeto(u"no"_s); };
    policy->onAfterTools = [&](const HookContext &) -> QString {
        fixture.control->stop({CancellationCause::User, {}, {}, {}});
        throw 7;
    };
    fixture.request.hooks.addPolicy(policy);
    CleanupLimits limits;
    limits.clock = &fixture.manualClock; // no handler is ever too slow
    fixture.request.cleanup = std::make_shared<CleanupStack>(limits);
    fixture.request.cleanup->add(u"broken"_s, [](const CancellationToken &) -> Result<void> {
        return Error(ErrorCode::Io, u"broken"_s);
    });
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)));
    fixture.script({sent() + toolCall(u"look"_s) + done()});
    QCOMPARE(fixture.run().status, TurnStatus::Stopped);
    const auto vetoes = fixture.steps(TraceKind::Vetoed);
    QCOMPARE(vetoes.size(), size_t(1));
    QCOMPARE(vetoes.front().details.value("hook"_L1).toString(), u"p"_s);
    QCOMPARE(vetoes.front().details.value("point"_L1).toString(), u"beforeTools"_s);
    QCOMPARE(fixture.steps(TraceKind::HookFailed).size(), size_t(1));
    const auto cleanups = fixture.steps(TraceKind::Cleanup);
    QCOMPARE(cleanups.size(), size_t(1));
    QCOMPARE(cleanups.front().details.value("completed"_L1).toBool(true), false);
    QCOMPARE(cleanups.front().details.value("failed"_L1).toString(), u"broken"_s);
}

QTEST_GUILESS_MAIN(tst_TurnTrace)
#include "tst_turntrace.moc"
