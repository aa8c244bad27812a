// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/toolrun.h"

#include "base/channel.h"
#include "support/enumcomparison.h"
#include "tool/toolregistry.h"

#include <QTest>

#include <atomic>
#include <stdexcept>
#include <thread>

using namespace fermata;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr auto LongTime = 20s;

// A tool whose body is the test's.
class ScriptedTool final : public Tool
{
public:
    using Body = std::function<Result<ToolResult>(const QJsonObject &, ToolContext &)>;

    explicit ScriptedTool(Body body, QString name = u"scripted"_s) : m_body(std::move(body))
    {
        m_spec.name = std::move(name);
        m_spec.title = u"Scripted"_s;
    }

    const ToolSpec &spec() const override { return m_spec; }
    Result<ApprovalRequest> describe(const QJsonObject &arguments, const QString &) const override
    {
        if (arguments.contains("fail"_L1))
            throw std::runtime_error("cannot describe");
        ApprovalRequest request;
        request.exactText = arguments.value("text"_L1).toString();
        return request;
    }
    QString summary(const QJsonObject &) const override { return {}; }
    Result<ToolResult> run(const QJsonObject &arguments, ToolContext &context) override
    {
        ++entered;
        return m_body(arguments, context);
    }

    std::atomic<int> entered = 0;

private:
    const Body m_body;
    ToolSpec m_spec;
};

// Collects what a run tells.
class Log
{
public:
    ToolRunSink sink() const
    {
        return [events = m_events](ToolRunEvent event) { events->send(std::move(event)); };
    }
    std::optional<ToolRunEvent> next(Duration limit = LongTime) const
    {
        return m_events->receive({}, steadyClock().now() + limit).value;
    }
    // The end, and what was reported before it.
    std::optional<Result<ToolResult>> end(QString *output = nullptr, int *reports = nullptr) const
    {
        while (auto event = next()) {
            if (auto *ended = std::get_if<ToolEnded>(&*event))
                return ended->result;
            if (auto *reported = std::get_if<ToolOutputReported>(&*event)) {
                if (output)
                    *output += reported->text;
                if (reports)
                    ++*reports;
            }
        }
        return std::nullopt;
    }
    bool isQuiet() const { return !m_events->tryReceive().has_value(); }

private:
    std::shared_ptr<Channel<ToolRunEvent>> m_events = std::make_shared<Channel<ToolRunEvent>>();
};

// A gate that a tool waits at without looking at its token.
class Gate
{
public:
    void open() { m_channel->close(); }
    std::function<void()> waiter() const
    {
        return [channel = m_channel] { (void)channel->receive(); };
    }

private:
    std::shared_ptr<Channel<int>> m_channel = std::make_shared<Channel<int>>();
};

ToolResult done(const QString &output = u"done"_s)
{
    return {output, false, std::nullopt, {}};
}

Result<ToolResult> waitForCancel(ToolContext &context)
{
    Channel<int> never;
    (void)never.receive(context.token());
    return context.token().check(TurnPhase::ToolCalls).error();
}

ToolRunOptions options(const CancellationToken &parent = {})
{
    ToolRunOptions options;
    options.call = CallId::create();
    options.workspace = u"/workspace"_s;
    options.parent = parent;
    return options;
}

} // namespace

class tst_ToolRun : public QObject
{
    Q_OBJECT

private slots:
    void theRegistryReplacesAToolOfTheSameName();
    void aToolGetsItsArgumentsAndItsContext();
    void theEndTellsWhetherTheToolWasEntered();
    void aFaultIsTheEnd();
    void whatAToolThrowsBecomesAFault_data();
    void whatAToolThrowsBecomesAFault();
    void aThrownCancellationStaysOne();
    void aCancelledRunNeverEntersTheTool_data();
    void aCancelledRunNeverEntersTheTool();
    void theParentsCancelReachesTheTool();
    void cancellingTheRunLeavesTheParentAlone();
    void forceEndsTheGraceTime();
    void aToolCanStopTheTurn();
    void aToolPastItsPointOfNoReturnSaysSo();
    void outputComesWhileTheToolRunsAndBeforeItsEnd();
    void outputIsCoalesced();
    void outputIsKeptForARunThatIsCut();
    void charactersSplitBetweenReportsComeWhole();
    void aToolThatDoesNotEndCanBeLeftBehind();
    void describingGivesTheRequestOrAFault();
    void manyRunsCancelledAtAnyMomentEndOnce();
};

