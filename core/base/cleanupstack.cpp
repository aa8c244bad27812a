// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cleanupstack.h"

#include "base/channel.h"
#include "base/logging.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

Result<void> guardedCall(const CleanupStack::Handler &handler, const CancellationToken &limit)
{
    try {
        return handler(limit);
    } catch (const CancellationError &error) {
        return error;
    } catch (const std::exception &error) {
        return Error(ErrorCode::Internal, u"A clean-up handler threw"_s,
                     QString::fromUtf8(error.what()));
    } catch (...) {
        return Error(ErrorCode::Internal, u"A clean-up handler threw"_s);
    }
}

// One handler on its thread, which is joined if the handler ends in time and else left behind by
// leave().
class HandlerThread final
{
public:
    HandlerThread(const QString &name, CleanupStack::Handler handler, const Clock &clock)
        : m_end(std::make_shared<Channel<Result<void>>>(clock))
    {
        try {
            m_thread = std::thread(
                [name, handler = std::move(handler), limit = m_limit.token(), end = m_end]() mutable {
                    Result<void> result = guardedCall(handler, limit);
                    handler = {}; // what it captured is gone before its end is told
                    if (!end->send(std::move(result)))
                        qCInfo(lcCancellation, "the clean-up handler \"%s\" ended late",
                               qUtf8Printable(name));
                });
        } catch (const std::system_error &error) {
            m_end->send(Error(ErrorCode::Internal, u"A clean-up handler got no thread"_s,
                              QString::fromUtf8(error.what())));
        }
    }
    ~HandlerThread()
    {
        if (m_thread.joinable())
            m_thread.join();
    }
    HandlerThread(const HandlerThread &) = delete;
    HandlerThread &operator=(const HandlerThread &) = delete;

    // Nothing if it has not ended by then.
    std::optional<Result<void>> waitUntil(Deadline deadline)
    {
        return m_end->receive({}, deadline).value;
    }

    // Its result, if it ended in this very moment. Else its thread now keeps itself.
    std::optional<Result<void>> leave()
    {
        m_end->close();
        if (auto result = m_end->tryReceive())
            return result;
        m_limit.cancel(CancellationCause::TurnLimit, u"the limit of the clean-up has passed"_s);
        m_thread.detach();
        return std::nullopt;
    }

private:
    CancellationSource m_limit;
    std::shared_ptr<Channel<Result<void>>> m_end;
    std::thread m_thread;
};

void note(CleanupReport &report, const QString &name, const std::optional<Result<void>> &result)
{
    if (!result) {
        report.detached << name;
        qCWarning(lcCancellation, "the clean-up handler \"%s\" did not end in time and is left behind",
                  qUtf8Printable(name));
    } else if (!result->ok()) {
        report.failed << name;
        qCWarning(lcCancellation, "the clean-up handler \"%s\" failed: %s", qUtf8Printable(name),
                  qUtf8Printable(result->error().message));
    }
}

} // namespace

CleanupStack::CleanupStack(CleanupLimits limits)
    : m_limits(limits)
{
}

CleanupStack::~CleanupStack() = default;

CleanupStack::HandlerId CleanupStack::add(const QString &name, Handler handler,
                                          std::optional<std::chrono::milliseconds> limit)
{
    const std::lock_guard lock(m_mutex);
    const auto id = HandlerId(++m_lastId);
    if (!m_taken)
        m_entries.push_back({id, name, std::move(handler), limit.value_or(m_limits.handler)});
    return id;
}

bool CleanupStack::remove(HandlerId id)
{
    Handler removed; // destroyed without the lock: what it captured is foreign
    const std::lock_guard lock(m_mutex);
    const auto entry = std::find_if(m_entries.begin(), m_entries.end(),
                                    [id](const Entry &candidate) { return candidate.id == id; });
    if (entry == m_entries.end())
        return false;
    removed = std::move(entry->handler);
    m_entries.erase(entry);
    return true;
}

bool CleanupStack::isEmpty() const
{
    const std::lock_guard lock(m_mutex);
    return m_entries.empty();
}

bool CleanupStack::takeEntries(std::vector<Entry> &entries)
{
    const std::lock_guard lock(m_mutex);
    if (std::exchange(m_taken, true))
        return false;
    entries.swap(m_entries);
    return true;
}

CleanupReport CleanupStack::run(const CancellationToken &token, std::function<void()> forcedStep)
{
    std::vector<Entry> entries;
    if (!takeEntries(entries)) {
        std::unique_lock lock(m_mutex);
        m_finished.wait(lock, [this] { return m_report.has_value(); });
        return *m_report;
    }
    CleanupReport report;
    if (token.isCancelled() && m_limits.cleanupOnCancel) {
        report = runEntries(std::move(entries), token, std::move(forcedStep));
    } else if (token.isCancelled()) {
        for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
            report.notRun << entry->name;
        report.cleanupCompleted = entries.empty();
    }
    const std::lock_guard lock(m_mutex);
    m_report = report;
    m_finished.notify_all();
    return report;
}

CleanupReport CleanupStack::runEntries(std::vector<Entry> entries, const CancellationToken &token,
                                       std::function<void()> forcedStep) const
{
    const Clock &clock = *m_limits.clock;
    const Instant start = clock.now();
    const Instant graceful = start + m_limits.graceful;
    const Instant forced = std::max(graceful, start + m_limits.forced);

    CleanupReport report;
    std::unique_ptr<HandlerThread> forcedThread;
    const auto forceIfDue = [&] {
        if (report.gracefulTimeout || !clock.hasPassed(graceful))
            return;
        report.gracefulTimeout.emplace(m_limits.graceful, true, token.reason());
        if (!forcedStep)
            return;
        auto step = [callback = std::move(forcedStep)](const CancellationToken &) -> Result<void> {
            callback();
            return {};
        };
        forcedThread = std::make_unique<HandlerThread>(u"forced step"_s, std::move(step), clock);
    };

    while (!entries.empty()) {
        forceIfDue();
        Entry entry = std::move(entries.back());
        entries.pop_back();
        if (clock.hasPassed(forced)) {
            report.notRun << entry.name;
            continue;
        }
        const Instant end = std::min(clock.now() + entry.limit, forced);
        HandlerThread thread(entry.name, std::move(entry.handler), clock);
        std::optional<Result<void>> result;
        if (!report.gracefulTimeout)
            result = thread.waitUntil(std::min(end, graceful));
        if (!result) {
            forceIfDue();
            result = thread.waitUntil(end);
        }
        if (!result)
            result = thread.leave();
        note(report, entry.name, result);
    }
    forceIfDue();
    if (forcedThread) {
        auto result = forcedThread->waitUntil(forced);
        if (!result)
            result = forcedThread->leave();
        note(report, u"forced step"_s, result);
    }
    report.cleanupCompleted = report.failed.isEmpty() && report.detached.isEmpty()
        && report.notRun.isEmpty() && !report.gracefulTimeout;
    return report;
}

} // namespace fermata
