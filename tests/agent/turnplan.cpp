// SPDX-License-Identifier: GPL-3.0-or-later
#include "turnplan.h"

#include "conversationgenerators/conversationgenerators.h"

#include <rapidcheck.h>

#include <algorithm>

namespace fermata::turnplan {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

namespace {

// Both included, and of the same likeliness also in RapidCheck's first, small cases.
int pick(int least, int most)
{
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}

bool isOneIn(int count)
{
    return pick(1, count) == count; // shrinks to false
}

template <typename Value>
Value oneOf(std::initializer_list<Value> values)
{
    return values.begin()[pick(0, int(values.size()) - 1)];
}

PlannedCall drawCall()
{
    using Wait = PlannedCall::Wait;
    using End = PlannedCall::End;
    PlannedCall call;
    call.tool = oneOf({ReadTool, ReadTool, WriteTool, WriteTool, AskingTool, SameTool, UnknownTool})
                    .toString();
    if (call.tool == SameTool)
        return call;
    call.validArguments = !isOneIn(20);
    call.describes = !isOneIn(20);
    call.stopsWhileDescribing = isOneIn(30);
    call.hangsWhileDescribing = isOneIn(40);
    call.outputs = isOneIn(8) ? pick(1, 3) : 0;
    call.asksToStopTurn = isOneIn(20);
    call.pressesStop = isOneIn(15);
    call.wait = oneOf({Wait::None, Wait::None, Wait::None, Wait::Listening, Wait::Listening,
                       Wait::Deaf, Wait::UntilReleased});
    call.time = milliseconds(oneOf({10, 500, 1500, 3000, 60'000, 300'000}));
    call.cannotBeTakenBack = call.wait != Wait::UntilReleased && isOneIn(10);
    call.end =
        oneOf({End::Result, End::Result, End::Result, End::Result, End::Result, End::ErrorResult,
               End::Fault, End::Throw, End::CancelledByItself, End::ThrownCancellation});
    return call;
}

std::vector<ModelStep> drawAnswer(std::vector<PlannedCall> &calls, bool mayCall)
{
    using Kind = ModelStep::Kind;
    std::vector<ModelStep> steps;
    const auto maybeDeed = [&] {
        if (isOneIn(40))
            steps.push_back({Kind::Deed, pick(0, int(Deed::AnswerNoApproval))});
    };
    const auto retryAfter = [] { return oneOf({0, 0, 5000, 90'000}); }; // of what fails for now
    maybeDeed();
    if (isOneIn(25))
        steps.push_back(
            {oneOf({Kind::FailForNow, Kind::FailForGood, Kind::Hang, Kind::End}), retryAfter()});
    steps.push_back({Kind::Connect, 0});
    if (isOneIn(15))
        steps.push_back({oneOf({Kind::FailForNow, Kind::FailForNow, Kind::FailForGood, Kind::Hang,
                                Kind::End, Kind::EndCut}),
                         retryAfter()});
    const int pieces = pick(0, 4);
    for (int i = 0; i < pieces; ++i) {
        const Kind kind =
            oneOf({Kind::Text, Kind::Text, Kind::Text, Kind::Thinking, Kind::EndThinking,
                   Kind::EmptyText, Kind::UnknownBlock, Kind::Usage, Kind::KeepAlive, Kind::Pass});
        steps.push_back(
            {kind, kind == Kind::Pass ? oneOf({10, 10, 300, 300, 60'000, 400'000}) : i});
        maybeDeed();
    }
    if (mayCall && !isOneIn(6)) {
        const int count = pick(1, 3);
        for (int i = 0; i < count; ++i) {
            steps.push_back({Kind::Call, int(calls.size())});
            calls.push_back(drawCall());
        }
    }
    maybeDeed();
    if (isOneIn(10))
        steps.push_back({oneOf({Kind::FailForNow, Kind::FailForGood, Kind::Hang, Kind::EndCut,
                                Kind::EndRefused, Kind::Usage}),
                         retryAfter()});
    if (!isOneIn(20)) // else it breaks off
        steps.push_back({Kind::End, 0});
    return steps;
}

PlannedDeed drawDeed()
{
    PlannedDeed planned;
    planned.atEvent = isOneIn(15) ? -1 : pick(0, 45);
    planned.deed = isOneIn(2) ? oneOf({Deed::Stop, Deed::StopTwice, Deed::StopAgainLater})
                              : Deed(pick(0, int(Deed::AnswerNoApproval)));
    planned.onAnotherThread = planned.atEvent >= 0 && isOneIn(3);
    return planned;
}

// Hooks run on threads that the clock knows nothing of, so that it could not tell when to pass: here nothing waits.
void calm(PlannedTurn &plan)
{
    using Kind = ModelStep::Kind;
    for (auto &answer : plan.answers) {
        std::erase_if(answer, [](const ModelStep &step) {
            return step.kind == Kind::Pass || step.kind == Kind::Hang
                || step.kind == Kind::FailForNow;
        });
    }
    for (PlannedCall &call : plan.calls) {
        call.wait = PlannedCall::Wait::None;
        call.hangsWhileDescribing = false;
    }
    for (PlannedApproval &approval : plan.approvals) {
        if (approval.kind == PlannedApproval::Kind::NoAnswer)
            approval.kind = PlannedApproval::Kind::Deny;
    }
    plan.toolLimit.reset();
    plan.turnLimit = std::chrono::hours(24);
}

void drawHooks(PlannedTurn &plan)
{
    plan.hasHooks = true;
    plan.observerThrows = isOneIn(5);
    const int hooks = pick(0, 2);
    for (int i = 0; i < hooks; ++i) {
        using Act = PlannedHook::Act;
        const auto point = PlannedHook::Point(pick(0, int(PlannedHook::Point::EndOfTurn)));
        const Act act =
            isOneIn(40) ? Act::Hang : oneOf({Act::Decide, Act::Decide, Act::Throw, Act::PressStop});
        plan.hooks.push_back({point, pick(1, 2), act});
    }
    calm(plan);
}

} // namespace

PlannedTurn draw()
{
    PlannedTurn plan;
    plan.conversation = arbitrary::conversation();
    plan.continues = !plan.conversation.turns.empty() && isOneIn(5);
    const int answers = pick(1, 3);
    for (int i = 0; i < answers; ++i)
        plan.answers.push_back(drawAnswer(plan.calls, true));
    plan.answers.push_back(drawAnswer(plan.calls, false));
    const int approvals = pick(1, 3);
    for (int i = 0; i < approvals; ++i) {
        using Kind = PlannedApproval::Kind;
        const Kind kind = oneOf({Kind::AllowOnce, Kind::AllowOnce, Kind::AllowInConversation,
                                 Kind::Deny, Kind::StopTurn, Kind::SkipCall, Kind::NoAnswer});
        plan.approvals.push_back({kind, isOneIn(5), isOneIn(3)});
        if (kind == Kind::NoAnswer)
            plan.approvalLimit = milliseconds(30'000);
    }
    plan.questions = {!isOneIn(3), !isOneIn(2)};
    const int deeds = pick(0, 2);
    for (int i = 0; i < deeds; ++i)
        plan.deeds.push_back(drawDeed());

    if (isOneIn(2))
        plan.toolLimit = milliseconds(oneOf({1000, 120'000}));
    plan.turnLimit = milliseconds(isOneIn(8) ? oneOf({1000, 100'000}) : 24 * 3600 * 1000);
    plan.grace = milliseconds(oneOf({0, 2000, 2000}));
    plan.immediate = isOneIn(6);
    plan.retries = pick(0, 3);
    plan.parallelTools = pick(1, 4);
    if (isOneIn(6))
        plan.modelCalls = pick(1, 2);
    if (isOneIn(12))
        plan.totalTokens = oneOf({1, 60});
    plan.hasPolicy = isOneIn(2);
    plan.deniesWriting = plan.hasPolicy && isOneIn(4);
    if (isOneIn(8)) {
        plan.failSavesFrom = pick(0, 12);
        plan.failSavesUntil = plan.failSavesFrom + pick(1, 12);
    }
    if (isOneIn(12))
        drawHooks(plan);
    return plan;
}

QString toString(Deed deed)
{
    static const char *const names[] = {"Stop",           "StopTwice",        "StopAgainLater",
                                        "Force",          "StopTool",         "StopToolTwice",
                                        "CancelExternal", "CancelParent",     "RequestStop",
                                        "ExtendTurn",     "ExtendTool",       "Pause",
                                        "Resume",         "AnswerNoQuestion", "AnswerNoApproval"};
    return QString::fromLatin1(names[size_t(deed)]);
}

bool PlannedTurn::hangsInHook() const
{
    return std::ranges::any_of(
        hooks, [](const PlannedHook &hook) { return hook.act == PlannedHook::Act::Hang; });
}

QString PlannedTurn::describe() const
{
    static const char *const steps[] = {
        "Connect",      "Text",  "EmptyText", "Thinking", "EndThinking", "Call",
        "UnknownBlock", "Usage", "KeepAlive", "Pass",     "Hang",        "FailForNow",
        "FailForGood",  "Deed",  "End",       "EndCut",   "EndRefused"};
    static const char *const waits[] = {"", "listens", "deaf", "for ever"};
    static const char *const ends[] = {"result", "error result", "fault",
                                       "throw",  "cancelled",    "thrown cancellation"};
    QString text =
        u"%1 turns before%2; limits: turn %3, tool %4; grace %5%6; retries %7, parallel %8, model calls %9\n"_s
            .arg(conversation.turns.size())
            .arg(continues ? u", continued"_s : QString())
            .arg(turnLimit.count())
            .arg(toolLimit.value_or(milliseconds(-1)).count())
            .arg(grace.count())
            .arg(immediate ? u" immediate"_s : QString())
            .arg(retries)
            .arg(parallelTools)
            .arg(modelCalls);
    if (failSavesFrom >= 0)
        text += u"saves fail from %1 to %2\n"_s.arg(failSavesFrom).arg(failSavesUntil);
    for (const auto &answer : answers) {
        text += u"answer:"_s;
        for (const ModelStep &step : answer)
            text +=
                u" %1(%2)"_s.arg(QString::fromLatin1(steps[size_t(step.kind)])).arg(step.number);
        text += u'\n';
    }
    for (size_t i = 0; i < calls.size(); ++i) {
        const PlannedCall &call = calls[i];
        text += u"call %1: %2 %3 %4 ms, then %5%6%7%8%9\n"_s.arg(i)
                    .arg(call.tool, QString::fromLatin1(waits[size_t(call.wait)]))
                    .arg(call.time.count())
                    .arg(QString::fromLatin1(ends[size_t(call.end)]),
                         call.asksToStopTurn ? u", asks to stop"_s : QString(),
                         call.pressesStop ? u", presses stop"_s : QString(),
                         call.cannotBeTakenBack ? u", no return"_s : QString(),
                         call.stopsWhileDescribing ? u", stops while describing"_s : QString());
        text += call.hangsWhileDescribing ? u"  and hangs while describing\n"_s : QString();
    }
    if (hasHooks)
        text += observerThrows ? u"an observer that throws\n"_s : u"an observer\n"_s;
    for (const PlannedHook &hook : hooks)
        text += u"policy: point %1, time %2, act %3\n"_s.arg(int(hook.point))
                    .arg(hook.time)
                    .arg(int(hook.act));
    for (const PlannedDeed &planned : deeds)
        text += u"at event %1: %2%3\n"_s.arg(planned.atEvent)
                    .arg(toString(planned.deed),
                         planned.onAnotherThread ? u" on another thread"_s : QString());
    return text;
}

} // namespace fermata::turnplan
