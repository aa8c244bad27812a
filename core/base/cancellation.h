// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellationerror.h"
#include "base/result.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace fermata {

namespace internal {
struct CancellationState;
}

// Keeps a callback registered. Destroying or releasing it takes the callback back; if the callback
// is running in another thread just then, that waits for it, and in its own callback it does not
// wait. Never hold a lock that the callback takes while destroying it. Releasing twice is harmless.
class Registration final
{
public:
    Registration() noexcept;
    ~Registration();
    Registration(Registration &&) noexcept;
    Registration &operator=(Registration &&) noexcept;

    void release();

private:
    friend class CancellationToken;
    struct Callback;
    explicit Registration(std::unique_ptr<Callback> callback);

    std::unique_ptr<Callback> m_callback;
};

// The duty to listen: a view of a source that only observes. Copies share one state. Thread-safe.
// A default-made token is never cancelled, and registering on it does nothing.
class CancellationToken final
{
public:
    CancellationToken() = default;

    // One atomic load.
    bool isCancelled() const noexcept { return m_stop.stop_requested(); }
    bool canBeCancelled() const noexcept { return m_state != nullptr; }

    // Nothing, until isCancelled().
    std::optional<CancellationReason> reason() const;
    std::optional<CancellationCause> cause() const;

    // A CancellationError with the reason and the given phase if the token is cancelled.
    Result<void> check(TurnPhase phase) const;
    // The same, as a throw of CancellationError.
    void throwIfCancelled(TurnPhase phase) const;

    // Calls `callback` once on the thread that cancels, before its cancel() returns; at once, on
    // this thread, if the token is cancelled already. No lock is held. A callback only posts or
    // notifies: it must not wait, and what it throws is logged and dropped.
    [[nodiscard]] Registration onCancelled(std::function<void()> callback) const;

    // For waiting with the standard library. It carries no reason.
    std::stop_token stopToken() const noexcept { return m_stop; }

private:
    friend class CancellationSource;
    explicit CancellationToken(std::shared_ptr<internal::CancellationState> state);

    std::shared_ptr<internal::CancellationState> m_state;
    std::stop_token m_stop; // kept beside the state, so that a check is a single load
};

// The right to cancel. Copies share one state. Thread-safe. There is no way back: to run again,
// make a new source. A source that is destroyed without a cancel leaves its tokens as they are.
class CancellationSource final
{
public:
    CancellationSource();

    CancellationToken token() const;

    // Sets the reason and the flag together and runs the callbacks. Never waits for the work and
    // never throws; may be called anywhere, any number of times. True only for the call that won:
    // the first reason is kept. When any call has returned, the token is cancelled.
    bool cancel(CancellationReason reason) const;
    bool cancel(CancellationCause cause, const QString &text = {}) const;

    // A source that is cancelled with this one, with its reason; cancelling the child does not
    // reach this one.
    CancellationSource linkedChild() const;

    // Any-of: cancels this source, too, when `parent` is cancelled: with the parent's reason, or
    // with `as` as the cause. The link lasts as long as this source's state and keeps the parent's:
    // links must not go in a circle.
    void linkTo(const CancellationToken &parent,
                std::optional<CancellationCause> as = std::nullopt) const;
    // The same for a token of the standard library: the cause is External.
    void linkTo(const std::stop_token &external, const QString &text = {}) const;
    // Takes every link to a parent back: what becomes of it later no longer reaches this source,
    // and nothing of this one is registered there any more. Waits for a link that is being called.
    void releaseLinks() const;

private:
    std::shared_ptr<internal::CancellationState> m_state;
};

} // namespace fermata
