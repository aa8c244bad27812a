// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/settingsfile.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QLoggingCategory>
#include <QProcess>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace fermata;
using namespace Qt::StringLiterals;

class TestSettingsFile final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanup();
    void withoutAFileTheDefaultsAreUsed();
    void whatIsSavedIsReadBack();
    void theFileAndItsFolderBelongToTheirOwnerAlone();
    void aSaveIsAnnouncedOnceAndOnlyIfSomethingChanged();
    void aFileCutAtAnyByteGivesDefaultsAndIsKept();
    void randomFilesGiveDefaults();
    void whatIsNoUsableFileIsSetAside_data();
    void whatIsNoUsableFileIsSetAside();
    void aSecondBadFileDoesNotReplaceTheFirst();
    void clampedValuesAreSaidOnce();
    void aFailedSaveUsesTheValuesAndIsTriedAgain();
    void changesByAnotherProgramAreKeptAside();
    void aLinkIsFollowed();
    void aWriterKilledAtAnyMomentLeavesAWholeFile();

private:
    QString path() const { return m_folder->filePath(u"config/settings.json"_s); }
    QString bad() const { return path() + u".bad"_s; }
    void put(const QByteArray &content) const;
    QByteArray content(const QString &file) const;

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSettingsFile::initTestCase()
{
    QLoggingCategory::setFilterRules(
        u"fermata.settings.warning=false"_s); // there would be thousands
}

void TestSettingsFile::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void TestSettingsFile::cleanup()
{
    m_folder.reset();
}

void TestSettingsFile::put(const QByteArray &bytes) const
{
    QVERIFY(QDir().mkpath(QFileInfo(path()).path()));
    QFile file(path());
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    QCOMPARE(file.write(bytes), bytes.size());
}

