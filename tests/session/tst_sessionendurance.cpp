// SPDX-License-Identifier: GPL-3.0-or-later
// Many turns, quickly and side by side, over real sockets and on real threads: every stop reaches its turn and no other
// one, and afterwards everything is as it was before.
#include "io/iothread.h"
#include "provider/chatcompletionsprovider.h"
#include "sessionfixture.h"
#include "support/enumcomparison.h"
#include "support/modelserver.h"
#include "support/processes.h"

#include <QEventLoop>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

using namespace fermata;
using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int Cycles = 200;
#else
constexpr int Cycles = 1000;
#endif
constexpr int WarmUpCycles = 40;
constexpr qint64 MostGrowth = 1000; // in KB
constexpr int Conversations = 8;
constexpr int TurnsEach = 25;

bool waitForCount(QSignalSpy &spy, qsizetype count)
{
    while (spy.size() < count) {
        if (!spy.wait(20'000))
            return false;
    }
    return true;
}

// A model that answers in four words, or says one and no more.
struct Model
{
    enum class Kind { Answers, Stalls };

    Model(IoThread &io, Kind kind, milliseconds delay)
        : server(toReply(answer(kind, delay))),
          provider(std::make_shared<ChatCompletionsProvider>(io, server.url(u"/v1"_s), Secret()))
    {
    }

    static ChatAnswer answer(Kind kind, milliseconds delay)
    {
        ChatAnswer answer;
        answer.tokens = QStringList{u"one "_s, u"two "_s, u"three "_s, u"four"_s};
        answer.delay = delay;
        answer.then = kind == Kind::Stalls ? ReplyEnding::Stall : ReplyEnding::Done;
        return answer;
    }

    ModelServer server;
    std::shared_ptr<ModelProvider> provider;
};

} // namespace

class tst_SessionEndurance : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void quickStartsAndStopsLeaveNothingBehind();
    void conversationsSideBySideAreStoppedEachForItself();

private:
    void runCycles(int cycles);
    void runSideBySide();

    QRandomGenerator m_random;
};

void tst_SessionEndurance::initTestCase()
{
    const quint32 seed = qEnvironmentVariableIsSet("FERMATA_SEED")
        ? qEnvironmentVariable("FERMATA_SEED").toUInt()
        : QRandomGenerator::global()->generate();
    qInfo("FERMATA_SEED=%u", seed);
    m_random.seed(seed);
}

// Every fourth turn is left alone; a stop that went astray, or came late, would end it.
void tst_SessionEndurance::runCycles(int cycles)
{
    enum class StopAt { Once, FirstEvent, Text, Never };

    SessionFixture fixture;
    IoThread io;
    Model answering(io, Model::Kind::Answers, milliseconds(0));
    Model stalling(io, Model::Kind::Stalls, milliseconds(0));
    StopAt stopAt = StopAt::Once;
    fixture.services->findProvider = [&](const Profile *,
                                         const SessionServices::ProviderFound &found) {
        found(stopAt == StopAt::Never ? answering.provider : stalling.provider);
    };
    ConversationSession session(SessionFixture::blank(), fixture.services);
    QSignalSpy finished(&session, &ConversationSession::turnFinished);
    connect(&session, &ConversationSession::eventsApplied, &session, [&] {
        if (stopAt == StopAt::FirstEvent
            || (stopAt == StopAt::Text && session.stage() == TurnStage::Writing))
            session.stop();
    });
    for (int i = 0; i < cycles; ++i) {
        stopAt = StopAt(i % 4);
        session.send(u"Hello"_s);
        if (stopAt == StopAt::Once)
            session.stop();
        QVERIFY(waitForCount(finished, i + 1));
        session.stop(); // late: it must not reach the next turn
        const TurnOutcome &outcome = *session.conversation().turns.back().outcome;
        if (stopAt == StopAt::Never) {
            QCOMPARE(outcome.status, TurnStatus::Completed);
            QCOMPARE(outcome.text, u"one two three four"_s);
            QVERIFY(!outcome.stopRequested);
        } else {
            QCOMPARE(outcome.status, TurnStatus::Stopped);
            QCOMPARE(outcome.reason->cause, CancellationCause::User);
        }
    }
    QCOMPARE(finished.size(), cycles);
}