void tst_ToolRun::theRegistryReplacesAToolOfTheSameName()
{
    const auto body = [](const QJsonObject &, ToolContext &) { return done(); };
    const auto first = std::make_shared<ScriptedTool>(body, u"a"_s);
    const auto second = std::make_shared<ScriptedTool>(body, u"b"_s);
    const auto newer = std::make_shared<ScriptedTool>(body, u"a"_s);
    ToolRegistry registry;
    registry.add(first);
    registry.add(second);
    QCOMPARE(registry.find(u"a"_s), first);
    registry.add(newer);
    QCOMPARE(registry.find(u"a"_s), newer);
    QCOMPARE(registry.tools().size(), size_t(2));
    QCOMPARE(registry.find(u"A"_s), nullptr);
}

// behaviours: 89
void tst_ToolRun::aToolGetsItsArgumentsAndItsContext()
{
    const Log log;
    auto chosen = options();
    chosen.arguments = {{u"text"_s, u"hello"_s}};
    chosen.grace = 7ms;
    chosen.approved.fingerprint = "print";
    const auto tool =
        std::make_shared<ScriptedTool>([](const QJsonObject &arguments, ToolContext &context) {
            const bool asExpected = context.workspace() == u"/workspace"_s && context.grace() == 7ms
                && context.approvedFingerprint() == "print" && context.token().canBeCancelled()
                && !context.token().isCancelled() && !context.forceToken().isCancelled();
            return done(asExpected ? arguments.value("text"_L1).toString() : QString());
        });
    const auto run = ToolRun::start(tool, chosen, log.sink());
    const auto event = log.next();
    QVERIFY(event);
    const auto &ended = std::get<ToolEnded>(*event);
    QCOMPARE(ended.call, chosen.call);
    QVERIFY(ended.result);
    QCOMPARE(ended.result->output, u"hello"_s);
    QVERIFY(run->hasEnded());
    QCOMPARE(tool->entered.load(), 1);
}

void tst_ToolRun::theEndTellsWhetherTheToolWasEntered()
{
    // Cancelled before the start.
    CancellationSource parent;
    auto chosen = options();
    chosen.parent = parent.token();
    parent.cancel(CancellationCause::User);
    const auto tool =
        std::make_shared<ScriptedTool>([](const QJsonObject &, ToolContext &) { return done(); });
    const Log refused;
    const auto run = ToolRun::start(tool, chosen, refused.sink());
    const auto event = refused.next();
    QVERIFY(event);
    QVERIFY(!std::get<ToolEnded>(*event).entered);
    QVERIFY(std::get<ToolEnded>(*event).result.isCancelled());
    QVERIFY(run->revoke());
    QCOMPARE(tool->entered.load(), 0);

    // Taken back before or after it was entered: the answer, the end and the tool agree.
    for (int round = 0; round < 200; ++round) {
        const Log log;
        const auto counted = std::make_shared<ScriptedTool>(
            [](const QJsonObject &, ToolContext &) { return done(); });
        const auto raced = ToolRun::start(counted, options(), log.sink());
        const bool revoked = raced->revoke();
        const auto end = log.next();
        QVERIFY(end);
        QCOMPARE(std::get<ToolEnded>(*end).entered, !revoked);
        QCOMPARE(std::get<ToolEnded>(*end).result.isCancelled(), revoked);
        QCOMPARE(counted->entered.load(), revoked ? 0 : 1);
    }
}

// behaviours: 97
void tst_ToolRun::aFaultIsTheEnd()
{
    const Log log;
    const auto run =
        ToolRun::start(std::make_shared<ScriptedTool>(
                           [](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
                               return Error(ErrorCode::NotFound, u"no such file"_s);
                           }),
                       options(), log.sink());
    const auto result = log.end();
    QVERIFY(result && result->isFault());
    QCOMPARE(result->error().message, u"no such file"_s);
}

void tst_ToolRun::whatAToolThrowsBecomesAFault_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("word");
    QTest::newRow("exception") << 0 << u"out of paper"_s;
    QTest::newRow("its words do not matter") << 1 << u"operation cancelled"_s;
    QTest::newRow("anything") << 2 << u"unknown"_s;
}

