// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turntext.h"
#include "agent/turnwatcher.h"
#include "support/enumcomparison.h"
#include "turnfixture.h"

#include <QTest>

#include <functional>
#include <stdexcept>
#include <stop_token>
#include <thread>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// Another provider, whose streams report what they are told before they do it.
class TellingProvider final : public ModelProvider
{
public:
    using Report = std::function<void(bool pauses)>;

    TellingProvider(std::shared_ptr<ModelProvider> provider, Report report)
        : m_provider(std::move(provider)), m_report(std::move(report))
    {
    }

    std::unique_ptr<ModelStream> start(const ModelRequest &request,
                                       const CancellationToken &token) override
    {
        return std::make_unique<Stream>(m_provider->start(request, token), m_report);
    }
    QString kind() const override { return m_provider->kind(); }
    bool isLocal() const override { return m_provider->isLocal(); }
    bool canContinueAnswer(const QString &model) const override
    {
        return m_provider->canContinueAnswer(model);
    }

private:
    class Stream final : public ModelStream
    {
    public:
        Stream(std::unique_ptr<ModelStream> stream, const Report &report)
            : m_stream(std::move(stream)), m_report(report)
        {
        }

        Result<NextEvent> next(const CancellationToken &token, Deadline deadline) override
        {
            return m_stream->next(token, deadline);
        }
        void pause() override
        {
            m_report(true);
            m_stream->pause();
        }
        void resume() override
        {
            m_report(false);
            m_stream->resume();
        }
        StreamState state() const override { return m_stream->state(); }

    private:
        const std::unique_ptr<ModelStream> m_stream;
        const Report &m_report;
    };

    const std::shared_ptr<ModelProvider> m_provider;
    const Report m_report;
};

} // namespace

// What cancels a turn from outside of it: tokens of others, a parent, a watcher, an old handle.
class tst_TurnSignals : public QObject
{
    Q_OBJECT

private slots:
    void aStopWithoutWordsIsToldByItsCause();
    void anExternalTokenEndsTheTurn_data();
    void anExternalTokenEndsTheTurn();
    void aStopTokenEndsTheTurn();
    void theTurnsOwnStopDoesNotReachOut();
    void anExternalTokenThatIsCancelledAlreadyStopsTheStart();
    void anExternalCancelWithoutAReasonHasWords();
    void nothingStaysRegisteredOutside_data();
    void nothingStaysRegisteredOutside();
    void aStoppedParentStopsItsSubTurn();
    void aStoppedSubTurnLeavesItsParent();
    void aWatcherStopsTheTurn();
    void aWatcherEndsWithTheTurn_data();
    void aWatcherEndsWithTheTurn();
    void anOldStopLeavesTheNextTurn();
    void aStreamTellsWhatItDoes();
    void aPauseBetweenStreamsHoldsTheNextOne();
    void aStreamThatThrewIsNotAskedAgain();
    void aStreamMayAskBackWhileItIsTold();
    void cancelStreamStopsTheTurnOnce();
};

// behaviours: 6
void tst_TurnSignals::aStopWithoutWordsIsToldByItsCause()
{
    CancellationSource source;
    source.cancel(CancellationCause::User);
    QVERIFY(source.token().reason()->text.isEmpty());

    TurnFixture fixture;
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns({})));
    fixture.script({sent() + toolCall(u"look"_s) + Script{Call{[&] { fixture.stop(); }}} + done()});
    const TurnOutcome outcome = fixture.run();
    QVERIFY(outcome.reason->text.isEmpty());
    QCOMPARE(fixture.slot(u"look"_s).note, u"Not run: stopped by the user."_s);
    QCOMPARE(turntext::becauseOf(*outcome.reason, {}), u"stopped by the user"_s);
}

void tst_TurnSignals::anExternalTokenEndsTheTurn_data()
{
    QTest::addColumn<CancellationCause>("outside");
    QTest::newRow("external") << CancellationCause::External;
    QTest::newRow("another cause there") << CancellationCause::User;
}

