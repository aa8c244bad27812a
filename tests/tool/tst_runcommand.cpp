// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/runcommand.h"

#include "io/iothread.h"
#include "recordingcontext.h"
#include "support/enumcomparison.h"
#include "support/processes.h"
#include "tool/approvalpolicy.h"
#include "tool/argumentvalidator.h"
#include "tool/sandbox.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <thread>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace fermata;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

QJsonObject command(const QString &text, QJsonObject more = {})
{
    more.insert(u"command"_s, text);
    return more;
}

QString factOf(const ApprovalRequest &request, const QString &label)
{
    for (const auto &[name, value] : request.facts) {
        if (name == label)
            return value;
    }
    return {};
}

} // namespace

// Every case runs with and without the sandbox, where there is one.
class tst_RunCommand : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase_data();
    void init();
    void cleanup();

    void outputAndExitStatusAreTheResult();
    void theEndIsToldAccurately_data();
    void theEndIsToldAccurately();
    void badArgumentsAreErrorsTheModelCanCorrect_data();
    void badArgumentsAreErrorsTheModelCanCorrect();
    void itRunsInItsFolder();
    void whatItWritesStaysInTheWorkspace();
    void itsEnvironmentHoldsNoSecrets();
    void aProgramThatAsksQuestionsEnds_data();
    void aProgramThatAsksQuestionsEnds();
    void liveOutputComesBeforeTheEnd();
    void aFloodIsCutInTheMiddle_data();
    void aFloodIsCutInTheMiddle();
    void aStopEndsTheWholeTreeAndIsACancellation();
    void immediateModeKillsAtOnce();
    void aSecondStopDropsTheRestOfTheGrace();
    void aCancelledCommandIsNotStarted();
    void aCommandThatFinishesInItsGraceHasItsRealResult();
    void itsOwnLimitEndsItAndSaysSo();
    void theNoOutputLimitCountsSilenceAlone();
    void theRequestShowsTheExactCommand();
    void onlyAContainedCommandMayBeAllowedForEver();
    void theSameWordsInAnotherFolderAskAgain();
    void nothingInTheWorkspaceChangesWhatACommandMeans();
    void onlyWhatWasAllowedIsRun();
    void theNetworkIsGivenByTheSettingOrAskedFor();
    void aSandboxShutsOut_data();
    void aSandboxShutsOut();
    void aForkBombIsCleanedUp();

private:
    Result<ToolResult> run(const QJsonObject &arguments, RecordingContext &context)
    {
        const auto checked = parseToolArguments(
            QString::fromUtf8(QJsonDocument(arguments).toJson()), m_tool->spec().parameters);
        if (!checked)
            return checked.error();
        return m_tool->run(*checked, context);
    }
    Result<ToolResult> run(const QJsonObject &arguments)
    {
        RecordingContext context(m_workspace);
        return run(arguments, context);
    }
    bool contained() const { return m_sandbox->state() == SandboxState::Contained; }

    std::unique_ptr<IoThread> m_io;
    std::unique_ptr<QTemporaryDir> m_home;
    QString m_workspace;
    std::shared_ptr<const Sandbox> m_sandbox;
    std::unique_ptr<RunCommand> m_tool;
};

void tst_RunCommand::initTestCase_data()
{
    QTest::addColumn<bool>("sandbox");
    QTest::newRow("plain") << false;
    IoThread io;
    if (Sandbox(io).state() == SandboxState::Contained)
        QTest::newRow("sandbox") << true;
    else
        qWarning("not tested with a sandbox: bubblewrap does not work here");
}

void tst_RunCommand::init()
{
    QFETCH_GLOBAL(bool, sandbox);
    m_io = std::make_unique<IoThread>();
    m_home = std::make_unique<QTemporaryDir>();
    m_workspace = m_home->filePath(u"workspace"_s);
    QVERIFY(QDir().mkpath(m_workspace + u"/sub"_s));
    m_sandbox = std::make_shared<Sandbox>(*m_io, sandbox ? u"bwrap"_s : u"/no/such/bwrap"_s);
    QCOMPARE(contained(), sandbox);
    m_tool = std::make_unique<RunCommand>(*m_io, m_sandbox, ProtectedPaths({}, m_home->path()));
}

