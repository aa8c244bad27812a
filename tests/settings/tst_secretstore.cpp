// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/secretstore.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <optional>

#include <sys/stat.h>

using namespace fermata;
using namespace Qt::StringLiterals;
using Place = SecretStore::Place;

// Without a session bus, as on a machine that has no keyring.
class TestSecretStore final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanup();
    void aPastedKeyIsTrimmedOrRefused_data();
    void aPastedKeyIsTrimmedOrRefused();
    void aKeyIsKeptWhereTheUserChose_data();
    void aKeyIsKeptWhereTheUserChose();
    void theKeyFileBelongsToItsOwnerAlone();
    void aKeyIsInOnePlaceOnly();
    void withoutAKeyringNothingIsWrittenInClear();
    void anUnusableKeyIsNeverWritten();
    void aDamagedKeyFileIsAnErrorAndIsNotReplaced();
    void aKeyFileThatHoldsALineBreakIsRefused();
    void removedKeysAreGone();
    void theAnswerComesAfterTheCall();
    void nothingIsAnsweredAfterTheEnd();

private:
    QString file() const { return m_folder->filePath(u"keys.json"_s); }
    QByteArray fileContent() const;
    std::optional<Result<void>> write(SecretStore &store, const QString &name,
                                      const QByteArray &key, Place place);
    std::optional<Result<Secret>> read(SecretStore &store, const QString &name);
    std::optional<Result<void>> remove(SecretStore &store, const QString &name);

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSecretStore::initTestCase()
{
    // Before anything has touched a bus.
    qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
}

void TestSecretStore::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void TestSecretStore::cleanup()
{
    m_folder.reset();
}

QByteArray TestSecretStore::fileContent() const
{
    QFile stored(file());
    return stored.open(QIODevice::ReadOnly) ? stored.readAll() : QByteArray();
}

std::optional<Result<void>> TestSecretStore::write(SecretStore &store, const QString &name,
                                                   const QByteArray &key, Place place)
{
    std::optional<Result<void>> answer;
    store.write(name, Secret(key), place, [&](const Result<void> &result) { answer = result; });
    (void)QTest::qWaitFor([&] { return answer.has_value(); }); // the caller looks at the answer
    return answer;
}

std::optional<Result<Secret>> TestSecretStore::read(SecretStore &store, const QString &name)
{
    std::optional<Result<Secret>> answer;
    store.read(name, [&](const Result<Secret> &result) { answer = result; });
    (void)QTest::qWaitFor([&] { return answer.has_value(); });
    return answer;
}

std::optional<Result<void>> TestSecretStore::remove(SecretStore &store, const QString &name)
{
    std::optional<Result<void>> answer;
    store.remove(name, [&](const Result<void> &result) { answer = result; });
    (void)QTest::qWaitFor([&] { return answer.has_value(); });
    return answer;
}

void TestSecretStore::aPastedKeyIsTrimmedOrRefused_data()
{
    QTest::addColumn<QByteArray>("typed");
    QTest::addColumn<QByteArray>("key"); // empty: refused

    QTest::newRow("plain") << QByteArray("sk-abc123_-.~") << QByteArray("sk-abc123_-.~");
    QTest::newRow("spaces around") << QByteArray("  sk-abc \t") << QByteArray("sk-abc");
    QTest::newRow("line break at the end") << QByteArray("sk-abc\r\n") << QByteArray("sk-abc");
    QTest::newRow("line break inside") << QByteArray("sk-abc\r\nX-Evil: 1") << QByteArray();
    QTest::newRow("LF inside") << QByteArray("sk-abc\nx") << QByteArray();
    QTest::newRow("CR inside") << QByteArray("sk-abc\rx") << QByteArray();
    QTest::newRow("NUL inside") << QByteArray("sk-a\0bc", 7) << QByteArray();
    QTest::newRow("space inside") << QByteArray("sk-a bc") << QByteArray();
    QTest::newRow("escape") << QByteArray("sk-\x1b[31m") << QByteArray();
    QTest::newRow("non-ASCII") << QByteArray("sk-\xc3\xa4") << QByteArray();
    QTest::newRow("no-break space at the end") << QByteArray("sk-abc\xc2\xa0") << QByteArray();
    QTest::newRow("DEL") << QByteArray("sk-\x7f") << QByteArray();
    QTest::newRow("100 KB") << QByteArray(100 * 1024, 'k') << QByteArray();
    QTest::newRow("empty") << QByteArray() << QByteArray();
    QTest::newRow("only spaces") << QByteArray(" \n ") << QByteArray();
}

