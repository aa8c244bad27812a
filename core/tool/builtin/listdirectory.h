// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/filelooktool.h"

namespace fermata {

// What is in a folder of the workspace.
class ListDirectory final : public FileLookTool
{
public:
    explicit ListDirectory(FileServices services);

    Result<ToolResult> run(const QJsonObject &arguments, ToolContext &context) override;
};

} // namespace fermata