void tst_RunCommand::cleanup()
{
    m_tool.reset();
    m_sandbox.reset();
    m_io.reset();
    m_home.reset();
}

void tst_RunCommand::outputAndExitStatusAreTheResult()
{
    const auto good = run(command(u"echo out; echo err >&2"_s));
    QVERIFY(good);
    QCOMPARE(good->output, u"out\nerr\n"_s);
    QCOMPARE(good->exitStatus, std::optional(0));
    QCOMPARE(good->isError, false);
    const auto bad = run(command(u"echo out; exit 3"_s));
    QVERIFY(bad);
    QCOMPARE(bad->output, u"out\n[exit status 3]"_s);
    QCOMPARE(bad->exitStatus, std::optional(3));
    QCOMPARE(bad->isError, true);
}

void tst_RunCommand::theEndIsToldAccurately_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    QTest::addColumn<int>("status");
    QTest::newRow("silent") << u"true"_s << u"[no output, exit status 0]"_s << 0;
    QTest::newRow("not found") << u"no-such-program-here"_s << u"not found"_s << 127;
    QTest::newRow("not executable") << u"touch x; ./x"_s << u"ermission denied"_s << 126;
    QTest::newRow("missing interpreter")
        << u"printf '#!/no/such/thing\\n' > x; chmod +x x; ./x"_s << u"not found"_s << 127;
    QTest::newRow("signal") << u"kill -SEGV $$"_s << u"SEGV"_s << 139;
    QTest::newRow("signal below") << u"sh -c 'kill -KILL $$'; exit $?"_s << u"SIGKILL"_s << 137;
}

// reliability: E12
void tst_RunCommand::theEndIsToldAccurately()
{
    QFETCH(QString, text);
    QFETCH(QString, words);
    QFETCH(int, status);
    const auto result = run(command(text));
    QVERIFY(result);
    QVERIFY2(result->output.contains(words), qUtf8Printable(result->output));
    QCOMPARE(result->exitStatus, std::optional(status));
}

void tst_RunCommand::badArgumentsAreErrorsTheModelCanCorrect_data()
{
    QTest::addColumn<QJsonObject>("arguments");
    QTest::addColumn<QString>("word");
    QTest::newRow("no command") << QJsonObject{} << u"command"_s;
    QTest::newRow("empty") << command(u"  "_s) << u"empty"_s;
    QTest::newRow("nul") << command(u"ls\0rm"_s) << u"NUL"_s;
    QTest::newRow("too long") << command(QString(130 * 1024, u'x')) << u"longer"_s;
    QTest::newRow("folder outside")
        << command(u"ls"_s, {{u"working_directory"_s, u"/etc"_s}}) << u"workspace"_s;
    QTest::newRow("folder up") << command(u"ls"_s, {{u"working_directory"_s, u"../.."_s}})
                               << u"workspace"_s;
    QTest::newRow("no folder") << command(u"ls"_s, {{u"working_directory"_s, u"missing"_s}})
                               << u"not a folder"_s;
    QTest::newRow("zero limit") << command(u"ls"_s, {{u"timeout_seconds"_s, 0}})
                                << u"timeout_seconds"_s;
    QTest::newRow("negative") << command(u"ls"_s, {{u"timeout_seconds"_s, -1}})
                              << u"timeout_seconds"_s;
    QTest::newRow("over a day") << command(u"ls"_s, {{u"no_output_seconds"_s, 86401}})
                                << u"no_output_seconds"_s;
    QTest::newRow("unknown") << command(u"ls"_s, {{u"shell"_s, true}}) << u"shell"_s;
}

// behaviours: 108
// reliability: E13
void tst_RunCommand::badArgumentsAreErrorsTheModelCanCorrect()
{
    QFETCH(QJsonObject, arguments);
    QFETCH(QString, word);
    const auto result = run(arguments);
    QVERIFY(result.isFault());
    QVERIFY2(result.error().message.contains(word), qUtf8Printable(result.error().message));
}

