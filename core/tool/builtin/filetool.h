// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/workspacefolder.h"
#include "tool/tool.h"

#include <QHash>

#include <memory>
#include <mutex>
#include <optional>

namespace fermata {

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

// A change of a file as the user is asked for it: its diff. The fingerprint covers the content it is a diff to.
// What no tool may change is refused, and nobody is asked.
Result<ApprovalRequest> changeRequest(const ToolSpec &spec, const QJsonObject &arguments,
                              const WorkspaceFile &file, const QByteArray &newContent);

// Makes the change that was shown: a conflict if the file is no longer what it was then or when the model read it.
// The result tells it in `done`, and can be undone by undoChange().
Result<ToolResult> makeChange(const ToolSpec &spec, const QJsonObject &arguments,
                              const WorkspaceFile &file, const QByteArray &newContent,
                              const FileServices &services, ToolContext &context,
                              const QString &done);
Result<void> undoChange(const QJsonObject &record, const QString &workspace,
                        const FileServices &services);

} // namespace fermata
