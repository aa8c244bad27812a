// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/conversationstore.h"

#include "conversation/history.h"
#include "conversation/serialization.h"
#include "conversation/validtext.h"
#include "store/database.h"
#include "streamedturn.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QRandomGenerator>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

constexpr int ProcessTimeoutMs = 60'000;

QProcessEnvironment environment()
{
    // The leak check of a sanitizer cannot work in a process that is traced.
    QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
    variables.insert(u"ASAN_OPTIONS"_s, u"detect_leaks=0"_s);
    return variables;
}

bool canTrace()
{
    const QString strace = QStandardPaths::findExecutable(u"strace"_s);
    if (strace.isEmpty())
        return false;
    QProcess probe;
    probe.start(strace, {u"-f"_s, u"-o"_s, u"/dev/null"_s, u"true"_s});
    return probe.waitForFinished(ProcessTimeoutMs) && probe.exitStatus() == QProcess::NormalExit
        && probe.exitCode() == 0;
}

// How the streamer ended, and what it acknowledged.
struct Run
{
    bool killed = false;
    int exitCode = -1;
    bool begun = false;
    int steps = 0; // as many are saved
    bool finished = false;
    QStringList failures;
};

Run read(const QByteArray &acknowledged)
{
    Run run;
    for (const QByteArray &line : acknowledged.split('\n')) {
        bool isNumber = false;
        const int step = line.toInt(&isNumber);
        if (isNumber)
            run.steps = step + 1;
        else if (line == "begun")
            run.begun = true;
        else if (line == "finished")
            run.finished = true;
        else if (line.startsWith("failed "))
            run.failures += QString::fromUtf8(line);
    }
    return run;
}

Run traced(const QString &path, const QString &injection)
{
    QProcess process;
    process.setProcessEnvironment(environment());
    process.start(u"strace"_s,
                  {u"-f"_s, u"-qq"_s, u"-o"_s, u"/dev/null"_s, u"-e"_s,
                   u"trace="_s + injection.section(u':', 0, 0), u"-e"_s, u"inject="_s + injection,
                   QStringLiteral(FERMATA_STORESTREAMER), path});
    if (!process.waitForFinished(ProcessTimeoutMs))
        return {};
    Run run = read(process.readAllStandardOutput());
    run.killed = process.exitStatus() == QProcess::CrashExit;
    run.exitCode = process.exitCode();
    return run;
}

QByteArray written(TurnRecord record)
{
    // Half of a character is not saved before its other half has come.
    for (AssistantMessage &message : record.answer) {
        for (ContentBlock &block : message.blocks) {
            if (auto *text = std::get_if<TextBlock>(&block))
                text->text.truncate(wholeCodePoints(text->text));
        }
    }
    Conversation conversation;
    conversation.id = ConversationId(u"c"_s);
    conversation.turns = {record};
    return toJsonLines(conversation);
}

// What is wrong with the database after `run`; empty if nothing acknowledged is lost and nothing is half.
QString faultAfter(const Run &run, const QString &path)
{
    auto store = ConversationStore::open(path);
    if (!store)
        return u"cannot be opened: "_s + store.error().detail;
    {
        auto database = Database::open(path);
        auto check = (*database)->select(u"PRAGMA integrity_check"_s);
        if (!check || !check->next() || check->text(0) != u"ok"_s)
            return u"integrity"_s;
    }
    {
        auto database = Database::open(path);
        auto check = (*database)->select(u"PRAGMA foreign_key_check"_s);
        if (!check || check->next())
            return u"foreign keys"_s;
    }
    const QStringList files = QDir(QFileInfo(path).path()).entryList(QDir::Files);
    for (const QString &file : files) {
        if (!file.startsWith(QFileInfo(path).fileName()) || file.endsWith(u".part"_s))
            return u"left behind: "_s + file;
    }

    const auto loaded = (*store)->load(streamed::conversationId());
    if (!loaded)
        return run.begun ? u"the acknowledged turn is lost"_s : QString();
    if (loaded->turns.size() != 1)
        return u"a conversation without its turn"_s;
    const TurnRecord &turn = loaded->turns[0];
    if (turn.outcome) {
        TurnRecord whole = streamed::after(streamed::Steps);
        whole.outcome = streamed::outcome();
        return written(turn) == written(whole) ? QString() : u"not the whole answer"_s;
    }
    if (run.finished)
        return u"the acknowledged end is lost"_s;
    bool found = false;
    for (int step = run.steps; step <= streamed::Steps && !found; ++step)
        found = written(turn) == written(streamed::after(step));
    if (!found)
        return u"not what was acknowledged: %1 steps, %2"_s.arg(run.steps).arg(turn.answerText());
    const auto cut = (*store)->recoverInterrupted();
    if (!cut || *cut != 1)
        return u"not recovered"_s;
    const auto recovered = (*store)->load(streamed::conversationId());
    if (!validateHistory(buildHistory(recovered->activePath())).empty())
        return u"a history that is not valid"_s;
    return {};
}

} // namespace