void tst_RunCommand::itRunsInItsFolder()
{
    QCOMPARE(run(command(u"pwd"_s))->output.trimmed(), m_workspace);
    const auto sub = run(command(u"pwd"_s, {{u"working_directory"_s, u"sub"_s}}));
    QCOMPARE(sub->output.trimmed(), m_workspace + u"/sub"_s);
}

void tst_RunCommand::whatItWritesStaysInTheWorkspace()
{
    QVERIFY(run(command(u"echo content > made; mkdir folder"_s)));
    QFile file(m_workspace + u"/made"_s);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), "content\n");
}

// reliability: E24
void tst_RunCommand::itsEnvironmentHoldsNoSecrets()
{
    for (const char *name : {"OPENAI_API_KEY", "GITHUB_TOKEN", "MY_SECRET", "DB_PASSWORD"})
        qputenv(name, "canary");
    const auto result = run(command(u"env; ls /proc/self/fd"_s));
    QVERIFY(!result->output.contains(u"canary"_s));
    static const QRegularExpression secret(u"^[A-Z_]*(KEY|TOKEN|SECRET|PASS)[A-Z_]*="_s,
                                           QRegularExpression::MultilineOption);
    QVERIFY2(!result->output.contains(secret), qUtf8Printable(result->output));
    QVERIFY(result->output.endsWith(u"\n0\n1\n2\n3\n"_s)); // 3 is that of ls
    for (const char *name : {"OPENAI_API_KEY", "GITHUB_TOKEN", "MY_SECRET", "DB_PASSWORD"})
        qunsetenv(name);
}

void tst_RunCommand::aProgramThatAsksQuestionsEnds_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("reads its input") << u"cat; echo over"_s;
    QTest::newRow("asks") << u"read -r answer || echo over"_s;
    QTest::newRow("wants a terminal") << u"(exec 3</dev/tty) 2>/dev/null || echo over"_s;
}

// reliability: E10, E11
void tst_RunCommand::aProgramThatAsksQuestionsEnds()
{
    QFETCH(QString, text);
    QCOMPARE(run(command(text))->output, u"over\n"_s);
}

// behaviours: 110
void tst_RunCommand::liveOutputComesBeforeTheEnd()
{
    RecordingContext context(m_workspace);
    std::jthread watcher([&] {
        // Only what was seen lets the command go on.
        if (context.waitForOutput("first"))
            QFile(m_workspace + u"/go"_s).open(QIODevice::WriteOnly);
    });
    const auto result =
        run(command(u"echo first; while [ ! -e go ]; do sleep 0.01; done; echo second"_s), context);
    QVERIFY(result);
    QCOMPARE(result->output, u"first\nsecond\n"_s);
    QCOMPARE(context.output(), "first\nsecond\n");
}

void tst_RunCommand::aFloodIsCutInTheMiddle_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("start");
    QTest::newRow("lines") << u"echo start; yes | head -c 50000000; echo; echo the end"_s
                           << u"start\ny\n"_s;
    QTest::newRow("one line")
        << u"echo start; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo the end"_s
        << u"start\nxx"_s;
}

// reliability: E7, E8
void tst_RunCommand::aFloodIsCutInTheMiddle()
{
    QFETCH(QString, text);
    QFETCH(QString, start);
    const auto result = run(command(text));
    QVERIFY(result);
    QVERIFY(result->output.startsWith(start));
    QVERIFY(result->output.endsWith(u"\nthe end\n"_s));
    QVERIFY(result->output.contains(u"bytes omitted]"_s));
    QVERIFY(result->output.size() < 66 * 1024);
    QVERIFY(run(command(u"head -c 100000 /dev/urandom"_s))
                ->output.contains(u"Binary output: 100000 bytes"_s));
}

