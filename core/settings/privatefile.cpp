// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/privatefile.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSaveFile>

#ifdef Q_OS_UNIX
#include <fcntl.h>
#include <unistd.h>
#endif

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr auto OwnerOnly = QFileDevice::ReadOwner | QFileDevice::WriteOwner;

bool makePrivateFolder(const QString &path)
{
    const QDir folder(path);
    if (folder.exists())
        return true;
    const QString parent = QFileInfo(folder.absolutePath()).path();
    if (parent != path && !makePrivateFolder(parent))
        return false;
    return QDir().mkdir(path, OwnerOnly | QFileDevice::ExeOwner) || folder.exists();
}

// The rename itself is on the disk only when the folder is.
void syncFolder([[maybe_unused]] const QString &path)
{
#ifdef Q_OS_UNIX
    const int folder =
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    ::fsync(folder);
    ::close(folder);
#endif
}

Error writeError(const QString &path, const QString &reason)
{
    return {ErrorCode::Io, u"The file %1 could not be written: %2."_s.arg(path, reason)};
}

} // namespace

Result<void> writePrivateFile(const QString &path, const QByteArray &content)
{
    const QString folder = QFileInfo(path).absolutePath();
    if (!makePrivateFolder(folder))
        return writeError(path, u"its folder cannot be made"_s);
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return writeError(path, file.errorString());
    // Before there is anything in it.
    if (!file.setPermissions(OwnerOnly) || file.write(content) != content.size())
        return writeError(path, file.errorString());
    if (!file.commit())
        return writeError(path, file.errorString());
    syncFolder(folder);
    return {};
}

Result<QByteArray> readPrivateFile(const QString &path, qint64 mostBytes)
{
    const QFileInfo info(path);
    if (!info.exists() && !info.isSymLink())
        return Error(ErrorCode::NotFound, u"There is no file %1."_s.arg(path));
    // Opening a pipe would wait for its other end.
    if (!info.isFile())
        return Error(ErrorCode::Io, u"%1 is not a file."_s.arg(path));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error(ErrorCode::Io,
                     u"The file %1 cannot be read: %2."_s.arg(path, file.errorString()));
    const QByteArray content = file.read(mostBytes + 1);
    if (file.error() != QFileDevice::NoError)
        return Error(ErrorCode::Io,
                     u"The file %1 cannot be read: %2."_s.arg(path, file.errorString()));
    if (content.size() > mostBytes) {
        return Error(ErrorCode::TooLarge,
                     u"The file %1 is larger than %2 bytes."_s.arg(path).arg(mostBytes));
    }
    return content;
}

void removeUnfinishedWrites(const QString &path)
{
    // The form of the names that QSaveFile makes.
    const QFileInfo info(path);
    const QRegularExpression unfinished(u"^"_s + QRegularExpression::escape(info.fileName())
                                        + uR"(\.[A-Za-z]{6}$)"_s);
    QDir folder(info.absolutePath());
    const QStringList names =
        folder.entryList({info.fileName() + u".*"_s}, QDir::Files | QDir::Hidden);
    for (const QString &name : names) {
        if (unfinished.match(name).hasMatch())
            folder.remove(name);
    }
}

} // namespace fermata
