// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/workspacefolder.h"
#include "tool/tool.h"

#include <QHash>

#include <memory>
#include <mutex>
#include <optional>

namespace fermata {

// What stands for a content where only its sameness counts.
QByteArray hashOf(QByteArrayView content);
QByteArray stateOf(const std::optional<QByteArray> &content); // of a file that is not there, too

// What the model last saw of which file, so that it does not overwrite what it has not seen. Shared by the file tools.
// Thread-safe.
class SeenFiles final
{
public:
    void setSeen(const QString &workspace, const QString &relative, QByteArrayView content);
    void forget(const QString &workspace, const QString &relative); // it is not there any more
    // False if the file was seen with another content. What was never seen cannot have changed.
    bool isCurrent(const QString &workspace, const QString &relative,
                   const std::optional<QByteArray> &content) const;

private:
    mutable std::mutex m_mutex;
    QHash<QString, QByteArray> m_hashes;
};

// What the file tools have in common.
struct FileServices
{
    ProtectedPaths protectedPaths;
    std::shared_ptr<SeenFiles> seen = std::make_shared<SeenFiles>();
};

// A file as a call names it, and its content; nothing if it does not exist.
struct WorkspaceFile
{
    WorkspaceFolder folder;
    QString relative;
    std::optional<QByteArray> content;
};
Result<WorkspaceFile> openFile(const QJsonObject &arguments, const QString &workspace,
                               const FileServices &services);

} // namespace fermata
