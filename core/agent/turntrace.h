// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "conversation/turnevent.h"

#include <QJsonObject>

#include <mutex>
#include <vector>

namespace fermata {

enum class TraceKind {
    TurnStarted,
    Stage,
    ModelCallStarted,
    ModelCallFinished,
    RetryScheduled,
    ToolStarted,
    ToolFinished,
    ApprovalAsked,
    ApprovalClosed,
    QuestionAsked,
    QuestionClosed,
    BudgetReached,
    Vetoed,
    HookFailed,
    Notice,
    SaveFailed,
    SaveRecovered,
    Cleanup,
    Cancelled,
    TurnFinished,
};

// The name in the export: "CANCELLED". It never changes once released.
QString toString(TraceKind kind);

struct TraceStep
{
    TraceKind kind = TraceKind::Stage;
    Duration at{0}; // monotonic, since the turn was started
    int iteration = 0;
    QJsonObject details; // flat; without secrets
};

// What one turn did, step by step, for who looks for the reason of something: when, how long, how often, how it ended;
// never what was said, neither texts nor arguments nor results. What looks like a credential is removed when a step is
// added. Made by who wants it and given to the TurnRequest; a turn with such a trace is otherwise as one without.
// Thread-safe: it may be read while the turn runs.
class TurnTrace final
{
public:
    // Steps beyond are counted; the last ones, which tell the end, are always kept.
    static constexpr size_t MostSteps = 10'000;

    void start(const TurnId &turn, Instant now);
    void add(TraceKind kind, Instant now, int iteration, const QJsonObject &details = {});
    // The step that an event comes to, if it comes to one.
    void note(const TurnEvent &event, Instant now, int iteration);

    std::vector<TraceStep> steps() const;
    // {"turn", "steps": [{"kind", "atMs", "iteration"[, "details"]}][, "droppedSteps"]}
    QJsonObject toJson() const;

private:
    mutable std::mutex m_mutex;
    TurnId m_turn;
    Instant m_start{};
    std::vector<TraceStep> m_steps;
    qint64 m_dropped = 0;
};

} // namespace fermata