// behaviours: 91, 101, 106, 300
void tst_RunCommand::aStopEndsTheWholeTreeAndIsACancellation()
{
    const QString number = uniqueNumber();
    RecordingContext context(m_workspace);
    context.graceTime = 60s;
    QElapsedTimer timer;
    std::jthread stopper([&] {
        if (context.waitForOutput("ready")) {
            timer.start();
            context.source.cancel(CancellationCause::User, u"enough"_s);
        }
    });
    const auto result =
        run(command(u"(setsid sleep %1 &); sleep %1 & sleep 0.05; echo ready; sleep %1"_s.replace(
                "%1"_L1, number)),
            context);
    stopper.join();
    QVERIFY(result.isCancelled());
    QCOMPARE(cancellationOf(result.error())->reasonText(), u"enough"_s);
    QCOMPARE(aliveWith(number), 0);
    QVERIFY(context.output().contains("ready"));
    qInfo("stop to the end of the tool: %.1f ms", double(timer.nsecsElapsed()) / 1e6);
    QVERIFY(timer.elapsed() < 20000);
}

// behaviours: 102
void tst_RunCommand::immediateModeKillsAtOnce()
{
    const QString number = uniqueNumber();
    RecordingContext context(m_workspace);
    context.graceTime = 0ms;
    std::jthread stopper([&] {
        if (context.waitForOutput("ready"))
            context.source.cancel(CancellationCause::User);
    });
    const auto result =
        run(command(u"trap 'echo trapped' TERM; echo ready; sleep %1"_s.arg(number)), context);
    QVERIFY(result.isCancelled());
    QVERIFY(!context.output().contains("trapped"));
    QCOMPARE(aliveWith(number), 0);
}

void tst_RunCommand::aSecondStopDropsTheRestOfTheGrace()
{
    const QString number = uniqueNumber();
    RecordingContext context(m_workspace);
    context.graceTime = 600s;
    std::jthread stopper([&] {
        if (!context.waitForOutput("ready"))
            return;
        context.source.cancel(CancellationCause::User);
        if (context.waitForOutput("ignored"))
            context.force.cancel(CancellationCause::User);
    });
    QElapsedTimer timer;
    timer.start();
    const auto result = run(
        command(u"trap 'echo ignored' TERM; echo ready; while :; do sleep 0.01; : %1; done"_s.arg(
            number)),
        context);
    QVERIFY(result.isCancelled());
    QCOMPARE(aliveWith(number), 0);
    QVERIFY(timer.elapsed() < 20000);
}

// behaviours: 104
void tst_RunCommand::aCancelledCommandIsNotStarted()
{
    RecordingContext context(m_workspace);
    context.source.cancel(CancellationCause::User);
    QVERIFY(run(command(u"touch started"_s), context).isCancelled());
    QVERIFY(!QFile::exists(m_workspace + u"/started"_s));
}

// behaviours: 92
void tst_RunCommand::aCommandThatFinishesInItsGraceHasItsRealResult()
{
    RecordingContext context(m_workspace);
    context.graceTime = 20s;
    std::jthread stopper([&] {
        if (context.waitForOutput("ready"))
            context.source.cancel(CancellationCause::User);
    });
    const auto result = run(
        command(u"trap 'echo finished; exit 0' TERM; echo ready; while :; do sleep 0.01; done"_s),
        context);
    QVERIFY(result);
    QVERIFY(result->output.startsWith(u"ready\n"_s));
    QVERIFY(result->output.endsWith(u"finished\n"_s));
    QCOMPARE(result->exitStatus, std::optional(0));
}

// behaviours: 105
void tst_RunCommand::itsOwnLimitEndsItAndSaysSo()
{
    const QString number = uniqueNumber();
    RecordingContext context(m_workspace);
    const auto result =
        run(command(u"echo begun; sleep %1"_s.arg(number), {{u"timeout_seconds"_s, 1}}), context);
    QVERIFY(result);
    QCOMPARE(result->output, u"begun\n[timed out after 1 second]"_s);
    QCOMPARE(result->isError, true);
    QVERIFY(!context.source.token().isCancelled()); // the turn goes on
    QCOMPARE(aliveWith(number), 0);
}

