// SPDX-License-Identifier: GPL-3.0-or-later
#include "plannedscript.h"

#include "plannedtools.h"

namespace fermata {

using namespace Qt::StringLiterals;
using turnplan::ModelStep;

Script scriptOf(const std::vector<ModelStep> &answer,
                const std::vector<turnplan::PlannedCall> &calls,
                const std::function<void(turnplan::Deed)> &perform)
{
    using Kind = ModelStep::Kind;
    Script script;
    for (const ModelStep &step : answer) {
        switch (step.kind) {
        case Kind::Connect:
            script = script + sent();
            break;
        case Kind::Text:
            script = script + text(u"text %1 "_s.arg(step.number));
            break;
        case Kind::EmptyText:
            script = script + text({});
            break;
        case Kind::Thinking:
            script.push_back(ModelEvent(ThinkingDelta{u"thought"_s}));
            break;
        case Kind::EndThinking:
            script.push_back(ModelEvent(ThinkingEnd{u"signed"_s}));
            break;
        case Kind::Call: {
            const turnplan::PlannedCall &call = calls.at(size_t(step.number));
            QString arguments =
                call.tool == turnplan::SameTool ? u"{}"_s : plannedArguments(step.number);
            if (!call.validArguments)
                arguments.chop(1);
            script = script + toolCall(call.tool, arguments, u"call_1"_s);
            break;
        }
        case Kind::UnknownBlock:
            script.push_back(ModelEvent(UnknownBlockReceived{{{u"type"_s, u"image"_s}}}));
            break;
        case Kind::Usage:
            script.push_back(ModelEvent(UsageReported{{10, 20, false}}));
            break;
        case Kind::KeepAlive:
            script.push_back(ModelEvent(KeepAlive{}));
            break;
        case Kind::Pass:
            script.push_back(Pass{std::chrono::milliseconds(step.number)});
            break;
        case Kind::Hang:
            script.push_back(Hang{});
            break;
        case Kind::FailForNow: {
            RetryAdvice advice;
            advice.retryable = true;
            if (step.number > 0)
                advice.retryAfter = std::chrono::milliseconds(step.number);
            script.push_back(Fail{Error(ErrorCode::ServerError, u"busy"_s), advice});
            break;
        }
        case Kind::FailForGood:
            script.push_back(Fail{Error(ErrorCode::BadRequest, u"cancelled subscription"_s), {}});
            break;
        case Kind::Deed:
            script.push_back(
                Call{[perform, deed = turnplan::Deed(step.number)] { perform(deed); }});
            break;
        case Kind::End:
            script = script + done();
            break;
        case Kind::EndCut:
            script = script + done(StopReason::MaxTokens);
            break;
        case Kind::EndRefused:
            script = script + done(StopReason::Refusal);
            break;
        }
    }
    return script;
}

} // namespace fermata
