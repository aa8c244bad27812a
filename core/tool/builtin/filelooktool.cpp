// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/filelooktool.h"

#include "base/visibletext.h"

#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

FileLookTool::FileLookTool(FileServices services, ToolSpec spec, QString question)
    : m_services(std::move(services)), m_spec(std::move(spec)), m_question(std::move(question))
{
}

Result<ApprovalRequest> FileLookTool::describe(const QJsonObject &arguments,
                                               const QString &workspace) const
{
    auto relative = pathInWorkspace(pathOf(arguments), workspace);
    if (!relative)
        return relative.error();
    ApprovalRequest request;
    request.tool = m_spec.name;
    request.title = m_spec.title;
    request.question = m_question;
    request.exactText = withControlsNamed(relative.value(), TextUse::Asked);
    request.facts = {{u"Workspace"_s, workspace}};
    if (request.exactText == relative.value())
        request.alwaysPattern = request.exactText;
    request.fingerprint = approvalFingerprint(m_spec.name, arguments, workspace.toUtf8());
    return request;
}

QString FileLookTool::summary(const QJsonObject &arguments) const
{
    return withControlsNamed(pathOf(arguments), TextUse::Asked);
}

QString FileLookTool::pathOf(const QJsonObject &arguments)
{
    return arguments.value("path"_L1).toString(u"."_s);
}

} // namespace fermata
