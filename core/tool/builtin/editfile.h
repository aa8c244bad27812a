// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/filechangetool.h"

namespace fermata {

// Replaces a text in a file of the workspace by another one.
class EditFile final : public FileChangeTool
{
public:
    explicit EditFile(FileServices services);

private:
    Result<Change> change(const QJsonObject &arguments, const WorkspaceFile &file) const override;
};

} // namespace fermata