// behaviours: 107
void tst_RunCommand::theNoOutputLimitCountsSilenceAlone()
{
    const auto silent = run(command(u"echo begun; sleep 600"_s, {{u"no_output_seconds"_s, 1}}));
    QVERIFY(silent);
    QCOMPARE(silent->output, u"begun\n[timed out after 1 second without output]"_s);
    QCOMPARE(silent->isError, true);
    const auto steady = run(command(u"for i in 1 2 3 4 5 6; do echo $i; sleep 0.25; done"_s,
                                    {{u"no_output_seconds"_s, 1}}));
    QVERIFY(steady);
    QCOMPARE(steady->output, u"1\n2\n3\n4\n5\n6\n"_s);
}

// reliability: E13
void tst_RunCommand::theRequestShowsTheExactCommand()
{
    const QString text = u"echo \u202e\u200b\r \U000e0041 "_s + QString(100 * 1024, u'x');
    const auto request = m_tool->describe(command(text, {{u"timeout_seconds"_s, 5}}), m_workspace);
    QVERIFY(request);
    QVERIFY(request->exactText.startsWith(u"echo ‹U+202E›‹U+200B›‹U+000D› ‹U+E0041› xx"_s));
    QVERIFY(request->exactText.size() > 100 * 1024);
    QVERIFY(request->alwaysPattern.isEmpty());
    QCOMPARE(factOf(*request, u"Time limit"_s), u"5 seconds"_s);
    QCOMPARE(factOf(*request, u"Folder"_s), m_workspace);
    QCOMPARE(factOf(*request, u"Access"_s), m_sandbox->sentence());
    QCOMPARE(factOf(*request, u"Network"_s).startsWith(u"none"_s), contained());
    // What is executed is bound to what is shown.
    const auto same = m_tool->describe(command(text, {{u"timeout_seconds"_s, 5}}), m_workspace);
    const auto other = m_tool->describe(command(text, {{u"timeout_seconds"_s, 6}}), m_workspace);
    QCOMPARE(request->fingerprint, same->fingerprint);
    QVERIFY(request->fingerprint != other->fingerprint);
    QCOMPARE(m_tool->summary(command(u"one\ntwo"_s)), u"one"_s);
}

// reliability: E34
void tst_RunCommand::onlyAContainedCommandMayBeAllowedForEver()
{
    const ApprovalPolicy allowing({{u"run_command"_s, ToolPermission::Allow}}, {});
    const auto plain = m_tool->describe(command(u"make test"_s), m_workspace);
    QCOMPARE(plain->alwaysPattern, contained() ? u"make test"_s : QString());
    QCOMPARE(allowing.judge(m_tool->spec(), *plain),
             contained() ? ApprovalVerdict::Allow : ApprovalVerdict::Ask);
    const auto network = m_tool->describe(command(u"make"_s, {{u"network"_s, true}}), m_workspace);
    QVERIFY(network->alwaysPattern.isEmpty());
    QCOMPARE(allowing.judge(m_tool->spec(), *network), ApprovalVerdict::Ask);
    QVERIFY(m_sandbox->sentence().contains(contained() ? u"sandbox"_s : u"not contained"_s));
}

// reliability: E16
void tst_RunCommand::theSameWordsInAnotherFolderAskAgain()
{
    const ApprovalPolicy always({}, {{u"run_command"_s, u"git status"_s}});
    const auto here = m_tool->describe(command(u"git status"_s), m_workspace);
    QCOMPARE(always.judge(m_tool->spec(), *here),
             contained() ? ApprovalVerdict::Allow : ApprovalVerdict::Ask);
    const auto there = m_tool->describe(
        command(u"git status"_s, {{u"working_directory"_s, u"sub"_s}}), m_workspace);
    QVERIFY(there->alwaysPattern.isEmpty());
    QCOMPARE(always.judge(m_tool->spec(), *there), ApprovalVerdict::Ask);
}

// Another program of that name, an alias or a function: a command that was allowed must stay what it was.
// reliability: E16
void tst_RunCommand::nothingInTheWorkspaceChangesWhatACommandMeans()
{
    QVERIFY(
        run(command(u"printf '#!/bin/sh\\necho fooled\\n' > uname; chmod +x uname; mkdir -p bin;"
                    " cp uname bin/; export PATH=.:$PATH; alias uname='echo fooled';"
                    " for f in .bashrc .profile .bash_profile .bash_aliases .env; do"
                    " echo 'uname() { echo fooled; }; alias uname=\"echo fooled\"' > $f; done"_s)));
    const auto result = run(command(u"uname"_s));
    QVERIFY(result);
    QCOMPARE(result->output, u"Linux\n"_s);
}

