// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversationgenerators.h"

#include "conversation/validtext.h"

#include <rapidcheck.h>

namespace fermata::arbitrary {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

void useCases(int cases)
{
    if (qEnvironmentVariableIsEmpty("RC_PARAMS"))
        qputenv("RC_PARAMS", "max_success=" + QByteArray::number(cases));
}

int number(int least, int most)
{
    return *rc::gen::inRange(least, most + 1);
}

bool chance(int percent)
{
    return number(1, 100) <= percent;
}

QString anyText(int most)
{
    static const QString pieces[] = {u"word"_s,
                                     u" "_s,
                                     u"\n"_s,
                                     u"a"_s,
                                     u"é"_s,
                                     u"😀"_s,
                                     u"`"_s,
                                     u"```"_s,
                                     u"\""_s,
                                     u"\\"_s,
                                     u"</x>"_s,
                                     u"![i](u)"_s,
                                     u"\t"_s,
                                     u"\u202e"_s,
                                     u"\u0000"_s,
                                     u"漢字"_s,
                                     u"The quick brown fox "_s};
    QString result;
    const int count = number(0, most);
    while (result.size() < count) {
        const int choice = number(0, int(std::size(pieces)) + 1);
        if (choice < int(std::size(pieces)))
            result += pieces[choice];
        else
            result += QChar(choice == int(std::size(pieces)) ? 0xd83d : 0xde00);
    }
    return result;
}

QString text(int most)
{
    return validText(anyText(most));
}

namespace {

QDateTime time()
{
    return QDateTime::fromMSecsSinceEpoch(1'700'000'000'000 + qint64(number(0, 1'000'000'000)),
                                          Qt::UTC);
}

QJsonObject extras()
{
    if (chance(70))
        return {};
    return {{u"signature"_s, text(12)},
            {u"index"_s, number(0, 9)},
            {u"deep"_s, QJsonObject{{u"x"_s, true}}}};
}

template <typename Enum>
Enum oneOf(Enum last)
{
    return Enum(number(0, int(last)));
}

ToolSlot slot()
{
    ToolSlot slot;
    slot.state = oneOf(ToolState::StillRunning);
    slot.output = text(40);
    if (chance(40))
        slot.note = text(40);
    if (chance(40))
        slot.exitStatus = number(-1, 255);
    if (wasStarted(slot.state))
        slot.startedAt = time();
    slot.duration = milliseconds(number(0, 5000));
    if (slot.state == ToolState::Finished && number(0, 3) == 0)
        slot.undoneAt = time();
    return slot;
}

QString wireId()
{
    static const QString ids[] = {QString(), u"call_1"_s, u"call_1"_s, u"call_2"_s,
                                  u"functions.x:0"_s};
    return ids[number(0, 4)];
}

ToolCallBlock call()
{
    static const QString arguments[] = {QString(), u"{}"_s, u"{\"path\":\"a.txt\"}"_s, u"{\"pa"_s,
                                        u"[1]"_s};
    ToolCallBlock call;
    call.id = CallId::create();
    call.wireId = wireId();
    call.name = chance(95) ? u"run_command"_s : QString();
    call.arguments = arguments[number(0, 4)];
    call.extras = extras();
    call.slot = slot();
    return call;
}

ThinkingBlock thinking()
{
    ThinkingBlock block;
    block.text = text(30);
    block.complete = chance(70);
    if (block.complete && chance(60))
        block.signature = text(12);
    block.duration = milliseconds(number(0, 5000));
    return block;
}

UnknownBlock unknown()
{
    static const QString types[] = {u"redacted_thinking"_s, u"image"_s, u"text"_s, QString()};
    QJsonObject raw = extras();
    if (const QString type = types[number(0, 3)]; !type.isEmpty())
        raw.insert(u"type"_s, type);
    return UnknownBlock{raw};
}

AssistantMessage message()
{
    AssistantMessage message;
    const int count = number(0, 4);
    for (int i = 0; i < count; ++i)
        message.blocks.push_back(block());
    message.extras = extras();
    message.complete = chance(70);
    if (chance(5))
        message.instruction = text(20);
    return message;
}

CancellationReason reason()
{
    CancellationReason reason;
    reason.cause = oneOf(CancellationCause::Parent);
    reason.text = text(20);
    reason.source = text(10);
    reason.time = time();
    return reason;
}

Error error()
{
    Error error(oneOf(ErrorCode::Internal), text(20), text(20));
    if (chance(30))
        error.cancellation =
            CancellationError(oneOf(TurnPhase::Cleanup), reason(), chance(50), time());
    if (chance(10))
        error.cancellation =
            GracefulCancellationTimeoutError(milliseconds(5000), chance(50), reason(), time());
    return chance(30) ? error.wrappedIn(oneOf(ErrorCode::Internal), text(20)) : error;
}

} // namespace

ContentBlock block()
{
    switch (number(0, 5)) {
    case 0:
    case 1:
        return TextBlock{text(60)};
    case 2:
        return thinking();
    case 3:
    case 4:
        return call();
    default:
        return unknown();
    }
}

TurnOutcome outcome()
{
    TurnOutcome outcome;
    outcome.turn = TurnId::create();
    outcome.status = oneOf(TurnStatus::Failed);
    outcome.stopReason = oneOf(StopReason::Limit);
    outcome.providerStopReason = text(10);
    if (chance(50))
        outcome.reason = reason();
    if (chance(30))
        outcome.limit = LimitInfo{oneOf(Limit::Tool), milliseconds(number(1000, 100000))};
    outcome.phase = oneOf(TurnPhase::Cleanup);
    outcome.text = text(60);
    if (chance(10))
        outcome.notice = text(20);
    outcome.partial = chance(50);
    outcome.iterations = number(0, 50);
    outcome.tools.finished = number(0, 5);
    outcome.tools.interrupted = number(0, 5);
    outcome.tools.notRun = number(0, 5);
    outcome.tools.interruptedAfter = milliseconds(number(0, 10000));
    if (chance(20))
        outcome.tools.stillRunning = {u"run_command"_s, text(10)};
    outcome.usage = {number(0, 100000), number(0, 100000), chance(50)};
    outcome.stopRequested = chance(50);
    outcome.streamed = chance(50);
    outcome.cleanupCompleted = chance(50);
    outcome.saved = chance(90);
    outcome.sent = chance(80);
    if (chance(20))
        outcome.cleanupError = GracefulCancellationTimeoutError(milliseconds(number(0, 5000)),
                                                                chance(50), reason(), time());
    if (chance(30))
        outcome.error = error();
    outcome.startedAt = time();
    outcome.endedAt = time();
    outcome.duration = milliseconds(number(0, 1'000'000));
    if (chance(50))
        outcome.timeToStop = milliseconds(number(0, 100));
    if (chance(50))
        outcome.serverIdleAfter = milliseconds(number(0, 100));
    return outcome;
}

TurnRecord turn()
{
    TurnRecord turn;
    turn.id = TurnId::create();
    turn.userText = text(60);
    turn.createdAt = time();
    turn.provider = chance(80) ? u"anthropic"_s : u"ollama"_s;
    turn.model = text(10);
    const int messages = number(0, 3);
    for (int i = 0; i < messages; ++i)
        turn.answer.push_back(message());
    if (chance(85))
        turn.outcome = outcome();
    else
        turn.cutByCrash = true;
    return turn;
}

Conversation conversation()
{
    Conversation conversation;
    conversation.id = ConversationId::create();
    conversation.title = text(40);
    conversation.createdAt = time();
    conversation.updatedAt = time();
    const int turns = number(0, 6);
    for (int i = 0; i < turns; ++i) {
        TurnRecord record = turn();
        if (i > 0 && chance(90)) {
            const size_t parent = chance(70) ? size_t(i - 1) : size_t(number(0, i - 1));
            record.parent = conversation.turns[parent].id;
            if (chance(25)) {
                record.kind = TurnKind::Continuation;
                record.userText.clear();
            }
        }
        conversation.turns.push_back(std::move(record));
    }
    if (turns > 0)
        conversation.activeTurn = conversation.turns[size_t(number(0, turns - 1))].id;
    return conversation;
}

std::vector<TurnEvent> events()
{
    std::vector<TurnEvent> events;
    TurnRecord record = turn();
    record.answer.clear();
    record.outcome.reset();
    record.cutByCrash = false;
    events.push_back(TurnStarted{record});
    std::vector<CallId> calls;
    const int count = number(0, 30);
    for (int i = 0; i < count; ++i) {
        switch (number(0, 9)) {
        case 0:
            events.push_back(IterationStarted{i});
            break;
        case 1:
            events.push_back(ThinkingAppended{text(20)});
            break;
        case 2:
            events.push_back(ThinkingEnded{text(8), milliseconds(number(0, 100))});
            break;
        case 3: {
            ToolCallBlock added = call();
            added.slot = {};
            calls.push_back(added.id);
            events.push_back(ToolCallAdded{added});
            break;
        }
        case 4:
            if (!calls.empty())
                events.push_back(
                    ToolStateChanged{calls[size_t(number(0, int(calls.size()) - 1))], slot()});
            break;
        case 5:
            if (!calls.empty())
                events.push_back(
                    ToolOutputAppended{calls[size_t(number(0, int(calls.size()) - 1))], text(20)});
            break;
        case 6:
            events.push_back(chance(50) ? TurnEvent(MessageCompleted{extras()})
                                        : TurnEvent(UsageChanged{{i, i, false}}));
            break;
        default:
            events.push_back(TextAppended{text(20)});
        }
    }
    if (chance(60))
        events.push_back(TurnFinished{outcome()});
    return events;
}

History brokenHistory()
{
    static const QString ids[] = {QString(), u"a"_s, u"b"_s, u"c"_s, u"a_2"_s};
    History history;
    const int messages = number(0, 10);
    for (int i = 0; i < messages; ++i) {
        HistoryMessage message;
        message.role = oneOf(HistoryRole::Tool);
        message.extras = extras();
        const int blocks = number(0, 4);
        for (int j = 0; j < blocks; ++j) {
            // Mostly blocks that fit, so that whole exchanges come about and not only noise.
            const int fitting = message.role == HistoryRole::Tool ? 3
                : message.role == HistoryRole::User               ? 0
                                                                  : 2;
            switch (chance(70) ? fitting : number(0, 4)) {
            case 0:
                message.blocks.push_back(TextBlock{anyText(10)});
                break;
            case 1:
                message.blocks.push_back(thinking());
                break;
            case 2:
                message.blocks.push_back(HistoryCall{
                    ids[number(0, 4)], chance(90) ? u"tool"_s : QString(), u"{}"_s, extras()});
                break;
            case 3:
                message.blocks.push_back(
                    HistoryResult{ids[number(0, 4)], u"result %1.%2"_s.arg(i).arg(j), chance(20)});
                break;
            default:
                message.blocks.push_back(unknown());
            }
        }
        history.push_back(std::move(message));
    }
    return history;
}

} // namespace fermata::arbitrary
