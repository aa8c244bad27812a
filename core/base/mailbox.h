// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/threadannotations.h"

#include <QCoreApplication>
#include <QEvent>
#include <QObject>

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace fermata {

// The one way by which data reaches an object that lives in an event loop. Any thread posts; the
// handler is called on the thread the mailbox was made on, once for all that has come since, so
// that a flood costs one event per turn of that loop and not one per item. Destroy it on that
// thread or after that thread's end, never in its handler, and only when nobody can post any more;
// where ownership does not say so, share it with who posts, in a shared_ptr that deletes by
// deleteLater(). What has not been handled by then is dropped with it.
template <typename T>
class Mailbox final : public QObject
{
public:
    using Handler = std::function<void(std::vector<T>)>;

    explicit Mailbox(Handler handler) : m_handler(std::move(handler)) { }

    // Thread-safe.
    void post(T item)
    {
        {
            const std::lock_guard lock(m_mutex);
            m_items.push_back(std::move(item));
            if (std::exchange(m_rung, true))
                return;
        }
        auto *bell = new QEvent(QEvent::User);
        releaseTo(this);
        QCoreApplication::postEvent(this, bell);
    }

protected:
    bool event(QEvent *event) override
    {
        acquireFrom(this);
        if (event->type() != QEvent::User)
            return QObject::event(event);
        std::vector<T> items;
        {
            const std::lock_guard lock(m_mutex);
            items.swap(m_items);
            m_rung = false;
        }
        if (!items.empty())
            m_handler(std::move(items));
        return true;
    }

private:
    const Handler m_handler;
    std::mutex m_mutex;
    std::vector<T> m_items;
    bool m_rung = false;
};

} // namespace fermata
