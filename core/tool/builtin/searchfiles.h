// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/filetool.h"

namespace fermata {

// Finds files of the workspace by name and lines by content, without what .gitignore files leave out.
class SearchFiles final : public Tool
{
public:
    explicit SearchFiles(FileServices services);

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
