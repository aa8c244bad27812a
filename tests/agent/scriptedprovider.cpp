// SPDX-License-Identifier: GPL-3.0-or-later
#include "scriptedprovider.h"

#include <algorithm>
#include <atomic>

namespace fermata {

namespace {

class ScriptedStream final : public ModelStream
{
public:
    ScriptedStream(Script script, const Clock &clock) : m_script(std::move(script)), m_clock(clock)
    {
    }

    Result<NextEvent> next(const CancellationToken &token, Deadline deadline) override
    {
        for (;;) {
            if (const auto checked = token.check(TurnPhase::Streaming); !checked.ok()) {
                m_state = StreamState::Cancelled;
                return checked.error();
            }
            if (m_next == m_script.size())
                return Error(ErrorCode::Truncated, QStringLiteral("the script has ended"));
            ScriptStep &step = m_script[m_next];
            if (auto *pass = std::get_if<Pass>(&step)) {
                if (!m_passUntil)
                    m_passUntil = m_clock.now() + pass->time;
                if (waitUntil(*m_passUntil, token, deadline))
                    continue; // passed, or cancelled
                return NextEvent(NoEventInTime{});
            }
            if (std::holds_alternative<Hang>(step)) {
                if (waitUntil(std::nullopt, token, deadline))
                    continue;
                return NextEvent(NoEventInTime{});
            }
            ++m_next;
            if (auto *call = std::get_if<Call>(&step)) {
                call->action();
                continue;
            }
            if (auto *fail = std::get_if<Fail>(&step)) {
                m_advice = fail->advice;
                return fail->error;
            }
            const ModelEvent &event = std::get<ModelEvent>(step);
            if (std::holds_alternative<AnswerEnded>(event))
                m_state = StreamState::Completed;
            return NextEvent(event);
        }
    }

    RetryAdvice retryAdvice() const override { return m_advice; }
    void pause() override { change(StreamState::Active, StreamState::Paused); }
    void resume() override { change(StreamState::Paused, StreamState::Active); }
    StreamState state() const override { return m_state; }

private:
    // False if the deadline came first. After `until` the step is over.
    bool waitUntil(Deadline until, const CancellationToken &token, Deadline deadline)
    {
        Channel<int> nothing(m_clock);
        const auto wait = nothing.receive(token, earlier(until, deadline));
        if (wait.end == ChannelWait::Cancelled)
            return true;
        if (!until || m_clock.now() < *until)
            return false;
        m_passUntil.reset();
        ++m_next;
        return true;
    }

    void change(StreamState from, StreamState to) { m_state.compare_exchange_strong(from, to); }

    Script m_script;
    const Clock &m_clock;
    size_t m_next = 0;
    Deadline m_passUntil;
    RetryAdvice m_advice;
    std::atomic<StreamState> m_state = StreamState::Active;
};

} // namespace

ScriptedProvider::ScriptedProvider(std::vector<Script> scripts, const Clock &clock)
    : m_scripts(std::move(scripts)), m_clock(clock)
{
}

std::unique_ptr<ModelStream> ScriptedProvider::start(const ModelRequest &request,
                                                     const CancellationToken &)
{
    const std::lock_guard lock(m_mutex);
    const size_t index = std::min(m_requests.size(), m_scripts.size() - 1);
    m_requests.push_back(request);
    return std::make_unique<ScriptedStream>(m_scripts.at(index), m_clock);
}

std::vector<ModelRequest> ScriptedProvider::requests() const
{
    const std::lock_guard lock(m_mutex);
    return m_requests;
}

Script sent()
{
    return {ModelEvent(ConnectionProgress{ConnectionStage::Resolving}),
            ModelEvent(ConnectionProgress{ConnectionStage::Connecting}),
            ModelEvent(ConnectionProgress{ConnectionStage::Waiting})};
}

Script text(const QString &text)
{
    return {ModelEvent(TextDelta{text})};
}

Script done(StopReason reason)
{
    return {ModelEvent(AnswerEnded{reason, {}, {}})};
}

Script toolCall(const QString &name, const QString &arguments, const QString &id)
{
    return {ModelEvent(ToolCallReceived{id, name, arguments, {}})};
}

Script operator+(Script a, const Script &b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Script answer(const QString &words)
{
    return sent() + text(words) + done();
}

} // namespace fermata
