// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/limitclock.h"
#include "base/channel.h"
#include "base/cleanupstack.h"
#include "conversation/serialization.h"
#include "support/enumcomparison.h"
#include "support/eventlog.h"
#include "turnfixture.h"

#include <QTemporaryDir>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

CancellationReason byUser()
{
    return {CancellationCause::User, {}, {}, {}};
}

// A turn that is stopped in the middle of its answer.
struct CleanupFixture : TurnFixture
{
    explicit CleanupFixture(CleanupLimits limits = {}) : TurnFixture(Time::Still)
    {
        limits.clock = &manualClock;
        request.cleanup = std::make_shared<CleanupStack>(limits);
        script({sent() + text(u"half"_s) + Script{Call{[this] { control->stop(byUser()); }}}
                + done()});
        onEvent = [this](const TurnEvent &event) {
            if (std::holds_alternative<TurnFinished>(event))
                log.add(u"TurnFinished"_s);
        };
    }

    CleanupStack::Handler noting(const QString &name)
    {
        return [this, name, token = control->token()](const CancellationToken &) -> Result<void> {
            log.add(token.isCancelled() ? name : name + u" too early"_s);
            return {};
        };
    }
    EventLog log;
    Channel<int> entered;
    std::shared_ptr<Channel<int>> release = std::make_shared<Channel<int>>();
};

} // namespace

class tst_TurnCleanup : public QObject
{
    Q_OBJECT

private slots:
    void handlersRunAfterTheFlagAndBeforeTheEnd();
    void aToolRegistersWhatIsToBeUndone();
    void aFailedHandlerIsToldTruthfully();
    void switchedOffNoHandlerRuns();
    void onlyCancelledTurnsRunHandlers_data();
    void onlyCancelledTurnsRunHandlers();
    void aRemovedHandlerDoesNotRun();
    void overTheGracefulLimitTheErrorIsInTheOutcome();
    void overTheForcedLimitTheTurnEndsAllTheSame();
    void aSecondUseOfTheTurnsCleanupRunsNothing();
    void nothingOfTheTurnIsHeldAfterItsEnd();
};

// behaviours: 217, 219
void tst_TurnCleanup::handlersRunAfterTheFlagAndBeforeTheEnd()
{
    CleanupFixture fixture;
    for (const QString &name : {u"1"_s, u"2"_s, u"3"_s})
        fixture.request.cleanup->add(name, fixture.noting(name));
    QString savedBefore; // handlers may take their time: nothing is lost meanwhile
    fixture.request.cleanup->add(u"looks"_s, [&](const CancellationToken &) -> Result<void> {
        savedBefore = fixture.journal.saved->answerText();
        return {};
    });
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(savedBefore, u"half"_s);
    QCOMPARE(fixture.log.events(), QStringList({u"3"_s, u"2"_s, u"1"_s, u"TurnFinished"_s}));
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QVERIFY(outcome.cleanupCompleted);
    QVERIFY(!outcome.cleanupError);
    QVERIFY(outcome.cancellation()->cleanupCompleted());

    CleanupFixture without;
    QVERIFY(without.run().cleanupCompleted);
}

// behaviours: 217, 229
void tst_TurnCleanup::aToolRegistersWhatIsToBeUndone()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"scratch"_s);
    CleanupFixture fixture;
    fixture.tool(std::make_shared<ScriptedTool>(
        u"scratch"_s, [&](const QJsonObject &, ToolContext &context) -> Result<ToolResult> {
            QFile file(path);
            if (!file.open(QIODevice::WriteOnly))
                return Error(ErrorCode::Io, file.errorString());
            context.cleanup().add(u"scratch file"_s,
                                  [path](const CancellationToken &) -> Result<void> {
                                      if (QFile::remove(path))
                                          return {};
                                      return Error(ErrorCode::Io, u"it is still there"_s);
                                  });
            return ToolResult{u"written"_s, false, {}, {}};
        }));
    // The call has long ended when the turn is stopped.
    fixture.script({sent() + toolCall(u"scratch"_s) + done(),
                    sent() + text(u"half"_s) + Script{Call{[&] {
                        QVERIFY(QFile::exists(path));
                        fixture.control->stop(byUser());
                    }}} + done()});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.tools.finished, 1);
    QVERIFY(outcome.cleanupCompleted);
    QVERIFY(!QFile::exists(path));
}

