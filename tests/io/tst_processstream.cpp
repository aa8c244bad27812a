// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/iothread.h"
#include "io/processstream.h"
#include "support/processes.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QUuid>

#include <algorithm>
#include <csignal>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

using namespace fermata;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr auto LongTime = 20s; // far more than anything here takes

// A sanitizer keeps what was freed for a while.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr qint64 LittleKilobytes = 400 * 1024;
#else
constexpr qint64 LittleKilobytes = 20 * 1024;
#endif

struct Ended
{
    QByteArray output;
    std::optional<ProcessExit> exit;
    std::optional<Error> error;
};

Deadline in(Duration duration)
{
    return steadyClock().now() + duration;
}

// Reads to the end.
Ended readAll(ProcessStream &stream)
{
    Ended ended;
    for (const Deadline deadline = in(LongTime);;) {
        auto event = stream.next({}, deadline);
        if (!event) {
            ended.error = event.error();
            return ended;
        }
        auto *some = std::get_if<ProcessEvent>(&*event);
        if (!some)
            return ended;
        if (auto *bytes = std::get_if<QByteArray>(some)) {
            ended.output += *bytes;
        } else {
            ended.exit = std::get<ProcessExit>(*some);
            return ended;
        }
    }
}

// Reads until the output holds `text`.
bool readUntil(ProcessStream &stream, const QByteArray &text)
{
    QByteArray output;
    const Deadline deadline = in(LongTime);
    while (!output.contains(text)) {
        auto event = stream.next({}, deadline);
        if (!event || !std::holds_alternative<ProcessEvent>(*event))
            return false;
        const auto *bytes = std::get_if<QByteArray>(&std::get<ProcessEvent>(*event));
        if (!bytes)
            return false;
        output += *bytes;
    }
    return true;
}

ProcessRequest shell(const QString &script)
{
    ProcessRequest request;
    request.program = u"/bin/sh"_s;
    request.arguments = {u"-c"_s, script};
    request.environment = {{u"PATH"_s, u"/usr/bin:/bin"_s}};
    return request;
}

ProcessRequest inSandbox(const ProcessRequest &inner)
{
    ProcessRequest request = inner;
    request.program = u"/usr/bin/bwrap"_s;
    request.leader = ProcessRequest::Leader::Launcher;
    request.arguments = QStringList{u"--ro-bind"_s,
                                    u"/"_s,
                                    u"/"_s,
                                    u"--proc"_s,
                                    u"/proc"_s,
                                    u"--dev"_s,
                                    u"/dev"_s,
                                    u"--unshare-pid"_s,
                                    u"--die-with-parent"_s,
                                    u"--new-session"_s,
                                    inner.program}
        + inner.arguments;
    return request;
}

bool sandboxWorks()
{
    static const bool works = [] {
        IoThread io;
        const auto stream = io.startProcess(inSandbox(shell(u"exit 7"_s)));
        const Ended ended = readAll(*stream);
        return ended.exit && !ended.exit->crashed && ended.exit->code == 7;
    }();
    return works;
}

// Runs itself as the program that is killed while a tool runs.
constexpr auto VictimArgument = "--start-and-wait";

int runVictim(const QString &script)
{
    IoThread io;
    const auto stream = io.startProcess(shell(script));
    if (readUntil(*stream, "ready"))
        ::write(STDOUT_FILENO, "ready\n", 6);
    readAll(*stream);
    return 0;
}

} // namespace

