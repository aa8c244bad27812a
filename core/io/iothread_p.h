// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mailbox.h"
#include "io/iothread.h"

#include <QObject>
#include <QThread>

#include <functional>
#include <memory>
#include <mutex>

namespace fermata {

class ConnectionPool;

// The event loop behind an IoThread. Handles share it, so that they can post for as long as they live; after the end of
// the IoThread a post is refused. Whatever lives on the thread is a child of context() and closes what it holds in its
// destructor: that is how the end of the thread closes everything.
class IoThread::Private final
{
public:
    using Task = std::function<void()>;

    Private();
    ~Private();
    Private(const Private &) = delete;
    Private &operator=(const Private &) = delete;

    // Runs `task` on the I/O thread, in the order of the posts. False, and the task is dropped, after shutDown().
    // Every task for which this was true is run. Thread-safe.
    bool post(Task task);

    // Deletes context() on the I/O thread and joins it. Called once, by ~IoThread.
    void shutDown();

    // Only on the I/O thread.
    QObject *context() const { return m_context.get(); }
    ConnectionPool &connections() { return *m_connections; }

private:
    QThread m_thread;
    std::unique_ptr<QObject> m_context;
    std::unique_ptr<ConnectionPool> m_connections;
    std::mutex m_mutex;
    std::unique_ptr<Mailbox<Task>> m_mailbox; // null once shut down
};

} // namespace fermata
