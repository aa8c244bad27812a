// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/storejournal.h"
#include "session/conversationlibrary.h"
#include "sessionfixture.h"
#include "support/enumcomparison.h"

#include <QDir>
#include <QSignalSpy>
#include <QTest>

#include <atomic>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// The database, and how often it was written to.
class CountingJournal final : public TurnJournal
{
public:
    CountingJournal(const QString &path, std::shared_ptr<std::atomic<int>> writes)
        : m_journal(path), m_writes(std::move(writes))
    {
    }

    Result<void> begin(const Conversation &conversation, const TurnRecord &turn) override
    {
        ++*m_writes;
        return m_journal.begin(conversation, turn);
    }
    Result<void> checkpoint(const TurnRecord &turn) override
    {
        ++*m_writes;
        return m_journal.checkpoint(turn);
    }
    Result<void> saveCall(const TurnRecord &turn, const ToolCallBlock &call) override
    {
        ++*m_writes;
        return m_journal.saveCall(turn, call);
    }
    Result<void> finish(const TurnRecord &turn) override
    {
        ++*m_writes;
        return m_journal.finish(turn);
    }

private:
    StoreJournal m_journal;
    const std::shared_ptr<std::atomic<int>> m_writes;
};

} // namespace

// The library with a real database: what is kept is read by another one, as after a restart.
class tst_ConversationLibrary : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void aDraftIsKeptWithItsConversation();
    void aDraftAfterMessagesIsKept();
    void aDraftThatIsTakenBackLeavesNothing();
    void whatIsSentAfterADraftWasTakenBackStays();
    void theFirstMessageGivesTheTitleAndEndsTheDraft();
    void aMessageThatWaitedAtTheEndIsADraft();
    void aDeletedConversationComesBackWithItsDraft();
    void deletingStopsTheTurnAndNothingIsWrittenAfterwards();
    void aDamagedDatabaseIsSetAsideOnlyWithConsent_data();
    void aDamagedDatabaseIsSetAsideOnlyWithConsent();

private:
    void start(); // or again: reads what the last library has left
    ConversationSession *opened(const ConversationId &id);
    void sendAndWait(ConversationSession &session, const QString &text);

    std::unique_ptr<SessionFixture> m_fixture;
    std::unique_ptr<ConversationLibrary> m_library;
};

void tst_ConversationLibrary::init()
{
    m_fixture = std::make_unique<SessionFixture>([](const QString &folder) -> JournalFactory {
        return [folder](const CancellationToken &) {
            return std::make_unique<StoreJournal>(folder + u"/fermata.db"_s);
        };
    });
    m_fixture->services->databasePath = m_fixture->path(u"fermata.db"_s);
    m_fixture->provide({answer(u"Hi"_s)});
    start();
}

void tst_ConversationLibrary::cleanup()
{
    m_library.reset();
    m_fixture.reset();
}

void tst_ConversationLibrary::start()
{
    m_library.reset();
    m_library = std::make_unique<ConversationLibrary>(m_fixture->services);
    QSignalSpy changed(m_library.get(), &ConversationLibrary::listChanged);
    m_library->load();
    QTRY_VERIFY(changed.size() > 0);
}

ConversationSession *tst_ConversationLibrary::opened(const ConversationId &id)
{
    m_library->open(id);
    [&] { QTRY_VERIFY(m_library->session(id)); }();
    return m_library->session(id);
}

void tst_ConversationLibrary::sendAndWait(ConversationSession &session, const QString &text)
{
    QSignalSpy finished(&session, &ConversationSession::turnFinished);
    session.send(text);
    QTRY_COMPARE(finished.size(), 1);
}

void tst_ConversationLibrary::aDraftIsKeptWithItsConversation()
{
    ConversationSession *session = m_library->createConversation();
    QVERIFY(m_library->list().empty());
    session->setDraft(u"Half a thought\nand more"_s);
    QCOMPARE(m_library->list().size(), size_t(1));
    const ConversationId id = session->conversation().id;
    start();
    QCOMPARE(m_library->list().size(), size_t(1));
    QCOMPARE(m_library->list().front().title, u"Half a thought"_s);
    session = opened(id);
    QVERIFY(session);
    QCOMPARE(session->draft(), u"Half a thought\nand more"_s);
    QVERIFY(session->conversation().turns.empty());
}