// behaviours: 166
void tst_TurnSignals::anExternalTokenEndsTheTurn()
{
    QFETCH(CancellationCause, outside);
    TurnFixture fixture;
    CancellationSource external;
    fixture.request.external = external.token();
    fixture.script(
        {sent() + text(u"part"_s)
         + Script{Call{[&] { external.cancel(outside, u"the build has ended"_s); }}, Hang{}}});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.reason->cause, CancellationCause::External);
    QCOMPARE(outcome.reason->text, u"the build has ended"_s);
    QCOMPARE(outcome.text, u"part"_s);

    // Any of them: the stop and the limits work as without it.
    CancellationSource silent;
    TurnFixture stopped;
    stopped.request.external = silent.token();
    stopped.script({sent() + Script{Call{[&] { stopped.stop(); }}, Hang{}}});
    QCOMPARE(stopped.run().reason->cause, CancellationCause::User);
    TurnFixture timedOut;
    timedOut.request.external = silent.token();
    timedOut.script({sent() + Script{Hang{}}});
    QCOMPARE(timedOut.run().reason->cause, CancellationCause::FirstTokenLimit);
}

// behaviours: 166, 169
void tst_TurnSignals::aStopTokenEndsTheTurn()
{
    TurnFixture fixture;
    std::stop_source external;
    fixture.request.externalStop = external.get_token();
    fixture.script({sent() + Script{Call{[&] { external.request_stop(); }}, Hang{}}});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.reason->cause, CancellationCause::External);
    QCOMPARE(turntext::becauseOf(*outcome.reason, {}), u"stopped from outside"_s);
}

// behaviours: 167
void tst_TurnSignals::theTurnsOwnStopDoesNotReachOut()
{
    TurnFixture fixture;
    CancellationSource external;
    CancellationSource parent;
    std::stop_source standard;
    fixture.request.external = external.token();
    fixture.request.parent = parent.token();
    fixture.request.externalStop = standard.get_token();
    fixture.script({sent() + Script{Call{[&] { fixture.stop(); }}, Hang{}}});
    QCOMPARE(fixture.run().status, TurnStatus::Stopped);
    QVERIFY(!external.token().isCancelled());
    QVERIFY(!parent.token().isCancelled());
    QVERIFY(!standard.stop_requested());
}

// behaviours: 168
void tst_TurnSignals::anExternalTokenThatIsCancelledAlreadyStopsTheStart()
{
    TurnFixture fixture;
    CancellationSource external;
    external.cancel(CancellationCause::External, u"too late"_s);
    fixture.request.external = external.token();
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.phase, TurnPhase::Initialization);
    QCOMPARE(outcome.reason->cause, CancellationCause::External);
    QCOMPARE(outcome.reason->text, u"too late"_s);
    QCOMPARE(outcome.iterations, 0);
    QVERIFY(!outcome.sent);
    QVERIFY(fixture.provider->requests().empty());
    QCOMPARE(fixture.journal.saved->userText, u"Hello"_s);
}

// behaviours: 169
void tst_TurnSignals::anExternalCancelWithoutAReasonHasWords()
{
    for (const QString &text : {QString(), u"\x01\x1b[31m\u202e"_s, QString(QChar(0xD800))}) {
        TurnFixture fixture;
        CancellationSource external;
        fixture.request.external = external.token();
        fixture.script(
            {sent()
             + Script{Call{[&] { external.cancel(CancellationCause::External, text); }}, Hang{}}});
        const TurnOutcome outcome = fixture.run();
        QCOMPARE(outcome.status, TurnStatus::Stopped);
        QVERIFY(outcome.reason->text.isValidUtf16());
        QVERIFY(!outcome.reason->text.contains(QChar(0x1b)));
        QVERIFY(turntext::becauseOf(*outcome.reason, {}).startsWith(u"stopped from outside"_s));
        if (text.isEmpty())
            QCOMPARE(turntext::becauseOf(*outcome.reason, {}), u"stopped from outside"_s);
    }
}

void tst_TurnSignals::nothingStaysRegisteredOutside_data()
{
    QTest::addColumn<bool>("fails");
    QTest::newRow("completed") << false;
    QTest::newRow("failed") << true;
}

