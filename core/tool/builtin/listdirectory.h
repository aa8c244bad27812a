// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/filetool.h"

namespace fermata {

// What is in a folder of the workspace.
class ListDirectory final : public Tool
{
public:
    explicit ListDirectory(FileServices services);

    const ToolSpec &spec() const override { return m_spec; }
    Result<ApprovalRequest> describe(const QJsonObject &arguments,
                                     const QString &workspace) const override;
    QString summary(const QJsonObject &arguments) const override;
    Result<ToolResult> run(const QJsonObject &arguments, ToolContext &context) override;

private:
    const FileServices m_services;
    const ToolSpec m_spec;
};

} // namespace fermata
