// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessionfixture.h"

#include "turnsupport/turnfixture.h"

namespace fermata {

using namespace Qt::StringLiterals;

SessionFixture::SessionFixture(const std::function<JournalFactory(const QString &)> &journals)
{
    settings = std::make_unique<SettingsFile>(path(u"settings.json"_s));
    agents = std::make_unique<AgentThreads>(
        journals ? journals(m_folder.path())
                 : [](const CancellationToken &) { return std::make_unique<MemoryJournal>(); });
    services->settings = settings.get();
    services->agents = agents.get();
    services->tools = tools;
    services->workspaceRoot = m_folder.path();
}

SessionFixture::~SessionFixture()
{
    if (!agents->waitForAll(std::chrono::seconds(10)))
        qFatal("an agent's thread did not end");
}

void SessionFixture::provide(std::vector<Script> scripts)
{
    provider = std::make_shared<ScriptedProvider>(std::move(scripts), steadyClock());
    services->findProvider = [this](const Profile *, const SessionServices::ProviderFound &found) {
        found(std::shared_ptr<ModelProvider>(provider));
    };
}

Conversation SessionFixture::blank()
{
    Conversation conversation;
    conversation.id = ConversationId::create();
    conversation.createdAt = QDateTime::currentDateTimeUtc();
    return conversation;
}

} // namespace fermata