// reliability: E14
void tst_RunCommand::onlyWhatWasAllowedIsRun()
{
    RecordingContext context(m_workspace);
    context.fingerprint = m_tool->describe(command(u"echo shown"_s), m_workspace)->fingerprint;
    const auto other = run(command(u"touch made"_s), context);
    QVERIFY(!other);
    QCOMPARE(other.error().code, ErrorCode::Denied);
    QVERIFY(!QFile::exists(m_workspace + u"/made"_s));
    const auto folder =
        run(command(u"echo shown"_s, {{u"working_directory"_s, u"sub"_s}}), context);
    QVERIFY(!folder);
    QCOMPARE(run(command(u"echo shown"_s), context)->output, u"shown\n"_s);
}

// behaviours: 39
void tst_RunCommand::theNetworkIsGivenByTheSettingOrAskedFor()
{
    const auto setting = std::make_shared<std::atomic<bool>>(false);
    RunCommand tool(*m_io, m_sandbox, ProtectedPaths({}, m_home->path()), setting);
    const auto network = [&](const QJsonObject &arguments) {
        return factOf(*tool.describe(arguments, m_workspace), u"Network"_s).startsWith(u"yes"_s);
    };
    QCOMPARE(network(command(u"make"_s)), !contained());
    QVERIFY(network(command(u"make"_s, {{u"network"_s, true}})));
    const auto shown = tool.describe(command(u"make"_s), m_workspace);
    *setting = true;
    QVERIFY(network(command(u"make"_s)));
    const auto given = tool.describe(command(u"make"_s), m_workspace);
    QCOMPARE(given->alwaysPattern, contained() ? u"make"_s : QString());
    if (!contained())
        return;
    // What was shown without the network does not get it because a box was ticked meanwhile.
    RecordingContext context(m_workspace);
    context.fingerprint = shown->fingerprint;
    QCOMPARE(tool.run(command(u"make"_s), context).error().code, ErrorCode::Denied);
    // A sandbox without a network has the loopback device and no other.
    const QJsonObject devices =
        command(u"ls /sys/class/net 2>/dev/null; grep -c : /proc/net/dev"_s);
    RecordingContext plain(m_workspace);
    const QString with = tool.run(devices, plain)->output;
    *setting = false;
    const QString without = tool.run(devices, plain)->output;
    QCOMPARE(without.trimmed(), u"1"_s);
    if (QDir(u"/sys/class/net"_s).entryList(QDir::AllEntries | QDir::NoDotAndDotDot).size() > 1)
        QVERIFY2(with.trimmed().toInt() > 1, qPrintable(with));
}

