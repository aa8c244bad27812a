// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "session/conversationapprovals.h"
#include "settings/settings.h"

#include <QString>

#include <functional>
#include <memory>

namespace fermata {

class AgentThreads;
class IoThread;
class ModelProvider;
class RequestLimiters;
class SecretStore;
class SettingsFile;
class ToolRegistry;

// What the application gives to the facades: made by the composition root, which alone knows the concrete classes, and
// which outlives them. GUI thread.
struct SessionServices
{
    using ProviderFound = std::function<void(Result<std::shared_ptr<ModelProvider>>)>;

    QString databasePath;
    QString workspaceRoot;
    SettingsFile *settings = nullptr;
    SecretStore *secrets = nullptr;
    IoThread *io = nullptr;
    AgentThreads *agents = nullptr;
    const Clock *clock = &steadyClock();
    std::shared_ptr<const ToolRegistry> tools;
    std::shared_ptr<RequestLimiters> requestLimiters; // of all conversations; null: none
    std::shared_ptr<ConversationApprovals> approvals = std::make_shared<ConversationApprovals>();
    // Finds the provider for a profile (null: the Guide) and its key; the answer may come later, and comes once.
    std::function<void(const Profile *profile, ProviderFound found)> findProvider;
};

} // namespace fermata
