// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/turnevent.h"

#include "conversation/enumnames.h"

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr EnumNames<TurnStage, 13> TurnStageNames{{
    {TurnStage::Starting, "Starting"_L1},
    {TurnStage::Resolving, "Resolving"_L1},
    {TurnStage::Connecting, "Connecting"_L1},
    {TurnStage::WaitingForFirstToken, "WaitingForFirstToken"_L1},
    {TurnStage::Thinking, "Thinking"_L1},
    {TurnStage::Writing, "Writing"_L1},
    {TurnStage::WaitingForUser, "WaitingForUser"_L1},
    {TurnStage::RunningTool, "RunningTool"_L1},
    {TurnStage::RetryWait, "RetryWait"_L1},
    {TurnStage::RequestLimit, "RequestLimit"_L1},
    {TurnStage::Saving, "Saving"_L1},
    {TurnStage::Stopping, "Stopping"_L1},
    {TurnStage::Paused, "Paused"_L1},
}};

QString numbered(QLatin1StringView name, qsizetype number)
{
    return name + u' ' + QString::number(number);
}

// The message that is being written. A turn that goes on after a message's end without saying so gets a new one.
AssistantMessage &openMessage(TurnRecord &record)
{
    if (record.answer.empty() || record.answer.back().complete)
        record.answer.emplace_back();
    return record.answer.back();
}

ThinkingBlock *openThinking(TurnRecord &record)
{
    if (record.answer.empty() || record.answer.back().complete)
        return nullptr;
    auto &blocks = record.answer.back().blocks;
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
        auto *thinking = std::get_if<ThinkingBlock>(&*block);
        if (thinking && !thinking->complete)
            return thinking;
    }
    return nullptr;
}

void fold(TurnRecord &record, const TurnStarted &event)
{
    record = event.record;
}

void fold(TurnRecord &record, const IterationStarted &event)
{
    // A retry begins the same message again.
    const bool unused = !record.answer.empty() && !record.answer.back().complete
        && record.answer.back().blocks.empty();
    if (!unused)
        record.answer.emplace_back();
    if (!event.instruction.isEmpty())
        record.answer.back().instruction = event.instruction;
}

void fold(TurnRecord &record, const TextAppended &event)
{
    if (event.text.isEmpty())
        return;
    auto &blocks = openMessage(record).blocks;
    auto *last = blocks.empty() ? nullptr : std::get_if<TextBlock>(&blocks.back());
    if (last)
        last->text += event.text;
    else
        blocks.push_back(TextBlock{event.text});
}

void fold(TurnRecord &record, const ThinkingAppended &event)
{
    if (event.text.isEmpty())
        return;
    auto &blocks = openMessage(record).blocks;
    auto *last = blocks.empty() ? nullptr : std::get_if<ThinkingBlock>(&blocks.back());
    if (last && !last->complete) {
        last->text += event.text;
        return;
    }
    ThinkingBlock block;
    block.text = event.text;
    blocks.push_back(block);
}

void fold(TurnRecord &record, const ThinkingEnded &event)
{
    ThinkingBlock *block = openThinking(record);
    if (!block) {
        // Some servers hide the thought and give its signature only; it must still go back.
        if (event.signature.isEmpty())
            return;
        auto &blocks = openMessage(record).blocks;
        block = &std::get<ThinkingBlock>(blocks.emplace_back(ThinkingBlock()));
    }
    block->signature = event.signature;
    block->duration = event.duration;
    block->complete = true;
}

void fold(TurnRecord &record, const UnknownBlockAdded &event)
{
    openMessage(record).blocks.push_back(event.block);
}

void fold(TurnRecord &record, const MessageCompleted &event)
{
    AssistantMessage &message = openMessage(record);
    message.extras = event.extras;
    message.complete = true;
}

void fold(TurnRecord &record, const ToolCallAdded &event)
{
    openMessage(record).blocks.push_back(event.call);
}

void fold(TurnRecord &record, const ToolStateChanged &event)
{
    ToolCallBlock *call = record.findCall(event.call);
    if (!call || isFinal(call->slot.state))
        return; // a result that is there is never replaced
    const QString live = call->slot.output;
    call->slot = event.slot;
    if (!isFinal(event.slot.state))
        call->slot.output = live;
}

void fold(TurnRecord &record, const ToolOutputAppended &event)
{
    ToolCallBlock *call = record.findCall(event.call);
    if (call && !isFinal(call->slot.state))
        call->slot.output += event.text;
}

void fold(TurnRecord &record, const ToolUndone &event)
{
    if (ToolCallBlock *call = record.findCall(event.call))
        call->slot.undoneAt = event.at;
}

