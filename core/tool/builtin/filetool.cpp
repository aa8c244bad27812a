// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/filetool.h"

#include "base/visibletext.h"
#include "tool/builtin/linediff.h"

#include <QCryptographicHash>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostSeenFiles = 10000;
constexpr qsizetype LargestUndo = 1024 * 1024; // of the old content; it is kept in the database

QByteArray hashOf(QByteArrayView content)
{
    return QCryptographicHash::hash(content.toByteArray(), QCryptographicHash::Sha256);
}

QByteArray stateOf(const std::optional<QByteArray> &content)
{
    return content ? hashOf(*content) : QByteArray("absent");
}

QString keyOf(const QString &workspace, const QString &relative)
{
    return workspace + QChar::Null + relative;
}

QJsonObject undoRecord(const WorkspaceFile &file, const QByteArray &newContent)
{
    if (file.content && file.content->size() > LargestUndo)
        return {};
    QJsonObject record{{u"path"_s, file.relative},
                       {u"after"_s, QString::fromLatin1(hashOf(newContent).toHex())}};
    if (file.content)
        record.insert(u"before"_s, QString::fromLatin1(qCompress(*file.content).toBase64()));
    return record;
}

} // namespace

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

Result<ApprovalRequest> changeRequest(const ToolSpec &spec, const QJsonObject &arguments,
                                      const WorkspaceFile &file, const QByteArray &newContent)
{
    if (auto writable = file.folder.checkWritable(file.relative); !writable)
        return writable.error();
    const QByteArray before = file.content.value_or(QByteArray());
    ApprovalRequest request;
    request.tool = spec.name;
    request.title = spec.title;
    request.question = file.content ? u"Allow this change?"_s : u"Allow this new file?"_s;
    request.facts = {{u"File"_s, withControlsNamed(file.folder.path() + u'/' + file.relative, TextUse::Asked)},
                     {u"Size"_s, u"%1 → %2 bytes"_s.arg(before.size()).arg(newContent.size())}};
    request.exactText = withControlsNamed(
        unifiedDiff(before, newContent, file.content ? file.relative : QString(), file.relative), TextUse::Asked);
    request.isDiff = true;
    request.fingerprint = approvalFingerprint(spec.name, arguments, stateOf(file.content));
    return request;
}

Result<ToolResult> makeChange(const ToolSpec &spec, const QJsonObject &arguments,
                              const WorkspaceFile &file, const QByteArray &newContent,
                              const FileServices &services, ToolContext &context,
                              const QString &done)
{
    const QByteArray approved = context.approvedFingerprint();
    const bool asShown = approved.isEmpty()
        || approved == approvalFingerprint(spec.name, arguments, stateOf(file.content));
    if (!asShown || !services.seen->isCurrent(context.workspace(), file.relative, file.content)) {
        return Error(ErrorCode::Busy,
                     u"“%1” has changed since it was read; nothing was written. "
                     "Read it again."_s.arg(file.relative));
    }
    if (auto live = context.token().check(TurnPhase::ToolCalls); !live)
        return live.error();
    auto written = file.folder.write(file.relative, newContent, file.content,
                                     [&context] { context.passPointOfNoReturn(); });
    if (!written)
        return written.error();
    services.seen->setSeen(context.workspace(), file.relative, newContent);
    return ToolResult{done, false, std::nullopt, undoRecord(file, newContent)};
}

Result<void> undoChange(const QJsonObject &record, const QString &workspace,
                        const FileServices &services)
{
    auto file = openFile(record, workspace, services);
    if (!file)
        return file.error();
    std::optional<QByteArray> before;
    if (record.contains("before"_L1)) {
        before =
            qUncompress(QByteArray::fromBase64(record.value("before"_L1).toString().toLatin1()));
    }
    // As after a crash between the change and its record.
    if (file->content == before)
        return {};
    const QByteArray after = QByteArray::fromHex(record.value("after"_L1).toString().toLatin1());
    if (!file->content || hashOf(*file->content) != after) {
        return Error(ErrorCode::Busy,
                     u"“%1” has been changed since; it was left as it is."_s.arg(file->relative));
    }
    auto restored = before ? file->folder.write(file->relative, *before, file->content)
                           : file->folder.remove(file->relative, *file->content);
    if (!restored)
        return restored;
    if (before)
        services.seen->setSeen(workspace, file->relative, *before);
    else
        services.seen->forget(workspace, file->relative);
    return {};
}

} // namespace fermata