// behaviours: 170
void tst_TurnSignals::nothingStaysRegisteredOutside()
{
    QFETCH(bool, fails);
    TurnFixture fixture;
    fixture.request.limits.turn = 1h;
    CancellationSource external;
    CancellationSource parent;
    std::stop_source standard;
    fixture.request.external = external.token();
    fixture.request.parent = parent.token();
    fixture.request.externalStop = standard.get_token();
    if (fails)
        fixture.script({Script{Fail{Error(ErrorCode::BadRequest, u"no"_s), {}}}});
    QCOMPARE(fixture.run().status, fails ? TurnStatus::Failed : TurnStatus::Completed);
    // The handle still lives, and nothing reaches it any more.
    external.cancel(CancellationCause::External);
    parent.cancel(CancellationCause::User);
    standard.request_stop();
    QVERIFY(!fixture.control->token().isCancelled());
    QVERIFY(fixture.control->hasEnded());
}

namespace {

// A tool that runs a turn of its own with the outer one as its parent.
std::shared_ptr<ScriptedTool> delegating(TurnFixture &inner)
{
    return std::make_shared<ScriptedTool>(
        u"delegate"_s, [&inner](const QJsonObject &, ToolContext &context) -> Result<ToolResult> {
            inner.request.parent = context.token();
            const TurnOutcome outcome = inner.run();
            if (outcome.isCancelled() && context.token().isCancelled())
                return context.token().check(TurnPhase::ToolCalls).error();
            return ToolResult{toString(outcome.status), false, {}, {}};
        });
}

} // namespace

// behaviours: 113, 173
void tst_TurnSignals::aStoppedParentStopsItsSubTurn()
{
    TurnFixture inner(TurnFixture::Time::Still);
    TurnFixture outer(TurnFixture::Time::Still);
    auto look = std::make_shared<ScriptedTool>(
        u"look"_s, [&](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
            outer.stop();
            return ToolResult{u"seen"_s, false, {}, {}};
        });
    auto next = std::make_shared<ScriptedTool>(u"next"_s, returns({}));
    inner.tool(look).tool(next);
    inner.script({sent() + toolCall(u"look"_s) + toolCall(u"next"_s) + done(), answer(u"never"_s)});
    outer.tool(delegating(inner));
    outer.script({sent() + toolCall(u"delegate"_s) + done(), answer(u"never"_s)});
    const TurnOutcome outcome = outer.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.reason->cause, CancellationCause::User);

    const TurnOutcome sub = *inner.record().outcome;
    QCOMPARE(sub.status, TurnStatus::Stopped);
    QCOMPARE(sub.reason->cause, CancellationCause::Parent);
    QCOMPARE(inner.slot(u"look"_s).output, u"seen"_s);
    QCOMPARE(next->entered(), 0);
    QCOMPARE(inner.provider->requests().size(), size_t(1));
    QCOMPARE(outer.provider->requests().size(), size_t(1));
}

// behaviours: 173
void tst_TurnSignals::aStoppedSubTurnLeavesItsParent()
{
    TurnFixture inner(TurnFixture::Time::Still);
    TurnFixture outer(TurnFixture::Time::Still);
    inner.script({sent() + Script{Call{[&] { inner.stop(); }}, Hang{}}});
    outer.tool(delegating(inner));
    outer.script({sent() + toolCall(u"delegate"_s) + done(), answer(u"Done."_s)});
    const TurnOutcome outcome = outer.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QVERIFY(!outcome.stopRequested);
    QCOMPARE(outer.slot(u"delegate"_s).output, toString(TurnStatus::Stopped));
    QCOMPARE(inner.record().outcome->reason->cause, CancellationCause::User);
}

// behaviours: 175
void tst_TurnSignals::aWatcherStopsTheTurn()
{
    TurnFixture fixture(TurnFixture::Time::Real);
    Channel<QString> outside;
    fixture.script({sent() + text(u"part"_s)
                    + Script{Call{[&] { outside.send(u"the lid was closed"_s); }}, Hang{}}});
    TurnWatcher watcher(
        fixture.control,
        [&](const CancellationToken &turnEnd) -> std::optional<CancellationReason> {
            const auto event = outside.receive(turnEnd);
            if (!event.value)
                return std::nullopt;
            return CancellationReason{CancellationCause::External, *event.value, u"lid"_s, {}};
        });
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.reason->cause, CancellationCause::External);
    QCOMPARE(outcome.reason->text, u"the lid was closed"_s);
    QTRY_VERIFY(watcher.hasEnded());
}

