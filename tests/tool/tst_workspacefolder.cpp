// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/workspacefolder.h"

#include "support/enumcomparison.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

void put(const QString &path, const QByteArray &content)
{
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

class tst_WorkspaceFolder : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void onlyWordsThatStayInsideAreTaken_data();
    void onlyWordsThatStayInsideAreTaken();
    void aFileIsReadAndWritten();
    void whatLeadsOutIsRefused_data();
    void whatLeadsOutIsRefused();
    void aMountLeadsNowhere();
    void aDeviceIsNotOpened();
    void linksInsideMayBeReadAndAreNotReplaced();
    void onlyRegularFilesAreRead_data();
    void onlyRegularFilesAreRead();
    void aHugeFileIsRefusedAtOnce();
    void aChangedFileIsAConflict();
    void writingKeepsTheMode();
    void aFailedWriteLeavesTheOldContentAndNoTemporaryFile();
    void aFullDiskLeavesTheOldContent();
    void aWriteThatIsKilledLeavesTheOldContent();
    void whatRunsByItselfIsNotWritten_data();
    void whatRunsByItselfIsNotWritten();
    void ownFilesInsideOfAWorkspaceAreOutOfReach();
    void aWorkspaceInsideOfTheOwnFolderWorks();
    void swappedFoldersNeverLeadAWriteOutside();
    void aFolderIsListed();
    void aMissingWorkspaceIsMade();

private:
    WorkspaceFolder folder() const
    {
        return std::move(WorkspaceFolder::open(m_root, m_protected)).value();
    }

    std::unique_ptr<QTemporaryDir> m_home;
    QString m_root;
    QString m_outside;
    ProtectedPaths m_protected;
};

void tst_WorkspaceFolder::init()
{
    m_home = std::make_unique<QTemporaryDir>();
    m_root = m_home->filePath(u"workspace"_s);
    m_outside = m_home->filePath(u"outside"_s);
    QVERIFY(QDir().mkpath(m_root + u"/sub"_s));
    QVERIFY(QDir().mkpath(m_outside));
    put(m_outside + u"/secret"_s, "secret");
    m_protected = ProtectedPaths({}, m_home->filePath(u"nobody"_s));
}

void tst_WorkspaceFolder::cleanup()
{
    m_home.reset();
}

void tst_WorkspaceFolder::onlyWordsThatStayInsideAreTaken_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("relative"); // empty: refused
    QTest::newRow("plain") << u"a/b.txt"_s << u"a/b.txt"_s;
    QTest::newRow("dots and slashes") << u"./a//b/./c/"_s << u"a/b/c"_s;
    QTest::newRow("root") << u"."_s << u"."_s;
    QTest::newRow("absolute inside") << u"/w/space/a"_s << u"a"_s;
    QTest::newRow("the workspace") << u"/w/space"_s << u"."_s;
    QTest::newRow("odd names stay names") << u"a /b. /%2e%2e/$HOME"_s << u"a /b. /%2e%2e/$HOME"_s;
    QTest::newRow("up") << u"../x"_s << QString();
    QTest::newRow("down and up") << u"a/../../x"_s << QString();
    QTest::newRow("up inside") << u"a/../b"_s << QString();
    QTest::newRow("absolute") << u"/etc/passwd"_s << QString();
    QTest::newRow("double slash") << u"//etc"_s << QString();
    QTest::newRow("prefix only") << u"/w/spaceship"_s << QString();
    QTest::newRow("absolute and up") << u"/w/space/../x"_s << QString();
    QTest::newRow("home") << u"~/.ssh/id"_s << QString();
    QTest::newRow("other home") << u"~root/x"_s << QString();
    QTest::newRow("empty") << QString() << QString();
    QTest::newRow("nul") << u"a\0b"_s << QString();
    QTest::newRow("newline") << u"a\nb"_s << QString();
    QTest::newRow("escape") << u"a\u001bb"_s << QString();
    QTest::newRow("half a character") << u"a"_s + QChar(0xd800) << QString();
    QTest::newRow("too long") << QString(5000, u'a') << QString();
    QTest::newRow("name too long") << u"a/"_s + QString(256, u'b') << QString();
}

