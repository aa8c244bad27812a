// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/turnevent.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>

namespace fermata {

// Carries the events of one turn from the agent's thread to the window's. What flows (text, output, usage) comes at most
// once a frame, merged on the sending side, so that a fast model costs neither events nor memory; what a user waits for
// (a stage, a question, the end) comes at once. In order, and none after the relay is destroyed.
class TurnEventRelay final : public QObject
{
public:
    using Handler = std::function<void(TurnEventBatch)>;

    // The sending end: thread-safe, never blocks, outlives the relay.
    class Sender final
    {
    public:
        void send(const TurnEvent &event);
        // Events that came after TurnFinished. They are dropped.
        int lateEvents() const;

    private:
        friend class TurnEventRelay;
        struct Shared;
        std::shared_ptr<Shared> m_shared;
    };

    TurnEventRelay(TurnId turn, Handler handler);
    ~TurnEventRelay() override;

    Sender sender() const { return m_sender; }

protected:
    bool event(QEvent *event) override;

private:
    void deliver();

    const TurnId m_turn;
    const Handler m_handler;
    Sender m_sender;
    QTimer m_frame;
};

} // namespace fermata
