// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cleanupstack.h"

#include "base/boundedcall.h"
#include "base/logging.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

// Each on its thread, which is joined if the handler ends in time and else left behind.
using HandlerCall = BoundedCall<void>;

void note(CleanupReport &report, const QString &name, const std::optional<Result<void>> &result)
{
    if (!result) {
        report.detached << name;
        qCWarning(lcCancellation,
                  "the clean-up handler \"%s\" did not end in time and is left behind",
                  qUtf8Printable(name));
    } else if (!result->ok()) {
        report.failed << name;
        qCWarning(lcCancellation, "the clean-up handler \"%s\" failed: %s", qUtf8Printable(name),
                  qUtf8Printable(result->error().message));
    }
}

} // namespace

CleanupStack::CleanupStack(CleanupLimits limits) : m_limits(limits) { }

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
    std::unique_ptr<HandlerCall> forcedCall;
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
        forcedCall = std::make_unique<HandlerCall>(u"clean-up handler \"forced step\""_s,
                                                   std::move(step), clock);
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
        HandlerCall call(u"clean-up handler \"%1\""_s.arg(entry.name), std::move(entry.handler),
                         clock);
        std::optional<Result<void>> result;
        if (!report.gracefulTimeout)
            result = call.waitUntil(std::min(end, graceful));
        if (!result) {
            forceIfDue();
            result = call.waitUntil(end);
        }
        if (!result)
            result = call.leave();
        note(report, entry.name, result);
    }
    forceIfDue();
    if (forcedCall) {
        auto result = forcedCall->waitUntil(forced);
        if (!result)
            result = forcedCall->leave();
        note(report, u"forced step"_s, result);
    }
    report.cleanupCompleted = report.failed.isEmpty() && report.detached.isEmpty()
        && report.notRun.isEmpty() && !report.gracefulTimeout;
    return report;
}

} // namespace fermata
