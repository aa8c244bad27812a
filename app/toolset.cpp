// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/toolset.h"

#include "app/datafolders.h"
#include "settings/settingsfile.h"
#include "tool/builtin/builtintools.h"
#include "tool/sandbox.h"

#include <QDir>

namespace fermata {

Toolset makeToolset(IoThread &io, const DataFolders &folders, const SettingsFile &settings)
{
    // Tools look at it on threads of their own.
    const auto network = std::make_shared<std::atomic<bool>>();
    const auto update = [network, &settings] {
        *network = settings.settings().commandsMayUseNetwork;
    };
    update();
    QObject::connect(&settings, &SettingsFile::changed, &settings, update);

    auto registry = std::make_shared<ToolRegistry>();
    const auto sandbox = std::make_shared<const Sandbox>(io);
    addBuiltInTools(
        *registry,
        {&io, sandbox, ProtectedPaths({folders.config, folders.data}, QDir::homePath()), network});
    Toolset toolset;
    for (const auto &tool : registry->tools()) {
        const ToolSpec &spec = tool->spec();
        toolset.entries.push_back(
            {spec.name, spec.title,
             spec.asksByDefault ? ToolPermission::Ask : ToolPermission::Allow});
    }
    toolset.registry = registry;
    toolset.sandbox = sandbox;
    return toolset;
}

} // namespace fermata
