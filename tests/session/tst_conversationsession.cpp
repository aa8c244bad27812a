// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/channel.h"
#include "sessionfixture.h"
#include "support/enumcomparison.h"

#include <QDir>
#include <QSignalSpy>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// Tells how turns were saved at their ends.
class EndJournal final : public TurnJournal
{
public:
    explicit EndJournal(std::shared_ptr<Channel<TurnRecord>> ends) : m_ends(std::move(ends)) { }

    Result<void> begin(const Conversation &, const TurnRecord &) override { return {}; }
    Result<void> checkpoint(const TurnRecord &) override { return {}; }
    Result<void> saveCall(const TurnRecord &, const ToolCallBlock &) override { return {}; }
    Result<void> finish(const TurnRecord &turn) override
    {
        m_ends->send(turn);
        return {};
    }

private:
    const std::shared_ptr<Channel<TurnRecord>> m_ends;
};

} // namespace

// Sessions with real agent threads, a scripted model and a journal in memory.
class tst_ConversationSession : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void aTurnRunsOnItsOwnThreadAndIsFolded();
    void tokensAreEstimatedUntilTheServerHasCounted();
    void aStopIsSeenAtOnceAndEndsTheTurn();
    void aSecondMessageWaitsForTheEnd();
    void aMessageThatWaitedAtAStopComesBack();
    void sendNowSupersedes();
    void continueRetryAndEditMakeBranches();
    void aStopWhileTheKeyIsFetchedEndsTheTurn();
    void aMissingKeyFailsTheTurnAndKeepsTheMessage();
    void aSessionCanBeDestroyedWhileItRuns();
    void quickStopsLeaveNothingBehind();

private:
    std::unique_ptr<SessionFixture> m_fixture;
};

void tst_ConversationSession::init()
{
    m_fixture = std::make_unique<SessionFixture>();
}

void tst_ConversationSession::cleanup()
{
    m_fixture.reset();
}

void tst_ConversationSession::aTurnRunsOnItsOwnThreadAndIsFolded()
{
    // behaviours: 33
    m_fixture->provide({answer(u"Hi"_s), answer(u"Hi again"_s),
                        Script{Fail{Error(ErrorCode::BadRequest, u"no"_s), {}}},
                        answer(u"Better"_s), sent() + text(u"half"_s) + Script{Hang{}},
                        answer(u"Whole"_s)});
    ConversationSession session(SessionFixture::blank(), m_fixture->services);
    QSignalSpy finished(&session, &ConversationSession::turnFinished);
    const std::pair<TurnStatus, QString> ends[] = {
        {TurnStatus::Completed, u"Hi"_s}, {TurnStatus::Completed, u"Hi again"_s},
        {TurnStatus::Failed, QString()},  {TurnStatus::Completed, u"Better"_s},
        {TurnStatus::Stopped, u"half"_s}, {TurnStatus::Completed, u"Whole"_s}};
    int turn = 0;
    for (const auto &[status, answered] : ends) {
        session.send(u"Hello"_s);
        QVERIFY(session.isRunning());
        if (status == TurnStatus::Stopped) {
            QTRY_COMPARE(session.stage(), TurnStage::Writing);
            session.stop();
        }
        ++turn;
        QTRY_COMPARE(finished.size(), turn);
        QVERIFY(!session.isRunning());
        QCOMPARE(session.conversation().turns.back().outcome->status, status);
        QCOMPARE(session.conversation().turns.back().answerText(), answered);
    }
    QCOMPARE(session.conversation().activePath().size(), std::size(ends));
    QCOMPARE(session.conversation().title, u"Hello"_s);
}

void tst_ConversationSession::tokensAreEstimatedUntilTheServerHasCounted()
{
    m_fixture->provide({sent() + text(u"x"_s.repeated(81)) + Script{Hang{}}});
    ConversationSession session(SessionFixture::blank(), m_fixture->services);
    session.send(u"Hello"_s);
    QTRY_COMPARE(session.usage().output, 21);
    QVERIFY(session.usage().estimated);
    session.stop();
    QTRY_VERIFY(!session.isRunning());

    // A call is whole, and known of, only after the server has counted it.
    m_fixture->provide(
        {sent() + text(u"x"_s.repeated(81)) + Script{UsageReported{{7, 33}}}
         + Script{ToolCallReceived{u"call_1"_s, u"run_command"_s, uR"({"command":"ls"})"_s, {}}}
         + Script{Hang{}}});
    ConversationSession counted(SessionFixture::blank(), m_fixture->services);
    counted.send(u"Hello"_s);
    QTRY_VERIFY(!counted.conversation().turns.empty()
                && !counted.conversation().turns.back().answer.empty()
                && counted.conversation().turns.back().answer.front().blocks.size() == 2);
    QCOMPARE(counted.usage(), (TokenUsage{7, 33, false}));
    counted.stop();
    QTRY_VERIFY(!counted.isRunning());
}

