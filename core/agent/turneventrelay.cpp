// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turneventrelay.h"

#include "base/logging.h"
#include "base/threadannotations.h"

#include <QCoreApplication>
#include <QEvent>

#include <mutex>

namespace fermata {

namespace {

constexpr std::chrono::milliseconds FrameTime{16};

bool flows(const TurnEvent &event)
{
    return std::holds_alternative<TextAppended>(event)
        || std::holds_alternative<ThinkingAppended>(event)
        || std::holds_alternative<ToolOutputAppended>(event)
        || std::holds_alternative<UsageChanged>(event);
}

} // namespace

struct TurnEventRelay::Sender::Shared
{
    std::mutex mutex;
    std::vector<TurnEvent> events;
    TurnEventRelay *receiver = nullptr; // null when it is gone
    bool rung = false; // an event is on its way to the receiver
    bool finished = false;
    int lateEvents = 0;
    bool inFrame = false; // delivered a moment ago: what flows waits for the timer
};

void TurnEventRelay::Sender::send(const TurnEvent &event)
{
    const std::lock_guard lock(m_shared->mutex);
    if (m_shared->finished) {
        ++m_shared->lateEvents;
        qCInfo(lcTurn, "an event of a turn that has ended was dropped");
        return;
    }
    m_shared->finished = std::holds_alternative<TurnFinished>(event);
    if (!m_shared->receiver)
        return;
    appendCoalesced(m_shared->events, event);
    if (m_shared->rung || (m_shared->inFrame && flows(event)))
        return;
    m_shared->rung = true;
    auto *bell = new QEvent(QEvent::User);
    releaseTo(m_shared.get());
    // Under the lock, which keeps the receiver alive.
    QCoreApplication::postEvent(m_shared->receiver, bell);
}

int TurnEventRelay::Sender::lateEvents() const
{
    const std::lock_guard lock(m_shared->mutex);
    return m_shared->lateEvents;
}

TurnEventRelay::TurnEventRelay(TurnId turn, Handler handler)
    : m_turn(std::move(turn)), m_handler(std::move(handler))
{
    m_sender.m_shared = std::make_shared<Sender::Shared>();
    m_sender.m_shared->receiver = this;
    m_frame.setSingleShot(true);
    m_frame.setInterval(FrameTime);
    connect(&m_frame, &QTimer::timeout, this, &TurnEventRelay::deliver);
}

TurnEventRelay::~TurnEventRelay()
{
    const std::lock_guard lock(m_sender.m_shared->mutex);
    m_sender.m_shared->receiver = nullptr;
    m_sender.m_shared->events.clear();
}

bool TurnEventRelay::event(QEvent *event)
{
    acquireFrom(m_sender.m_shared.get());
    if (event->type() != QEvent::User)
        return QObject::event(event);
    deliver();
    return true;
}

void TurnEventRelay::deliver()
{
    acquireFrom(m_sender.m_shared.get());
    TurnEventBatch batch{m_turn, {}};
    {
        const std::lock_guard lock(m_sender.m_shared->mutex);
        batch.events.swap(m_sender.m_shared->events);
        m_sender.m_shared->rung = false;
        m_sender.m_shared->inFrame = !batch.events.empty();
    }
    if (batch.events.empty())
        return;
    m_frame.start();
    m_handler(std::move(batch)); // may destroy this
}

} // namespace fermata