QByteArray TestSettingsFile::content(const QString &name) const
{
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

void TestSettingsFile::withoutAFileTheDefaultsAreUsed()
{
    SettingsFile file(path());
    QVERIFY(file.settings() == Settings());
    QCOMPARE(file.takeNotices(), QStringList());
    QVERIFY2(!QFileInfo::exists(path()), "reading writes nothing");
}

void TestSettingsFile::whatIsSavedIsReadBack()
{
    Settings settings;
    settings.retries = 7;
    settings.allowRules = {{u"run_command"_s, u"ls"_s}};
    {
        SettingsFile file(path());
        QVERIFY(file.save(settings).ok());
        QVERIFY(file.settings() == settings);
    }
    SettingsFile file(path());
    QVERIFY(file.settings() == settings);
    QCOMPARE(file.takeNotices(), QStringList());
}

void TestSettingsFile::theFileAndItsFolderBelongToTheirOwnerAlone()
{
    const mode_t before = ::umask(0);
    SettingsFile file(path());
    const Result<void> saved = file.save({});
    ::umask(before);
    QVERIFY(saved.ok());
    struct stat status = {};
    QCOMPARE(::stat(QFile::encodeName(path()).constData(), &status), 0);
    QCOMPARE(status.st_mode & 07777, mode_t(0600));
    QCOMPARE(::stat(QFile::encodeName(QFileInfo(path()).path()).constData(), &status), 0);
    QCOMPARE(status.st_mode & 0777, mode_t(0700));

    // Also where the file was open to others before.
    QCOMPARE(::chmod(QFile::encodeName(path()).constData(), 0644), 0);
    Settings changed;
    changed.retries = 1;
    QVERIFY(file.save(changed).ok());
    QCOMPARE(::stat(QFile::encodeName(path()).constData(), &status), 0);
    QCOMPARE(status.st_mode & 07777, mode_t(0600));
}

void TestSettingsFile::aSaveIsAnnouncedOnceAndOnlyIfSomethingChanged()
{
    // behaviours: 209
    SettingsFile file(path());
    QSignalSpy changed(&file, &SettingsFile::changed);
    Settings settings;
    settings.retries = 5;
    QVERIFY(file.save(settings).ok());
    QCOMPARE(changed.size(), 1);

    struct stat first = {};
    QCOMPARE(::stat(QFile::encodeName(path()).constData(), &first), 0);
    QVERIFY(file.save(settings).ok());
    QCOMPARE(changed.size(), 1);
    struct stat second = {};
    QCOMPARE(::stat(QFile::encodeName(path()).constData(), &second), 0);
    QVERIFY2(first.st_ino == second.st_ino, "the file was written again");
}

void TestSettingsFile::aFileCutAtAnyByteGivesDefaultsAndIsKept()
{
    // behaviours: 207
    Settings settings;
    settings.retries = 9;
    settings.commandsMayUseNetwork = true;
    settings.toolPermissions = {{u"run_command"_s, ToolPermission::Allow}};
    const QByteArray whole = QJsonDocument(toJson(settings)).toJson(QJsonDocument::Compact);
    for (qsizetype length = 0; length < whole.size(); ++length) {
        const QByteArray cut = whole.first(length);
        put(cut);
        SettingsFile file(path());
        QVERIFY2(file.settings() == Settings(), qPrintable(QString::number(length)));
        QCOMPARE(file.takeNotices().size(), 1);
        QCOMPARE(content(bad()), cut);
        QVERIFY(!QFileInfo::exists(path()));
        QVERIFY(QFile::remove(bad()));
    }
    put(whole);
    QVERIFY(SettingsFile(path()).settings() == settings);
}

void TestSettingsFile::randomFilesGiveDefaults()
{
    const quint32 seed = qEnvironmentVariableIsSet("FERMATA_SEED")
        ? qEnvironmentVariable("FERMATA_SEED").toUInt()
        : QRandomGenerator::global()->generate();
    qInfo("FERMATA_SEED=%u", seed);
    QRandomGenerator random(seed);
    const QByteArray whole = QJsonDocument(toJson(Settings())).toJson();
    for (int round = 0; round < 300; ++round) {
        QByteArray bytes = whole;
        if (round % 3 == 0) {
            for (char &byte : bytes)
                byte = char(random.bounded(256));
        } else {
            for (int change = 0; change < 3; ++change)
                bytes[random.bounded(int(bytes.size()))] = char(random.bounded(256));
        }
        put(bytes);
        SettingsFile file(path());
        // Whatever it was: what came of it is within all ranges, and saving works.
        QStringList corrections;
        QVERIFY(clamped(file.settings(), &corrections) == file.settings());
        QCOMPARE(corrections, QStringList());
        QVERIFY(file.save({}).ok());
        QVERIFY(SettingsFile(path()).settings() == Settings());
    }
}

void TestSettingsFile::whatIsNoUsableFileIsSetAside_data()
{
    QTest::addColumn<QString>("kind");
    for (const char *kind :
         {"empty", "list", "deep", "large", "folder", "pipe", "dead link to a pipe", "unreadable"})
        QTest::newRow(kind) << QString::fromLatin1(kind);
}

void TestSettingsFile::whatIsNoUsableFileIsSetAside()
{
    QFETCH(const QString, kind);
    QVERIFY(QDir().mkpath(QFileInfo(path()).path()));
    const QByteArray name = QFile::encodeName(path());
    if (kind == u"empty") {
        put({});
    } else if (kind == u"list") {
        put("[]");
    } else if (kind == u"deep") {
        put(QByteArray(100'000, '['));
    } else if (kind == u"large") {
        put({});
        QVERIFY(QFile::resize(path(), 100 * 1024 * 1024));
    } else if (kind == u"folder") {
        QVERIFY(QDir().mkpath(path() + u"/inside"_s));
    } else if (kind == u"pipe") {
        QCOMPARE(::mkfifo(name.constData(), 0600), 0);
    } else if (kind == u"dead link to a pipe") {
        const QByteArray pipe = QFile::encodeName(m_folder->filePath(u"pipe"_s));
        QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
        QCOMPARE(::symlink(pipe.constData(), name.constData()), 0);
    } else {
        if (::geteuid() == 0)
            QSKIP("root reads everything");
        put("{}");
        QVERIFY(QFile::setPermissions(path(), {}));
    }

    QElapsedTimer time;
    time.start();
    SettingsFile file(path());
    QVERIFY(time.elapsed() < 20000);
    QVERIFY(file.settings() == Settings());
    const QStringList notices = file.takeNotices();
    QCOMPARE(notices.size(), 1);
    QVERIFY2(notices.first().contains(bad()), qPrintable(notices.first()));
    QVERIFY(QFileInfo(bad()).exists());
    QVERIFY(file.save({}).ok());
    QVERIFY(QFileInfo(path()).isFile());
}

void TestSettingsFile::aSecondBadFileDoesNotReplaceTheFirst()
{
    put("first");
    SettingsFile{path()};
    put("second");
    SettingsFile{path()};
    QCOMPARE(content(bad()), QByteArray("first"));
    QCOMPARE(content(bad() + u"-2"_s), QByteArray("second"));
}

void TestSettingsFile::clampedValuesAreSaidOnce()
{
    // behaviours: 154
    put(R"({"limits": {"connect": 0}, "retries": 99})");
    SettingsFile file(path());
    QCOMPARE(file.takeNotices().size(), 2);
    QCOMPARE(file.takeNotices(), QStringList());
    QVERIFY(file.save(file.settings()).ok());
    QCOMPARE(file.takeNotices(), QStringList());
    SettingsFile again(path());
    QCOMPARE(again.takeNotices(), QStringList());
    QCOMPARE(again.settings().retries, 10);
}

void TestSettingsFile::aFailedSaveUsesTheValuesAndIsTriedAgain()
{
    SettingsFile file(path());
    QSignalSpy changed(&file, &SettingsFile::changed);
    // A file where the folder should be: nobody can write below it, not even root.
    QFile obstacle(QFileInfo(path()).path());
    QVERIFY(obstacle.open(QIODevice::WriteOnly));
    obstacle.close();
    Settings settings;
    settings.retries = 4;
    const Result<void> failed = file.save(settings);
    QVERIFY(failed.isFault());
    QVERIFY(failed.error().message.contains(path()));
    QCOMPARE(file.settings().retries, 4);
    QCOMPARE(changed.size(), 1);

    QVERIFY(obstacle.remove());
    QVERIFY(file.save(settings).ok());
    QCOMPARE(SettingsFile(path()).settings().retries, 4);
}

void TestSettingsFile::changesByAnotherProgramAreKeptAside()
{
    put(R"({"retries": 1})");
    SettingsFile file(path());
    put(R"({"retries": 2})");
    Settings settings = file.settings();
    settings.enterSends = false;
    QVERIFY(file.save(settings).ok());
    QCOMPARE(SettingsFile(path()).settings().retries, 1);
    QCOMPARE(content(path() + u".other"_s), QByteArray(R"({"retries": 2})"));
    QCOMPARE(file.takeNotices().size(), 1);
    settings.enterSends = true;
    QVERIFY(file.save(settings).ok());
    QCOMPARE(file.takeNotices(), QStringList());
}

void TestSettingsFile::aLinkIsFollowed()
{
    QVERIFY(QDir().mkpath(QFileInfo(path()).path()));
    const QString target = m_folder->filePath(u"dotfiles.json"_s);
    {
        QFile real(target);
        QVERIFY(real.open(QIODevice::WriteOnly));
        QCOMPARE(real.write(R"({"retries": 6})"), qint64(14));
    }
    QVERIFY(QFile::link(target, path()));
    SettingsFile file(path());
    Settings settings = file.settings();
    QCOMPARE(settings.retries, 6);
    settings.retries = 5;
    QVERIFY(file.save(settings).ok());
    QVERIFY(QFileInfo(path()).isSymLink());
    QCOMPARE(SettingsFile(target).settings().retries, 5);
}

void TestSettingsFile::aWriterKilledAtAnyMomentLeavesAWholeFile()
{
    // behaviours: 207
    const quint32 seed = qEnvironmentVariableIsSet("FERMATA_SEED")
        ? qEnvironmentVariable("FERMATA_SEED").toUInt()
        : QRandomGenerator::global()->generate();
    qInfo("FERMATA_SEED=%u", seed);
    QRandomGenerator random(seed);
    for (int round = 0; round < 25; ++round) {
        QProcess writer;
        writer.start(QStringLiteral(SETTINGS_WRITER), {path()});
        QVERIFY(writer.waitForStarted());
        for (int saves = random.bounded(1, 4); saves > 0; --saves) {
            while (!writer.canReadLine())
                QVERIFY(writer.waitForReadyRead(10'000));
            QCOMPARE(writer.readLine(), QByteArray("saved\n"));
        }
        // Somewhere inside the next save.
        QElapsedTimer time;
        time.start();
        const qint64 moment = random.bounded(3'000'000);
        while (time.nsecsElapsed() < moment) { }
        writer.kill();
        QVERIFY(writer.waitForFinished());

        SettingsFile file(path());
        QCOMPARE(file.takeNotices(), QStringList());
        QVERIFY(file.settings().retries == 1 || file.settings().retries == 2);
        QCOMPARE(file.settings().windowState[u"filling"_s].toString().size(), 200'000);
        const QStringList left =
            QDir(QFileInfo(path()).path()).entryList(QDir::Files | QDir::Hidden | QDir::System);
        QCOMPARE(left, QStringList{u"settings.json"_s});
    }
}

QTEST_GUILESS_MAIN(TestSettingsFile)
#include "tst_settingsfile.moc"
