// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/databasecopy.h"

#include "store/databasefile.h"
#include "store/storeerror.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

// The database last: a log without its database is nothing, but next to a new one it would be written into that.
QStringList filesOf(const QString &path)
{
    QStringList files;
    for (const QString &ending : {u"-wal"_s, u"-shm"_s, u"-journal"_s, QString()}) {
        if (QFileInfo::exists(path + ending))
            files << path + ending;
    }
    return files;
}

} // namespace

Result<QString> setDatabaseAside(const QString &path, const QDateTime &now)
{
    const QString mark = u".corrupt-"_s + now.toUTC().toString(u"yyyyMMdd-HHmmss"_s);
    const QString aside = path + mark;
    for (const QString &name : filesOf(path)) {
        QFile file(name);
        if (!file.rename(aside + name.sliced(path.size())))
            return storeError(
                u"The damaged database %1 could not be set aside: it stays where it is."_s.arg(
                    path),
                file.errorString());
    }
    if (auto synced = syncFile(aside); !synced)
        return synced.error();
    return aside;
}

Result<void> copyDatabaseTo(const QString &path, const QString &folder)
{
    for (const QString &name : filesOf(path)) {
        QFile file(name);
        const QString copy = QDir(folder).filePath(QFileInfo(name).fileName());
        if (!file.copy(copy))
            return storeError(u"%1 could not be copied to %2."_s.arg(name, copy),
                              file.errorString());
        if (auto synced = syncFile(copy); !synced)
            return synced.error();
    }
    return {};
}

} // namespace fermata
