// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include <mutex>

namespace fermata {

// What happened, from any thread, in order.
class EventLog final
{
public:
    void add(const QString &event)
    {
        const std::lock_guard lock(m_mutex);
        m_events << event;
    }
    QStringList events() const
    {
        const std::lock_guard lock(m_mutex);
        return m_events;
    }

private:
    mutable std::mutex m_mutex;
    QStringList m_events;
};

} // namespace fermata
