// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/database.h"

#include "store/batch.h"
#include "store/conversationstore.h"
#include "streamedturn.h"

#include <QCryptographicHash>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

#include <sys/stat.h>
#include <unistd.h>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

constexpr uid_t Nobody = 65534;

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
}

void write(const QString &path, const QByteArray &content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(content), content.size());
}

int modeOf(const QString &path)
{
    struct stat status = {};
    return ::stat(QFile::encodeName(path).constData(), &status) == 0 ? int(status.st_mode & 07777)
                                                                     : -1;
}

QString valueOf(Database &database, const QString &sql)
{
    auto rows = database.select(sql);
    if (!rows || !rows->next())
        return u"error"_s;
    const QString text = rows->text(0);
    return text.isNull() ? QString::number(rows->integer(0)) : text;
}

// A database with one conversation in it, closed.
void fill(const QString &path)
{
    auto store = ConversationStore::open(path);
    QVERIFY(store.ok());
    TurnRecord turn = streamed::after(streamed::Steps);
    QVERIFY((*store)->beginTurn(streamed::conversation(), turn).ok());
    turn.outcome = streamed::outcome();
    QVERIFY((*store)->finishTurn(turn).ok());
}

void makeForeign(const QString &path)
{
    QFile::remove(path);
    const QString connection = u"foreign"_s;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(u"QSQLITE"_s, connection);
        database.setDatabaseName(path);
        QVERIFY(database.open());
        QVERIFY(QSqlQuery(database).exec(u"CREATE TABLE bookmarks (url TEXT)"_s));
    }
    QSqlDatabase::removeDatabase(connection);
}

// The schema of a program that is yet to come.
void setVersion(const QString &path, int version)
{
    auto database = Database::open(path);
    QVERIFY(database.ok());
    QVERIFY((*database)->run(u"PRAGMA user_version = %1"_s.arg(version)).ok());
}

const Migration FirstStep{1, {u"CREATE TABLE notes (text TEXT)"_s}};
const Migration SecondStep{
    2, {u"ALTER TABLE notes ADD COLUMN mark TEXT"_s, u"UPDATE notes SET mark = 'old'"_s}};
const Migration BrokenStep{
    2, {u"ALTER TABLE notes ADD COLUMN mark TEXT"_s, u"UPDATE nowhere SET mark = 'old'"_s}};

} // namespace

