// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/runcommand.h"

#include "io/iothread.h"
#include "recordingcontext.h"
#include "support/enumcomparison.h"
#include "tool/sandbox.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

void put(const QString &path, const QByteArray &content)
{
    QVERIFY(QDir().mkpath(QFileInfo(path).path()));
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qUtf8Printable(path));
    file.write(content);
}

QByteArray get(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("<none>");
}

} // namespace

// What a contained command can do to what is kept from it, inside of its own workspace.
class tst_CommandSandbox : public QObject
{
    Q_OBJECT

private slots:
    void init();

    void whatGitReadsStaysAsItIs_data();
    void whatGitReadsStaysAsItIs();
    void aRepositoryWithLinksStaysAsItIs_data();
    void aRepositoryWithLinksStaysAsItIs();
    void aLinkedRepositoryStaysAsItIs();
    void aRepositoryCanBeUsed();
    void nothingIsLeftOfWhatWasShutOut();
    void hiddenFoldersCannotBeSwapped();
    void theWorkspaceMayBeNamedByALink();
    void noCommandRunsWhereSettingsCouldBeMade_data();
    void noCommandRunsWhereSettingsCouldBeMade();
    void whatWasAllowedHereIsNotAllowedThere();
    void theFolderIsShownWithWhatCannotBeSeen();
    void processesAreLimitedInNumber();

private:
    QString outputOf(const QString &text, const ProtectedPaths &paths)
    {
        RunCommand tool(m_io, m_sandbox, paths);
        RecordingContext context(m_workspace);
        const auto result = tool.run({{u"command"_s, text}}, context);
        return result ? result->output : result.error().message;
    }
    QString outputOf(const QString &text)
    {
        return outputOf(text, ProtectedPaths({}, m_top->filePath(u"home"_s)));
    }

    IoThread m_io;
    std::shared_ptr<const Sandbox> m_sandbox = std::make_shared<Sandbox>(m_io);
    std::unique_ptr<QTemporaryDir> m_top;
    QString m_workspace;
};

void tst_CommandSandbox::init()
{
    if (m_sandbox->state() != SandboxState::Contained)
        QSKIP("bubblewrap does not work here");
    m_top = std::make_unique<QTemporaryDir>();
    m_workspace = m_top->filePath(u"workspace"_s);
    for (const QString &git : {u"/.git/"_s, u"/sub/.git/"_s, u"/.git/modules/a/part/"_s,
                               u"/.git/modules/a/part/modules/inner/"_s}) {
        put(m_workspace + git + u"HEAD"_s, "ref: refs/heads/main\n");
        put(m_workspace + git + u"config"_s, "clean\n");
        put(m_workspace + git + u"hooks/pre-commit"_s, "clean\n");
    }
    put(m_workspace + u"/.git/config.worktree"_s, "clean\n");
}

void tst_CommandSandbox::whatGitReadsStaysAsItIs_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("written") << u"echo bad > %1/config; echo bad > %1/hooks/pre-commit;"
                                " echo bad > %1/hooks/new"_s;
    QTest::newRow("removed") << u"rm -rf %1/config %1/hooks; mkdir -p %1/hooks;"
                                " echo bad > %1/config; echo bad > %1/hooks/new"_s;
    QTest::newRow("moved") << u"mv %1/hooks %1/h; mv %1/config %1/c; mkdir -p %1/hooks;"
                              " echo bad > %1/config; echo bad > %1/hooks/new"_s;
    QTest::newRow("moved as a whole")
        << u"mv %1 old; mkdir -p %1/hooks; echo bad > %1/config; echo bad > %1/hooks/new"_s;
    QTest::newRow("moved with what holds it")
        << u"mv $(dirname %1) old; mkdir -p %1/hooks; echo bad > %1/config;"
           " echo bad > %1/hooks/new"_s;
    QTest::newRow("linked") << u"ln -sfn ../bad %1/hooks; ln -sf bad %1/config"_s;
    QTest::newRow("mounted over")
        << u"unshare -rm sh -c 'umount %1/hooks %1/config; echo bad > %1/hooks/new;"
           " echo bad > %1/config'"_s;
}