// reliability: E18
void tst_WorkspaceFolder::onlyWordsThatStayInsideAreTaken()
{
    QFETCH(QString, path);
    QFETCH(QString, relative);
    const auto result = pathInWorkspace(path, u"/w/space"_s);
    QCOMPARE(result.ok(), !relative.isEmpty());
    if (result)
        QCOMPARE(*result, relative);
    else
        QVERIFY(result.error().message.contains(u"/w/space"_s)); // says where files may be
}

void tst_WorkspaceFolder::aFileIsReadAndWritten()
{
    const auto root = folder();
    QVERIFY(root.read(u"a"_s)->has_value() == false);
    QVERIFY(root.write(u"a"_s, "one", {}));
    QCOMPARE(root.read(u"a"_s)->value(), "one");
    QVERIFY(root.write(u"new/deep/b"_s, "two", {}));
    QCOMPARE(get(m_root + u"/new/deep/b"_s), "two");
    QVERIFY(root.remove(u"a"_s, "one"));
    QVERIFY(!QFile::exists(m_root + u"/a"_s));
}

void tst_WorkspaceFolder::whatLeadsOutIsRefused_data()
{
    QTest::addColumn<QString>("path");
    for (const auto *path : {"link/secret", "last", "abs/secret", "loop/x", "loop", "chain/secret",
                             "magic/root/etc/passwd", "fd/1", "hard", "../outside/secret"})
        QTest::addRow("%s", path) << QString::fromLatin1(path);
}

// reliability: E19
void tst_WorkspaceFolder::whatLeadsOutIsRefused()
{
    QFETCH(QString, path);
    QFile::link(u"../outside"_s, m_root + u"/link"_s);
    QFile::link(m_outside, m_root + u"/abs"_s);
    QFile::link(u"../outside/secret"_s, m_root + u"/last"_s);
    QFile::link(u"loop"_s, m_root + u"/loop"_s);
    QFile::link(u"link"_s, m_root + u"/chain"_s);
    QFile::link(u"/proc/self"_s, m_root + u"/magic"_s);
    QFile::link(u"/proc/self/fd"_s, m_root + u"/fd"_s);
    QCOMPARE(::link(qPrintable(m_outside + u"/secret"_s), qPrintable(m_root + u"/hard"_s)), 0);
    const auto root = folder();
    const auto content = root.read(path);
    QVERIFY(content.isFault());
    QVERIFY(!root.write(path, "overwritten", {}));
    QVERIFY(!root.write(path, "overwritten", QByteArray("secret")));
    QVERIFY(!root.list(path, 10));
    QCOMPARE(get(m_outside + u"/secret"_s), "secret");
    QCOMPARE(QDir(m_outside).entryList(QDir::Files).size(), 1);
}

// In a process that may mount, where the system lets one be.
// reliability: E19
void tst_WorkspaceFolder::aMountLeadsNowhere()
{
    constexpr int CannotMount = 77;
    QVERIFY(QDir().mkpath(m_root + u"/mounted"_s));
    put(m_root + u"/plain"_s, "content");
    const pid_t child = ::fork();
    if (child == 0) {
        const QByteArray from = QFile::encodeName(m_outside);
        const QByteArray to = QFile::encodeName(m_root + u"/mounted"_s);
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0
            || ::mount(from.constData(), to.constData(), nullptr, MS_BIND, nullptr) != 0)
            ::_exit(CannotMount);
        const auto root = folder();
        const bool refused = root.read(u"plain"_s).ok() && root.read(u"mounted/secret"_s).isFault()
            && !root.write(u"mounted/new"_s, "x", {}) && !root.list(u"mounted"_s, 10);
        ::_exit(refused ? 0 : 1);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFEXITED(status));
    if (WEXITSTATUS(status) == CannotMount)
        QSKIP("nothing can be mounted here");
    QCOMPARE(WEXITSTATUS(status), 0);
    QVERIFY(!QFile::exists(m_outside + u"/new"_s));
}

