// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/channel.h"
#include "base/mailbox.h"
#include "base/result.h"
#include "store/storeondemand.h"

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
    explicit StoreThread(const QString &databasePath);
    ~StoreThread();

    // `work` on the store's thread, `done` with its result on the GUI thread, unless this is gone by then. The error is
    // why there is no store, if it cannot be opened.
    template <typename T>
    void ask(std::function<Result<T>(ConversationStore &)> work,
             std::function<void(Result<T>)> done)
    {
        send<T>(
            [this, work = std::move(work)] {
                const Result<ConversationStore *> opened = m_store.get();
                return opened.ok() ? work(**opened) : Result<T>(opened.error());
            },
            std::move(done));
    }

    // The same with the file itself, to which there is no connection meanwhile.
    template <typename T>
    void askClosed(std::function<Result<T>(const QString &databasePath)> work,
                   std::function<void(Result<T>)> done)
    {
        send<T>(
            [this, work = std::move(work)] {
                m_store.close();
                return work(m_store.databasePath());
            },
            std::move(done));
    }

private:
    template <typename T>
    void send(std::function<Result<T>()> work, std::function<void(Result<T>)> done)
    {
        m_jobs.send([this, work = std::move(work), done = std::move(done)] {
            auto result = std::make_shared<Result<T>>(work());
            m_results.post([done, result] { done(std::move(*result)); });
        });
    }
    void run();

    StoreOnDemand m_store; // of the thread
    Channel<std::function<void()>> m_jobs;
    Mailbox<std::function<void()>> m_results;
    std::unique_ptr<QThread> m_thread;
};

} // namespace fermata