void TestSecretStore::aPastedKeyIsTrimmedOrRefused()
{
    QFETCH(const QByteArray, typed);
    QFETCH(const QByteArray, key);
    const Result<Secret> result = sanitizedKey(typed);
    QCOMPARE(result.ok(), !key.isEmpty());
    if (result) {
        QCOMPARE(result->reveal(), key);
    } else {
        QVERIFY(result.error().code == ErrorCode::InvalidArgument);
        QVERIFY2(!result.error().message.contains(u"sk-"_s), "a message never holds the key");
        QVERIFY(result.error().detail.isEmpty());
    }
}

void TestSecretStore::aKeyIsKeptWhereTheUserChose_data()
{
    QTest::addColumn<Place>("place");
    QTest::addColumn<bool>("survives");
    QTest::newRow("file") << Place::File << true;
    QTest::newRow("memory") << Place::Memory << false;
}

void TestSecretStore::aKeyIsKeptWhereTheUserChose()
{
    QFETCH(const Place, place);
    QFETCH(const bool, survives);
    {
        SecretStore store(file());
        const auto written = write(store, u"main"_s, "sk-canary", place);
        QVERIFY(written && written->ok());
        const auto found = read(store, u"main"_s);
        QVERIFY(found && found->ok());
        QCOMPARE(found->value().reveal(), QByteArray("sk-canary"));
        const auto other = read(store, u"other"_s);
        QVERIFY(other && other->isFault());
    }
    QCOMPARE(fileContent().contains("sk-canary"), survives);
    SecretStore store(file());
    const auto found = read(store, u"main"_s);
    QVERIFY(found);
    QCOMPARE(found->ok(), survives);
}

void TestSecretStore::theKeyFileBelongsToItsOwnerAlone()
{
    // behaviours: 284
    const mode_t before = ::umask(0);
    SecretStore store(file());
    const auto written = write(store, u"main"_s, "sk-canary", Place::File);
    ::umask(before);
    QVERIFY(written && written->ok());
    struct stat status = {};
    QCOMPARE(::stat(QFile::encodeName(file()).constData(), &status), 0);
    QCOMPARE(status.st_mode & 07777, mode_t(0600));
    QCOMPARE(
        QDir(m_folder->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden),
        QStringList{u"keys.json"_s});
}

void TestSecretStore::aKeyIsInOnePlaceOnly()
{
    SecretStore store(file());
    QVERIFY(write(store, u"a"_s, "sk-first", Place::File)->ok());
    QVERIFY(write(store, u"b"_s, "sk-other", Place::File)->ok());
    QVERIFY(write(store, u"a"_s, "sk-second", Place::Memory)->ok());
    QVERIFY(!fileContent().contains("sk-first"));
    QVERIFY(fileContent().contains("sk-other"));
    QCOMPARE(read(store, u"a"_s)->value().reveal(), QByteArray("sk-second"));
    QVERIFY(write(store, u"a"_s, "sk-third", Place::File)->ok());
    QCOMPARE(read(store, u"a"_s)->value().reveal(), QByteArray("sk-third"));
}

void TestSecretStore::withoutAKeyringNothingIsWrittenInClear()
{
    SecretStore store(file());
    QElapsedTimer time;
    time.start();
    const auto written = write(store, u"main"_s, "sk-canary", Place::Keyring);
    QVERIFY(written);
    QVERIFY(written->isFault());
    QVERIFY2(written->error().message.contains(u"another place"_s),
             qPrintable(written->error().message));
    QVERIFY(time.elapsed() < 5500);
    QVERIFY(!QFile::exists(file()));
    const auto found = read(store, u"main"_s);
    QVERIFY(found && found->isFault());
}