class TestDatabase final : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath(u"fermata.db"_s);
    }

    void everyConnectionIsSetUpTheSameWay()
    {
        for (int i = 0; i < 2; ++i) {
            auto database = Database::open(m_path);
            QVERIFY(database.ok());
            QCOMPARE(valueOf(**database, u"PRAGMA journal_mode"_s), u"wal"_s);
            QCOMPARE(valueOf(**database, u"PRAGMA synchronous"_s), u"2"_s);
            QCOMPARE(valueOf(**database, u"PRAGMA foreign_keys"_s), u"1"_s);
            QCOMPARE(valueOf(**database, u"PRAGMA trusted_schema"_s), u"0"_s);
            QCOMPARE(valueOf(**database, u"PRAGMA busy_timeout"_s), u"5000"_s);
            QCOMPARE(valueOf(**database, u"PRAGMA user_version"_s),
                     QString::number(shippedMigrations().back().version));
        }
    }
    // behaviours: 284
    void nobodyElseCanReadIt()
    {
        const mode_t before = ::umask(0);
        const QString path = m_folder->filePath(u"new/deep/fermata.db"_s);
        auto database = Database::open(path);
        QVERIFY(database.ok());
        QVERIFY(
            (*database)->run(u"INSERT INTO conversations (id, title) VALUES ('i', 't')"_s).ok());
        ::umask(before);
        QCOMPARE(modeOf(path), 0600);
        QCOMPARE(modeOf(path + u"-wal"_s), 0600);
        QCOMPARE(modeOf(path + u"-shm"_s), 0600);
        QCOMPARE(modeOf(m_folder->filePath(u"new/deep"_s)), 0700);
        QCOMPARE(modeOf(m_folder->filePath(u"new"_s)), 0700);
    }
    void anOpenFileIsClosedToOthers()
    {
        fill(m_path);
        QFile::setPermissions(m_path, QFile::Permissions(0x6444));
        QVERIFY(modeOf(m_path) != 0600);
        QVERIFY(Database::open(m_path).ok());
        QCOMPARE(modeOf(m_path), 0600);
    }

    void whatIsNoDatabaseOfOursIsLeftAsItIs_data()
    {
        QTest::addColumn<QByteArray>("content");
        QByteArray random(5000, 0);
        QRandomGenerator(1).fillRange(reinterpret_cast<quint32 *>(random.data()), 1250);
        QTest::newRow("one byte") << QByteArray("x");
        QTest::newRow("text") << QByteArray("dear diary\n").repeated(1000);
        QTest::newRow("random") << random;
        QTest::newRow("half a header") << QByteArray("SQLite for");
        QTest::newRow("only a header") << QByteArray("SQLite format 3\0", 16);
        QTest::newRow("a header and noise") << QByteArray("SQLite format 3\0", 16) + random;
        QTest::newRow("another program's") << QByteArray();
    }
    void whatIsNoDatabaseOfOursIsLeftAsItIs()
    {
        QFETCH(QByteArray, content);
        if (content.isEmpty()) {
            makeForeign(m_path);
            content = contentOf(m_path);
        } else {
            write(m_path, content);
        }
        const int mode = modeOf(m_path);
        QElapsedTimer timer;
        timer.start();
        const auto store = ConversationStore::open(m_path);
        QVERIFY(timer.elapsed() < 20000);
        QVERIFY(!store.ok());
        const bool isForeign = qstrcmp(QTest::currentDataTag(), "another program's") == 0;
        QVERIFY(store.error().code == (isForeign ? ErrorCode::Storage : ErrorCode::StorageDamaged));
        QVERIFY2(store.error().message.contains(u"it was left as it is"_s),
                 qPrintable(store.error().message));
        QCOMPARE(contentOf(m_path), content);
        QCOMPARE(modeOf(m_path), mode);
    }
    void aFolderIsNoDatabase()
    {
        QVERIFY(QDir().mkpath(m_path));
        const auto store = ConversationStore::open(m_path);
        QVERIFY(!store.ok());
        QVERIFY(store.error().message.contains(u"is not a file"_s));
    }
    void aPipeDoesNotHoldTheStart()
    {
        QCOMPARE(::mkfifo(QFile::encodeName(m_path).constData(), 0600), 0);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(!ConversationStore::open(m_path).ok());
        QVERIFY(timer.elapsed() < 20000);
    }
    void aCircleOfLinksIsAnError()
    {
        QVERIFY(QFile::link(m_path, m_path + u"2"_s));
        QVERIFY(QFile::link(m_path + u"2"_s, m_path));
        QVERIFY(!ConversationStore::open(m_path).ok());
    }
    void anEmptyFileIsANewDatabase()
    {
        write(m_path, {});
        const auto store = ConversationStore::open(m_path);
        QVERIFY(store.ok());
        QVERIFY((*store)->list()->empty());
    }
    void aFolderThatCannotBeMadeIsAnError()
    {
        write(m_path, "x");
        const auto store = ConversationStore::open(m_path + u"/sub/fermata.db"_s);
        QVERIFY(!store.ok());
        QVERIFY(store.error().code == ErrorCode::Storage);
    }

    void aNewerSchemaIsReadAndNotTouched()
    {
        // behaviours: 210
        fill(m_path);
        setVersion(m_path, 99);
        const QByteArray before =
            QCryptographicHash::hash(contentOf(m_path), QCryptographicHash::Sha256);
        {
            const auto store = ConversationStore::open(m_path);
            QVERIFY(store.ok());
            QVERIFY((*store)->isReadOnly());
            QCOMPARE((*store)->list()->size(), 1u);
            QVERIFY((*store)->load(streamed::conversationId()).ok());
            QCOMPARE(*(*store)->recoverInterrupted(), 0);
            const auto renamed = (*store)->rename(streamed::conversationId(), u"x"_s);
            QVERIFY(renamed.error().code == ErrorCode::Storage);
            QVERIFY(renamed.error().message.contains(u"read-only"_s));
            QVERIFY(!(*store)->beginTurn(streamed::conversation(), streamed::turn()).ok());
            QVERIFY(!(*store)->checkpoint(streamed::turn()).ok());
            QVERIFY(!(*store)->import(streamed::conversation()).ok());
        }
        QCOMPARE(QCryptographicHash::hash(contentOf(m_path), QCryptographicHash::Sha256), before);
    }
    void aFileThatCannotBeWrittenIsReadOnly_data()
    {
        QTest::addColumn<int>("file");
        QTest::addColumn<int>("folder");
        QTest::newRow("file") << 0444 << 0777;
        QTest::newRow("folder") << 0666 << 0555;
        QTest::newRow("both") << 0444 << 0555;
    }
    void aFileThatCannotBeWrittenIsReadOnly()
    {
        QFETCH(int, file);
        QFETCH(int, folder);
        fill(m_path);
        const QByteArray name = QFile::encodeName(m_path);
        const QByteArray folderName = QFile::encodeName(m_folder->path());
        QCOMPARE(::chmod(name.constData(), mode_t(file)), 0);
        QCOMPARE(::chmod(folderName.constData(), mode_t(folder)), 0);
        const uid_t user = ::geteuid();
        if (user == 0)
            QCOMPARE(::seteuid(Nobody), 0); // root may write anything
        {
            const auto store = ConversationStore::open(m_path);
            const bool readOnly = store && (*store)->isReadOnly();
            const bool readable = store && (*store)->load(streamed::conversationId());
            const bool refused = store && !(*store)->setDraft(streamed::conversationId(), u"x"_s);
            QCOMPARE(::seteuid(user), 0);
            QCOMPARE(::chmod(folderName.constData(), 0700), 0);
            QVERIFY2(store.ok(), qPrintable(store.ok() ? QString() : store.error().detail));
            QVERIFY(readOnly);
            QVERIFY(readable);
            QVERIFY(refused);
        }
    }

    void anOlderSchemaIsBroughtUpToDateAfterABackup()
    {
        {
            auto database = Database::open(m_path, {FirstStep});
            QVERIFY(database.ok());
            QVERIFY((*database)->run(u"INSERT INTO notes VALUES ('kept')"_s).ok());
        }
        QVERIFY(!QFile::exists(m_path + u".v1.backup"_s));
        {
            auto database = Database::open(m_path, {FirstStep, SecondStep});
            QVERIFY(database.ok());
            QCOMPARE(valueOf(**database, u"SELECT text || mark FROM notes"_s), u"keptold"_s);
            QCOMPARE(valueOf(**database, u"PRAGMA user_version"_s), u"2"_s);
        }
        const QString backup = m_path + u".v1.backup"_s;
        QCOMPARE(modeOf(backup), 0600);
        auto old = Database::open(backup, {FirstStep});
        QVERIFY(old.ok());
        QCOMPARE(valueOf(**old, u"SELECT text FROM notes"_s), u"kept"_s);
        QCOMPARE(QDir(m_folder->path()).entryList({u"*.part"_s}).size(), 0);
    }
    void theCallsOfTheFirstSchemaAreKept()
    {
        {
            auto database = Database::open(m_path, {shippedMigrations().front()});
            QVERIFY(database.ok());
            for (const auto &sql :
                 {u"INSERT INTO conversations (number, id, title) VALUES (1, 'c', 't')"_s,
                  u"INSERT INTO turns (number, id, conversation, kind, user_text, provider, model,"
                  " state) VALUES (1, 't', 1, 'message', 'q', 'p', 'm', 'cut')"_s,
                  u"INSERT INTO messages VALUES (1, 0, 1, '')"_s,
                  u"INSERT INTO blocks VALUES (1, 1, 0, 0, 'toolCall',"
                  " '{\"type\":\"toolCall\",\"id\":\"1\",\"name\":\"look\"}', 'seen')"_s,
                  u"INSERT INTO slots VALUES (1, 'Finished', '', 0, NULL, 7)"_s})
                QVERIFY2((*database)->run(sql).ok(), qPrintable(sql));
        }
        auto store = ConversationStore::open(m_path);
        QVERIFY(store.ok());
        const auto loaded = (*store)->load(ConversationId(u"c"_s));
        QVERIFY(loaded.ok());
        const ToolSlot slot = loaded->turns[0].findCall(CallId(u"1"_s))->slot;
        QVERIFY(slot.state == ToolState::Finished);
        QCOMPARE(slot.output, u"seen"_s);
        QVERIFY(!slot.canBeUndone());
        QVERIFY(!slot.undoneAt.isValid());
    }
    void aMigrationHappensWhollyOrNotAtAll()
    {
        // behaviours: 207
        {
            auto database = Database::open(m_path, {FirstStep});
            QVERIFY((*database)->run(u"INSERT INTO notes VALUES ('kept')"_s).ok());
        }
        QVERIFY(!Database::open(m_path, {FirstStep, BrokenStep}).ok());
        auto database = Database::open(m_path, {FirstStep});
        QVERIFY(database.ok());
        QVERIFY(!(*database)->isReadOnly());
        QCOMPARE(valueOf(**database, u"PRAGMA user_version"_s), u"1"_s);
        QCOMPARE(valueOf(**database, u"SELECT count(*) FROM pragma_table_info('notes')"_s), u"1"_s);
        QCOMPARE(valueOf(**database, u"SELECT text FROM notes"_s), u"kept"_s);
    }
    void theShippedStepsHaveNoGap()
    {
        const std::vector<Migration> steps = shippedMigrations();
        QVERIFY(!steps.empty());
        for (size_t i = 0; i < steps.size(); ++i) {
            QCOMPARE(steps[i].version, int(i) + 1);
            QVERIFY(!steps[i].statements.isEmpty());
        }
        QCOMPARE(statementsOf(u"-- a;\nCREATE TABLE t (\n  a TEXT -- b\n);\n\nSELECT 1;\n"_s),
                 (QStringList{u"CREATE TABLE t (\n  a TEXT -- b\n);"_s, u"SELECT 1;"_s}));
    }
    void severalThreadsMayMakeItAtOnce()
    {
        std::vector<std::thread> threads;
        std::array<QString, 6> faults;
        for (QString &fault : faults) {
            threads.emplace_back([this, &fault] {
                const auto store = ConversationStore::open(m_path);
                if (!store)
                    fault = store.error().message + store.error().detail;
            });
        }
        for (std::thread &thread : threads)
            thread.join();
        for (const QString &fault : faults)
            QCOMPARE(fault, QString());
    }

    void aBatchHappensWhollyOrNotAtAll()
    {
        auto database = Database::open(m_path, {FirstStep});
        {
            Batch batch(**database);
            QVERIFY(batch.run(u"INSERT INTO notes VALUES ('a')"_s));
            QVERIFY(!batch.run(u"INSERT INTO nowhere VALUES ('b')"_s));
            QVERIFY(!batch.run(u"INSERT INTO notes VALUES ('c')"_s));
            const auto committed = batch.commit();
            QVERIFY(!committed.ok());
            QVERIFY(committed.error().detail.contains(u"nowhere"_s));
        }
        {
            Batch abandoned(**database);
            QVERIFY(abandoned.run(u"INSERT INTO notes VALUES ('d')"_s));
        }
        QCOMPARE(valueOf(**database, u"SELECT count(*) FROM notes"_s), u"0"_s);
        Batch batch(**database);
        QVERIFY(batch.run(u"INSERT INTO notes VALUES ('e')"_s));
        QVERIFY(batch.commit().ok());
        QCOMPARE(valueOf(**database, u"SELECT text FROM notes"_s), u"e"_s);
    }
    void whoHoldsTheDatabaseIsNamedAndWaitedFor()
    {
        auto holder = Database::open(m_path, {FirstStep});
        auto other = Database::open(m_path, {FirstStep});
        QVERIFY((*holder)->begin().ok());
        Batch waiting(**other);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(!waiting.begin());
        QVERIFY(timer.elapsed() >= 4500);
        QVERIFY(waiting.result().error().message.contains(u"in use by another program"_s));
        (*holder)->rollBack();
        Batch again(**other);
        QVERIFY(again.run(u"INSERT INTO notes VALUES ('a')"_s));
        QVERIFY(again.commit().ok());
    }

    void aFlippedByteIsReportedOrHarmless()
    {
        fill(m_path);
        // A second copy of everything is still in the WAL of this one.
        auto writer = Database::open(m_path);
        QVERIFY((*writer)->run(u"UPDATE conversations SET title = 'changed'"_s).ok());
        const std::array<QByteArray, 2> whole{contentOf(m_path), contentOf(m_path + u"-wal"_s)};
        QVERIFY(!whole[1].isEmpty());

        const quint32 seed = qEnvironmentVariableIntValue("FERMATA_SEED") != 0
            ? quint32(qEnvironmentVariableIntValue("FERMATA_SEED"))
            : QRandomGenerator::global()->generate();
        qInfo("FERMATA_SEED=%u", seed);
        QRandomGenerator random(seed);
        const QString copy = m_folder->filePath(u"copy.db"_s);
        int reported = 0;
        for (int i = 0; i < 300; ++i) {
            std::array<QByteArray, 2> flipped = whole;
            QByteArray &file = flipped[size_t(random.bounded(2))];
            const auto at = random.bounded(int(file.size()));
            file[at] = char(file.at(at) ^ (1 << random.bounded(8)));
            QFile::remove(copy + u"-shm"_s);
            write(copy, flipped[0]);
            write(copy + u"-wal"_s, flipped[1]);
            const auto store = ConversationStore::open(copy);
            if (!store || !(*store)->list() || !(*store)->load(streamed::conversationId())
                || !(*store)->search(u"begin"_s, 5)
                || !(*store)->setDraft(streamed::conversationId(), u"x"_s))
                ++reported;
        }
        qInfo("reported %d of 300 flips", reported);
        QVERIFY(reported > 0);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

QTEST_GUILESS_MAIN(TestDatabase)
#include "tst_database.moc"
