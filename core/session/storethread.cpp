// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/storethread.h"

namespace fermata {

using namespace Qt::StringLiterals;

StoreThread::StoreThread(const QString &databasePath)
    : m_store(databasePath), m_results([](std::vector<std::function<void()>> results) {
          for (const auto &result : results)
              result();
      }),
      m_thread(QThread::create([this] { run(); }))
{
    m_thread->setObjectName(u"fermata-store"_s);
    m_thread->start();
}

StoreThread::~StoreThread()
{
    m_jobs.close();
    m_thread->wait();
}

void StoreThread::run()
{
    for (auto job = m_jobs.receive(); job.value; job = m_jobs.receive())
        (*job.value)();
    m_store.close();
}

} // namespace fermata