// behaviours: 24, 25, 228
void tst_SessionEndurance::quickStartsAndStopsLeaveNothingBehind()
{
    runCycles(WarmUpCycles);
    if (QTest::currentTestFailed())
        return;
    const int threadsBefore = ownThreads();
    const int descriptorsBefore = openDescriptors();
    const qint64 heapBefore = heapKilobytes();
    for (int done = 0; done < Cycles; done += 100) {
        runCycles(100); // each in a conversation of its own
        if (QTest::currentTestFailed())
            return;
    }
    QTRY_COMPARE(ownThreads(), threadsBefore);
    QTRY_COMPARE(openDescriptors(), descriptorsBefore);
    const qint64 grown = heapKilobytes() - heapBefore;
    qInfo("heap: %+lld KB", grown);
    QVERIFY(grown < MostGrowth);
}

void tst_SessionEndurance::runSideBySide()
{
    SessionFixture fixture;
    IoThread io;
    Model model(io, Model::Kind::Answers, milliseconds(2));
    fixture.services->findProvider = [&](const Profile *,
                                         const SessionServices::ProviderFound &found) {
        found(model.provider);
    };

    struct Line
    {
        std::unique_ptr<ConversationSession> session;
        int turns = 0;
        int stops = 0; // turns that a stop reached
        bool wasStopped = false;
    };
    std::vector<Line> lines(Conversations);
    QStringList problems;
    int running = Conversations;
    QEventLoop loop;

    const auto sendNext = [&](Line &line) {
        line.wasStopped = false;
        line.session->send(u"Hello"_s);
        if (m_random.bounded(3) == 0)
            return;
        // From before the request to after the end.
        const int turn = line.turns;
        QTimer::singleShot(m_random.bounded(14), line.session.get(), [&line, turn] {
            if (line.turns != turn || !line.session->isRunning())
                return;
            line.wasStopped = true;
            line.session->stop();
        });
    };
    for (Line &line : lines) {
        line.session =
            std::make_unique<ConversationSession>(SessionFixture::blank(), fixture.services);
        connect(line.session.get(), &ConversationSession::turnFinished, this,
                [&](const TurnId &id) {
                    const TurnOutcome &outcome = *line.session->conversation().find(id)->outcome;
                    if (outcome.stopRequested && !line.wasStopped)
                        problems << u"a stop reached another turn"_s;
                    if (outcome.isCancelled() && !line.wasStopped)
                        problems << u"a turn was stopped by nobody"_s;
                    if (line.wasStopped && !outcome.stopRequested && !outcome.isCancelled()
                        && outcome.text != u"one two three four"_s)
                        problems << u"a stop was lost"_s;
                    if (!line.wasStopped && outcome.text != u"one two three four"_s)
                        problems << u"an answer is not whole: "_s + outcome.text;
                    line.stops += outcome.isCancelled();
                    if (++line.turns < TurnsEach)
                        // Not in here: the session is still telling of the end.
                        QTimer::singleShot(0, line.session.get(), [&] { sendNext(line); });
                    else if (--running == 0)
                        loop.quit();
                });
    }
    QTimer::singleShot(60'000, &loop, [&] {
        problems << u"not all turns have ended"_s;
        loop.quit();
    });
    for (Line &line : lines)
        sendNext(line);
    loop.exec();
    int stops = 0;
    for (const Line &line : lines)
        stops += line.stops;
    qInfo("%d of %d turns were stopped", stops, Conversations * TurnsEach);
    QCOMPARE(problems, QStringList());
    QVERIFY(stops > 0);
}

// behaviours: 20, 25, 228
void tst_SessionEndurance::conversationsSideBySideAreStoppedEachForItself()
{
    runSideBySide();
    if (QTest::currentTestFailed())
        return;
    const int threadsBefore = ownThreads();
    const int descriptorsBefore = openDescriptors();
    const qint64 heapBefore = heapKilobytes();
    runSideBySide();
    if (QTest::currentTestFailed())
        return;
    QTRY_COMPARE(ownThreads(), threadsBefore);
    QTRY_COMPARE(openDescriptors(), descriptorsBefore);
    QVERIFY(heapKilobytes() - heapBefore < MostGrowth);
}

QTEST_GUILESS_MAIN(tst_SessionEndurance)
#include "tst_sessionendurance.moc"
