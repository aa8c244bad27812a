// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/deferredprovider.h"

namespace fermata {

namespace {

using Pending = DeferredProvider::Pending;

class DeferredStream final : public ModelStream
{
public:
    DeferredStream(std::shared_ptr<Pending> pending, ModelRequest request,
                   const CancellationToken &token)
        : m_pending(std::move(pending)), m_request(std::move(request)), m_token(token)
    {
    }

    Result<NextEvent> next(const CancellationToken &token, Deadline deadline) override
    {
        if (!m_stream) {
            if (const auto waited = waitForProvider(token, deadline); !waited.ok())
                return waited.error();
            if (!m_stream)
                return NextEvent(NoEventInTime{});
        }
        return m_stream->next(token, deadline);
    }

    RetryAdvice retryAdvice() const override
    {
        return m_stream ? m_stream->retryAdvice() : RetryAdvice{};
    }

    void pause() override
    {
        const std::lock_guard lock(m_mutex);
        m_pauseWanted = true;
        if (m_stream)
            m_stream->pause();
    }

    void resume() override
    {
        const std::lock_guard lock(m_mutex);
        m_pauseWanted = false;
        if (m_stream)
            m_stream->resume();
    }

    StreamState state() const override
    {
        const std::lock_guard lock(m_mutex);
        return m_stream ? m_stream->state() : StreamState::Active;
    }

    std::optional<Instant> closedAt() const override
    {
        const std::lock_guard lock(m_mutex);
        return m_stream ? m_stream->closedAt() : std::nullopt;
    }

private:
    Result<void> waitForProvider(const CancellationToken &token, Deadline deadline)
    {
        const auto arrived = m_pending->arrival.receive(token, deadline);
        if (arrived.end == ChannelWait::Cancelled)
            return token.check(TurnPhase::Initialization);
        if (arrived.end == ChannelWait::TimedOut)
            return {};
        std::optional<DeferredProvider::Found> found;
        {
            const std::lock_guard lock(m_pending->mutex);
            found = m_pending->found;
        }
        if (!found->ok())
            return found->error();
        auto stream = (**found)->start(m_request, m_token);
        const std::lock_guard lock(m_mutex);
        m_stream = std::move(stream);
        if (m_pauseWanted)
            m_stream->pause();
        return {};
    }

    const std::shared_ptr<Pending> m_pending;
    const ModelRequest m_request;
    const CancellationToken m_token;
    mutable std::mutex m_mutex; // of m_stream against pause, resume and state from other threads
    std::unique_ptr<ModelStream> m_stream;
    bool m_pauseWanted = false;
};

} // namespace

DeferredProvider::DeferredProvider(QString kind, bool isLocal)
    : m_kind(std::move(kind)), m_isLocal(isLocal)
{
}

void DeferredProvider::resolve(Found found)
{
    {
        const std::lock_guard lock(m_pending->mutex);
        if (m_pending->found)
            return;
        m_pending->found = std::move(found);
    }
    m_pending->arrival.close();
}

std::unique_ptr<ModelStream> DeferredProvider::start(const ModelRequest &request,
                                                     const CancellationToken &token)
{
    return std::make_unique<DeferredStream>(m_pending, request, token);
}

bool DeferredProvider::canContinueAnswer(const QString &model) const
{
    const std::lock_guard lock(m_pending->mutex);
    return m_pending->found && m_pending->found->ok()
        && (**m_pending->found)->canContinueAnswer(model);
}

} // namespace fermata