void tst_ConversationLibrary::aDraftAfterMessagesIsKept()
{
    ConversationSession *session = m_library->createConversation();
    sendAndWait(*session, u"Hello"_s);
    session->setDraft(u"next"_s);
    const ConversationId id = session->conversation().id;
    start();
    QCOMPARE(m_library->list().front().title, u"Hello"_s);
    QCOMPARE(opened(id)->draft(), u"next"_s);
}

void tst_ConversationLibrary::aDraftThatIsTakenBackLeavesNothing()
{
    ConversationSession *session = m_library->createConversation();
    session->setDraft(u"x"_s);
    session->setDraft({});
    QVERIFY(m_library->list().empty());
    start();
    QVERIFY(m_library->list().empty());
}

void tst_ConversationLibrary::whatIsSentAfterADraftWasTakenBackStays()
{
    ConversationSession *session = m_library->createConversation();
    session->setDraft(u"x"_s);
    session->setDraft({});
    sendAndWait(*session, u"Hello"_s);
    start();
    QCOMPARE(m_library->list().size(), size_t(1));
    QCOMPARE(m_library->list().front().title, u"Hello"_s);

    session = m_library->createConversation();
    session->setDraft(u"x"_s);
    session->setDraft({});
    session->setDraft(u"again"_s);
    start();
    QCOMPARE(m_library->list().size(), size_t(2));
    QCOMPARE(m_library->list().front().title, u"again"_s);
}

void tst_ConversationLibrary::theFirstMessageGivesTheTitleAndEndsTheDraft()
{
    ConversationSession *session = m_library->createConversation();
    const ConversationId id = session->conversation().id;
    session->setDraft(u"Draft"_s);
    session->send(u"Sent"_s);
    session->setDraft({});
    QTRY_VERIFY(!session->isRunning());
    start();
    QCOMPARE(m_library->list().size(), size_t(1));
    QCOMPARE(m_library->list().front().title, u"Sent"_s);
    QCOMPARE(opened(id)->draft(), QString());
}

void tst_ConversationLibrary::aMessageThatWaitedAtTheEndIsADraft()
{
    m_fixture->provide({sent() + Script{Hang{}}});
    ConversationSession *session = m_library->createConversation();
    const ConversationId id = session->conversation().id;
    QSignalSpy idle(m_library.get(), &ConversationLibrary::allIdle);
    session->send(u"one"_s);
    QTRY_VERIFY(!session->conversation().turns.empty());
    session->send(u"two"_s);
    session->setDraft(u"three"_s);
    m_library->stopAll(CancellationCause::ApplicationQuit);
    QTRY_COMPARE(idle.size(), 1);
    start();
    QCOMPARE(opened(id)->draft(), u"two\n\nthree"_s);
}

void tst_ConversationLibrary::aDeletedConversationComesBackWithItsDraft()
{
    ConversationSession *session = m_library->createConversation();
    const ConversationId id = session->conversation().id;
    session->setDraft(u"kept"_s);
    m_library->remove(id);
    session->setDraft(u"kept, too"_s); // what the window still had
    QVERIFY(m_library->list().empty());
    m_library->undoRemove(id);
    QTRY_COMPARE(m_library->list().size(), size_t(1));
    start();
    QCOMPARE(opened(id)->draft(), u"kept, too"_s);
}

