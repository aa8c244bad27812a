// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/workspacefolder.h"

#include "support/enumcomparison.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

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

} // namespace

// What tools keep away from, however a path leads there and whether or not it is there.
class tst_ProtectedPaths : public QObject
{
    Q_OBJECT

private slots:
    void init();

    void noLinkLeadsToWhatGitReads_data();
    void noLinkLeadsToWhatGitReads();
    void noLinkLeadsToWhatIsNotThereYet_data();
    void noLinkLeadsToWhatIsNotThereYet();
    void linksOnTheWayToTheHomeFolderCount_data();
    void linksOnTheWayToTheHomeFolderCount();
    void aLinkIsProtectedWithWhatItLeadsTo();
    void aWrittenFileLendsNobodyItsRights();

private:
    WorkspaceFolder folder(const QString &path, const ProtectedPaths &paths) const
    {
        return std::move(WorkspaceFolder::open(path, paths)).value();
    }

    std::unique_ptr<QTemporaryDir> m_top;
    QString m_home;
};

void tst_ProtectedPaths::init()
{
    m_top = std::make_unique<QTemporaryDir>();
    m_home = m_top->filePath(u"home"_s);
    QVERIFY(QDir().mkpath(m_home));
}

void tst_ProtectedPaths::noLinkLeadsToWhatGitReads_data()
{
    QTest::addColumn<QString>("path");
    for (const auto *path :
         {"hooks/pre-commit", "git/hooks/pre-commit", "git/config", "git/new/deep", "here/.git/x",
          ".git", "sub/.git", ".git/config.worktree", ".git/modules/part/hooks/x",
          ".git/worktrees/w/config.worktree", ".git/info/attributes", ".Git/Hooks/x"})
        QTest::addRow("%s", path) << QString::fromLatin1(path);
}

// As a repository may bring such links along.
// reliability: E19, E23
void tst_ProtectedPaths::noLinkLeadsToWhatGitReads()
{
    QFETCH(QString, path);
    QVERIFY(QDir().mkpath(m_home + u"/.git/hooks"_s));
    QVERIFY(QDir().mkpath(m_home + u"/sub"_s));
    QFile::link(u".git/hooks"_s, m_home + u"/hooks"_s);
    QFile::link(u".git"_s, m_home + u"/git"_s);
    QFile::link(u"."_s, m_home + u"/here"_s);
    const auto root = folder(m_home, ProtectedPaths({}, m_top->filePath(u"nobody"_s)));
    QCOMPARE(root.checkWritable(path).error().code, ErrorCode::Denied); // the user is not asked
    const auto written = root.write(path, "x", {});
    QCOMPARE(written.error().code, ErrorCode::Denied);
    QVERIFY2(written.error().message.contains(u"git"_s), qUtf8Printable(written.error().message));
    QVERIFY(!QFileInfo(m_home + u'/' + path).isFile());
    QVERIFY(!QFile::exists(m_home + u"/.git/new"_s));
    QVERIFY(!QFile::exists(m_home + u"/sub/.git"_s));
}

void tst_ProtectedPaths::noLinkLeadsToWhatIsNotThereYet_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("made");
    QTest::newRow("a start file") << u"here/.bashrc"_s << u".bashrc"_s;
    QTest::newRow("keys") << u"here/.ssh/authorized_keys"_s << u".ssh"_s;
    QTest::newRow("autostart") << u"settings/autostart/x.desktop"_s << u".config/autostart"_s;
    QTest::newRow("own database") << u"data/conversations.db"_s << u".local/own"_s;
    QTest::newRow("through two links") << u"here/settings/autostart/x"_s << u".config/autostart"_s;
}

