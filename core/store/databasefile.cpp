// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/databasefile.h"

#include "store/storeerror.h"

#include <QFile>
#include <QFileInfo>
#include <QtEndian>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr mode_t OwnerOnlyFile = 0600;
constexpr mode_t OwnerOnlyFolder = 0700;
constexpr char Magic[] = "SQLite format 3"; // 16 bytes with its zero

QString systemText()
{
    return QString::fromLocal8Bit(std::strerror(errno));
}

class Descriptor final
{
public:
    explicit Descriptor(int descriptor) : m_descriptor(descriptor) { }
    ~Descriptor()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    Q_DISABLE_COPY_MOVE(Descriptor)

    bool isOpen() const { return m_descriptor >= 0; }
    int get() const { return m_descriptor; }

private:
    const int m_descriptor;
};

Error damaged(const QString &path, const QString &detail)
{
    return damagedStore(
        u"The database %1 is damaged, or no database of Fermata: it was left as it is."_s.arg(path),
        detail);
}

Result<void> createFolder(const QString &path)
{
    if (QFileInfo(path).isDir())
        return {};
    const QString parent = QFileInfo(path).path();
    if (parent != path) {
        if (auto made = createFolder(parent); !made)
            return made;
    }
    if (::mkdir(QFile::encodeName(path).constData(), OwnerOnlyFolder) != 0 && errno != EEXIST)
        return storeError(u"The folder %1 cannot be made."_s.arg(path), systemText());
    return {};
}

bool sync(const QString &path, int flags)
{
    const Descriptor file(::open(QFile::encodeName(path).constData(), flags | O_CLOEXEC));
    return file.isOpen() && ::fsync(file.get()) == 0;
}

} // namespace

Result<DatabaseFile> inspectDatabaseFile(const QString &path)
{
    const QByteArray name = QFile::encodeName(path);
    struct stat status = {};
    if (::stat(name.constData(), &status) != 0) {
        if (errno == ENOENT)
            return DatabaseFile::Missing;
        return storeError(u"The database %1 cannot be opened."_s.arg(path), systemText());
    }
    if (!S_ISREG(status.st_mode)) {
        return storeError(
            u"%1 is not a file, so no database can be kept in it: it was left as it is."_s.arg(
                path));
    }
    if (status.st_size == 0)
        return DatabaseFile::Empty;

    // Non-blocking, should it have become a FIFO meanwhile.
    const Descriptor file(::open(name.constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!file.isOpen())
        return storeError(u"The database %1 cannot be read."_s.arg(path), systemText());
    char start[sizeof Magic] = {};
    if (::pread(file.get(), start, sizeof start, 0) != ssize_t(sizeof start)
        || std::memcmp(start, Magic, sizeof start) != 0)
        return damaged(path, u"The file does not begin as an SQLite database."_s);
    return DatabaseFile::Present;
}

bool isOwnCutFile(const QString &path, quint32 applicationId)
{
    if (!QFileInfo::exists(path + u"-journal"_s))
        return false;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return false;
    const QByteArray header = file.read(100);
    if (header.size() < 100)
        return false;
    const quint32 owner = qFromBigEndian<quint32>(header.constData() + 68);
    const int pageSize = qFromBigEndian<quint16>(header.constData() + 16);
    return owner == applicationId || (owner == 0 && file.size() <= pageSize);
}

Result<void> createDatabaseFile(const QString &path)
{
    const QString folder = QFileInfo(path).absolutePath();
    if (auto made = createFolder(folder); !made)
        return made;
    const Descriptor file(::open(QFile::encodeName(path).constData(),
                                 O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, OwnerOnlyFile));
    if (!file.isOpen()) {
        return storeError(
            u"The database %1 cannot be made. Check that its folder can be written."_s.arg(path),
            systemText());
    }
    return {};
}

void makePrivate(const QString &path)
{
    // Where it fails the file is another user's: SQLite will say whether it can be used.
    (void)::chmod(QFile::encodeName(path).constData(), OwnerOnlyFile);
}

bool canWrite(const QString &path)
{
    return ::faccessat(AT_FDCWD, QFile::encodeName(path).constData(), W_OK, AT_EACCESS) == 0;
}

Result<void> syncFile(const QString &path)
{
    if (!sync(path, O_RDONLY) || !sync(QFileInfo(path).absolutePath(), O_RDONLY | O_DIRECTORY))
        return storeError(u"The file %1 could not be written to the disk."_s.arg(path),
                          systemText());
    return {};
}

} // namespace fermata
