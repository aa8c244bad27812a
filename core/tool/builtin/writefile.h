// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/filechangetool.h"

namespace fermata {

// Makes a file in the workspace, or replaces its content.
class WriteFile final : public FileChangeTool
{
public:
    explicit WriteFile(FileServices services);

private:
    Result<Change> change(const QJsonObject &arguments, const WorkspaceFile &file) const override;
};

} // namespace fermata
