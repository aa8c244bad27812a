// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/userquestion.h"

namespace fermata {

Result<QuestionAnswered> askUser(TurnContext &context, const TurnQuestion &question)
{
    TurnControl::Private &control = *context.control;
    Deadline end;
    if (context.request.questionLimit)
        end = context.clock.now() + *context.request.questionLimit;
    control.limits.hold();
    context.setStage(TurnStage::WaitingForUser);
    control.questionOpen = true;
    context.recorder.tell(QuestionAsked{question});
    std::optional<QuestionAnswered> answer;
    while (!answer && !context.token().isCancelled()) {
        const auto item =
            control.inbox.receive(context.token(), earlier(end, context.recorder.nextCheckpoint()));
        context.recorder.checkpointIfDue();
        if (item.value) {
            if (const auto *answered = std::get_if<QuestionAnswered>(&*item.value))
                answer = *answered;
        } else if (item.end == ChannelWait::TimedOut && context.clock.hasPassed(end)) {
            answer = QuestionAnswered{false, {}};
        }
    }
    control.questionOpen = false;
    control.limits.release();
    context.recorder.tell(QuestionClosed{});
    if (!answer)
        return context.token().check(TurnPhase::Execution).error();
    return *answer;
}

} // namespace fermata