void TestSecretStore::anUnusableKeyIsNeverWritten()
{
    SecretStore store(file());
    for (const Place place : {Place::Keyring, Place::File, Place::Memory}) {
        const auto written = write(store, u"main"_s, "sk-a\r\nb", place);
        QVERIFY(written && written->isFault());
        QVERIFY(written->error().code == ErrorCode::InvalidArgument);
    }
    QVERIFY(!QFile::exists(file()));
}

void TestSecretStore::aDamagedKeyFileIsAnErrorAndIsNotReplaced()
{
    QFile damaged(file());
    QVERIFY(damaged.open(QIODevice::WriteOnly));
    QCOMPARE(damaged.write("{\"main\": \"sk-ol"), qint64(15));
    damaged.close();
    SecretStore store(file());
    const auto written = write(store, u"main"_s, "sk-new", Place::File);
    QVERIFY(written && written->isFault());
    QVERIFY(written->error().message.contains(file()));
    const auto found = read(store, u"main"_s);
    QVERIFY(found && found->isFault());
    QCOMPARE(fileContent(), QByteArray("{\"main\": \"sk-ol"));
}

void TestSecretStore::aKeyFileThatHoldsALineBreakIsRefused()
{
    QFile edited(file());
    QVERIFY(edited.open(QIODevice::WriteOnly));
    QVERIFY(edited.write(R"({"main": "sk-a\r\nX-Evil: 1"})") > 0);
    edited.close();
    SecretStore store(file());
    const auto found = read(store, u"main"_s);
    QVERIFY(found && found->isFault());
    QVERIFY(found->error().code == ErrorCode::InvalidArgument);
}

void TestSecretStore::removedKeysAreGone()
{
    SecretStore store(file());
    QVERIFY(write(store, u"file"_s, "sk-file", Place::File)->ok());
    QVERIFY(write(store, u"memory"_s, "sk-memory", Place::Memory)->ok());
    for (const QString &name : {u"file"_s, u"memory"_s}) {
        const auto removed = remove(store, name);
        QVERIFY(removed);
        QVERIFY2(removed->ok(), removed->ok() ? "" : qPrintable(removed->error().message));
    }
    QVERIFY(!fileContent().contains("sk-"));
    QVERIFY(read(store, u"file"_s)->isFault());
    QVERIFY(read(store, u"memory"_s)->isFault());
}

void TestSecretStore::theAnswerComesAfterTheCall()
{
    SecretStore store(file());
    int answers = 0;
    bool isCalling = true;
    bool cameInside = false;
    const auto count = [&](const auto &) {
        ++answers;
        cameInside = cameInside || isCalling;
    };
    store.write(u"a"_s, Secret("sk-a"), Place::File, count);
    store.write(u"b"_s, Secret("sk-b"), Place::Memory, count);
    store.write(u"c"_s, Secret("sk-c"), Place::Keyring, count);
    store.write(u"d"_s, Secret("not a key"), Place::File, count);
    store.read(u"a"_s, count);
    store.read(u"e"_s, count);
    store.remove(u"a"_s, count);
    isCalling = false;
    QTRY_COMPARE_WITH_TIMEOUT(answers, 7, 6000);
    QVERIFY(!cameInside);
}

void TestSecretStore::nothingIsAnsweredAfterTheEnd()
{
    int answers = 0;
    {
        SecretStore store(file());
        store.write(u"a"_s, Secret("sk-a"), Place::File, [&](const auto &) { ++answers; });
        store.write(u"c"_s, Secret("sk-c"), Place::Keyring, [&](const auto &) { ++answers; });
        store.read(u"e"_s, [&](const auto &) { ++answers; });
    }
    // A store that was made later has answered: so the earlier one would have, too.
    SecretStore later(file());
    QVERIFY(read(later, u"e"_s));
    QCOMPARE(answers, 0);
}

QTEST_GUILESS_MAIN(TestSecretStore)
#include "tst_secretstore.moc"