// behaviours: 97
void tst_ToolRun::whatAToolThrowsBecomesAFault()
{
    QFETCH(int, kind);
    QFETCH(QString, word);
    const Log log;
    const auto run =
        ToolRun::start(std::make_shared<ScriptedTool>(
                           [kind](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
                               if (kind == 0)
                                   throw std::runtime_error("out of paper");
                               if (kind == 1)
                                   throw std::runtime_error("operation cancelled");
                               throw 42;
                           }),
                       options(), log.sink());
    const auto result = log.end();
    QVERIFY(result && result->isFault());
    QVERIFY(result->error().message.contains(word));
}

void tst_ToolRun::aThrownCancellationStaysOne()
{
    const Log log;
    const auto run =
        ToolRun::start(std::make_shared<ScriptedTool>(
                           [](const QJsonObject &, ToolContext &context) -> Result<ToolResult> {
                               context.reportOutput("begun");
                               Channel<int> never;
                               (void)never.receive(context.token());
                               context.token().throwIfCancelled(TurnPhase::ToolCalls);
                               return done();
                           }),
                       options(), log.sink());
    QVERIFY(std::holds_alternative<ToolOutputReported>(*log.next()));
    run->cancel({CancellationCause::User, u"enough"_s, {}, {}});
    const auto result = log.end();
    QVERIFY(result && result->isCancelled());
    QCOMPARE(cancellationOf(result->error())->reasonText(), u"enough"_s);
}

void tst_ToolRun::aCancelledRunNeverEntersTheTool_data()
{
    QTest::addColumn<int>("graceMs");
    QTest::newRow("graceful") << 2000;
    QTest::newRow("immediate") << 0;
}

// behaviours: 73
void tst_ToolRun::aCancelledRunNeverEntersTheTool()
{
    QFETCH(int, graceMs);
    const Log log;
    const CancellationSource turn;
    turn.cancel(CancellationCause::User);
    const auto tool =
        std::make_shared<ScriptedTool>([](const QJsonObject &, ToolContext &) { return done(); });
    auto chosen = options(turn.token());
    chosen.grace = std::chrono::milliseconds(graceMs);
    const auto run = ToolRun::start(tool, chosen, log.sink());
    const auto event = log.next();
    QVERIFY(event);
    const auto &ended = std::get<ToolEnded>(*event);
    QVERIFY(ended.result.isCancelled());
    QCOMPARE(cancellationOf(ended.result.error())->phase(), TurnPhase::ToolCalls);
    QCOMPARE(cancellationOf(ended.result.error())->cause(), CancellationCause::User);
    QVERIFY(!ended.entered);
    QCOMPARE(ended.grace, std::chrono::milliseconds(graceMs));
    QCOMPARE(tool->entered.load(), 0);
}

// behaviours: 91
void tst_ToolRun::theParentsCancelReachesTheTool()
{
    const Log first;
    const Log second;
    const CancellationSource turn;
    const auto tool = std::make_shared<ScriptedTool>(
        [](const QJsonObject &, ToolContext &context) { return waitForCancel(context); });
    const auto a = ToolRun::start(tool, options(turn.token()), first.sink());
    const auto b = ToolRun::start(tool, options(turn.token()), second.sink());
    const Instant before = steadyClock().now();
    turn.cancel(CancellationCause::TurnLimit);
    for (const Log *log : {&first, &second}) {
        const auto result = log->end();
        QVERIFY(result && result->isCancelled());
        QCOMPARE(cancellationOf(result->error())->cause(), CancellationCause::TurnLimit);
    }
    QVERIFY(steadyClock().now() - before < 20s);
}

// behaviours: 88
void tst_ToolRun::cancellingTheRunLeavesTheParentAlone()
{
    const Log log;
    const Log sibling;
    const CancellationSource turn;
    const auto tool = std::make_shared<ScriptedTool>(
        [](const QJsonObject &, ToolContext &context) { return waitForCancel(context); });
    const auto run = ToolRun::start(tool, options(turn.token()), log.sink());
    const auto other = ToolRun::start(tool, options(turn.token()), sibling.sink());
    run->cancel({CancellationCause::User, u"skipped"_s, {}, {}});
    QVERIFY(log.end()->isCancelled());
    QVERIFY(!turn.token().isCancelled());
    QVERIFY(!other->hasEnded());
    turn.cancel(CancellationCause::User);
    QVERIFY(sibling.end()->isCancelled());
}

