// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/agentthreads.h"
#include "session/conversationsession.h"
#include "session/sessionservices.h"
#include "settings/settingsfile.h"
#include "tool/toolregistry.h"
#include "turnsupport/scriptedprovider.h"

#include <QTemporaryDir>

#include <memory>

namespace fermata {

// What sessions need, with real agent threads and a scripted model. Destroy the sessions first.
class SessionFixture final
{
public:
    explicit SessionFixture(
        const std::function<JournalFactory(const QString &folder)> &journals = {});
    ~SessionFixture();

    void provide(std::vector<Script> scripts);
    static Conversation blank();
    QString path(const QString &name) const { return m_folder.filePath(name); }

    std::unique_ptr<SettingsFile> settings;
    std::unique_ptr<AgentThreads> agents;
    std::shared_ptr<ToolRegistry> tools = std::make_shared<ToolRegistry>();
    std::shared_ptr<SessionServices> services = std::make_shared<SessionServices>();
    std::shared_ptr<ScriptedProvider> provider;

private:
    QTemporaryDir m_folder;
};

} // namespace fermata
