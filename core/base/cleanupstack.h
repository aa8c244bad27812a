// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/result.h"

#include <QString>
#include <QStringList>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace fermata {

struct CleanupLimits
{
    std::chrono::milliseconds handler{1000}; // for each handler that brings no limit of its own
    std::chrono::milliseconds graceful{5000}; // for all; then the forced step begins
    std::chrono::milliseconds forced{
        10000}; // for all, counted from the start; then what is left is left behind
    bool cleanupOnCancel = true; // false: no handler runs
    const Clock *clock = &steadyClock(); // outlives the stack
};

// What became of the handlers. cleanupCompleted is true exactly if each of them ran to its end
// without a fault and within the limits.
struct CleanupReport
{
    bool cleanupCompleted = true;
    QStringList failed; // returned an error or threw
    QStringList detached; // did not end in time and were left behind
    QStringList notRun; // the time was over before their turn, or cleanupOnCancel is false
    std::optional<GracefulCancellationTimeoutError> gracefulTimeout;
};

// What has to be undone when a turn is cancelled. Handlers run one after the other, the last
// registered first, each on a thread of its own, so that none can hold the others: one that fails
// is noted, and one that hangs is left behind with its thread and all that it captured, is noted,
// and writes a line to the log if it ends after all.
class CleanupStack final
{
public:
    // `limit` is cancelled when the handler's time is over; whoever waits in a handler waits with
    // it.
    using Handler = std::function<Result<void>(const CancellationToken &limit)>;
    enum class HandlerId : quint64 {};

    explicit CleanupStack(CleanupLimits limits = {});
    ~CleanupStack(); // runs nothing
    CleanupStack(const CleanupStack &) = delete;
    CleanupStack &operator=(const CleanupStack &) = delete;

    // Thread-safe. Nothing is added once run() was called: the handler is dropped without being
    // called.
    HandlerId add(const QString &name, Handler handler,
                  std::optional<std::chrono::milliseconds> limit = std::nullopt);
    // Thread-safe. False, and harmless, if it was removed before or has been taken by run().
    bool remove(HandlerId id);
    // Thread-safe. True also once run() was called.
    bool isEmpty() const;

    // Blocks until all handlers ended or were given up. If `token` is not cancelled the turn has
    // completed, and no handler runs. `forcedStep` (kill, close) is called once, on a thread of its
    // own, if the graceful limit passes. Works once: a further call runs nothing and returns the
    // same report, after the end of the first. Not to be called by a handler.
    CleanupReport run(const CancellationToken &token, std::function<void()> forcedStep = {});

private:
    struct Entry
    {
        HandlerId id;
        QString name;
        Handler handler;
        std::chrono::milliseconds limit;
    };

    bool takeEntries(std::vector<Entry> &entries);
    CleanupReport runEntries(std::vector<Entry> entries, const CancellationToken &token,
                             std::function<void()> forcedStep) const;

    const CleanupLimits m_limits;
    mutable std::mutex m_mutex;
    std::condition_variable m_finished;
    std::vector<Entry> m_entries;
    quint64 m_lastId = 0;
    bool m_taken = false;
    std::optional<CleanupReport> m_report;
};

} // namespace fermata