// reliability: E21
void tst_WorkspaceFolder::aDeviceIsNotOpened()
{
    const QByteArray device = QFile::encodeName(m_root + u"/device"_s);
    if (::mknod(device.constData(), S_IFCHR | 0600, makedev(1, 5)) != 0) // as /dev/zero
        QSKIP("only root makes devices");
    const auto content = folder().read(u"device"_s);
    QVERIFY(content.isFault());
    QVERIFY(!folder().write(u"device"_s, "x", {}));
}

// reliability: E22
void tst_WorkspaceFolder::linksInsideMayBeReadAndAreNotReplaced()
{
    put(m_root + u"/target"_s, "content");
    QFile::link(u"target"_s, m_root + u"/alias"_s);
    const auto root = folder();
    QCOMPARE(root.read(u"alias"_s)->value(), "content");
    QVERIFY(!root.write(u"alias"_s, "new", QByteArray("content")));
    QVERIFY(QFileInfo(m_root + u"/alias"_s).isSymLink());
    QCOMPARE(get(m_root + u"/target"_s), "content");
}

void tst_WorkspaceFolder::onlyRegularFilesAreRead_data()
{
    QTest::addColumn<QString>("path");
    QTest::newRow("pipe") << u"pipe"_s;
    QTest::newRow("socket") << u"socket"_s;
    QTest::newRow("folder") << u"sub"_s;
}

// reliability: E21
void tst_WorkspaceFolder::onlyRegularFilesAreRead()
{
    QFETCH(QString, path);
    QCOMPARE(::mkfifo(qPrintable(m_root + u"/pipe"_s), 0600), 0);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    qstrncpy(address.sun_path, qPrintable(m_root + u"/socket"_s), sizeof address.sun_path);
    QCOMPARE(::bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
    QElapsedTimer timer;
    timer.start();
    QVERIFY(folder().read(path).isFault());
    QVERIFY(!folder().write(path, "x", {}));
    QVERIFY(timer.elapsed() < 20000); // it did not wait for the other end of the pipe
    ::close(fd);
}

// reliability: E21
void tst_WorkspaceFolder::aHugeFileIsRefusedAtOnce()
{
    QFile sparse(m_root + u"/sparse"_s);
    QVERIFY(sparse.open(QIODevice::WriteOnly));
    QVERIFY(sparse.resize(10LL * 1024 * 1024 * 1024));
    const auto content = folder().read(u"sparse"_s);
    QVERIFY(!content);
    QCOMPARE(content.error().code, ErrorCode::TooLarge);
    QVERIFY(!folder().write(u"new"_s, QByteArray(WorkspaceFolder::LargestFile + 1, 'x'), {}));
    QVERIFY(!QFile::exists(m_root + u"/new"_s));
}

void tst_WorkspaceFolder::aChangedFileIsAConflict()
{
    put(m_root + u"/a"_s, "theirs");
    for (const std::optional<QByteArray> &expected :
         {std::optional<QByteArray>("ours"), std::optional<QByteArray>()}) {
        const auto written = folder().write(u"a"_s, "new", expected);
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::Busy);
    }
    QCOMPARE(folder().write(u"gone"_s, "new", QByteArray("was here")).error().code,
             ErrorCode::Busy);
    QVERIFY(!folder().remove(u"a"_s, "ours"));
    QCOMPARE(get(m_root + u"/a"_s), "theirs");
}

