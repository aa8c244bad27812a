// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/channel.h"
#include "provider/guideanswer.h"

#include <atomic>

namespace fermata {

// An answer of the Guide as it comes: word by word, at the pace of reading.
class GuideStream final : public ModelStream
{
public:
    static constexpr auto WordInterval = std::chrono::milliseconds(25);
    static constexpr auto FirstWordAfter = std::chrono::milliseconds(200);

    GuideStream(GuideAnswer answer, const CancellationToken &token, const Clock &clock);

    Result<NextEvent> next(const CancellationToken &token, Deadline deadline) override;
    void pause() override;
    void resume() override;
    StreamState state() const override;

private:
    enum class Step { Connection, Words, Calls, Usage, End };

    ModelEvent takeEvent();
    QString takeWord();
    Result<NextEvent> cancelled(const CancellationToken &token);

    const GuideAnswer m_answer;
    const CancellationToken m_token;
    const Clock &m_clock;
    Channel<StreamState> m_wake; // woken by pause, resume and the token
    Step m_step = Step::Connection;
    qsizetype m_at = 0;
    qsizetype m_words = 0;
    size_t m_call = 0;
    Instant m_nextAt;
    std::atomic<StreamState> m_state = StreamState::Active;
    const Registration m_registration; // last: it uses the channel
};

} // namespace fermata
