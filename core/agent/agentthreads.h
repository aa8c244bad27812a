// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/agent.h"

#include <QThread>

#include <chrono>
#include <memory>
#include <vector>

namespace fermata {

// The threads that agents live on: one for each conversation that runs. Used from the GUI thread. The last to go of
// everything that turns use but the I/O thread and the providers.
class AgentThreads final
{
public:
    explicit AgentThreads(JournalFactory makeJournal);
    ~AgentThreads(); // waits for what waitForAll() has left
    AgentThreads(const AgentThreads &) = delete;
    AgentThreads &operator=(const AgentThreads &) = delete;

    // An agent on a thread of its own; it lives until retire(), and its running turn to its end.
    Agent *start();
    // Never waits: the thread ends when its turn has.
    void retire(Agent *agent);

    // For quitting, when no event loop runs any more: true if all threads have ended within that time.
    bool waitForAll(std::chrono::milliseconds time);

private:
    struct Member
    {
        std::unique_ptr<QThread> thread;
        Agent *agent; // deleted by its thread when that ends
        bool retired = false;
    };

    void dropFinished();

    const JournalFactory m_makeJournal;
    std::vector<Member> m_members;
};

} // namespace fermata
