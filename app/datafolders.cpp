// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/datafolders.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

namespace fermata {

using namespace Qt::StringLiterals;

DataFolders DataFolders::forDirectory(const QString &directory)
{
    if (!directory.isEmpty()) {
        const QString folder = QFileInfo(directory).absoluteFilePath();
        return {folder, folder};
    }
    return {QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation),
            QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)};
}

Result<void> DataFolders::make() const
{
    for (const QString &folder : {config, data, workspaces()}) {
        if (folder.isEmpty() || !QDir().mkpath(folder) || !QFileInfo(folder).isWritable())
            return Error(ErrorCode::Io,
                         u"Fermata cannot write to its folder %1. Make it writable, or name "
                         "another one with --data-dir."_s.arg(folder));
        QFile::setPermissions(folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    return {};
}

QString DataFolders::settingsFile() const
{
    return QDir(config).filePath(u"settings.json"_s);
}

QString DataFolders::keyFile() const
{
    return QDir(config).filePath(u"keys.json"_s);
}

QString DataFolders::database() const
{
    return QDir(data).filePath(u"conversations.db"_s);
}

QString DataFolders::workspaces() const
{
    return QDir(data).filePath(u"workspaces"_s);
}

} // namespace fermata