class tst_ProcessStream : public QObject
{
    Q_OBJECT

private slots:
    void outputComesBeforeTheExitStatus();
    void errorOutputIsMergedOrDropped();
    void theProgramGetsItsFolderAndExactlyTheGivenEnvironment();
    void theProgramHasAnEmptyInputAndNoForeignDescriptors();
    void theProgramCannotLeaveACoreFileAndLeadsItsOwnSession();
    void whatCannotBeStartedIsToldAccurately_data();
    void whatCannotBeStartedIsToldAccurately();
    void anEndBySignalIsToldWithItsNumber();
    void aStopLeavesNoProcessOfAnyTree_data();
    void aStopLeavesNoProcessOfAnyTree();
    void aStoppedProgramMayCleanUpWithinItsGrace_data();
    void aStoppedProgramMayCleanUpWithinItsGrace();
    void aProgramThatIgnoresTermIsKilledAfterItsGrace();
    void aSecondStopShortensTheGrace();
    void aStopBeforeTheStartStartsNothing();
    void theRestOfTheTreeGoesWithAProgramThatExits();
    void aGrandchildWithThePipeDoesNotHoldUpTheEnd();
    void anUnreadFloodIsHeldUpInLittleMemory();
    void aSlowReaderGetsEveryByte();
    void manySmallPiecesAreBoundedAsWell();
    void aWaitEndsByItsTokenAndByItsDeadline();
    void destroyingTheHandleKillsTheTree();
    void theEndOfTheThreadKillsWhatRuns();
    void nothingRunsOnWhenTheApplicationIsKilled();
    void twoHundredTreesLeaveNothingBehind();
};

void tst_ProcessStream::outputComesBeforeTheExitStatus()
{
    IoThread io;
    const auto stream = io.startProcess(shell(u"printf 'one\\ntwo'; exit 3"_s));
    const Ended ended = readAll(*stream);
    QCOMPARE(ended.output, "one\ntwo");
    QVERIFY(ended.exit);
    QCOMPARE(ended.exit->crashed, false);
    QCOMPARE(ended.exit->code, 3);
    QVERIFY(!stream->next({}, in(LongTime)).ok()); // nothing after the end
}

void tst_ProcessStream::errorOutputIsMergedOrDropped()
{
    IoThread io;
    auto request = shell(u"echo out; echo err >&2"_s);
    QCOMPARE(readAll(*io.startProcess(request)).output, "out\nerr\n");
    request.mergeErrorOutput = false;
    QCOMPARE(readAll(*io.startProcess(request)).output, "out\n");
}

void tst_ProcessStream::theProgramGetsItsFolderAndExactlyTheGivenEnvironment()
{
    qputenv("FERMATA_TEST_SECRET_KEY", "canary");
    const QTemporaryDir folder;
    IoThread io;
    ProcessRequest request;
    request.program = u"env"_s;
    request.environment = {{u"PATH"_s, u"/usr/bin:/bin"_s}, {u"LANG"_s, u"C.UTF-8"_s}};
    const Ended ended = readAll(*io.startProcess(request));
    QList<QByteArray> names;
    for (const QByteArray &line : ended.output.trimmed().split('\n'))
        names << line.left(line.indexOf('='));
    std::sort(names.begin(), names.end());
    QCOMPARE(names, (QList<QByteArray>{"FERMATA_CALL", "LANG", "PATH"}));

    auto pwd = shell(u"pwd"_s);
    pwd.workingDirectory = folder.path();
    QCOMPARE(readAll(*io.startProcess(pwd)).output.trimmed(), folder.path().toUtf8());
    qunsetenv("FERMATA_TEST_SECRET_KEY");
}

// reliability: E24
void tst_ProcessStream::theProgramHasAnEmptyInputAndNoForeignDescriptors()
{
    const int leak = ::open("/dev/null", O_RDONLY); // without close-on-exec
    QVERIFY(leak >= 3);
    IoThread io;
    const Ended ended = readAll(*io.startProcess(
        shell(u"cat; cd /proc/$$/fd; for n in *; do [ -e $n ] && echo $n; done"_s)));
    QCOMPARE(ended.output, "0\n1\n2\n");
    ::close(leak);
}

void tst_ProcessStream::theProgramCannotLeaveACoreFileAndLeadsItsOwnSession()
{
    IoThread io;
    const Ended ended =
        readAll(*io.startProcess(shell(u"ulimit -c; set -- $(cut -d' ' -f5,6 /proc/$$/stat); "
                                       "[ $1 = $$ ] && [ $2 = $$ ] && echo leader"_s)));
    QCOMPARE(ended.output, "0\nleader\n");
}