void tst_TurnSignals::aWatcherEndsWithTheTurn_data()
{
    QTest::addColumn<QString>("ending");
    QTest::newRow("completed") << u"completed"_s;
    QTest::newRow("failed") << u"failed"_s;
    QTest::newRow("stopped") << u"stopped"_s;
    QTest::newRow("never begun") << u"never begun"_s;
}

// behaviours: 175
void tst_TurnSignals::aWatcherEndsWithTheTurn()
{
    QFETCH(QString, ending);
    TurnFixture fixture;
    Channel<int> outside; // nothing comes of it
    const auto wait = [&](const CancellationToken &turnEnd) -> std::optional<CancellationReason> {
        (void)outside.receive(turnEnd);
        return std::nullopt;
    };
    TurnWatcher watcher(fixture.control, wait);
    if (ending == u"failed")
        fixture.script({Script{Fail{Error(ErrorCode::BadRequest, u"no"_s), {}}}});
    else if (ending == u"stopped")
        fixture.script({sent() + Script{Call{[&] { fixture.stop(); }}, Hang{}}});
    if (ending == u"never begun")
        fixture.control.reset();
    else
        (void)fixture.run(); // how it ended is not the watcher's business
    QTRY_VERIFY(watcher.hasEnded());
    if (ending == u"stopped")
        QCOMPARE(fixture.record().outcome->reason->cause, CancellationCause::User);

    // A watcher of a turn that has ended ends at once, and one that is destroyed does not wait for the turn.
    if (fixture.control) {
        TurnWatcher late(fixture.control, wait);
        QTRY_VERIFY(late.hasEnded());
    }
    TurnFixture other;
    { // and has nothing to say any more
        const TurnWatcher destroyed(other.control, [&](const CancellationToken &turnEnd) {
            (void)outside.receive(turnEnd);
            return CancellationReason{CancellationCause::External, u"too late"_s, {}, {}};
        });
    }
    QVERIFY(!other.control->token().isCancelled());
}

// behaviours: 25
void tst_TurnSignals::anOldStopLeavesTheNextTurn()
{
    TurnFixture seventh;
    QCOMPARE(seventh.run().status, TurnStatus::Completed);
    TurnFixture eighth;
    eighth.script({sent() + text(u"H"_s) + Script{Call{[&] { QVERIFY(!seventh.stop()); }}}
                   + text(u"i"_s) + done()});
    const TurnOutcome outcome = eighth.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(outcome.text, u"Hi"_s);
    QVERIFY(!outcome.stopRequested);
    QCOMPARE(seventh.control->lateCalls(), 1);
    QVERIFY(!seventh.control->token().isCancelled());
}