// reliability: E23
void tst_CommandSandbox::whatGitReadsStaysAsItIs()
{
    QFETCH(QString, text);
    for (const QString &git : {u".git"_s, u"sub/.git"_s, u".git/modules/a/part"_s,
                               u".git/modules/a/part/modules/inner"_s}) {
        (void)outputOf(QString(text).replace("%1"_L1, git));
        const QString path = m_workspace + u'/' + git;
        QCOMPARE(get(path + u"/config"_s), "clean\n");
        QCOMPARE(get(path + u"/hooks/pre-commit"_s), "clean\n");
        QVERIFY(!QFile::exists(path + u"/hooks/new"_s));
    }
    (void)outputOf(u"echo bad > .git/config.worktree"_s);
    QCOMPARE(get(m_workspace + u"/.git/config.worktree"_s), "clean\n");
}

void tst_CommandSandbox::aRepositoryWithLinksStaysAsItIs_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("target");
    for (const QString &name : {u"hooks"_s, u"config"_s, u"config.worktree"_s, u"modules"_s}) {
        QTest::addRow("%s inside", qPrintable(name)) << name << u"../target"_s;
        QTest::addRow("%s outside", qPrintable(name)) << name << u"/etc/skel"_s;
        QTest::addRow("%s nowhere", qPrintable(name)) << name << u"../nothing"_s;
        QTest::addRow("%s in a circle", qPrintable(name)) << name << name;
    }
}

// Also one that a command has made so, to make every later command fail, or to have something else in their place.
// reliability: E19, E23
void tst_CommandSandbox::aRepositoryWithLinksStaysAsItIs()
{
    QFETCH(QString, name);
    QFETCH(QString, target);
    const QString path = m_workspace + u"/.git/"_s + name;
    if (!QFile::remove(path))
        QVERIFY(QDir(path).removeRecursively());
    put(m_workspace + u"/target/file"_s, "clean\n");
    QVERIFY(QFile::link(target, path));
    const QString output =
        outputOf(u"rm -rf .git/%1; mv .git old; mkdir -p .git/%1; echo bad > .git/%1/new;"
                 " echo bad > .git/%1; echo bad > target/file; echo over"_s.arg(name));
    QVERIFY2(output.endsWith(u"over\n"_s), qUtf8Printable(output)); // it ran
    QVERIFY(QFileInfo(path).isSymLink());
    if (target == "../target"_L1)
        QCOMPARE(get(m_workspace + u"/target/file"_s), "clean\n");
}

// reliability: E23
void tst_CommandSandbox::aLinkedRepositoryStaysAsItIs()
{
    put(m_workspace + u"/real/config"_s, "clean\n");
    put(m_workspace + u"/real/hooks/pre-commit"_s, "clean\n");
    QVERIFY(QDir().mkpath(m_workspace + u"/linked"_s));
    QVERIFY(QFile::link(u"../real"_s, m_workspace + u"/linked/.git"_s));
    (void)outputOf(u"echo bad > real/config; echo bad > linked/.git/hooks/pre-commit; mv real r"_s);
    QCOMPARE(get(m_workspace + u"/real/config"_s), "clean\n");
    QCOMPARE(get(m_workspace + u"/real/hooks/pre-commit"_s), "clean\n");
}

// What is kept from a command must not keep git from its work.
void tst_CommandSandbox::aRepositoryCanBeUsed()
{
    if (outputOf(u"command -v git"_s) == "[exit status 1]"_L1)
        QSKIP("there is no git");
    const QString name = u"git -c user.name=a -c user.email=b "_s;
    const QString made =
        outputOf(u"mkdir new && cd new && git init -q . && echo 1 > f && git add f && "_s + name
                 + u"commit -qm first && git log --oneline | wc -l"_s);
    QCOMPARE(made, u"1\n"_s);
    // Now it is there, and protected.
    const QString used =
        outputOf(u"cd new && echo 2 > f && git add f && "_s + name
                 + u"commit -qm second && git checkout -qb b && mv f g && git add -A && "_s + name
                 + u"commit -qm third && git gc -q && git log --oneline | wc -l"_s);
    QCOMPARE(used, u"3\n"_s);
}

// A repository that has no settings yet must not find a folder in their place.
void tst_CommandSandbox::nothingIsLeftOfWhatWasShutOut()
{
    QVERIFY(QFile::remove(m_workspace + u"/sub/.git/config"_s));
    QCOMPARE(outputOf(u"echo bad > sub/.git/config || echo denied"_s).right(7), u"denied\n"_s);
    QVERIFY(!QFileInfo(m_workspace + u"/sub/.git/config"_s).isDir());
    QVERIFY(!get(m_workspace + u"/sub/.git/config"_s).contains("bad"));
}

