// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/channel.h"
#include "base/mailbox.h"
#include "base/result.h"
#include "store/conversationstore.h"

#include <QString>
#include <QThread>

#include <functional>
#include <memory>

namespace fermata {

// A thread with a connection to the database, for everything that the window asks of it. Jobs run one after the other;
// what they return is handed to the GUI thread. The destructor lets the jobs that wait finish.
class StoreThread final
{
public:
    // The store, or why it cannot be opened.
    using Job = std::function<void(const Result<ConversationStore *> &)>;

    explicit StoreThread(const QString &databasePath);
    ~StoreThread();

    void post(Job job);

    // `work` on the store's thread, `done` with its result on the GUI thread, unless this is gone by then.
    template <typename T>
    void ask(std::function<Result<T>(ConversationStore &)> work,
             std::function<void(Result<T>)> done)
    {
        post([this, work = std::move(work),
              done = std::move(done)](const Result<ConversationStore *> &store) {
            auto result = std::make_shared<Result<T>>(store.ok() ? work(**store)
                                                                 : Result<T>(store.error()));
            m_results.post([done, result] { done(std::move(*result)); });
        });
    }

private:
    void run();

    const QString m_databasePath;
    Channel<Job> m_jobs;
    Mailbox<std::function<void()>> m_results;
    std::unique_ptr<QThread> m_thread;
};

} // namespace fermata
