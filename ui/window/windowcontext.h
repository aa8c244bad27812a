// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/toolpermission.h"

#include <QString>

#include <functional>
#include <vector>

namespace fermata {

class ConversationLibrary;
class ModelCatalog;
class SecretStore;
class SettingsFile;

// A tool as Settings show it.
struct ToolEntry
{
    QString name; // in the registry
    QString title; // "Run command"
    ToolPermission standard = ToolPermission::Ask; // as long as the user has settled nothing
};

// What the window is made with. All of it lives longer than the window.
struct WindowContext
{
    ConversationLibrary *library = nullptr;
    ModelCatalog *catalog = nullptr;
    SettingsFile *settings = nullptr;
    SecretStore *secrets = nullptr;
    std::vector<ToolEntry> tools;
    std::function<QString()> sandboxState; // a sentence: how commands are confined on this system
    QString dataFolder;
};

} // namespace fermata