class TestStoreFaults final : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        // A killed process leaves what the system has of its files: memory shows that as well as a disk, and faster.
        const QString memory = u"/dev/shm"_s;
        m_folder = std::make_unique<QTemporaryDir>(
            (QFileInfo(memory).isWritable() ? memory : QDir::tempPath())
            + u"/tst_storefaults-XXXXXX"_s);
        m_path = m_folder->filePath(u"fermata.db"_s);
    }

    void killedAtAnyTimeNothingAcknowledgedIsLost()
    {
        // behaviours: 199, 207
        const int runs = std::max(40, qEnvironmentVariableIntValue("FERMATA_KILLS"));
        const quint32 seed = QRandomGenerator::global()->generate();
        qInfo("seed %u", seed);
        QRandomGenerator random(seed);
        for (int i = 0; i < runs; ++i) {
            init();
            QProcess process;
            process.setProcessEnvironment(environment());
            process.start(QStringLiteral(FERMATA_STORESTREAMER), {m_path, u"1"_s});
            QVERIFY(process.waitForStarted());
            // After some acknowledged step, and then at any moment of the next one.
            QByteArray acknowledged;
            const int lines = random.bounded(streamed::Steps);
            while (acknowledged.count('\n') < lines && process.waitForReadyRead(ProcessTimeoutMs))
                acknowledged += process.readAllStandardOutput();
            QElapsedTimer moment;
            moment.start();
            const qint64 delay = random.bounded(3'000'000);
            while (moment.nsecsElapsed() < delay) { }
            process.kill();
            QVERIFY(process.waitForFinished(ProcessTimeoutMs));
            acknowledged += process.readAllStandardOutput();
            const QString fault = faultAfter(read(acknowledged), m_path);
            QVERIFY2(fault.isEmpty(), qPrintable(u"run %1: %2"_s.arg(i).arg(fault)));
        }
    }

    void killedAtEveryWriteNothingAcknowledgedIsLost_data()
    {
        QTest::addColumn<QString>("call");
        QTest::addColumn<int>("least");
        QTest::newRow("write") << u"pwrite64"_s << 50;
        QTest::newRow("sync of data") << u"fdatasync"_s << 20;
        QTest::newRow("sync") << u"fsync"_s << 0;
        QTest::newRow("truncate") << u"ftruncate"_s << 0;
        QTest::newRow("unlink") << u"unlink"_s << 1;
        QTest::newRow("lock") << u"fcntl"_s << 20;
    }
    void killedAtEveryWriteNothingAcknowledgedIsLost()
    {
        // behaviours: 199, 200, 207
        QFETCH(QString, call);
        QFETCH(int, least);
        if (!canTrace())
            QSKIP("strace is missing or ptrace is not permitted here");
        int points = 0;
        // Locks are many and change no file: a part of them will do.
        const int stride = call == u"fcntl"_s ? 7 : 1;
        for (int n = 1;; n += stride) {
            init();
            const Run run = traced(m_path, u"%1:signal=KILL:when=%2"_s.arg(call).arg(n));
            const QString fault = faultAfter(run, m_path);
            QVERIFY2(fault.isEmpty(), qPrintable(u"call %1: %2"_s.arg(n).arg(fault)));
            if (!run.killed)
                break;
            ++points;
        }
        qInfo("killed at %d calls of %s", points, qPrintable(call));
        QVERIFY(points >= least);
    }

    void aFaultOfOneWriteIsToldAndMadeUpFor_data()
    {
        // behaviours: 208
        QTest::addColumn<QString>("calls");
        QTest::addColumn<QString>("error");
        QTest::addColumn<QStringList>("messages");
        QTest::newRow("no space") << u"pwrite64"_s << u"ENOSPC"_s
                                  << QStringList{u"The disk is full"_s};
        QTest::newRow("bad disk") << u"pwrite64"_s << u"EIO"_s
                                  << QStringList{u"The disk reports a fault"_s,
                                                 u"The disk is full or faulty"_s};
        QTest::newRow("failed sync")
            << u"fdatasync,fsync"_s << u"EIO"_s
            << QStringList{u"The disk reports a fault"_s, u"The disk is full or faulty"_s};
    }
    void aFaultOfOneWriteIsToldAndMadeUpFor()
    {
        QFETCH(QString, calls);
        QFETCH(QString, error);
        QFETCH(QStringList, messages);
        if (!canTrace())
            QSKIP("strace is missing or ptrace is not permitted here");
        int told = 0;
        for (int n = 1; n < 1000; n += 3) {
            init();
            const Run run = traced(m_path, u"%1:error=%2:when=%3"_s.arg(calls, error).arg(n));
            QVERIFY(!run.killed);
            QVERIFY2(run.finished,
                     qPrintable(u"call %1: %2"_s.arg(n).arg(run.failures.join(u'\n'))));
            const QString fault = faultAfter(run, m_path);
            QVERIFY2(fault.isEmpty(), qPrintable(u"call %1: %2"_s.arg(n).arg(fault)));
            if (run.failures.isEmpty() && n > 100)
                break;
            for (const QString &failure : run.failures) {
                ++told;
                const bool named =
                    std::any_of(messages.begin(), messages.end(), [&](const QString &message) {
                        return failure.startsWith(u"failed "_s + message);
                    });
                QVERIFY2(named, qPrintable(failure));
            }
        }
        qInfo("%d faults were told", told);
        QVERIFY(told > 3);
    }

    void whatAFullDiskHasRefusedIsSavedWhenThereIsSpaceAgain()
    {
        // behaviours: 208
        std::signal(SIGXFSZ, SIG_IGN);
        auto store = ConversationStore::open(m_path);
        QVERIFY(store.ok());
        TurnRecord record = streamed::turn();
        QVERIFY((*store)->beginTurn(streamed::conversation(), record).ok());
        rlimit before = {};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
        rlimit small = before;
        small.rlim_cur = rlim_t(QFileInfo(m_path + u"-wal"_s).size()) + 20'000;
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
        Result<void> saved;
        for (int i = 0; i < 100 && saved; ++i) {
            apply(record, TextAppended{u"more and more "_s.repeated(50)});
            saved = (*store)->checkpoint(record);
        }
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
        QVERIFY(!saved.ok());
        QVERIFY(saved.error().code == ErrorCode::Storage);
        QVERIFY(!saved.error().detail.isEmpty());
        const auto stored = (*store)->load(streamed::conversationId());
        QVERIFY(stored.ok());
        QVERIFY(record.answerText().startsWith(stored->turns[0].answerText()));

        const auto later = (*store)->checkpoint(record);
        QVERIFY2(later.ok(), qPrintable(later.ok() ? QString() : later.error().detail));
        QCOMPARE((*store)->load(streamed::conversationId())->turns[0].answerText(),
                 record.answerText());
    }
    void aSmallDiskThatFillsUpIsToldAsSuch()
    {
        // behaviours: 208
        if (::geteuid() != 0 || ::unshare(CLONE_NEWNS) != 0
            || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
            QSKIP("mounting is not permitted here; the case before this one needs no mount");
        const QByteArray folder = QFile::encodeName(m_folder->path());
        QCOMPARE(::mount("none", folder.constData(), "tmpfs", 0, "size=1m"), 0);
        {
            auto store = ConversationStore::open(m_path);
            QVERIFY(store.ok());
            TurnRecord record = streamed::turn();
            QVERIFY((*store)->beginTurn(streamed::conversation(), record).ok());
            QFile ballast(m_folder->filePath(u"ballast"_s));
            QVERIFY(ballast.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
            while (ballast.write(QByteArray(4096, 'x')) == 4096) { }
            apply(record, TextAppended{u"text "_s.repeated(20'000)});
            const auto refused = (*store)->checkpoint(record);
            QVERIFY(!refused.ok());
            QVERIFY2(refused.error().message.startsWith(u"The disk is full."_s),
                     qPrintable(refused.error().message));
            QVERIFY((*store)->load(streamed::conversationId()).ok());
            QVERIFY(ballast.remove());
            QVERIFY((*store)->checkpoint(record).ok());
            QCOMPARE((*store)->load(streamed::conversationId())->turns[0].answerText(),
                     record.answerText());
        }
        QCOMPARE(::umount(folder.constData()), 0);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

QTEST_GUILESS_MAIN(TestStoreFaults)
#include "tst_storefaults.moc"
