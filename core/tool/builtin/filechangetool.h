// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/filetool.h"

namespace fermata {

// A tool that changes one file of the workspace, its "path". The user is asked with a diff; what was shown is what is
// made, and a conflict if the file is no longer what it was then or when the model read it. The change can be undone as
// long as nobody has changed the file since. What no tool may change is refused, and nobody is asked.
class FileChangeTool : public Tool
{
public:
    const ToolSpec &spec() const final { return m_spec; }
    Result<ApprovalRequest> describe(const QJsonObject &arguments,
                                     const QString &workspace) const final;
    QString summary(const QJsonObject &arguments) const final;
    Result<ToolResult> run(const QJsonObject &arguments, ToolContext &context) final;
    Result<void> undo(const QJsonObject &record, const QString &workspace) final;

protected:
    struct Change
    {
        QByteArray content; // the new one
        QString done; // what is told when it was made
    };

    FileChangeTool(FileServices services, ToolSpec spec);

    // What the call makes of the file, or what is wrong with the call.
    virtual Result<Change> change(const QJsonObject &arguments,
                                  const WorkspaceFile &file) const = 0;

private:
    const FileServices m_services;
    const ToolSpec m_spec;
};

} // namespace fermata
