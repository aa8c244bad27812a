// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/iothread.h"

#include "io/connectionpool_p.h"
#include "io/iothread_p.h"

#include "base/logging.h"

#include <exception>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

// The top function of the thread: nothing thrown leaves it, and one bad task does not take the others along.
void runAll(std::vector<IoThread::Private::Task> tasks)
{
    for (const auto &task : tasks) {
        try {
            task();
        } catch (const std::exception &exception) {
            qCCritical(lcApp, "A task of the I/O thread threw: %s", exception.what());
        } catch (...) {
            qCCritical(lcApp, "A task of the I/O thread threw.");
        }
    }
}

} // namespace

IoThread::Private::Private() : m_mailbox(std::make_unique<Mailbox<Task>>(runAll))
{
    m_thread.setObjectName(u"fermata-io"_s);
    m_mailbox->moveToThread(&m_thread);
    m_thread.start();
    post([this] {
        m_context = std::make_unique<QObject>();
        m_connections = std::make_unique<ConnectionPool>();
    });
}

IoThread::Private::~Private()
{
    Q_ASSERT(!m_thread.isRunning());
}

bool IoThread::Private::post(Task task)
{
    const std::lock_guard lock(m_mutex);
    if (!m_mailbox)
        return false;
    m_mailbox->post(std::move(task));
    return true;
}

void IoThread::Private::shutDown()
{
    std::unique_ptr<Mailbox<Task>> mailbox;
    {
        // No post can come after the last task, so none is lost in the mailbox.
        const std::lock_guard lock(m_mutex);
        mailbox = std::move(m_mailbox);
    }
    mailbox->post([this] {
        m_context.reset();
        m_connections.reset();
        m_thread.quit();
        releaseTo(this);
    });
    m_thread.wait();
    acquireFrom(this);
}

IoThread::IoThread() : m_private(std::make_shared<Private>()) { }

IoThread::~IoThread()
{
    m_private->shutDown();
    qCDebug(lcApp, "the I/O thread has ended");
}

} // namespace fermata