// behaviours: 218
void tst_TurnCleanup::aFailedHandlerIsToldTruthfully()
{
    CleanupFixture fixture;
    fixture.request.cleanup->add(u"first"_s, fixture.noting(u"first"_s));
    fixture.request.cleanup->add(u"broken"_s, [](const CancellationToken &) -> Result<void> {
        throw std::runtime_error("broken");
    });
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(fixture.log.events(), QStringList({u"first"_s, u"TurnFinished"_s}));
    QVERIFY(!outcome.cleanupCompleted);
    QVERIFY(!outcome.cleanupError); // it was quick enough
    QVERIFY(!fixture.journal.saved->outcome->cleanupCompleted);
    QVERIFY(!outcome.cancellation()->cleanupCompleted());
    QCOMPARE(outcome.cancellation()->phase(), TurnPhase::Streaming);
}

// behaviours: 220
void tst_TurnCleanup::switchedOffNoHandlerRuns()
{
    CleanupLimits limits;
    limits.cleanupOnCancel = false;
    CleanupFixture fixture(limits);
    fixture.request.cleanup->add(u"handler"_s, fixture.noting(u"handler"_s));
    auto owned = std::make_shared<int>(1);
    const std::weak_ptr<int> released = owned;
    fixture.tool(std::make_shared<ScriptedTool>(
        u"own"_s,
        [owned = std::move(owned)](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
            const auto inScope = owned;
            return ToolResult{u"done"_s, false, {}, {}};
        }));
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(fixture.log.events(), QStringList(u"TurnFinished"_s));
    QVERIFY(!outcome.cleanupCompleted); // one was there, and did not run
    QCOMPARE(released.use_count(), 1); // the tool's own; what was in scope is released
}

void tst_TurnCleanup::onlyCancelledTurnsRunHandlers_data()
{
    QTest::addColumn<int>("end");
    QTest::newRow("completed") << 0;
    QTest::newRow("completed, and stopped too late") << 1;
    QTest::newRow("failed") << 2;
    QTest::newRow("limit reached") << 3;
}

// behaviours: 221
void tst_TurnCleanup::onlyCancelledTurnsRunHandlers()
{
    QFETCH(int, end);
    CleanupFixture fixture;
    auto held = std::make_shared<int>(1);
    const std::weak_ptr<int> released = held;
    fixture.request.cleanup->add(
        u"handler"_s, [&, held = std::move(held)](const CancellationToken &) -> Result<void> {
            fixture.log.add(u"handler"_s);
            return {};
        });
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)));
    switch (end) {
    case 0:
        fixture.script({answer(u"Hi"_s)});
        break;
    case 1:
        fixture.script({answer(u"Hi"_s)});
        fixture.onEvent = [&](const TurnEvent &event) {
            if (std::holds_alternative<MessageCompleted>(event))
                fixture.control->stop(byUser());
        };
        break;
    case 2:
        fixture.script({sent() + Script{Fail{Error(ErrorCode::ServerError, u"broke"_s), {}}}});
        break;
    default:
        fixture.request.limits.outputTokens = 1;
        fixture.script({sent() + toolCall(u"look"_s) + done()});
    }
    const TurnOutcome outcome = fixture.run();
    QVERIFY(!outcome.isCancelled());
    QVERIFY(!fixture.log.events().contains(u"handler"_s));
    QVERIFY(released.expired()); // dropped with what it held
    QVERIFY(outcome.cleanupCompleted);
    QVERIFY(!outcome.cancellation());
}

// behaviours: 222
void tst_TurnCleanup::aRemovedHandlerDoesNotRun()
{
    CleanupFixture fixture;
    const auto id = fixture.request.cleanup->add(u"gone"_s, fixture.noting(u"gone"_s));
    fixture.request.cleanup->add(u"stays"_s, fixture.noting(u"stays"_s));
    QVERIFY(fixture.request.cleanup->remove(id));
    QVERIFY(fixture.run().cleanupCompleted);
    QCOMPARE(fixture.log.events(), QStringList({u"stays"_s, u"TurnFinished"_s}));
}

