// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turncontext.h"

namespace fermata {

void TurnContext::setStage(TurnStage newStage, int index, int count)
{
    if (stage && stage->stage == newStage && stage->index == index && stage->count == count)
        return;
    stage = StageChanged{newStage, index, count};
    recorder.tell(*stage);
}

void TurnContext::note(TraceKind kind, const QJsonObject &details)
{
    if (request.trace)
        request.trace->add(kind, clock.now(), iteration, details);
}

void TurnContext::fireExpiredLimit()
{
    const auto expired = control->limits.expired();
    if (!expired || control->ended)
        return;
    control->noteStop();
    if (control->source.cancel(causeOf(expired->limit)))
        firedLimit = expired;
}

Result<void> TurnContext::waitUntil(Instant time)
{
    Channel<int> nothing(clock);
    for (;;) {
        const auto wait = nothing.receive(
            token(), earlier(time, earlier(control->limits.nearest(), recorder.nextCheckpoint())));
        if (wait.end == ChannelWait::Cancelled)
            return token().check(TurnPhase::Execution);
        recorder.checkpointIfDue();
        fireExpiredLimit();
        if (clock.hasPassed(time))
            return token().check(TurnPhase::Execution);
    }
}

} // namespace fermata
