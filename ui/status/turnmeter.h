// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/text/statustext.h"

#include <deque>

namespace fermata {

class ConversationSession;

// Measures a running turn for the status line: how fast tokens come, and how long nothing has.
class TurnMeter final
{
public:
    void start(Instant now);
    // Something of the turn arrived.
    void noteEvent(Instant now) { m_lastEvent = now; }
    // Takes the count of tokens so far, some times a second.
    void sample(qint64 tokens, Instant now);

    double tokensPerSecond() const;
    std::chrono::milliseconds silence(Instant now) const;

private:
    struct Sample
    {
        Instant at;
        qint64 tokens;
    };

    std::deque<Sample> m_samples; // of the last seconds
    Instant m_lastEvent{};
};

// What the session's turn is at now.
TurnProgress progressOf(const ConversationSession &session, const TurnMeter &meter, Instant now);

} // namespace fermata