// behaviours: 224, 238
void tst_TurnCleanup::overTheGracefulLimitTheErrorIsInTheOutcome()
{
    CleanupLimits limits;
    limits.handler = seconds(30);
    CleanupFixture fixture(limits);
    fixture.request.cleanup->add(u"last"_s, fixture.noting(u"last"_s));
    fixture.request.cleanup->add(u"slow"_s, [&](const CancellationToken &) -> Result<void> {
        fixture.log.add(u"slow"_s);
        fixture.manualClock.advance(seconds(5)); // and then it ends
        return {};
    });
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(fixture.log.events(), QStringList({u"slow"_s, u"last"_s, u"TurnFinished"_s}));
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QVERIFY(!outcome.cleanupCompleted);
    QVERIFY(outcome.cleanupError);
    QVERIFY(outcome.cleanupError->isGracefulTimeout());
    QCOMPARE(outcome.cleanupError->timeout(), milliseconds(5000));
    QVERIFY(outcome.cleanupError->cleanupAttempted());
    QCOMPARE(outcome.cleanupError->phase(), TurnPhase::Cleanup);
    QCOMPARE(outcome.cleanupError->cause(), CancellationCause::User);
    QVERIFY(outcome.cancellation()->isGracefulTimeout());
    QCOMPARE(outcome.phase, TurnPhase::Streaming); // where the turn was stopped

    const auto read = turnOutcomeFromJson(toJson(*fixture.journal.saved->outcome));
    QVERIFY(read.ok());
    QCOMPARE(read->cleanupError->toJson(), outcome.cleanupError->toJson());
}

// behaviours: 223, 225, 226
void tst_TurnCleanup::overTheForcedLimitTheTurnEndsAllTheSame()
{
    CleanupLimits limits;
    limits.handler = seconds(30);
    CleanupFixture fixture(limits);
    fixture.request.cleanup->add(u"never reached"_s, fixture.noting(u"never reached"_s));
    fixture.request.cleanup->add(u"deaf"_s, [&](const CancellationToken &) -> Result<void> {
        fixture.log.add(u"deaf"_s);
        fixture.manualClock.advance(seconds(10));
        (void)fixture.release->receive(); // looks at nothing
        fixture.entered.send(1);
        return {};
    });
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(fixture.log.events(), QStringList({u"deaf"_s, u"TurnFinished"_s}));
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QVERIFY(!outcome.cleanupCompleted);
    QVERIFY(outcome.cleanupError->isGracefulTimeout());
    fixture.release->close(); // it ends after all, and nothing comes of it
    (void)fixture.entered.receive();
    QCOMPARE(fixture.count(u"TurnFinished"_s), 1);
}

// behaviours: 227
void tst_TurnCleanup::aSecondUseOfTheTurnsCleanupRunsNothing()
{
    CleanupFixture fixture;
    fixture.request.cleanup->add(u"once"_s, fixture.noting(u"once"_s));
    const TurnOutcome outcome = fixture.run();
    QVERIFY(outcome.cleanupCompleted);
    const CleanupReport again = fixture.request.cleanup->run(fixture.control->token());
    QVERIFY(again.cleanupCompleted);
    fixture.request.cleanup->add(u"too late"_s, fixture.noting(u"too late"_s));
    QVERIFY(fixture.request.cleanup->isEmpty());
    QCOMPARE(fixture.log.events(), QStringList({u"once"_s, u"TurnFinished"_s}));

    LimitClock limits(fixture.manualClock); // nothing of it was ever started
    for (const Limit limit : {Limit::Connect, Limit::Silence, Limit::Turn, Limit::Tool}) {
        limits.stop(limit);
        limits.restart(limit);
        limits.extend(limit, seconds(1));
    }
    limits.resumeStream();
    QVERIFY(!limits.nearest());
    QVERIFY(!limits.expired());
    QVERIFY(limits.running().empty());
}

// behaviours: 19, 229
void tst_TurnCleanup::nothingOfTheTurnIsHeldAfterItsEnd()
{
    CleanupFixture fixture;
    const auto large = std::make_shared<QByteArray>(1 << 20, 'x');
    fixture.request.cleanup->add(u"holds"_s,
                                 [large](const CancellationToken &) -> Result<void> { return {}; });
    std::weak_ptr<QByteArray> inStream;
    {
        auto streamed = std::make_shared<QByteArray>(1 << 20, 'y');
        inStream = streamed;
        fixture.script({sent() + text(u"half"_s)
                        + Script{Call{[&fixture, streamed] { fixture.control->stop(byUser()); }}}
                        + done()});
    }
    long heldAtTheEnd = -1;
    fixture.onEvent = [&](const TurnEvent &event) {
        if (std::holds_alternative<TurnFinished>(event))
            heldAtTheEnd = inStream.use_count();
    };
    QCOMPARE(fixture.run().status, TurnStatus::Stopped);
    QCOMPARE(heldAtTheEnd, 1L); // the provider's script; the stream's copy is gone
    QCOMPARE(large.use_count(), 1L);
}

QTEST_GUILESS_MAIN(tst_TurnCleanup)
#include "tst_turncleanup.moc"
