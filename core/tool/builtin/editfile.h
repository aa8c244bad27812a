// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/filetool.h"

namespace fermata {

// Replaces a text in a file of the workspace by another one.
class EditFile final : public Tool
{
public:
    explicit EditFile(FileServices services);

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