void tst_ProcessStream::whatCannotBeStartedIsToldAccurately_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("message");
    QTest::newRow("missing") << u"no-such-program"_s << QString() << u"was not found"_s;
    QTest::newRow("missing path") << u"/no/such/program"_s << QString() << u"was not found"_s;
    QTest::newRow("not executable") << u"%1/plain"_s << QString() << u"not an executable file"_s;
    QTest::newRow("folder") << u"/usr/bin/"_s << QString() << u"not an executable file"_s;
    QTest::newRow("missing interpreter") << u"%1/orphan"_s << QString() << u"interpreter"_s;
    QTest::newRow("no program") << u"%1/noise"_s << QString() << u"not a program for this"_s;
    QTest::newRow("missing folder") << u"/bin/true"_s << u"/no/such"_s << u"does not exist"_s;
}

// reliability: E12
void tst_ProcessStream::whatCannotBeStartedIsToldAccurately()
{
    QFETCH(QString, program);
    QFETCH(QString, folder);
    QFETCH(QString, message);
    const QTemporaryDir home;
    const auto write = [&](const QString &name, const QByteArray &text, bool executable) {
        QFile file(home.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        if (executable)
            file.setPermissions(file.permissions() | QFile::ExeOwner);
    };
    write(u"plain"_s, "echo", false);
    write(u"orphan"_s, "#!/no/such/interpreter\n", true);
    write(u"noise"_s, "\x01\x02\x03\x04 this is nothing", true);

    IoThread io;
    ProcessRequest request;
    request.program = program.contains(u"%1"_s) ? program.arg(home.path()) : program;
    request.workingDirectory = folder;
    request.environment = {{u"PATH"_s, u"/usr/bin:/bin"_s}};
    const Ended ended = readAll(*io.startProcess(request));
    QVERIFY(ended.error);
    QVERIFY2(ended.error->message.contains(message), qUtf8Printable(ended.error->message));
    QTRY_COMPARE_WITH_TIMEOUT(ownChildren(), 0, 20000); // the guard of the tree ends just after it
}

void tst_ProcessStream::anEndBySignalIsToldWithItsNumber()
{
    IoThread io;
    const Ended ended = readAll(*io.startProcess(shell(u"kill -SEGV $$"_s)));
    QVERIFY(ended.exit);
    QCOMPARE(ended.exit->crashed, true);
    QCOMPARE(ended.exit->code, int(SIGSEGV));
}

void tst_ProcessStream::aStopLeavesNoProcessOfAnyTree_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<int>("graceMs");
    QTest::addColumn<bool>("sandbox");
    const std::vector<std::tuple<const char *, QString, int>> trees{
        {"single", u"exec sh -c 'echo ready; sleep %1'"_s, 60000},
        {"child", u"sleep %1 & echo ready; wait"_s, 60000},
        {"twenty, five deep",
         u"f() { [ $1 = 0 ] || { (f $(($1 - 1))) & }; sleep %1 & sleep %1 & sleep %1 & "
         "[ $1 != 5 ] || { sleep 0.2; echo ready; }; wait; }; f 5"_s,
         60000},
        {"own session", u"setsid sleep %1 & sleep 0.1; echo ready; wait"_s, 60000},
        {"nohup", u"nohup sleep %1 >/dev/null 2>&1 & sleep 0.1; echo ready; wait"_s, 60000},
        {"double fork",
         u"(setsid sh -c 'sleep %1 & sleep %1 & wait' &) ; sleep 0.1; echo ready; sleep %1"_s,
         60000},
        {"clean environment",
         u"(setsid env -i /bin/sh -c 'sleep %1 & sleep %1; true' &) ; sleep 0.1; echo ready; sleep %1"_s,
         60000},
        {"ignores TERM",
         u"trap '' TERM INT HUP; (trap '' TERM; sleep %1) & echo ready; while :; do sleep %1; done"_s,
         200},
        {"immediate", u"trap '' TERM; (setsid sleep %1 &); sleep 0.1; echo ready; sleep %1"_s, 0},
    };
    for (const auto &[name, script, grace] : trees) {
        QTest::addRow("%s", name) << script << grace << false;
        QTest::addRow("%s, in a sandbox", name) << script << grace << true;
    }
}

