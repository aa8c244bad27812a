// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cancellation.h"

#include "base/logging.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace fermata {

namespace {

using StopCallback = std::stop_callback<std::function<void()>>;

// std::stop_callback ends the program if its callback throws. Ours may not throw either, but a
// broken one must not keep the others from running. A callback may also release its own
// registration, which destroys what is called here: what it captured is held until it has returned.
std::function<void()> guarded(std::function<void()> callback)
{
    return [shared = std::make_shared<const std::function<void()>>(std::move(callback))] {
        const auto running = shared;
        try {
            (*running)();
        } catch (const std::exception &error) {
            qCCritical(lcCancellation, "a cancellation callback threw: %s", error.what());
        } catch (...) {
            qCCritical(lcCancellation, "a cancellation callback threw");
        }
    };
}

} // namespace

namespace internal {

struct CancellationState
{
    std::atomic<bool> claimed = false;
    CancellationReason
        reason; // written by the winner before the stop is requested, read only after it
    std::stop_source stop;

    std::mutex linksMutex;
    std::vector<Registration> links;
    std::vector<std::unique_ptr<StopCallback>> externalLinks;

    bool cancel(CancellationReason newReason)
    {
        // Before the claim: what comes between the claim and the flag must be short and cannot
        // fail.
        newReason.text = sanitizedReasonText(newReason.text);
        newReason.source = sanitizedReasonText(newReason.source);
        newReason.time =
            newReason.time.isValid() ? newReason.time.toUTC() : QDateTime::currentDateTimeUtc();
        if (claimed.exchange(true)) {
            // The winner is a few instructions from its flag; who lost must see it, too, when the
            // call returns.
            while (!stop.stop_requested())
                std::this_thread::yield();
            return false;
        }
        reason = std::move(newReason);
        stop.request_stop();
        return true;
    }
};

} // namespace internal

struct Registration::Callback
{
    Callback(std::shared_ptr<internal::CancellationState> owner, std::stop_token token,
             std::function<void()> function)
        : state(std::move(owner)), stop(std::move(token), guarded(std::move(function)))
    {
    }

    std::shared_ptr<internal::CancellationState> state; // the reason outlives the callback
    StopCallback stop;
};

Registration::Registration(std::unique_ptr<Callback> callback) : m_callback(std::move(callback)) { }

Registration::Registration() noexcept = default;
Registration::~Registration() = default;
Registration::Registration(Registration &&) noexcept = default;
Registration &Registration::operator=(Registration &&) noexcept = default;

void Registration::release()
{
    m_callback.reset();
}

CancellationToken::CancellationToken(std::shared_ptr<internal::CancellationState> state)
    : m_state(std::move(state)), m_stop(m_state->stop.get_token())
{
}

std::optional<CancellationReason> CancellationToken::reason() const
{
    if (!isCancelled())
        return std::nullopt;
    return m_state->reason;
}

std::optional<CancellationCause> CancellationToken::cause() const
{
    if (!isCancelled())
        return std::nullopt;
    return m_state->reason.cause;
}

Result<void> CancellationToken::check(TurnPhase phase) const
{
    if (!isCancelled())
        return {};
    return CancellationError(phase, m_state->reason);
}

void CancellationToken::throwIfCancelled(TurnPhase phase) const
{
    if (isCancelled())
        throw CancellationError(phase, m_state->reason);
}

Registration CancellationToken::onCancelled(std::function<void()> callback) const
{
    if (!m_state)
        return {};
    return Registration(
        std::make_unique<Registration::Callback>(m_state, m_stop, std::move(callback)));
}

CancellationSource::CancellationSource() : m_state(std::make_shared<internal::CancellationState>())
{
}

CancellationToken CancellationSource::token() const
{
    return CancellationToken(m_state);
}

bool CancellationSource::cancel(CancellationReason reason) const
{
    const auto keepAlive = m_state; // a callback may destroy the last source
    return keepAlive->cancel(std::move(reason));
}

bool CancellationSource::cancel(CancellationCause cause, const QString &text) const
{
    return cancel(CancellationReason{cause, text, {}, {}});
}

CancellationSource CancellationSource::linkedChild() const
{
    CancellationSource child;
    child.linkTo(token());
    return child;
}

// The links hold this state weakly and the parent strongly: a child that is gone must not be kept
// by its parent, and the links, owned by the child's state, are taken back when it goes.
void CancellationSource::linkTo(const CancellationToken &parent,
                                std::optional<CancellationCause> as) const
{
    auto link = parent.onCancelled([weak = std::weak_ptr(m_state), parent, as] {
        if (const auto state = weak.lock()) {
            CancellationReason reason = parent.reason().value_or(CancellationReason{});
            if (as)
                reason.cause = *as;
            state->cancel(std::move(reason));
        }
    });
    const std::lock_guard lock(m_state->linksMutex);
    m_state->links.push_back(std::move(link));
}

void CancellationSource::linkTo(const std::stop_token &external, const QString &text) const
{
    auto link = std::make_unique<StopCallback>(
        external, guarded([weak = std::weak_ptr(m_state), text] {
            if (const auto state = weak.lock())
                state->cancel({CancellationCause::External, text, {}, {}});
        }));
    const std::lock_guard lock(m_state->linksMutex);
    m_state->externalLinks.push_back(std::move(link));
}

// Destroyed without the lock: a link that is being called takes none of ours, but may run anything.
void CancellationSource::releaseLinks() const
{
    std::vector<Registration> links;
    std::vector<std::unique_ptr<StopCallback>> externalLinks;
    {
        const std::lock_guard lock(m_state->linksMutex);
        links.swap(m_state->links);
        externalLinks.swap(m_state->externalLinks);
    }
}

} // namespace fermata