void tst_ConversationSession::aStopIsSeenAtOnceAndEndsTheTurn()
{
    // behaviours: 27, 28, 50
    m_fixture->provide({sent() + text(u"half"_s) + Script{Hang{}}});
    ConversationSession session(SessionFixture::blank(), m_fixture->services);
    QSignalSpy finished(&session, &ConversationSession::turnFinished);
    QSignalSpy requested(&session, &ConversationSession::stopRequested);
    session.send(u"Hello"_s);
    QTRY_COMPARE(session.stage(), TurnStage::Writing);
    session.stop();
    session.stop();
    session.stop();
    QVERIFY(session.isStopping());
    QCOMPARE(session.stage(), TurnStage::Stopping);
    QCOMPARE(requested.size(), 3);
    QTRY_COMPARE(finished.size(), 1);
    const TurnRecord &turn = session.conversation().turns.back();
    QCOMPARE(turn.outcome->status, TurnStatus::Stopped);
    QCOMPARE(turn.outcome->reason->cause, CancellationCause::User);
    QCOMPARE(turn.answerText(), u"half"_s);
    session.stop(); // for nothing
    QCOMPARE(requested.size(), 3);
}

void tst_ConversationSession::aSecondMessageWaitsForTheEnd()
{
    // behaviours: 29, 30
    m_fixture->provide({sent() + Script{Hang{}}, answer(u"second"_s)});
    ConversationSession session(SessionFixture::blank(), m_fixture->services);
    QSignalSpy finished(&session, &ConversationSession::turnFinished);
    session.send(u"one"_s);
    QTRY_COMPARE(session.stage(), TurnStage::WaitingForFirstToken);
    QVERIFY(!session.retryTurn(*session.runningTurn()));
    session.stop();
    session.send(u"two"_s); // after the stop: it waits, and then goes
    QCOMPARE(session.pendingMessage(), u"two"_s);
    QTRY_COMPARE(finished.size(), 2);
    QCOMPARE(session.conversation().turns.back().answerText(), u"second"_s);
}

void tst_ConversationSession::aMessageThatWaitedAtAStopComesBack()
{
    m_fixture->provide({sent() + Script{Hang{}}});
    ConversationSession session(SessionFixture::blank(), m_fixture->services);
    QSignalSpy finished(&session, &ConversationSession::turnFinished);
    QSignalSpy returned(&session, &ConversationSession::pendingMessageReturned);
    session.send(u"one"_s);
    session.send(u"two"_s);
    session.stop();
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(returned.size(), 1);
    QCOMPARE(returned[0][0].toString(), u"two"_s);
    QCOMPARE(session.draft(), u"two"_s);
    QVERIFY(!session.isRunning());
    QCOMPARE(m_fixture->provider->requests().size() <= 1, true);
}

void tst_ConversationSession::sendNowSupersedes()
{
    // behaviours: 32
    m_fixture->provide({sent() + text(u"old"_s) + Script{Hang{}}, answer(u"new"_s)});
    ConversationSession session(SessionFixture::blank(), m_fixture->services);
    QSignalSpy finished(&session, &ConversationSession::turnFinished);
    // When the end of a turn is told, nothing of the next one has been sent.
    std::vector<size_t> requestsAtTheEnd;
    connect(&session, &ConversationSession::turnFinished, this,
            [&] { requestsAtTheEnd.push_back(m_fixture->provider->requests().size()); });
    session.send(u"one"_s);
    QTRY_COMPARE(session.stage(), TurnStage::Writing);
    session.sendNow(u"two"_s);
    QTRY_COMPARE(finished.size(), 2);
    QCOMPARE(requestsAtTheEnd, (std::vector<size_t>{1, 2}));
    QCOMPARE(session.conversation().turns.front().outcome->reason->cause,
             CancellationCause::Superseded);
    QCOMPARE(session.conversation().turns.back().answerText(), u"new"_s);
}

