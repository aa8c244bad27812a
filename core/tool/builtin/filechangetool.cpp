// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/filechangetool.h"

#include "base/visibletext.h"
#include "tool/builtin/linediff.h"

#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LargestUndo = 1024 * 1024; // of the old content; it is kept in the database

// Of the file as it was shown, wherever the workspace is.
QByteArray shownState(const WorkspaceFile &file)
{
    return stateOf(file.content) + " in " + file.folder.path().toUtf8();
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

FileChangeTool::FileChangeTool(FileServices services, ToolSpec spec)
    : m_services(std::move(services)), m_spec(std::move(spec))
{
}

Result<ApprovalRequest> FileChangeTool::describe(const QJsonObject &arguments,
                                                 const QString &workspace) const
{
    auto opened = openFile(arguments, workspace, m_services);
    if (!opened)
        return opened.error();
    const WorkspaceFile &file = *opened;
    if (auto writable = file.folder.checkWritable(file.relative); !writable)
        return writable.error();
    auto changed = change(arguments, file);
    if (!changed)
        return changed.error();
    const QByteArray &newContent = changed->content;
    const QByteArray before = file.content.value_or(QByteArray());
    ApprovalRequest request;
    request.tool = m_spec.name;
    request.title = m_spec.title;
    request.question = file.content ? u"Allow this change?"_s : u"Allow this new file?"_s;
    request.facts = {
        {u"File"_s, withControlsNamed(file.folder.path() + u'/' + file.relative, TextUse::Asked)},
        {u"Size"_s, u"%1 → %2 bytes"_s.arg(before.size()).arg(newContent.size())}};
    request.exactText = withControlsNamed(
        unifiedDiff(before, newContent, file.content ? file.relative : QString(), file.relative),
        TextUse::Asked);
    request.isDiff = true;
    request.fingerprint = approvalFingerprint(m_spec.name, arguments, shownState(file));
    return request;
}

QString FileChangeTool::summary(const QJsonObject &arguments) const
{
    return withControlsNamed(arguments.value("path"_L1).toString(), TextUse::Asked);
}

Result<ToolResult> FileChangeTool::run(const QJsonObject &arguments, ToolContext &context)
{
    auto opened = openFile(arguments, context.workspace(), m_services);
    if (!opened)
        return opened.error();
    const WorkspaceFile &file = *opened;
    auto changed = change(arguments, file);
    if (!changed)
        return changed.error();
    const QByteArray approved = context.approvedFingerprint();
    const bool asShown = approved.isEmpty()
        || approved == approvalFingerprint(m_spec.name, arguments, shownState(file));
    if (!asShown || !m_services.seen->isCurrent(context.workspace(), file.relative, file.content)) {
        return Error(ErrorCode::Busy,
                     u"“%1” has changed since it was read; nothing was written. "
                     "Read it again."_s.arg(file.relative));
    }
    if (auto live = context.token().check(TurnPhase::ToolCalls); !live)
        return live.error();
    auto written = file.folder.write(file.relative, changed->content, file.content,
                                     [&context] { context.passPointOfNoReturn(); });
    if (!written)
        return written.error();
    m_services.seen->setSeen(context.workspace(), file.relative, changed->content);
    return ToolResult{changed->done, false, std::nullopt, undoRecord(file, changed->content)};
}

Result<void> FileChangeTool::undo(const QJsonObject &record, const QString &workspace)
{
    auto file = openFile(record, workspace, m_services);
    if (!file)
        return file.error();
    std::optional<QByteArray> before;
    if (record.contains("before"_L1)) {
        const auto packed = QByteArray::fromBase64(record.value("before"_L1).toString().toLatin1());
        before = qUncompress(packed);
        // What cannot be unpacked is empty, too; a file must not be emptied by it.
        if (before->isEmpty() && packed != qCompress(QByteArray())) {
            return Error(
                ErrorCode::Io,
                u"What “%1” was before is not readable any more; it was left as it is."_s.arg(
                    file->relative));
        }
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
        m_services.seen->setSeen(workspace, file->relative, *before);
    else
        m_services.seen->forget(workspace, file->relative);
    return {};
}

} // namespace fermata
