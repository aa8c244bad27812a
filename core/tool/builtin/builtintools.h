// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/workspacepath.h"
#include "tool/tool.h"

#include <atomic>
#include <memory>
#include <vector>

namespace fermata {

class IoThread;
class Sandbox;
class ToolRegistry;

// What the built-in tools work with; io outlives them.
struct BuiltInServices
{
    IoThread *io = nullptr;
    std::shared_ptr<const Sandbox> sandbox;
    ProtectedPaths protectedPaths;
    std::shared_ptr<const std::atomic<bool>> commandsMayUseNetwork; // null: no
};

// run_command, read_file, write_file, edit_file, list_directory, search_files, http_request.
void addBuiltInTools(ToolRegistry &registry, const BuiltInServices &services);

} // namespace fermata
