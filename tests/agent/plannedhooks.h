// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turnhooks.h"
#include "agent/turntrace.h"
#include "plannedtools.h"

#include <QMap>

namespace fermata {

// What the planned observer and the planned policy of one turn have seen. Thread-safe.
class HookLog final
{
public:
    HookLog(turnplan::PlannedTurn plan, std::shared_ptr<ToolWorld> world);

    // An observer, and a policy that does what is planned.
    TurnHooks hooks(const std::shared_ptr<HookLog> &self) const;

    // A hook that has returned has seen the flag, so that whatever it was asked about must not be.
    bool sawFlag() const { return m_sawFlag; }

    // When the turn has ended.
    void check(const TurnOutcome &outcome, const TurnTrace &trace) const;

private:
    friend class PlannedPolicy;
    friend class PlannedObserver;
    using Point = turnplan::PlannedHook::Point;

    // What is planned for this time at this point; it is done by who asks.
    std::optional<turnplan::PlannedHook::Act> enter(Point point);
    void leave(Point point);
    void see(const QString &what);

    const turnplan::PlannedTurn m_plan;
    const std::shared_ptr<ToolWorld> m_world;
    std::atomic<bool> m_sawFlag = false;
    mutable std::mutex m_mutex;
    QMap<Point, int> m_entered;
    QMap<Point, int> m_returned;
    QMap<QString, int> m_seen; // by the observer
    QStringList m_order;
};

} // namespace fermata