void fold(TurnRecord &record, const TurnFinished &event)
{
    record.outcome = event.outcome;
}

// --- Events that carry no content. Each is named, so that a new kind of event has to be decided on. ---

void fold(TurnRecord &, const StageChanged &) { }
void fold(TurnRecord &, const ApprovalAsked &) { }
void fold(TurnRecord &, const ApprovalClosed &) { }
void fold(TurnRecord &, const QuestionAsked &) { }
void fold(TurnRecord &, const QuestionClosed &) { }
void fold(TurnRecord &, const RetryScheduled &) { }
void fold(TurnRecord &, const UsageChanged &) { }
void fold(TurnRecord &, const BudgetReached &) { }
void fold(TurnRecord &, const NoticeAdded &) { }
void fold(TurnRecord &, const SaveFailed &) { }
void fold(TurnRecord &, const SaveRecovered &) { }

QString line(const TurnStarted &event)
{
    return event.record.kind == TurnKind::Continuation ? u"TurnStarted Continuation"_s
                                                       : u"TurnStarted"_s;
}
QString line(const StageChanged &event)
{
    QString text = u"StageChanged "_s + toString(event.stage);
    if (event.count > 0)
        text += u" %1/%2"_s.arg(event.index).arg(event.count);
    return text;
}
QString line(const IterationStarted &event)
{
    return numbered("IterationStarted"_L1, event.iteration);
}
QString line(const TextAppended &event)
{
    return numbered("TextAppended"_L1, event.text.size());
}
QString line(const ThinkingAppended &event)
{
    return numbered("ThinkingAppended"_L1, event.text.size());
}
QString line(const ThinkingEnded &)
{
    return u"ThinkingEnded"_s;
}
QString line(const UnknownBlockAdded &)
{
    return u"UnknownBlockAdded"_s;
}
QString line(const MessageCompleted &)
{
    return u"MessageCompleted"_s;
}
QString line(const ToolCallAdded &event)
{
    return u"ToolCallAdded "_s + toString(event.call.slot.state);
}
QString line(const ToolStateChanged &event)
{
    return u"ToolStateChanged "_s + toString(event.slot.state);
}
QString line(const ToolOutputAppended &event)
{
    return numbered("ToolOutputAppended"_L1, event.text.size());
}
QString line(const ToolUndone &)
{
    return u"ToolUndone"_s;
}
QString line(const ApprovalAsked &)
{
    return u"ApprovalAsked"_s;
}
QString line(const ApprovalClosed &)
{
    return u"ApprovalClosed"_s;
}
QString line(const QuestionAsked &event)
{
    return numbered("QuestionAsked"_L1, event.question.count);
}
QString line(const QuestionClosed &)
{
    return u"QuestionClosed"_s;
}
QString line(const RetryScheduled &event)
{
    return u"RetryScheduled %1/%2"_s.arg(event.attempt).arg(event.attempts);
}
QString line(const UsageChanged &event)
{
    return numbered("UsageChanged"_L1, event.usage.total());
}
QString line(const BudgetReached &event)
{
    return u"BudgetReached "_s + toString(event.cause);
}
QString line(const NoticeAdded &)
{
    return u"NoticeAdded"_s;
}
QString line(const SaveFailed &)
{
    return u"SaveFailed"_s;
}
QString line(const SaveRecovered &)
{
    return u"SaveRecovered"_s;
}
QString line(const TurnFinished &event)
{
    return u"TurnFinished "_s + toString(event.outcome.status);
}

} // namespace

QString toString(TurnStage stage)
{
    return nameOf(TurnStageNames, stage);
}

void apply(TurnRecord &record, const TurnEvent &event)
{
    std::visit([&](const auto &kind) { fold(record, kind); }, event);
}

void appendCoalesced(std::vector<TurnEvent> &events, TurnEvent event)
{
    if (!events.empty() && events.back().index() == event.index()) {
        if (auto *text = std::get_if<TextAppended>(&events.back())) {
            text->text += std::get<TextAppended>(event).text;
            return;
        }
        if (auto *thinking = std::get_if<ThinkingAppended>(&events.back())) {
            thinking->text += std::get<ThinkingAppended>(event).text;
            return;
        }
        if (auto *output = std::get_if<ToolOutputAppended>(&events.back())) {
            const auto &more = std::get<ToolOutputAppended>(event);
            if (output->call == more.call) {
                output->text += more.text;
                return;
            }
        }
        if (auto *usage = std::get_if<UsageChanged>(&events.back())) {
            *usage = std::get<UsageChanged>(event);
            return;
        }
    }
    events.push_back(std::move(event));
}

QString describe(const TurnEvent &event)
{
    return std::visit([](const auto &kind) { return line(kind); }, event);
}

} // namespace fermata
