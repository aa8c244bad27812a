// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QString>
#include <QStringList>

namespace fermata {

// `path`, as a model gave it, relative to the workspace: "a/b", or "." for the workspace itself. Only a look at the
// words: what links do is for WorkspaceFolder. A fault says to the model, and to who reads along, where the workspace is.
Result<QString> pathInWorkspace(const QString &path, const QString &workspace);

// Whether `path` is `folder` or below it, by the words alone.
bool isInFolder(const QString &path, const QString &folder);

// What tools keep away from even inside of a workspace: Fermata's own files and what runs by itself for the user.
class ProtectedPaths final
{
public:
    ProtectedPaths() = default;
    // `own`: absolute folders and files of the application. Those of the home folder are added by themselves.
    explicit ProtectedPaths(QStringList own, const QString &home);

    // Of those, the ones inside of `workspace`, as paths below it; they need not exist. Links on the way to either of
    // them count. A workspace that itself lies in a protected folder is not shut out. Looks at the disk.
    QStringList inside(const QString &workspace) const;
    // Refused for writing alone: what git reads by itself, which can start programs.
    static bool isHook(const QString &path);

private:
    QStringList m_paths;
};

} // namespace fermata