void tst_ToolRun::forceEndsTheGraceTime()
{
    const Log log;
    const auto run = ToolRun::start(
        std::make_shared<ScriptedTool>([](const QJsonObject &, ToolContext &context) {
            const auto before = context.grace();
            context.reportOutput("begun");
            Channel<int> never;
            (void)never.receive(context.forceToken());
            return done(u"%1 %2"_s.arg(before.count()).arg(context.grace().count()));
        }),
        options(), log.sink());
    QVERIFY(std::holds_alternative<ToolOutputReported>(*log.next()));
    run->cancel({});
    run->force();
    QCOMPARE((*log.end())->output, u"2000 0"_s);
}

// behaviours: 90
void tst_ToolRun::aToolCanStopTheTurn()
{
    const Log log;
    const auto run = ToolRun::start(
        std::make_shared<ScriptedTool>([](const QJsonObject &, ToolContext &context) {
            context.requestTurnStop(u"all is done"_s);
            return done(context.token().isCancelled() ? u"cancelled at once"_s : QString());
        }),
        options(), log.sink());
    const auto first = log.next();
    QVERIFY(first);
    const auto *asked = std::get_if<ToolTurnStopRequested>(&*first);
    QVERIFY(asked);
    QCOMPARE(asked->reason, u"all is done"_s);
    QCOMPARE((*log.end())->output, u"cancelled at once"_s);
}

void tst_ToolRun::aToolPastItsPointOfNoReturnSaysSo()
{
    const Log log;
    Gate gate;
    const auto run =
        ToolRun::start(std::make_shared<ScriptedTool>(
                           [wait = gate.waiter()](const QJsonObject &, ToolContext &context) {
                               context.passPointOfNoReturn();
                               context.reportOutput("passed");
                               wait();
                               return done(u"real result"_s);
                           }),
                       options(), log.sink());
    QVERIFY(std::holds_alternative<ToolOutputReported>(*log.next()));
    QVERIFY(run->isPastPointOfNoReturn());
    run->cancel({});
    gate.open();
    QCOMPARE((*log.end())->output, u"real result"_s);
}

void tst_ToolRun::outputComesWhileTheToolRunsAndBeforeItsEnd()
{
    const Log log;
    Gate gate;
    const auto run =
        ToolRun::start(std::make_shared<ScriptedTool>(
                           [wait = gate.waiter()](const QJsonObject &, ToolContext &context) {
                               context.reportOutput("first\n");
                               context.reportOutput("second\n");
                               wait();
                               context.reportOutput("\x1b[31mlast");
                               return done();
                           }),
                       options(), log.sink());
    QString shown;
    while (!shown.contains(u"second\n"_s)) {
        const auto event = log.next();
        QVERIFY(event);
        shown += std::get<ToolOutputReported>(*event).text;
    }
    QVERIFY(!run->hasEnded());
    gate.open();
    QVERIFY(log.end(&shown));
    QCOMPARE(shown, u"first\nsecond\nlast"_s);
    QVERIFY(log.isQuiet());
}

void tst_ToolRun::outputIsCoalesced()
{
    const Log log;
    const Instant before = steadyClock().now();
    const auto run = ToolRun::start(
        std::make_shared<ScriptedTool>([](const QJsonObject &, ToolContext &context) {
            for (int i = 0; i < 20000; ++i)
                context.reportOutput("a line of output\n");
            return done();
        }),
        options(), log.sink());
    QString shown;
    int reports = 0;
    QVERIFY(log.end(&shown, &reports));
    const auto frames = (steadyClock().now() - before) / 33ms + 3;
    QVERIFY2(reports <= frames, qPrintable(u"%1 reports in %2 frames"_s.arg(reports).arg(frames)));
    QVERIFY(shown.size() < 300 * 1024);
    QVERIFY(shown.endsWith(u"a line of output\n"_s));
}

