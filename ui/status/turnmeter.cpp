// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/status/turnmeter.h"

#include "session/conversationsession.h"

#include <algorithm>

namespace fermata {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

namespace {
constexpr std::chrono::seconds Window{3};
constexpr std::chrono::milliseconds LeastSpan{500};
} // namespace

void TurnMeter::start(Instant now)
{
    m_samples.clear();
    m_lastEvent = now;
}

void TurnMeter::sample(qint64 tokens, Instant now)
{
    m_samples.push_back({now, tokens});
    while (m_samples.size() > 2 && now - m_samples.front().at > Window)
        m_samples.pop_front();
}

double TurnMeter::tokensPerSecond() const
{
    if (m_samples.size() < 2)
        return 0;
    const Sample &first = m_samples.front();
    const Sample &last = m_samples.back();
    const auto span = last.at - first.at;
    if (span < LeastSpan || last.tokens <= first.tokens)
        return 0;
    return double(last.tokens - first.tokens) / std::chrono::duration<double>(span).count();
}

milliseconds TurnMeter::silence(Instant now) const
{
    return duration_cast<milliseconds>(std::max(now - m_lastEvent, Duration::zero()));
}

TurnProgress progressOf(const ConversationSession &session, const TurnMeter &meter, Instant now)
{
    TurnProgress progress;
    progress.stage = session.stageDetail();
    if (session.isPaused())
        progress.stage.stage = TurnStage::Paused;
    progress.isStopping = session.isStopping();
    progress.elapsed = session.elapsed();
    progress.tokens = session.usage().output;
    progress.tokensPerSecond = meter.tokensPerSecond();
    progress.silence = meter.silence(now);
    progress.retry = session.retry();
    progress.limits = session.limits();
    progress.now = now;
    return progress;
}

} // namespace fermata
