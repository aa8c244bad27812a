// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/filetool.h"

namespace fermata {

// A tool that looks at one place of the workspace, its "path", and changes nothing.
class FileLookTool : public Tool
{
public:
    const ToolSpec &spec() const final { return m_spec; }
    Result<ApprovalRequest> describe(const QJsonObject &arguments,
                                     const QString &workspace) const final;
    QString summary(const QJsonObject &arguments) const final;

protected:
    // `question` is what the user is asked, where he wants to be.
    FileLookTool(FileServices services, ToolSpec spec, QString question);

    const FileServices &services() const { return m_services; }
    static QString pathOf(const QJsonObject &arguments); // the workspace if none is given

private:
    const FileServices m_services;
    const ToolSpec m_spec;
    const QString m_question;
};

} // namespace fermata