// reliability: E22
void tst_WorkspaceFolder::writingKeepsTheMode()
{
    put(m_root + u"/script"_s, "old");
    QCOMPARE(::chmod(qPrintable(m_root + u"/script"_s), 0751), 0);
    QVERIFY(folder().write(u"script"_s, "new", QByteArray("old")));
    struct stat info
    {
    };
    QCOMPARE(::stat(qPrintable(m_root + u"/script"_s), &info), 0);
    QCOMPARE(info.st_mode & 07777U, mode_t(0751));
    if (::geteuid() != 0)
        return; // only root can give a file away
    QCOMPARE(::chown(qPrintable(m_root + u"/script"_s), 12345, 12346), 0);
    QVERIFY(folder().write(u"script"_s, "newer", QByteArray("new")));
    QCOMPARE(::stat(qPrintable(m_root + u"/script"_s), &info), 0);
    QCOMPARE(info.st_uid, uid_t(12345));
    QCOMPARE(info.st_gid, gid_t(12346));
}

// reliability: E22
void tst_WorkspaceFolder::aFailedWriteLeavesTheOldContentAndNoTemporaryFile()
{
    put(m_root + u"/a"_s, "old");
    const auto root = folder();
    // The effect fails at the last moment: the name has become a folder.
    const auto written = root.write(u"a"_s, "new", QByteArray("old"), [this] {
        QFile::remove(m_root + u"/a"_s);
        QDir().mkpath(m_root + u"/a/inside"_s);
    });
    QVERIFY(!written);
    QCOMPARE(QDir(m_root).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             (QStringList{u"a"_s, u"sub"_s}));
}

// A limit of the process stands for the disk: the write fails in the middle, as it does without space.
// reliability: E22
void tst_WorkspaceFolder::aFullDiskLeavesTheOldContent()
{
    put(m_root + u"/a"_s, "old");
    rlimit before{};
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{64 * 1024, before.rlim_max};
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = folder().write(u"a"_s, QByteArray(1024 * 1024, 'x'), QByteArray("old"));
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
    ::signal(SIGXFSZ, handler);
    QVERIFY(!written);
    QCOMPARE(get(m_root + u"/a"_s), "old");
    QCOMPARE(QDir(m_root).entryList(QDir::Files | QDir::Hidden), QStringList{u"a"_s});
}

// reliability: E22
void tst_WorkspaceFolder::aWriteThatIsKilledLeavesTheOldContent()
{
    put(m_root + u"/a"_s, "old");
    const auto root = folder();
    const pid_t child = ::fork();
    if (child == 0) {
        (void)root.write(u"a"_s, "new", QByteArray("old"), [] { ::raise(SIGKILL); });
        ::_exit(0);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status));
    QCOMPARE(get(m_root + u"/a"_s), "old");
    QVERIFY(root.write(u"a"_s, "new", QByteArray("old"))); // and nothing stands in the way
}

void tst_WorkspaceFolder::whatRunsByItselfIsNotWritten_data()
{
    QTest::addColumn<QString>("path");
    for (const auto *path :
         {".git/hooks/pre-commit", ".git/config", "sub/.git/hooks/x", ".GIT/config", ".gitmodules"})
        QTest::addRow("%s", path) << QString::fromLatin1(path);
}

// reliability: E23
void tst_WorkspaceFolder::whatRunsByItselfIsNotWritten()
{
    QFETCH(QString, path);
    QCOMPARE(folder().write(path, "x", {}).error().code, ErrorCode::Denied);
    QVERIFY(!QFile::exists(m_root + u'/' + path));
}

// reliability: E23
void tst_WorkspaceFolder::ownFilesInsideOfAWorkspaceAreOutOfReach()
{
    m_protected =
        ProtectedPaths({m_root + u"/fermata/history.sqlite"_s, m_root + u"/fermata/keys"_s},
                       m_root); // the home folder itself as a workspace
    QDir().mkpath(m_root + u"/fermata/keys"_s);
    put(m_root + u"/fermata/history.sqlite"_s, "database");
    put(m_root + u"/fermata/keys/one"_s, "key");
    QFile::link(u"fermata/keys/one"_s, m_root + u"/alias"_s);
    const auto root = folder();
    for (const QString &path : {u"fermata/history.sqlite"_s, u"fermata/keys/one"_s, u"alias"_s})
        QVERIFY(root.read(path).isFault());
    for (const QString &path : {u".bashrc"_s, u".ssh/authorized_keys"_s,
                                u".config/autostart/x.desktop"_s, u"fermata/keys/new"_s}) {
        QVERIFY(!root.write(path, "x", {}));
        QVERIFY(!QFile::exists(m_root + u'/' + path));
    }
    QVERIFY(root.write(u"fermata/other"_s, "x", {}));
}

