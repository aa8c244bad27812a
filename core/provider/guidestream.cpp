// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/guidestream.h"

#include <algorithm>
#include <utility>

namespace fermata {

GuideStream::GuideStream(GuideAnswer answer, const CancellationToken &token, const Clock &clock)
    : m_answer(std::move(answer)), m_token(token), m_clock(clock), m_wake(clock),
      m_nextAt(clock.now() + FirstWordAfter),
      m_registration(token.onCancelled([this] { m_wake.send(StreamState::Cancelled); }))
{
}

Result<NextEvent> GuideStream::next(const CancellationToken &token, Deadline deadline)
{
    for (;;) {
        if (token.isCancelled())
            return cancelled(token);
        if (m_token.isCancelled())
            return cancelled(m_token);
        if (m_step != Step::Words)
            return NextEvent(takeEvent());
        const bool isPaused = m_state == StreamState::Paused;
        if (!isPaused && m_clock.now() >= m_nextAt)
            return NextEvent(takeEvent());
        if (m_clock.hasPassed(deadline))
            return NextEvent(NoEventInTime{});
        const auto woken = m_wake.receive(token, isPaused ? deadline : earlier(deadline, m_nextAt));
        // What the pause took does not come at once afterwards.
        if (woken.value == StreamState::Active)
            m_nextAt = std::max(m_nextAt, m_clock.now());
    }
}

ModelEvent GuideStream::takeEvent()
{
    switch (m_step) {
    case Step::Connection:
        m_step = Step::Words;
        return ConnectionProgress{ConnectionStage::Waiting};
    case Step::Words: {
        const QString word = takeWord();
        if (!word.isEmpty()) {
            m_nextAt += WordInterval;
            ++m_words;
            return TextDelta{word};
        }
        m_step = Step::Calls;
        [[fallthrough]];
    }
    case Step::Calls:
        if (m_call < m_answer.calls.size())
            return m_answer.calls[m_call++];
        m_step = Step::Usage;
        [[fallthrough]];
    case Step::Usage:
        m_step = Step::End;
        return UsageReported{{.input = 0, .output = m_words, .estimated = false}};
    case Step::End:
        break;
    }
    StreamState expected = m_state;
    while (expected != StreamState::Cancelled
           && !m_state.compare_exchange_weak(expected, StreamState::Completed)) { }
    return AnswerEnded{};
}

// A word and the space after it.
QString GuideStream::takeWord()
{
    const QString &text = m_answer.text;
    qsizetype end = m_at;
    while (end < text.size() && !text.at(end).isSpace())
        ++end;
    while (end < text.size() && text.at(end).isSpace())
        ++end;
    const QString word = text.sliced(m_at, end - m_at);
    m_at = end;
    return word;
}

Result<NextEvent> GuideStream::cancelled(const CancellationToken &token)
{
    StreamState expected = m_state;
    while (expected != StreamState::Completed
           && !m_state.compare_exchange_weak(expected, StreamState::Cancelled)) { }
    return CancellationError(TurnPhase::Streaming, token.reason());
}

void GuideStream::pause()
{
    StreamState active = StreamState::Active;
    if (state() == StreamState::Active
        && m_state.compare_exchange_strong(active, StreamState::Paused))
        m_wake.send(StreamState::Paused);
}

void GuideStream::resume()
{
    StreamState paused = StreamState::Paused;
    if (m_state.compare_exchange_strong(paused, StreamState::Active))
        m_wake.send(StreamState::Active);
}

StreamState GuideStream::state() const
{
    const StreamState state = m_state;
    if (state != StreamState::Completed && m_token.isCancelled())
        return StreamState::Cancelled;
    return state;
}

} // namespace fermata
