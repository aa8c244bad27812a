// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/builtintools.h"

#include "tool/builtin/editfile.h"
#include "tool/builtin/httprequesttool.h"
#include "tool/builtin/listdirectory.h"
#include "tool/builtin/readfile.h"
#include "tool/builtin/runcommand.h"
#include "tool/builtin/searchfiles.h"
#include "tool/builtin/writefile.h"
#include "tool/toolregistry.h"

namespace fermata {

void addBuiltInTools(ToolRegistry &registry, const BuiltInServices &services)
{
    FileServices files;
    files.protectedPaths = services.protectedPaths;
    registry.add(std::make_shared<RunCommand>(
        *services.io, services.sandbox, services.protectedPaths, services.commandsMayUseNetwork));
    registry.add(std::make_shared<ReadFile>(files));
    registry.add(std::make_shared<WriteFile>(files));
    registry.add(std::make_shared<EditFile>(files));
    registry.add(std::make_shared<ListDirectory>(files));
    registry.add(std::make_shared<SearchFiles>(files));
    registry.add(std::make_shared<HttpRequestTool>(*services.io));
}

} // namespace fermata
