// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/filelooktool.h"

namespace fermata {

// The text of a file of the workspace, whole or some lines of it.
class ReadFile final : public FileLookTool
{
public:
    explicit ReadFile(FileServices services);

    Result<ToolResult> run(const QJsonObject &arguments, ToolContext &context) override;
};

} // namespace fermata
