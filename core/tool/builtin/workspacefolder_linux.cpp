// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/workspacefolder.h"

#include <QDir>
#include <QFile>
#include <QUuid>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int OpenTries = 50; // a rename elsewhere on the path makes the kernel ask for another try

QString systemText(int error)
{
    return QString::fromLocal8Bit(::strerror(error));
}

Error fileError(const QString &relative, int error)
{
    switch (error) {
    case ENOENT:
        return {ErrorCode::NotFound, u"“%1” does not exist."_s.arg(relative)};
    case ENOTDIR:
        return {ErrorCode::InvalidArgument, u"“%1” has a part that is no folder."_s.arg(relative)};
    case EXDEV:
        return {ErrorCode::Denied, u"“%1” leads out of the workspace."_s.arg(relative)};
    case ELOOP:
        return {ErrorCode::Denied,
                u"“%1” leads through links that are not followed."_s.arg(relative)};
    default:
        return {ErrorCode::Io, u"“%1” cannot be used: %2."_s.arg(relative, systemText(error))};
    }
}

// On kernels without openat2: part by part, and no link at all.
int openWithoutLinks(int root, const QByteArray &path, int flags, mode_t mode)
{
    OpenDescriptor folder(::dup(root));
    const QList<QByteArray> parts = path.split('/');
    for (qsizetype i = 0; i + 1 < parts.size(); ++i) {
        folder = OpenDescriptor(::openat(folder.get(), parts[i].constData(),
                                         O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!folder.isOpen())
            return -1;
    }
    return ::openat(folder.get(), parts.last().constData(), flags | O_NOFOLLOW, mode);
}

int openBeneath(int root, const QByteArray &path, int flags)
{
    open_how how{};
    how.flags = __u64(flags) | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
    for (int i = 0; i < OpenTries; ++i) {
        const int fd = int(::syscall(SYS_openat2, root, path.constData(), &how, sizeof how));
        if (fd >= 0)
            return fd;
        if (errno == ENOSYS)
            return openWithoutLinks(root, path, flags | O_CLOEXEC, 0);
        if (errno != EAGAIN && errno != EINTR)
            return -1;
    }
    return -1;
}

QString realPathOf(int fd)
{
    return QFile::symLinkTarget(u"/proc/self/fd/%1"_s.arg(fd));
}

std::pair<QString, QString> parentAndName(const QString &relative)
{
    const qsizetype slash = relative.lastIndexOf(u'/');
    return slash < 0 ? std::pair(u"."_s, relative)
                     : std::pair(relative.left(slash), relative.mid(slash + 1));
}

Result<void> checkRegular(int fd, const QString &relative)
{
    struct stat info
    {
    };
    if (::fstat(fd, &info) != 0)
        return fileError(relative, errno);
    if (!S_ISREG(info.st_mode))
        return Error(ErrorCode::InvalidArgument, u"“%1” is not a regular file."_s.arg(relative));
    if (info.st_nlink > 1) {
        return Error(
            ErrorCode::Denied,
            u"“%1” is a hard link: it may be a file outside of the workspace."_s.arg(relative));
    }
    if (info.st_size > WorkspaceFolder::LargestFile) {
        return Error(ErrorCode::TooLarge,
                     u"“%1” is larger than %2 MB."_s.arg(
                         relative, QString::number(WorkspaceFolder::LargestFile / 1024 / 1024)));
    }
    return {};
}

Result<QByteArray> readAll(int fd, const QString &relative)
{
    QByteArray content;
    QByteArray piece(256 * 1024, Qt::Uninitialized);
    for (;;) {
        const ssize_t count = ::read(fd, piece.data(), size_t(piece.size()));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fileError(relative, errno);
        if (count == 0)
            return content;
        content.append(piece.constData(), count);
        if (content.size() > WorkspaceFolder::LargestFile)
            return Error(ErrorCode::TooLarge, u"“%1” is too large."_s.arg(relative));
    }
}

bool writeAll(int fd, QByteArrayView content)
{
    while (!content.isEmpty()) {
        const ssize_t count = ::write(fd, content.data(), size_t(content.size()));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        content = content.sliced(count);
    }
    return true;
}

// A file that goes again unless it was renamed.
class TemporaryName final
{
public:
    explicit TemporaryName(int folder)
        : m_folder(folder),
          m_name(".fermata-" + QUuid::createUuid().toByteArray(QUuid::Id128) + ".tmp")
    {
    }
    ~TemporaryName()
    {
        if (!m_renamed)
            ::unlinkat(m_folder, m_name.constData(), 0);
    }
    TemporaryName(const TemporaryName &) = delete;
    TemporaryName &operator=(const TemporaryName &) = delete;

    const char *get() const { return m_name.constData(); }
    void setRenamed() { m_renamed = true; }

private:
    const int m_folder;
    const QByteArray m_name;
    bool m_renamed = false;
};

FolderEntry entryOf(int folder, const char *name)
{
    FolderEntry entry{QFile::decodeName(name), FolderEntry::Kind::Other, 0};
    struct stat info
    {
    };
    if (::fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return entry;
    if (S_ISDIR(info.st_mode)) {
        entry.kind = FolderEntry::Kind::Folder;
    } else if (S_ISLNK(info.st_mode)) {
        entry.kind = FolderEntry::Kind::Link;
    } else if (S_ISREG(info.st_mode)) {
        entry.kind = FolderEntry::Kind::File;
        entry.size = info.st_size;
    }
    return entry;
}

} // namespace

OpenDescriptor::~OpenDescriptor()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

OpenDescriptor::OpenDescriptor(OpenDescriptor &&other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
{
}

OpenDescriptor &OpenDescriptor::operator=(OpenDescriptor &&other) noexcept
{
    std::swap(m_fd, other.m_fd);
    return *this;
}

WorkspaceFolder::WorkspaceFolder(QString path, OpenDescriptor root,
                                 const ProtectedPaths &protectedPaths)
    : m_path(std::move(path)), m_root(std::move(root)), m_realPath(realPathOf(m_root.get())),
      m_shut(protectedPaths.inside(m_realPath))
{
}

Result<WorkspaceFolder> WorkspaceFolder::open(const QString &path,
                                              const ProtectedPaths &protectedPaths)
{
    if (!QDir::isAbsolutePath(path))
        return Error(ErrorCode::Internal, u"This conversation has no workspace."_s);
    if (!QDir(path).exists()) {
        QDir().mkpath(path);
        QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    OpenDescriptor root(
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!root.isOpen()) {
        return Error(ErrorCode::Io,
                     u"The workspace %1 cannot be opened: %2."_s.arg(path, systemText(errno)));
    }
    return WorkspaceFolder(path, std::move(root), protectedPaths);
}

Result<OpenDescriptor> WorkspaceFolder::openBelow(const QString &relative, int flags) const
{
    OpenDescriptor file(openBeneath(m_root.get(), QFile::encodeName(relative), flags));
    if (!file.isOpen())
        return fileError(relative, errno);
    if (auto allowed = checkProtected(file, relative); !allowed)
        return allowed.error();
    return file;
}

bool WorkspaceFolder::isShut(const QString &realPath) const
{
    return std::any_of(m_shut.begin(), m_shut.end(),
                       [&](const QString &path) { return isInFolder(realPath, path); });
}

// By where it really is, after all links.
Result<void> WorkspaceFolder::checkProtected(const OpenDescriptor &file,
                                             const QString &relative) const
{
    if (!isShut(realPathOf(file.get())))
        return {};
    return Error(
        ErrorCode::Denied,
        u"“%1” belongs to Fermata or to your desktop; tools do not touch it."_s.arg(relative));
}

Result<void> WorkspaceFolder::checkTarget(const QString &realPath, const QString &relative) const
{
    if (ProtectedPaths::isHook(realPath.mid(m_realPath.size()))) {
        return Error(
            ErrorCode::Denied,
            u"“%1” is read by git itself and can start programs; tools do not write it."_s.arg(
                relative));
    }
    if (isShut(realPath))
        return Error(ErrorCode::Denied, u"“%1” cannot be written by tools."_s.arg(relative));
    return {};
}

// What is not there yet has no real path of its own: it is where its folder really is.
Result<void> WorkspaceFolder::checkTargetIn(const OpenDescriptor &folder,
                                            const QString &relative) const
{
    return checkTarget(realPathOf(folder.get()) + u'/' + parentAndName(relative).second, relative);
}

Result<void> WorkspaceFolder::checkWritable(const QString &relative) const
{
    if (relative == "."_L1)
        return Error(ErrorCode::Denied, u"“%1” cannot be written by tools."_s.arg(relative));
    if (auto named = checkTarget(m_realPath + u'/' + relative, relative); !named)
        return named;
    // Also what has to be made first, with the folders that lead to it.
    for (QString missing = relative; missing != "."_L1; missing = parentAndName(missing).first) {
        if (const auto folder = openParent(missing, false))
            return checkTargetIn(*folder, missing);
    }
    return {};
}

Result<std::optional<QByteArray>> WorkspaceFolder::read(const QString &relative) const
{
    // A pipe or a device must not hold us up before we know what it is.
    auto file = openBelow(relative, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!file) {
        if (file.error().code == ErrorCode::NotFound)
            return std::optional<QByteArray>();
        return file.error();
    }
    if (auto regular = checkRegular(file->get(), relative); !regular)
        return regular.error();
    auto content = readAll(file->get(), relative);
    if (!content)
        return content.error();
    return std::optional(std::move(content).value());
}

Result<OpenDescriptor> WorkspaceFolder::openParent(const QString &relative, bool make) const
{
    const QString parent = parentAndName(relative).first;
    auto folder = openBelow(parent, O_RDONLY | O_DIRECTORY);
    if (folder || !make || folder.error().code != ErrorCode::NotFound)
        return folder;
    auto above = openParent(parent, true);
    if (!above)
        return above;
    if (auto allowed = checkTargetIn(*above, parent); !allowed)
        return allowed.error();
    const QByteArray name = QFile::encodeName(parentAndName(parent).second);
    if (::mkdirat(above->get(), name.constData(), 0755) != 0 && errno != EEXIST)
        return fileError(parent, errno);
    return openBelow(parent, O_RDONLY | O_DIRECTORY);
}

Result<void> WorkspaceFolder::write(const QString &relative, const QByteArray &content,
                                    const std::optional<QByteArray> &expected,
                                    const std::function<void()> &beforeEffect) const
{
    if (content.size() > LargestFile)
        return Error(ErrorCode::TooLarge, u"The new content is too large."_s);
    if (auto writable = checkWritable(relative); !writable)
        return writable;
    auto folder = openParent(relative, true);
    if (!folder)
        return folder.error();
    if (auto allowed = checkTargetIn(*folder, relative); !allowed)
        return allowed;
    const QByteArray name = QFile::encodeName(parentAndName(relative).second);

    struct stat info
    {
    };
    const bool exists = ::fstatat(folder->get(), name.constData(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (exists && S_ISLNK(info.st_mode))
        return Error(ErrorCode::Denied, u"“%1” is a link; write to its target."_s.arg(relative));
    if (exists && !S_ISREG(info.st_mode))
        return Error(ErrorCode::InvalidArgument, u"“%1” is not a regular file."_s.arg(relative));
    auto current = read(relative);
    if (!current)
        return current.error();
    if (current.value() != expected) {
        return Error(ErrorCode::Busy,
                     u"“%1” has changed since it was read; nothing was written. "
                     "Read it again."_s.arg(relative));
    }

    TemporaryName temporary(folder->get());
    const OpenDescriptor file(::openat(folder->get(), temporary.get(),
                                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.isOpen())
        return fileError(relative, errno);
    // Without the bits that lend the owner's rights: as a plain write into the file would clear them.
    const mode_t mode = exists ? info.st_mode & 0777U : 0644;
    if (exists && (info.st_uid != ::geteuid() || info.st_gid != ::getegid())
        && ::fchown(file.get(), info.st_uid, info.st_gid) != 0 && errno != EPERM)
        return fileError(relative, errno);
    if (!writeAll(file.get(), content) || ::fchmod(file.get(), mode) != 0
        || ::fsync(file.get()) != 0)
        return fileError(relative, errno);
    if (beforeEffect)
        beforeEffect();
    if (::renameat(folder->get(), temporary.get(), folder->get(), name.constData()) != 0)
        return fileError(relative, errno);
    temporary.setRenamed();
    ::fsync(folder->get());
    return {};
}

Result<void> WorkspaceFolder::remove(const QString &relative, const QByteArray &expected) const
{
    if (auto writable = checkWritable(relative); !writable)
        return writable;
    auto folder = openParent(relative, false);
    if (!folder)
        return folder.error();
    if (auto allowed = checkTargetIn(*folder, relative); !allowed)
        return allowed;
    auto current = read(relative);
    if (!current)
        return current.error();
    if (current.value() != expected)
        return Error(ErrorCode::Busy,
                     u"“%1” has changed since; it was left as it is."_s.arg(relative));
    const QByteArray name = QFile::encodeName(parentAndName(relative).second);
    if (::unlinkat(folder->get(), name.constData(), 0) != 0)
        return fileError(relative, errno);
    return {};
}

Result<std::vector<FolderEntry>> WorkspaceFolder::list(const QString &relative, int most) const
{
    auto folder = openBelow(relative, O_RDONLY | O_DIRECTORY);
    if (!folder)
        return folder.error();
    OpenDescriptor copy(::dup(folder->get()));
    DIR *const stream = ::fdopendir(copy.get());
    if (!stream)
        return fileError(relative, errno);
    copy.release(); // closed with the stream
    std::vector<FolderEntry> entries;
    while (const dirent *item = ::readdir(stream)) {
        if (qstrcmp(item->d_name, ".") == 0 || qstrcmp(item->d_name, "..") == 0)
            continue;
        if (int(entries.size()) == most)
            break;
        entries.push_back(entryOf(folder->get(), item->d_name));
    }
    ::closedir(stream);
    std::sort(entries.begin(), entries.end(),
              [](const FolderEntry &a, const FolderEntry &b) { return a.name < b.name; });
    return entries;
}

bool WorkspaceFolder::isFolder(const QString &relative) const
{
    return openBelow(relative, O_PATH | O_DIRECTORY).ok();
}

} // namespace fermata
