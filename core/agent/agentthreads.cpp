// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/agentthreads.h"

#include "base/clock.h"
#include "base/logging.h"

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

AgentThreads::AgentThreads(JournalFactory makeJournal) : m_makeJournal(std::move(makeJournal)) { }

AgentThreads::~AgentThreads()
{
    for (Member &member : m_members)
        member.thread->quit();
    for (Member &member : m_members)
        member.thread->wait();
}

Agent *AgentThreads::start()
{
    dropFinished();
    auto thread = std::make_unique<QThread>();
    thread->setObjectName(u"fermata-agent"_s);
    auto *agent = new Agent(m_makeJournal);
    agent->moveToThread(thread.get());
    QObject::connect(thread.get(), &QThread::finished, agent, &QObject::deleteLater);
    thread->start();
    m_members.push_back({std::move(thread), agent});
    return agent;
}

void AgentThreads::retire(Agent *agent)
{
    const auto member = std::ranges::find(m_members, agent, &Member::agent);
    if (member == m_members.end())
        return;
    member->retired = true;
    member->thread->quit();
    dropFinished();
}

void AgentThreads::dropFinished()
{
    std::erase_if(m_members, [](const Member &member) {
        return member.retired && member.thread->isFinished();
    });
}

bool AgentThreads::waitForAll(std::chrono::milliseconds time)
{
    for (Member &member : m_members) {
        member.retired = true;
        member.thread->quit();
    }
    const Instant end = steadyClock().now() + time;
    for (Member &member : m_members) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - steadyClock().now());
        member.thread->wait(QDeadlineTimer(std::max(left, std::chrono::milliseconds(0))));
    }
    dropFinished();
    if (m_members.empty())
        qCDebug(lcTurn, "all agents have ended");
    return m_members.empty();
}

} // namespace fermata