// behaviours: 101, 102, 106, 300
// reliability: E1, E2
void tst_ProcessStream::aStopLeavesNoProcessOfAnyTree()
{
    QFETCH(QString, script);
    QFETCH(int, graceMs);
    QFETCH(bool, sandbox);
    if (sandbox && !sandboxWorks())
        QSKIP("bubblewrap does not work here");
    const QString number = uniqueNumber();
    auto request = shell(script.replace("%1"_L1, number));
    if (sandbox)
        request = inSandbox(request);

    IoThread io;
    const auto stream = io.startProcess(request);
    QVERIFY(readUntil(*stream, "ready"));
    QVERIFY(aliveWith(number) > 0);
    QElapsedTimer timer;
    timer.start();
    stream->stop(std::chrono::milliseconds(graceMs));
    const Ended ended = readAll(*stream);
    const double took = double(timer.nsecsElapsed()) / 1e6;
    QVERIFY(ended.exit);
    QCOMPARE(aliveWith(number), 0);
    QTRY_COMPARE_WITH_TIMEOUT(ownChildren(), 0, 20000); // the guard of the tree ends just after it
    qInfo("stop to the end of the tree: %.1f ms (grace %d ms)", took, graceMs);
    QVERIFY(took < 20000); // far below the grace: who obeys is not waited for
}

void tst_ProcessStream::aStoppedProgramMayCleanUpWithinItsGrace_data()
{
    QTest::addColumn<bool>("sandbox");
    QTest::newRow("plain") << false;
    QTest::newRow("in a sandbox") << true;
}

void tst_ProcessStream::aStoppedProgramMayCleanUpWithinItsGrace()
{
    QFETCH(bool, sandbox);
    if (sandbox && !sandboxWorks())
        QSKIP("bubblewrap does not work here");
    auto request =
        shell(u"trap 'echo cleaned; exit 5' TERM; echo ready; while :; do sleep 0.02; done"_s);
    if (sandbox)
        request = inSandbox(request);
    IoThread io;
    const auto stream = io.startProcess(request);
    QVERIFY(readUntil(*stream, "ready"));
    stream->stop(10s);
    const Ended ended = readAll(*stream);
    QVERIFY(ended.output.contains("cleaned"));
    QVERIFY(ended.exit);
    QCOMPARE(ended.exit->code, 5);
}

// reliability: E3
void tst_ProcessStream::aProgramThatIgnoresTermIsKilledAfterItsGrace()
{
    IoThread io;
    const auto stream =
        io.startProcess(shell(u"trap '' TERM; echo ready; while :; do sleep 0.01; done"_s));
    QVERIFY(readUntil(*stream, "ready"));
    QElapsedTimer timer;
    timer.start();
    stream->stop(300ms);
    const Ended ended = readAll(*stream);
    QVERIFY(ended.exit);
    QCOMPARE(ended.exit->crashed, true);
    QCOMPARE(ended.exit->code, int(SIGKILL));
    QVERIFY(timer.elapsed() >= 300);
}

void tst_ProcessStream::aSecondStopShortensTheGrace()
{
    IoThread io;
    const auto stream =
        io.startProcess(shell(u"trap '' TERM; echo ready; while :; do sleep 0.01; done"_s));
    QVERIFY(readUntil(*stream, "ready"));
    QElapsedTimer timer;
    timer.start();
    stream->stop(60s);
    stream->stop(0ms);
    stream->stop(60s);
    QVERIFY(readAll(*stream).exit);
    QVERIFY(timer.elapsed() < 30000);
}

void tst_ProcessStream::aStopBeforeTheStartStartsNothing()
{
    const QTemporaryDir folder;
    IoThread io;
    // Starting these keeps the thread busy for far longer than the two calls below take.
    std::vector<std::unique_ptr<ProcessStream>> others;
    for (int i = 0; i < 30; ++i)
        others.push_back(io.startProcess(shell(u"exit 0"_s)));
    const auto stream = io.startProcess(shell(u"echo x >> %1/started"_s.arg(folder.path())));
    stream->stop(0ms);
    const Ended ended = readAll(*stream);
    QVERIFY(ended.exit);
    QCOMPARE(ended.exit->crashed, true);
    QVERIFY(!QFile::exists(folder.filePath(u"started"_s)));
}