void tst_ConversationSession::continueRetryAndEditMakeBranches()
{
    // behaviours: 188, 195
    m_fixture->provide({sent() + text(u"half "_s) + Script{Hang{}}, answer(u"and half"_s),
                        answer(u"again"_s), answer(u"edited"_s)});
    ConversationSession session(SessionFixture::blank(), m_fixture->services);
    QSignalSpy finished(&session, &ConversationSession::turnFinished);
    session.send(u"one"_s);
    QTRY_COMPARE(session.stage(), TurnStage::Writing);
    session.stop();
    QTRY_COMPARE(finished.size(), 1);
    const TurnId first = session.conversation().activeTurn;
    QVERIFY(session.continueTurn(first));
    QTRY_COMPARE(finished.size(), 2);
    const History continued = m_fixture->provider->requests().at(1).history;
    QVERIFY(validateHistory(continued).empty());
    QVERIFY(m_fixture->provider->requests().at(1).continueAnswer);
    QVERIFY(session.retryTurn(first));
    QTRY_COMPARE(finished.size(), 3);
    QCOMPARE(session.conversation().siblings(first).size(), size_t(2));
    QVERIFY(session.editTurn(first, u"another"_s));
    QTRY_COMPARE(finished.size(), 4);
    QCOMPARE(session.conversation().siblings(first).size(), size_t(3));
    QCOMPARE(session.conversation().find(first)->answerText(), u"half "_s);
    QVERIFY(session.activate(first));
    QCOMPARE(session.conversation().activePath().size(), size_t(2));
}

void tst_ConversationSession::aStopWhileTheKeyIsFetchedEndsTheTurn()
{
    SessionServices::ProviderFound answer;
    m_fixture->services->findProvider = [&](const Profile *, SessionServices::ProviderFound found) {
        answer = std::move(found);
    };
    ConversationSession session(SessionFixture::blank(), m_fixture->services);
    QSignalSpy finished(&session, &ConversationSession::turnFinished);
    session.send(u"Hello"_s);
    QTRY_COMPARE(session.conversation().turns.size(), size_t(1)); // saved and shown already
    session.stop();
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(session.conversation().turns.back().outcome->status, TurnStatus::Stopped);
    QVERIFY(!session.conversation().turns.back().outcome->sent);
    answer(Error(ErrorCode::NotFound, u"too late"_s));
}

void tst_ConversationSession::aMissingKeyFailsTheTurnAndKeepsTheMessage()
{
    m_fixture->services->findProvider = [](const Profile *,
                                           const SessionServices::ProviderFound &found) {
        found(Error(ErrorCode::Authentication, u"No key."_s));
    };
    ConversationSession session(SessionFixture::blank(), m_fixture->services);
    QSignalSpy finished(&session, &ConversationSession::turnFinished);
    session.send(u"Hello"_s);
    QTRY_COMPARE(finished.size(), 1);
    const TurnRecord &turn = session.conversation().turns.back();
    QCOMPARE(turn.outcome->status, TurnStatus::Failed);
    QCOMPARE(turn.outcome->error->message, u"No key."_s);
    QCOMPARE(turn.userText, u"Hello"_s);
}

void tst_ConversationSession::aSessionCanBeDestroyedWhileItRuns()
{
    // behaviours: 37, 67
    const auto ends = std::make_shared<Channel<TurnRecord>>();
    m_fixture = std::make_unique<SessionFixture>([ends](const QString &) -> JournalFactory {
        return [ends](const CancellationToken &) { return std::make_unique<EndJournal>(ends); };
    });
    m_fixture->provide({sent() + text(u"half"_s) + Script{Hang{}}});
    auto session =
        std::make_unique<ConversationSession>(SessionFixture::blank(), m_fixture->services);
    session->send(u"Hello"_s);
    QTRY_COMPARE(session->stage(), TurnStage::Writing);
    session.reset();
    QVERIFY(m_fixture->agents->waitForAll(std::chrono::seconds(10)));
    const auto saved = ends->tryReceive();
    QVERIFY(saved);
    QCOMPARE(saved->outcome->status, TurnStatus::Stopped);
    QCOMPARE(saved->outcome->reason->cause, CancellationCause::WindowClosed);
    QCOMPARE(saved->answerText(), u"half"_s);
    QVERIFY(!ends->tryReceive());
}

void tst_ConversationSession::quickStopsLeaveNothingBehind()
{
    // behaviours: 228
    m_fixture->provide({sent() + text(u"half"_s) + Script{Hang{}}});
    ConversationSession session(SessionFixture::blank(), m_fixture->services);
    QSignalSpy finished(&session, &ConversationSession::turnFinished);
    const int threadsBefore =
        int(QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size());
    const int cycles = 100;
    for (int i = 0; i < cycles; ++i) {
        session.send(u"Hello"_s);
        session.stop();
        QTRY_COMPARE(finished.size(), i + 1);
        QCOMPARE(session.conversation().turns.back().outcome->status, TurnStatus::Stopped);
    }
    const int threadsAfter =
        int(QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size());
    QVERIFY(threadsAfter <= threadsBefore + 1); // the agent's
}

QTEST_GUILESS_MAIN(tst_ConversationSession)
#include "tst_conversationsession.moc"