// reliability: E23
void tst_CommandSandbox::hiddenFoldersCannotBeSwapped()
{
    put(m_workspace + u"/data/own/database"_s, "history");
    const ProtectedPaths paths({m_workspace + u"/data/own"_s}, m_top->filePath(u"home"_s));
    const QString output = outputOf(u"mv data old; cat old/own/database data/own/database;"
                                    " mkdir -p data/own; echo bad > data/own/database"_s,
                                    paths);
    QVERIFY2(!output.contains(u"history"_s), qUtf8Printable(output));
    QCOMPARE(get(m_workspace + u"/data/own/database"_s), "history");
}

// reliability: E23
void tst_CommandSandbox::theWorkspaceMayBeNamedByALink()
{
    put(m_workspace + u"/own/database"_s, "history");
    const ProtectedPaths paths({m_workspace + u"/own"_s}, m_top->filePath(u"home"_s));
    const QString link = m_top->filePath(u"link"_s);
    QVERIFY(QFile::link(m_workspace, link));
    m_workspace = link;
    const QString output = outputOf(u"cat own/database; echo bad > own/database; pwd"_s, paths);
    QVERIFY2(!output.contains(u"history"_s), qUtf8Printable(output));
    QCOMPARE(get(link + u"/own/database"_s), "history");
}

void tst_CommandSandbox::noCommandRunsWhereSettingsCouldBeMade_data()
{
    QTest::addColumn<QString>("home"); // below the folder of the test
    QTest::newRow("the home folder") << u"workspace"_s;
    QTest::newRow("above the home folder") << u"workspace/me"_s;
    QTest::newRow("named by a link") << u"link"_s;
}

// A key, a start file, an entry of autostart: what is not there cannot be hidden, and must not come to be there.
// reliability: E23
void tst_CommandSandbox::noCommandRunsWhereSettingsCouldBeMade()
{
    QFETCH(QString, home);
    QFile::link(m_workspace, m_top->filePath(u"link"_s));
    const ProtectedPaths paths({}, m_top->filePath(home));
    RunCommand tool(m_io, m_sandbox, paths);
    const QJsonObject arguments{{u"command"_s, u"touch made"_s}};
    const auto asked = tool.describe(arguments, m_workspace);
    QCOMPARE(asked.error().code, ErrorCode::Denied); // the user is not asked
    QVERIFY(asked.error().message.contains(m_workspace));
    RecordingContext context(m_workspace);
    QCOMPARE(tool.run(arguments, context).error().code, ErrorCode::Denied);
    QVERIFY(!QFile::exists(m_workspace + u"/made"_s));
}

// reliability: E14
void tst_CommandSandbox::whatWasAllowedHereIsNotAllowedThere()
{
    RunCommand tool(m_io, m_sandbox, ProtectedPaths({}, m_top->filePath(u"home"_s)));
    const QJsonObject arguments{{u"command"_s, u"touch made"_s}};
    const QString elsewhere = m_top->filePath(u"elsewhere"_s);
    QVERIFY(QDir().mkpath(elsewhere));
    const auto here = tool.describe(arguments, m_workspace);
    QVERIFY(here->fingerprint != tool.describe(arguments, elsewhere)->fingerprint);
    RecordingContext context(elsewhere);
    context.fingerprint = here->fingerprint;
    QCOMPARE(tool.run(arguments, context).error().code, ErrorCode::Denied);
    QVERIFY(!QFile::exists(elsewhere + u"/made"_s));
}

// reliability: E13
void tst_CommandSandbox::theFolderIsShownWithWhatCannotBeSeen()
{
    QVERIFY(QDir().mkpath(m_workspace + u"/a\u202eb\u00a0c"_s));
    RunCommand tool(m_io, m_sandbox, ProtectedPaths({}, m_top->filePath(u"home"_s)));
    const auto request = tool.describe(
        {{u"command"_s, u"ls"_s}, {u"working_directory"_s, u"a\u202eb\u00a0c"_s}}, m_workspace);
    QVERIFY(request);
    QCOMPARE(request->facts.front().second, m_workspace + u"/a‹U+202E›b‹U+00A0›c"_s);
}

// reliability: E4
void tst_CommandSandbox::processesAreLimitedInNumber()
{
    // Of one command: the limit stands above what the user runs when it starts.
    const QStringList limits =
        outputOf(u"ulimit -Su; ulimit -Hu"_s).split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(limits.size(), 2);
    bool isNumber = false;
    QVERIFY2(limits[0].toInt(&isNumber) > 0 && isNumber, qUtf8Printable(limits[0]));
    QCOMPARE(limits[1], limits[0]); // not to be raised
}

QTEST_GUILESS_MAIN(tst_CommandSandbox)
#include "tst_commandsandbox.moc"