// behaviours: 37
void tst_ConversationLibrary::deletingStopsTheTurnAndNothingIsWrittenAfterwards()
{
    const auto writes = std::make_shared<std::atomic<int>>(0);
    m_library.reset();
    m_fixture = std::make_unique<SessionFixture>([writes](const QString &folder) -> JournalFactory {
        return [folder, writes](const CancellationToken &) {
            return std::make_unique<CountingJournal>(folder + u"/fermata.db"_s, writes);
        };
    });
    m_fixture->services->databasePath = m_fixture->path(u"fermata.db"_s);
    m_fixture->provide({sent() + text(u"half"_s) + Script{Hang{}}});
    start();
    ConversationSession *session = m_library->createConversation();
    const ConversationId id = session->conversation().id;
    QSignalSpy finished(session, &ConversationSession::turnFinished);
    session->send(u"Hello"_s);
    QTRY_COMPARE(session->stage(), TurnStage::Writing);
    int writesAtTheEnd = 0;
    connect(session, &ConversationSession::turnFinished, this,
            [&] { writesAtTheEnd = *writes; }); // it is hidden after this
    m_library->remove(id);
    QVERIFY(session->isStopping());
    QVERIFY(m_library->list().empty());
    QTRY_COMPARE(finished.size(), 1);
    const TurnOutcome outcome = *session->conversation().turns.back().outcome;
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.reason->cause, CancellationCause::User);
    QVERIFY(outcome.saved);
    QVERIFY(writesAtTheEnd > 0);

    m_library->undoRemove(id); // reads what was saved, after the deletion
    QTRY_COMPARE(m_library->list().size(), size_t(1));
    m_library->remove(id);
    m_library.reset();
    QVERIFY(m_fixture->agents->waitForAll(std::chrono::seconds(20)));
    QCOMPARE(writes->load(), writesAtTheEnd);
    start();
    QVERIFY(m_library->list().empty());
}

void tst_ConversationLibrary::aDamagedDatabaseIsSetAsideOnlyWithConsent_data()
{
    QTest::addColumn<int>("from"); // where the noise begins
    QTest::newRow("from its first byte") << 0;
    QTest::newRow("behind its first page") << 4096;
}

// behaviours: 206
void tst_ConversationLibrary::aDamagedDatabaseIsSetAsideOnlyWithConsent()
{
    QFETCH(int, from);
    sendAndWait(*m_library->createConversation(), u"Hello"_s);
    m_library.reset();
    QVERIFY(m_fixture->agents->waitForAll(std::chrono::seconds(10))); // and their connections
    const QString path = m_fixture->services->databasePath;
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadWrite));
    QVERIFY(file.seek(from));
    QVERIFY(file.write(QByteArray(int(file.size()) - from, 'x')) > 0);
    file.close();
    const auto content = [](const QString &name) {
        QFile read(name);
        return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
    };
    const QByteArray before = content(path);

    m_library = std::make_unique<ConversationLibrary>(m_fixture->services);
    QSignalSpy damaged(m_library.get(), &ConversationLibrary::databaseDamaged);
    QSignalSpy told(m_library.get(), &ConversationLibrary::transferFinished);
    QSignalSpy listed(m_library.get(), &ConversationLibrary::listChanged);
    m_library->load();
    QTRY_VERIFY(damaged.size() > 0);
    QVERIFY(damaged[0][0].toString().contains(u"damaged"_s));
    QCOMPARE(content(path), before);

    QVERIFY(QDir().mkpath(m_fixture->path(u"copy"_s)));
    m_library->copyDatabaseTo(m_fixture->path(u"copy"_s));
    QTRY_COMPARE(told.size(), 1);
    QCOMPARE(content(m_fixture->path(u"copy/fermata.db"_s)), before);

    m_library->setDatabaseAside();
    QTRY_COMPARE(told.size(), 2);
    const QStringList aside =
        QDir(QFileInfo(path).path()).entryList({u"fermata.db.corrupt-*"_s}, QDir::Files);
    QCOMPARE(aside.filter(u"-wal"_s).size(), 0);
    QVERIFY(!aside.isEmpty());
    QVERIFY(told[1][0].toString().contains(aside.first()));
    QCOMPARE(content(QFileInfo(path).dir().filePath(aside.first())), before);
    QTRY_VERIFY(listed.size() > 0);
    ConversationSession *session = m_library->createConversation();
    session->setDraft(u"new"_s);
    start();
    QCOMPARE(m_library->list().size(), size_t(1));
}

QTEST_GUILESS_MAIN(tst_ConversationLibrary)
#include "tst_conversationlibrary.moc"