// behaviours: 294, 295
void tst_TurnSignals::aStreamTellsWhatItDoes()
{
    TurnFixture fixture;
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns({})));
    QVERIFY(!fixture.control->streamMetrics());
    std::vector<StreamMetrics> seen;
    const auto look = Call{[&] { seen.push_back(*fixture.control->streamMetrics()); }};
    Instant start{};
    const auto noteStart = Call{[&] { start = fixture.clock.now(); }};
    fixture.script({Script{noteStart, look} + sent() + text(u"12345"_s)
                        + Script{Pass{2s}, ModelEvent(KeepAlive{}), Pass{1s}, look,
                                 Call{[&] { fixture.control->pause(); }}, look,
                                 Call{[&] { fixture.control->resume(); }}}
                        + toolCall(u"look"_s) + done(),
                    Script{look} + answer(u"Hi"_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(seen.size(), size_t(4));

    QCOMPARE(seen[0].state, StreamState::Active);
    QCOMPARE(seen[0].characters, qint64(0));
    QCOMPARE(seen[0].duration, Duration(0));
    QCOMPARE(seen[0].lastActivity, start);

    QCOMPARE(seen[1].state, StreamState::Active);
    QCOMPARE(seen[1].characters, qint64(5));
    QCOMPARE(seen[1].duration, Duration(3s));
    QCOMPARE(seen[1].lastActivity, start + 2s);

    QCOMPARE(seen[2].state, StreamState::Paused);

    // A new one begins with nothing, whatever came before.
    QCOMPARE(seen[3].state, StreamState::Active);
    QCOMPARE(seen[3].characters, qint64(0));
    QCOMPARE(seen[3].duration, Duration(0));

    const StreamMetrics last = *fixture.control->streamMetrics();
    QCOMPARE(last.state, StreamState::Completed);
    QCOMPARE(last.characters, qint64(2));
    fixture.manualClock.advance(1h);
    QCOMPARE(fixture.control->streamMetrics()->duration, last.duration);
}

// Who has paused and not resumed wants no more of the answer, whichever request it comes of.
void tst_TurnSignals::aPauseBetweenStreamsHoldsTheNextOne()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.tool(std::make_shared<ScriptedTool>(
        u"look"_s, [&](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
            fixture.control->pause();
            return ToolResult{u"seen"_s, false, {}, {}};
        }));
    std::vector<StreamState> states;
    const auto note = [&] { states.push_back(fixture.control->streamMetrics()->state); };
    fixture.script({sent() + toolCall(u"look"_s) + done(),
                    Script{Call{note}} + sent()
                        + Script{Call{[&] {
                                     fixture.manualClock.advance(
                                         24h); // the wait for the first token is held, too
                                 }},
                                 ModelEvent(KeepAlive{}), Call{[&] {
                                     fixture.control->resume();
                                     note();
                                 }}}
                        + text(u"Hi"_s) + done()});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    const std::vector expected{StreamState::Paused, StreamState::Active};
    QVERIFY(states == expected);
}

// The handle outlives the stream, whatever ended it.
void tst_TurnSignals::aStreamThatThrewIsNotAskedAgain()
{
    TurnFixture fixture;
    fixture.script({sent() + Script{Call{[] { throw std::runtime_error("broken provider"); }}}});
    QVERIFY_THROWS_EXCEPTION(std::runtime_error, (void)fixture.run());
    const Duration duration = fixture.control->streamMetrics()->duration;
    fixture.manualClock.advance(1h);
    QCOMPARE(fixture.control->streamMetrics()->duration, duration);
    fixture.control->pause();
    fixture.control->resume();
    QVERIFY(fixture.control->hasEnded());
}

// No lock is held while foreign code is called.
void tst_TurnSignals::aStreamMayAskBackWhileItIsTold()
{
    TurnFixture fixture;
    QStringList told;
    const auto resume = [&](bool pauses) {
        told << (pauses ? u"pause"_s : u"resume"_s);
        if (pauses && fixture.control->isPaused() && fixture.control->streamMetrics())
            fixture.control->resume();
    };
    fixture.script(
        {sent() + Script{Call{[&] { fixture.control->pause(); }}} + text(u"all"_s) + done()});
    fixture.request.provider = std::make_shared<TellingProvider>(fixture.request.provider, resume);
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(told, QStringList({u"pause"_s, u"resume"_s}));
    QVERIFY(!fixture.control->isPaused());
}

// behaviours: 290, 296
void tst_TurnSignals::cancelStreamStopsTheTurnOnce()
{
    TurnFixture fixture;
    bool won = false;
    bool again = true;
    fixture.script({sent() + text(u"part"_s)
                    + Script{Call{[&] {
                                 won = fixture.control->cancelStream(u"enough"_s);
                                 fixture.manualClock.advance(1s); // no double click
                                 again = fixture.control->cancelStream(u"more"_s);
                                 fixture.control->pause(); // of what is over, for nothing
                             }},
                             Hang{}}});
    const TurnOutcome outcome = fixture.run();
    QVERIFY(won);
    QVERIFY(!again);
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.reason->cause, CancellationCause::User);
    QCOMPARE(outcome.reason->text, u"enough"_s);
    QCOMPARE(fixture.control->streamMetrics()->state, StreamState::Cancelled);
    QVERIFY(!fixture.control->isPaused());
    fixture.control->pause();
    QVERIFY(!fixture.control->isPaused());
    QVERIFY(!fixture.control->cancelStream(u"late"_s));
    QCOMPARE(fixture.control->token().reason()->text, u"enough"_s);
}

QTEST_GUILESS_MAIN(tst_TurnSignals)
#include "tst_turnsignals.moc"