void tst_RunCommand::aSandboxShutsOut_data()
{
    QTest::addColumn<QString>("text"); // prints "denied"
    QTest::newRow("writing to the system")
        << u"touch /usr/x /etc/x /x /root/x 2>/dev/null || echo denied"_s;
    QTest::newRow("the home folder")
        << u"ls -a '%1' /home /root 2>/dev/null | grep -v : | grep . || echo denied"_s;
    QTest::newRow("what lies beside the workspace")
        << u"cat '%2/beside' 2>/dev/null || echo denied"_s;
    QTest::newRow("the network") << u"(exec 3<>/dev/tcp/127.0.0.1/%3) 2>/dev/null || echo denied"_s;
    QTest::newRow("other processes") << u"kill -0 %4 2>/dev/null || echo denied"_s;
    QTest::newRow("other memory")
        << u"grep -l Fermata_canary /proc/[0-9]*/environ 2>/dev/null || echo denied"_s;
    QTest::newRow("sockets of system and desktop")
        << u"ls /run /var/run 2>/dev/null || echo denied"_s;
    QTest::newRow("passwords") << u"cat /etc/shadow 2>/dev/null | grep . || echo denied"_s;
    QTest::newRow("git hooks") << u"touch .git/hooks/x 2>/dev/null || echo denied"_s;
    QTest::newRow("git hooks of a repository below")
        << u"touch sub/.git/hooks/x 2>/dev/null || echo denied"_s;
    QTest::newRow("git hooks that are not there yet")
        << u"(mkdir -p bare/.git/hooks; touch bare/.git/hooks/x) 2>/dev/null || echo denied"_s;
    QTest::newRow("tracing of the application")
        << u"cat /proc/%4/mem /proc/%4/environ /proc/%4/maps 2>/dev/null | grep -q . || echo denied"_s;
    QTest::newRow("the desktop's bus")
        << u"[ -z \"$DBUS_SESSION_BUS_ADDRESS$DISPLAY$WAYLAND_DISPLAY$XDG_RUNTIME_DIR\" ] &&"
           " ! ls /run/dbus/system_bus_socket /run/user /tmp/.X11-unix /tmp/dbus-* 2>/dev/null &&"
           " echo denied"_s;
    QTest::newRow("containers")
        << u"ls /var/run/docker.sock /run/docker.sock /run/podman 2>/dev/null || echo denied"_s;
    QTest::newRow("own data of the application")
        << u"(cat own/database; touch own/new) 2>/dev/null | grep . || echo denied"_s;
    QTest::newRow("mounting") << u"mount -t tmpfs none /mnt 2>/dev/null || echo denied"_s;
    QTest::newRow("git configuration") << u"echo x 2>/dev/null >> .git/config || echo denied"_s;
}

// reliability: E23, E35
void tst_RunCommand::aSandboxShutsOut()
{
    if (!contained())
        QSKIP("only for a sandbox");
    QFETCH(QString, text);
    for (const QString &name : {u"/.git/hooks"_s, u"/sub/.git/hooks"_s, u"/bare/.git"_s, u"/own"_s})
        QVERIFY(QDir().mkpath(m_workspace + name));
    for (const QString &name : {m_workspace + u"/.git/config"_s, m_workspace + u"/own/database"_s,
                                m_home->filePath(u"beside"_s)}) {
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("content\n");
    }
    // A port where somebody listens, outside.
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    QCOMPARE(::bind(listener, reinterpret_cast<const sockaddr *>(&address), size), 0);
    QCOMPARE(::listen(listener, 5), 0);
    QCOMPARE(::getsockname(listener, reinterpret_cast<sockaddr *>(&address), &size), 0);
    qputenv("Fermata_canary", "Fermata_canary");
    text.replace("%1"_L1, QDir::homePath()).replace("%2"_L1, m_home->path());
    text.replace("%3"_L1, QString::number(ntohs(address.sin_port)));
    text.replace("%4"_L1, QString::number(::getpid()));
    m_tool = std::make_unique<RunCommand>(
        *m_io, m_sandbox, ProtectedPaths({m_workspace + u"/own"_s}, m_home->path()));
    const auto result = run(command(text));
    ::close(listener);
    QVERIFY(result);
    QCOMPARE(result->output, u"denied\n"_s);
    QVERIFY(!QFile::exists(m_workspace + u"/bare/.git/hooks/x"_s));
    QVERIFY(!QFile::exists(m_workspace + u"/own/new"_s));
}

// reliability: E4
void tst_RunCommand::aForkBombIsCleanedUp()
{
    if (!contained())
        QSKIP("only for a sandbox");
    const QString number = uniqueNumber();
    const auto result = run(command(
        u"f() { sleep %1 & for i in 1 2 3; do [ $(ls /proc | grep -c '^[0-9]') -gt 300 ] || f & done; wait; }; f"_s
            .arg(number),
        {{u"timeout_seconds"_s, 2}}));
    QVERIFY(result);
    QVERIFY(result->output.contains(u"timed out"_s));
    QCOMPARE(aliveWith(number), 0);
}

QTEST_GUILESS_MAIN(tst_RunCommand)
#include "tst_runcommand.moc"