// behaviours: 110
void tst_ToolRun::outputIsKeptForARunThatIsCut()
{
    const Log log;
    const auto run = ToolRun::start(
        std::make_shared<ScriptedTool>([](const QJsonObject &, ToolContext &context) {
            context.reportOutput("begin\n" + QByteArray(1000000, 'x') + "\nend");
            return waitForCancel(context);
        }),
        options(), log.sink());
    QVERIFY(std::holds_alternative<ToolOutputReported>(*log.next()));
    run->cancel({});
    QVERIFY(log.end()->isCancelled());
    const QString kept = run->outputSoFar();
    QVERIFY(kept.startsWith(u"begin\n"_s));
    QVERIFY(kept.endsWith(u"\nend"_s));
    QVERIFY(kept.contains(u"bytes omitted"_s));
    QVERIFY(kept.size() < 65 * 1024);
}

void tst_ToolRun::charactersSplitBetweenReportsComeWhole()
{
    const Log log;
    const QByteArray bytes = u"€ 𝄐 ü"_s.toUtf8();
    const auto run = ToolRun::start(
        std::make_shared<ScriptedTool>([bytes](const QJsonObject &, ToolContext &context) {
            for (const char byte : bytes) {
                context.reportOutput(QByteArray(1, byte));
                std::this_thread::yield();
            }
            return done();
        }),
        options(), log.sink());
    QString shown;
    QVERIFY(log.end(&shown));
    QCOMPARE(shown, u"€ 𝄐 ü"_s);
}

// behaviours: 93
void tst_ToolRun::aToolThatDoesNotEndCanBeLeftBehind()
{
    const Log log;
    Gate gate;
    std::atomic<bool> left = false;
    const auto tool = std::make_shared<ScriptedTool>(
        [wait = gate.waiter(), &left](const QJsonObject &, ToolContext &context) {
            context.reportOutput("stuck");
            wait();
            context.reportOutput("late"); // everything it uses is still there
            context.requestTurnStop(u"late"_s);
            left = context.token().isCancelled();
            return done(u"late"_s);
        });
    const int before = ToolRun::detachedRuns();
    auto run = ToolRun::start(tool, options(), log.sink());
    QVERIFY(std::holds_alternative<ToolOutputReported>(*log.next()));
    run->cancel({});
    run.reset();
    QCOMPARE(ToolRun::detachedRuns(), before + 1);
    gate.open();
    QTRY_COMPARE(ToolRun::detachedRuns(), before);
    QVERIFY(left);
    QVERIFY(log.isQuiet()); // its late events are dropped
    QCOMPARE(tool->entered.load(), 1);
}

void tst_ToolRun::describingGivesTheRequestOrAFault()
{
    const auto tool =
        std::make_shared<ScriptedTool>([](const QJsonObject &, ToolContext &) { return done(); });
    const Log log;
    auto good = options();
    good.arguments = {{u"text"_s, u"ls"_s}};
    const auto run = ToolRun::startDescribing(tool, good, log.sink());
    auto event = log.next();
    QVERIFY(event);
    const auto &described = std::get<ToolDescribed>(*event);
    QVERIFY(described.request);
    QCOMPARE(described.request->exactText, u"ls"_s);
    QCOMPARE(described.request->call, good.call);
    QCOMPARE(tool->entered.load(), 0);

    auto bad = options();
    bad.arguments = {{u"fail"_s, true}};
    const auto failing = ToolRun::startDescribing(tool, bad, log.sink());
    event = log.next();
    QVERIFY(event);
    QVERIFY(std::get<ToolDescribed>(*event).request.isFault());
}

// behaviours: 98
void tst_ToolRun::manyRunsCancelledAtAnyMomentEndOnce()
{
    for (int i = 0; i < 300; ++i) {
        const Log log;
        const CancellationSource turn;
        const auto tool =
            std::make_shared<ScriptedTool>([i](const QJsonObject &, ToolContext &context) {
                context.reportOutput("x");
                return i % 2 ? waitForCancel(context) : Result<ToolResult>(done());
            });
        auto run = ToolRun::start(tool, options(turn.token()), log.sink());
        std::jthread canceller([&turn, i] {
            for (int spin = 0; spin < i * 7; ++spin)
                std::this_thread::yield();
            turn.cancel(CancellationCause::User);
        });
        const auto result = log.end();
        QVERIFY(result);
        QVERIFY(result->ok() || result->isCancelled());
        run.reset();
        QVERIFY(log.isQuiet());
    }
    QCOMPARE(ToolRun::detachedRuns(), 0);
}

QTEST_GUILESS_MAIN(tst_ToolRun)
#include "tst_toolrun.moc"
