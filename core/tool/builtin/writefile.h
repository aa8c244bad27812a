// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/filetool.h"

namespace fermata {

// Makes a file in the workspace, or replaces its content.
class WriteFile final : public Tool
{
public:
    explicit WriteFile(FileServices services);

    const ToolSpec &spec() const override { return m_spec; }
    Result<ApprovalRequest> describe(const QJsonObject &arguments,
                                     const QString &workspace) const override;
    QString summary(const QJsonObject &arguments) const override;
    Result<ToolResult> run(const QJsonObject &arguments, ToolContext &context) override;
    Result<void> undo(const QJsonObject &record, const QString &workspace) override;

private:
    const FileServices m_services;
    const ToolSpec m_spec;
};

} // namespace fermata
