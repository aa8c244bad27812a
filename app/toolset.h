// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/toolregistry.h"
#include "ui/window/windowcontext.h"

#include <QString>

#include <memory>
#include <vector>

namespace fermata {

struct DataFolders;
class IoThread;
class Sandbox;
class SettingsFile;

// The built-in tools, as the turns and as the settings window see them.
struct Toolset
{
    std::shared_ptr<const ToolRegistry> registry;
    std::vector<ToolEntry> entries;
    std::shared_ptr<const Sandbox> sandbox;
};

// What the settings say of the network of commands is followed; they outlive the tools.
Toolset makeToolset(IoThread &io, const DataFolders &folders, const SettingsFile &settings);

} // namespace fermata
