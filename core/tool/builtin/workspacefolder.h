// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "tool/builtin/workspacepath.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace fermata {

// A file descriptor and its end.
class OpenDescriptor final
{
public:
    explicit OpenDescriptor(int fd = -1) : m_fd(fd) { }
    ~OpenDescriptor();
    OpenDescriptor(OpenDescriptor &&other) noexcept;
    OpenDescriptor &operator=(OpenDescriptor &&other) noexcept;

    int get() const { return m_fd; }
    bool isOpen() const { return m_fd >= 0; }
    int release() { return std::exchange(m_fd, -1); }

private:
    int m_fd;
};

struct FolderEntry
{
    enum class Kind { File, Folder, Link, Other };

    QString name;
    Kind kind = Kind::Other;
    qint64 size = 0; // of a file
};

// The files below one folder, and never one outside of it, whatever links, swapped folders or mounts say: the kernel
// resolves each path below a descriptor of the root. Only regular files with one name, at most 10 MB. Used by one thread.
class WorkspaceFolder final
{
public:
    static constexpr qint64 LargestFile = 10 * 1024 * 1024;

    // The folder is made if it is missing.
    static Result<WorkspaceFolder> open(const QString &path, const ProtectedPaths &protectedPaths);

    const QString &path() const { return m_path; }

    // Nothing if there is no such file.
    Result<std::optional<QByteArray>> read(const QString &relative) const;

    // Whether tools may change it, there or not: not what Fermata, the desktop or git itself reads.
    Result<void> checkWritable(const QString &relative) const;
    // Replaces the content at once or not at all, keeps the mode and the owner, makes missing folders. A conflict
    // (Busy) if the content is not `expected`, where nothing means that the file must not exist. `beforeEffect` is
    // called right before the point after which the new content is there.
    Result<void> write(const QString &relative, const QByteArray &content,
                       const std::optional<QByteArray> &expected,
                       const std::function<void()> &beforeEffect = {}) const;
    Result<void> remove(const QString &relative, const QByteArray &expected) const;

    // Sorted by name; at most `most`.
    Result<std::vector<FolderEntry>> list(const QString &relative, int most) const;
    bool isFolder(const QString &relative) const;

private:
    WorkspaceFolder(QString path, OpenDescriptor root, const ProtectedPaths &protectedPaths);

    Result<OpenDescriptor> openBelow(const QString &relative, int flags) const;
    Result<OpenDescriptor> openParent(const QString &relative, bool make) const;
    bool isShut(const QString &realPath) const;
    Result<void> checkProtected(const OpenDescriptor &file, const QString &relative) const;
    Result<void> checkTarget(const QString &realPath, const QString &relative) const;
    Result<void> checkTargetIn(const OpenDescriptor &folder, const QString &relative) const;

    QString m_path;
    OpenDescriptor m_root;
    QString m_realPath; // of the root
    QStringList m_shut; // real paths of what is protected
};

} // namespace fermata