// behaviours: 106
void tst_ProcessStream::theRestOfTheTreeGoesWithAProgramThatExits()
{
    const QString number = uniqueNumber();
    IoThread io;
    const auto stream = io.startProcess(
        shell(u"(setsid sleep %1 &); sleep %1 & (env -i setsid nohup sleep %1 >/dev/null 2>&1 &); "
              "sleep 0.1; exit 4"_s.replace("%1"_L1, number)));
    const Ended ended = readAll(*stream);
    QVERIFY(ended.exit);
    QCOMPARE(ended.exit->code, 4);
    QCOMPARE(aliveWith(number), 0);
    QTRY_COMPARE_WITH_TIMEOUT(ownChildren(), 0, 20000); // the guard of the tree ends just after it
}

// behaviours: 106
void tst_ProcessStream::aGrandchildWithThePipeDoesNotHoldUpTheEnd()
{
    const QString number = uniqueNumber();
    IoThread io;
    QElapsedTimer timer;
    timer.start();
    const auto stream =
        io.startProcess(shell(u"(setsid sleep %1 &); sleep 0.05; echo done"_s.arg(number)));
    const Ended ended = readAll(*stream);
    QCOMPARE(ended.output, "done\n");
    QVERIFY(ended.exit);
    qInfo("end with a held pipe after %lld ms, 50 of which it slept", timer.elapsed());
    QVERIFY(timer.elapsed() < 20000); // and not the hours that the grandchild would sleep
    QCOMPARE(aliveWith(number), 0);
}

// reliability: E7
void tst_ProcessStream::anUnreadFloodIsHeldUpInLittleMemory()
{
    IoThread io;
    const qint64 before = residentKilobytes();
    const auto stream = io.startProcess(shell(u"exec yes 0123456789012345678901234567890"_s));
    QVERIFY(readUntil(*stream, "0123"));
    // Nobody reads now. The program stands still when its pipe is full: its writing process sleeps in a write.
    QTRY_VERIFY_WITH_TIMEOUT(
        [] {
            for (const QString &pid : allPids()) {
                if (procFile(pid, u"cmdline"_s).startsWith(QByteArray("yes\0", 4)))
                    return procFile(pid, u"wchan"_s).contains("pipe")
                        || procFile(pid, u"stat"_s).contains(") S ");
            }
            return false;
        }(),
        10000);
    const qint64 grown = residentKilobytes() - before;
    qInfo("memory of an unread flood: +%lld KB", grown);
    QVERIFY(grown < LittleKilobytes);
    stream->stop(0ms);
    const Ended ended = readAll(*stream);
    QVERIFY(ended.exit);
    QVERIFY(ended.output.size() < 4 * 1024 * 1024);
}

void tst_ProcessStream::aSlowReaderGetsEveryByte()
{
    IoThread io;
    const qint64 before = residentKilobytes();
    const auto stream = io.startProcess(shell(u"head -c 100000000 /dev/zero; echo end"_s));
    qint64 count = 0;
    QByteArray last;
    std::optional<ProcessExit> exit;
    while (!exit) {
        auto event = stream->next({}, in(LongTime));
        QVERIFY(event);
        auto *some = std::get_if<ProcessEvent>(&*event);
        QVERIFY(some);
        if (auto *bytes = std::get_if<QByteArray>(some)) {
            QVERIFY(bytes->size() <= 64 * 1024);
            count += bytes->size();
            last = bytes->right(4);
        } else {
            exit = std::get<ProcessExit>(*some);
        }
    }
    QCOMPARE(count, 100000004);
    QCOMPARE(last, "end\n");
    QVERIFY(residentKilobytes() - before < LittleKilobytes);
}

void tst_ProcessStream::manySmallPiecesAreBoundedAsWell()
{
    IoThread io;
    const qint64 before = residentKilobytes();
    const auto stream =
        io.startProcess(shell(u"i=0; while [ $i -lt 60000 ]; do echo; i=$((i+1)); done"_s));
    QVERIFY(readUntil(*stream, "\n"));
    const Ended ended = readAll(*stream);
    QVERIFY(ended.exit);
    QVERIFY(residentKilobytes() - before < LittleKilobytes);
}

