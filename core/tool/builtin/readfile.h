// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/filetool.h"

namespace fermata {

// The text of a file of the workspace, whole or some lines of it.
class ReadFile final : public Tool
{
public:
    explicit ReadFile(FileServices services);

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
