// SPDX-License-Identifier: GPL-3.0-or-later
#include "streamedturn.h"

namespace fermata::streamed {

using namespace Qt::StringLiterals;

namespace {

constexpr int CallStep = 10;
constexpr int RunningStep = 12;
constexpr int OutputStep = 13;
constexpr int ResultStep = 15;

ToolSlot slotIn(ToolState state)
{
    ToolSlot slot;
    slot.state = state;
    if (state == ToolState::Finished) {
        slot.output = u"the whole output"_s;
        slot.exitStatus = 0;
    }
    return slot;
}

} // namespace

ConversationId conversationId()
{
    return ConversationId(u"conversation"_s);
}

TurnId turnId()
{
    return TurnId(u"turn"_s);
}

CallId callId()
{
    return CallId(u"call"_s);
}

Conversation conversation()
{
    Conversation conversation;
    conversation.id = conversationId();
    conversation.title = u"Streamed"_s;
    conversation.createdAt = QDateTime::fromMSecsSinceEpoch(1'700'000'000'000, Qt::UTC);
    conversation.updatedAt = conversation.createdAt;
    return conversation;
}

TurnRecord turn()
{
    TurnRecord record;
    record.id = turnId();
    record.userText = u"a question"_s;
    record.provider = u"scripted"_s;
    record.model = u"model"_s;
    record.createdAt = QDateTime::fromMSecsSinceEpoch(1'700'000'000'000, Qt::UTC);
    return record;
}

std::vector<TurnEvent> events(int step)
{
    if (step == 0)
        return {IterationStarted{1}, ThinkingAppended{u"thinking "_s}};
    if (step == 1)
        return {ThinkingEnded{u"signature"_s, {}}, TextAppended{u"begin "_s}};
    if (step == CallStep) {
        ToolCallBlock call;
        call.id = callId();
        call.name = u"run_command"_s;
        call.arguments = u"{}"_s;
        return {ToolCallAdded{call}, MessageCompleted{}};
    }
    if (step == RunningStep)
        return {ToolStateChanged{callId(), slotIn(ToolState::Running)}};
    if (step == OutputStep)
        return {ToolOutputAppended{callId(), u"the wh"_s}};
    if (step == ResultStep)
        return {ToolStateChanged{callId(), slotIn(ToolState::Finished)}, IterationStarted{2}};
    if (step > CallStep && step < ResultStep)
        return {};
    // Half of a character now and half with the next step.
    if (step % 2 == 0)
        return {TextAppended{u"step %1 "_s.arg(step) + QChar(0xd83d)}};
    return {TextAppended{QChar(0xde00) + u" and %1 "_s.arg(step)}};
}

TurnOutcome outcome()
{
    TurnOutcome outcome;
    outcome.turn = turnId();
    outcome.sent = true;
    outcome.text = after(Steps).answerText();
    return outcome;
}

TurnRecord after(int steps)
{
    TurnRecord record = turn();
    for (int step = 0; step < steps; ++step) {
        for (const TurnEvent &event : events(step))
            apply(record, event);
    }
    return record;
}

} // namespace fermata::streamed
