// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/filetool.h"

#include <QCryptographicHash>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostSeenFiles = 10000;

QString keyOf(const QString &workspace, const QString &relative)
{
    return workspace + QChar::Null + relative;
}

} // namespace

QByteArray hashOf(QByteArrayView content)
{
    return QCryptographicHash::hash(content.toByteArray(), QCryptographicHash::Sha256);
}

QByteArray stateOf(const std::optional<QByteArray> &content)
{
    return content ? hashOf(*content) : QByteArray("absent");
}

void SeenFiles::setSeen(const QString &workspace, const QString &relative, QByteArrayView content)
{
    const QByteArray hash = hashOf(content);
    const std::lock_guard lock(m_mutex);
    if (m_hashes.size() >= MostSeenFiles)
        m_hashes.clear();
    m_hashes.insert(keyOf(workspace, relative), hash);
}

void SeenFiles::forget(const QString &workspace, const QString &relative)
{
    const std::lock_guard lock(m_mutex);
    m_hashes.remove(keyOf(workspace, relative));
}

bool SeenFiles::isCurrent(const QString &workspace, const QString &relative,
                          const std::optional<QByteArray> &content) const
{
    const QByteArray state = stateOf(content);
    const std::lock_guard lock(m_mutex);
    const auto seen = m_hashes.constFind(keyOf(workspace, relative));
    return seen == m_hashes.cend() || *seen == state;
}

Result<WorkspaceFile> openFile(const QJsonObject &arguments, const QString &workspace,
                               const FileServices &services)
{
    auto relative = pathInWorkspace(arguments.value("path"_L1).toString(), workspace);
    if (!relative)
        return relative.error();
    auto folder = WorkspaceFolder::open(workspace, services.protectedPaths);
    if (!folder)
        return folder.error();
    auto content = folder->read(relative.value());
    if (!content)
        return content.error();
    return WorkspaceFile{std::move(folder).value(), relative.value(), std::move(content).value()};
}

} // namespace fermata