void tst_ProcessStream::aWaitEndsByItsTokenAndByItsDeadline()
{
    IoThread io;
    const auto stream = io.startProcess(shell(u"sleep 600"_s));
    auto event = stream->next({}, in(20ms));
    QVERIFY(event);
    QVERIFY(std::holds_alternative<NoProcessEventInTime>(*event));

    const CancellationSource source;
    std::jthread canceller([&] { source.cancel(CancellationCause::User); });
    event = stream->next(source.token(), in(LongTime));
    QVERIFY(event.isCancelled());
    // The wait ended, and not the program.
    event = stream->next({}, in(20ms));
    QVERIFY(event && std::holds_alternative<NoProcessEventInTime>(*event));
}

void tst_ProcessStream::destroyingTheHandleKillsTheTree()
{
    const QString number = uniqueNumber();
    IoThread io;
    auto stream = io.startProcess(
        shell(u"trap '' TERM; (setsid sleep %1 &); sleep 0.05; echo ready; sleep %1"_s.replace(
            "%1"_L1, number)));
    QVERIFY(readUntil(*stream, "ready"));
    stream.reset();
    QTRY_COMPARE_WITH_TIMEOUT(aliveWith(number), 0, 20000);
    QTRY_COMPARE_WITH_TIMEOUT(ownChildren(), 0, 20000);
}

void tst_ProcessStream::theEndOfTheThreadKillsWhatRuns()
{
    const QString number = uniqueNumber();
    std::unique_ptr<ProcessStream> stream;
    {
        IoThread io;
        stream = io.startProcess(
            shell(u"trap '' TERM; (setsid sleep %1 &); sleep 0.05; echo ready; sleep %1"_s.replace(
                "%1"_L1, number)));
        QVERIFY(readUntil(*stream, "ready"));
    }
    QCOMPARE(aliveWith(number), 0);
    QTRY_COMPARE_WITH_TIMEOUT(ownChildren(), 0, 20000); // the guard of the tree ends just after it
    QVERIFY(!stream->next({}, in(LongTime)).ok());
    stream->stop(0ms); // harmless
}

// reliability: E6
void tst_ProcessStream::nothingRunsOnWhenTheApplicationIsKilled()
{
    const QString number = uniqueNumber();
    QProcess victim;
    victim.start(QCoreApplication::applicationFilePath(),
                 {QString::fromLatin1(VictimArgument),
                  u"(setsid sleep %1 &); sleep %1 & sleep 0.1; echo ready; sleep %1"_s.replace(
                      "%1"_L1, number)});
    QTRY_VERIFY_WITH_TIMEOUT(victim.canReadLine(), 20000);
    QVERIFY(aliveWith(number) >= 3);
    QElapsedTimer timer;
    timer.start();
    victim.kill();
    QTRY_COMPARE_WITH_TIMEOUT(aliveWith(number), 0, 10000);
    qInfo("tree gone %lld ms after the application was killed", timer.elapsed());
    QTRY_COMPARE(victim.state(), QProcess::NotRunning);
}

void tst_ProcessStream::twoHundredTreesLeaveNothingBehind()
{
    const QString number = uniqueNumber();
    IoThread io;
    QVERIFY(readAll(*io.startProcess(shell(u"true"_s))).exit);
    const int descriptors = openDescriptors();
    for (int i = 0; i < 200; ++i) {
        auto request =
            shell(u"(setsid sleep %1 &); sleep %1 & echo ready; wait"_s.replace("%1"_L1, number));
        const auto stream = io.startProcess(i % 2 && sandboxWorks() ? inSandbox(request) : request);
        QVERIFY(readUntil(*stream, "ready"));
        stream->stop(i % 4 < 2 ? 1000ms : 0ms);
        QVERIFY(readAll(*stream).exit);
    }
    QCOMPARE(aliveWith(number), 0);
    QTRY_COMPARE_WITH_TIMEOUT(ownChildren(), 0, 20000);
    QTRY_VERIFY_WITH_TIMEOUT(openDescriptors() <= descriptors, 20000);
}

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    if (argc == 3 && qstrcmp(argv[1], VictimArgument) == 0)
        return runVictim(QString::fromLocal8Bit(argv[2]));
    tst_ProcessStream test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_processstream.moc"