// reliability: E19, E23
void tst_ProtectedPaths::noLinkLeadsToWhatIsNotThereYet()
{
    QFETCH(QString, path);
    QFETCH(QString, made);
    QVERIFY(QDir().mkpath(m_home + u"/.config"_s));
    QVERIFY(QDir().mkpath(m_home + u"/.local"_s));
    QFile::link(u"."_s, m_home + u"/here"_s);
    QFile::link(u".config"_s, m_home + u"/settings"_s);
    QFile::link(u".local/own"_s, m_home + u"/data"_s);
    const auto root = folder(m_home, ProtectedPaths({m_home + u"/.local/own"_s}, m_home));
    QVERIFY(!root.write(path, "x", {}));
    QVERIFY(!QFileInfo::exists(m_home + u'/' + made));
}

void tst_ProtectedPaths::linksOnTheWayToTheHomeFolderCount_data()
{
    QTest::addColumn<QString>("home");
    QTest::addColumn<QString>("workspace");
    QTest::newRow("none") << u"home"_s << u"home"_s;
    QTest::newRow("to the home folder") << u"link"_s << u"home"_s;
    QTest::newRow("to the workspace") << u"home"_s << u"link"_s;
    QTest::newRow("to both") << u"link"_s << u"other"_s;
    QTest::newRow("to what holds it") << u"home"_s << u"top"_s;
}

// reliability: E23
void tst_ProtectedPaths::linksOnTheWayToTheHomeFolderCount()
{
    QFETCH(QString, home);
    QFETCH(QString, workspace);
    QFile::link(m_home, m_top->filePath(u"link"_s));
    QFile::link(u"link"_s, m_top->filePath(u"other"_s));
    QFile::link(u"."_s, m_top->filePath(u"top"_s));
    put(m_home + u"/.ssh/id"_s, "key");
    put(m_home + u"/own/database"_s, "history");
    home = m_top->filePath(home);
    const QString path = m_top->filePath(workspace);
    const ProtectedPaths paths({home + u"/own"_s}, home);
    const QString below = workspace == "top"_L1 ? u"home/"_s : QString();
    QVERIFY(paths.inside(path).contains(path + u'/' + below + u".ssh"_s));
    const auto root = folder(path, paths);
    for (const QString &file : {u".ssh/id"_s, u"own/database"_s})
        QCOMPARE(root.read(below + file).error().code, ErrorCode::Denied);
    for (const QString &file : {u".ssh/new"_s, u"own/database"_s, u".bashrc"_s, u".profile"_s})
        QCOMPARE(root.write(below + file, "x", {}).error().code, ErrorCode::Denied);
    QVERIFY(root.write(below + u"project/.bashrc"_s, "x", {})); // only its place makes it one
}

// The start files of many live in a folder of their own, and are links to it.
// reliability: E23
void tst_ProtectedPaths::aLinkIsProtectedWithWhatItLeadsTo()
{
    put(m_home + u"/dotfiles/bashrc"_s, "old");
    QFile::link(u"dotfiles/bashrc"_s, m_home + u"/.bashrc"_s);
    QFile::link(u"dotfiles/profile"_s, m_home + u"/.profile"_s); // leads to nothing yet
    const ProtectedPaths paths({}, m_home);
    const auto root = folder(m_home + u"/dotfiles"_s, paths);
    QVERIFY(!root.write(u"bashrc"_s, "new", QByteArray("old")));
    QVERIFY(!root.write(u"profile"_s, "new", {}));
    QVERIFY(root.write(u"notes"_s, "new", {}));
}

// reliability: E22
void tst_ProtectedPaths::aWrittenFileLendsNobodyItsRights()
{
    put(m_home + u"/tool"_s, "old");
    const QByteArray name = QFile::encodeName(m_home + u"/tool"_s);
    QCOMPARE(::chmod(name.constData(), 06755), 0);
    QVERIFY(folder(m_home, {}).write(u"tool"_s, "new", QByteArray("old")));
    struct stat info
    {
    };
    QCOMPARE(::stat(name.constData(), &info), 0);
    QCOMPARE(info.st_mode & 07777U, mode_t(0755));
}

QTEST_GUILESS_MAIN(tst_ProtectedPaths)
#include "tst_protectedpaths.moc"