void tst_WorkspaceFolder::aWorkspaceInsideOfTheOwnFolderWorks()
{
    m_protected = ProtectedPaths({m_home->path()}, m_home->filePath(u"nobody"_s));
    QVERIFY(folder().write(u"a"_s, "x", {}));
    QVERIFY(folder().read(u"a"_s));
}

// reliability: E20
void tst_WorkspaceFolder::swappedFoldersNeverLeadAWriteOutside()
{
    QVERIFY(QDir().mkpath(m_root + u"/name"_s));
    QFile::link(m_outside, m_root + u"/trap"_s);
    const QByteArray name = QFile::encodeName(m_root + u"/name"_s);
    const QByteArray trap = QFile::encodeName(m_root + u"/trap"_s);
    std::atomic<bool> over = false;
    std::atomic<int> swaps = 0;
    std::thread swapper([&] {
        while (!over) {
            swaps +=
                ::renameat2(AT_FDCWD, name.constData(), AT_FDCWD, trap.constData(), RENAME_EXCHANGE)
                == 0;
            std::this_thread::yield();
        }
    });
    const auto root = folder();
    int written = 0;
    int refused = 0;
    // Some attempts have to find the folder as it should be, however fast it is swapped.
    for (int i = 0; i < 10'000 || (written < 20 && i < 1'000'000); ++i) {
        const auto content = root.read(u"name/file"_s);
        const auto known = content ? content.value() : std::optional<QByteArray>();
        const bool ok = root.write(u"name/file"_s, QByteArray::number(i), known).ok();
        ++(ok ? written : refused);
    }
    over = true;
    swapper.join();
    qInfo("%d writes inside, %d refused, while the folder was swapped %d times", written, refused,
          swaps.load());
    QVERIFY(swaps > 0);
    QVERIFY(written > 0);
    QVERIFY(refused > 0);
    QCOMPARE(QDir(m_outside).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             QStringList{u"secret"_s});
    QCOMPARE(get(m_outside + u"/secret"_s), "secret");
}

void tst_WorkspaceFolder::aFolderIsListed()
{
    put(m_root + u"/b"_s, "12345");
    put(m_root + u"/a"_s, "");
    QFile::link(u"/etc"_s, m_root + u"/link"_s);
    const auto entries = folder().list(u"."_s, 100);
    QVERIFY(entries);
    QCOMPARE(entries->size(), size_t(4));
    QCOMPARE((*entries)[0].name, u"a"_s);
    QCOMPARE((*entries)[1].size, 5);
    QCOMPARE((*entries)[2].kind, FolderEntry::Kind::Link);
    QCOMPARE((*entries)[3].kind, FolderEntry::Kind::Folder);
    QCOMPARE(folder().list(u"."_s, 2)->size(), size_t(2));
    QVERIFY(!folder().list(u"missing"_s, 2));
}

void tst_WorkspaceFolder::aMissingWorkspaceIsMade()
{
    m_root = m_home->filePath(u"new/workspace"_s);
    QVERIFY(folder().write(u"a"_s, "x", {}));
    struct stat info
    {
    };
    QCOMPARE(::stat(qPrintable(m_root), &info), 0);
    QCOMPARE(info.st_mode & 0777U, mode_t(0700));
    QVERIFY(!WorkspaceFolder::open(u"relative"_s, m_protected));
    QVERIFY(!WorkspaceFolder::open({}, m_protected));
}

QTEST_GUILESS_MAIN(tst_WorkspaceFolder)
#include "tst_workspacefolder.moc"
