// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/storethread.h"

namespace fermata {

using namespace Qt::StringLiterals;

StoreThread::StoreThread(const QString &databasePath)
    : m_databasePath(databasePath)
    , m_results([](std::vector<std::function<void()>> results) {
        for (const auto &result : results)
            result();
    })
    , m_thread(QThread::create([this] { run(); }))
{
    m_thread->setObjectName(u"fermata-store"_s);
    m_thread->start();
}

StoreThread::~StoreThread()
{
    m_jobs.close();
    m_thread->wait();
}

void StoreThread::post(Job job)
{
    m_jobs.send(std::move(job));
}

void StoreThread::run()
{
    std::unique_ptr<ConversationStore> store;
    for (;;) {
        const auto job = m_jobs.receive();
        if (!job.value)
            return;
        // Opened with the first job, and tried again with the next one if that failed: the reason may be gone.
        if (!store) {
            auto opened = ConversationStore::open(m_databasePath);
            if (!opened.ok()) {
                (*job.value)(opened.error());
                continue;
            }
            store = *std::move(opened);
        }
        (*job.value)(store.get());
    }
}

} // namespace fermata
