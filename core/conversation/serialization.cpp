// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/serialization.h"

#include "conversation/enumnames.h"
#include "conversation/jsonfields.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QSet>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int FormatVersion = 1;

constexpr EnumNames<TurnKind, 2> TurnKindNames{{
    {TurnKind::Message, "message"_L1},
    {TurnKind::Continuation, "continuation"_L1},
}};

constexpr QLatin1StringView BlockTypes[] = {"text"_L1, "thinking"_L1, "toolCall"_L1, "unknown"_L1};

bool isOwnType(const QString &type)
{
    return std::find(std::begin(BlockTypes), std::end(BlockTypes), type) != std::end(BlockTypes);
}

QJsonObject blockToJson(const TextBlock &block)
{
    return {{u"type"_s, u"text"_s}, {u"text"_s, validText(block.text)}};
}

QJsonObject blockToJson(const ThinkingBlock &block)
{
    QJsonObject json{
        {u"type"_s, u"thinking"_s},
        {u"text"_s, validText(block.text)},
        {u"complete"_s, block.complete},
    };
    putText(json, u"signature"_s, block.signature);
    putDuration(json, u"durationMs"_s, block.duration);
    return json;
}

QJsonObject slotToJson(const ToolSlot &slot)
{
    QJsonObject json{{u"state"_s, toString(slot.state)}};
    putText(json, u"output"_s, slot.output);
    putText(json, u"note"_s, slot.note);
    if (slot.exitStatus)
        json.insert(u"exitStatus"_s, *slot.exitStatus);
    putTime(json, u"startedAt"_s, slot.startedAt);
    putDuration(json, u"durationMs"_s, slot.duration);
    putTime(json, u"undoneAt"_s, slot.undoneAt);
    return json;
}

QJsonObject blockToJson(const ToolCallBlock &block)
{
    QJsonObject json{
        {u"type"_s, u"toolCall"_s},
        {u"id"_s, validText(block.id.toString())},
        {u"name"_s, validText(block.name)},
        {u"slot"_s, slotToJson(block.slot)},
    };
    putText(json, u"wireId"_s, block.wireId);
    putText(json, u"arguments"_s, block.arguments);
    putObject(json, u"extras"_s, block.extras);
    return json;
}

// As it came, unless it could be taken for a block of ours.
QJsonObject blockToJson(const UnknownBlock &block)
{
    const QJsonValue type = block.raw.value("type"_L1);
    if (type.isString() && !isOwnType(type.toString()))
        return block.raw;
    return {{u"type"_s, u"unknown"_s}, {u"raw"_s, block.raw}};
}

// A state of a later version: the call was made, and what came of it cannot be told.
ToolSlot slotFromJson(const QJsonObject &json)
{
    ToolSlot slot;
    slot.state =
        toolStateFromString(json.value("state"_L1).toString()).value_or(ToolState::Interrupted);
    slot.output = json.value("output"_L1).toString();
    slot.note = json.value("note"_L1).toString();
    if (json.value("exitStatus"_L1).isDouble())
        slot.exitStatus = json.value("exitStatus"_L1).toInt();
    slot.startedAt = timeFrom(json.value("startedAt"_L1));
    slot.duration = durationFrom(json.value("durationMs"_L1));
    slot.undoneAt = timeFrom(json.value("undoneAt"_L1));
    return slot;
}

Error unreadable(const QString &what)
{
    return Error(ErrorCode::InvalidArgument,
                 u"This is not a conversation that Fermata can read: %1."_s.arg(what));
}

QJsonObject messageToJson(const AssistantMessage &message)
{
    QJsonArray blocks;
    for (const ContentBlock &block : message.blocks)
        blocks.append(toJson(block));
    QJsonObject json{{u"blocks"_s, blocks}, {u"complete"_s, message.complete}};
    putObject(json, u"extras"_s, message.extras);
    putText(json, u"instruction"_s, message.instruction);
    return json;
}

Result<AssistantMessage> messageFromJson(const QJsonObject &json)
{
    AssistantMessage message;
    message.instruction = json.value("instruction"_L1).toString();
    message.extras = json.value("extras"_L1).toObject();
    message.complete = json.value("complete"_L1).toBool();
    for (const QJsonValue &value : json.value("blocks"_L1).toArray()) {
        if (!value.isObject())
            return unreadable(u"a part of an answer is not an object"_s);
        Result<ContentBlock> block = contentBlockFromJson(value.toObject());
        if (!block)
            return block.error();
        message.blocks.push_back(std::move(*block));
    }
    return message;
}

QJsonObject turnToJson(const TurnRecord &turn)
{
    QJsonObject json{
        {u"id"_s, validText(turn.id.toString())},
        {u"kind"_s, nameOf(TurnKindNames, turn.kind)},
    };
    putText(json, u"parent"_s, turn.parent.toString());
    putText(json, u"userText"_s, turn.userText);
    putTime(json, u"createdAt"_s, turn.createdAt);
    putText(json, u"provider"_s, turn.provider);
    putText(json, u"model"_s, turn.model);
    QJsonArray answer;
    for (const AssistantMessage &message : turn.answer)
        answer.append(messageToJson(message));
    json.insert(u"answer"_s, answer);
    if (turn.outcome)
        json.insert(u"outcome"_s, toJson(*turn.outcome));
    if (turn.cutByCrash)
        json.insert(u"cutByCrash"_s, true);
    return json;
}

Result<TurnRecord> turnFromJson(const QJsonObject &json)
{
    TurnRecord turn;
    turn.id = TurnId(json.value("id"_L1).toString());
    if (turn.id.isNull())
        return unreadable(u"a turn has no id"_s);
    const auto kind = valueOf(TurnKindNames, json.value("kind"_L1).toString(u"message"_s));
    if (!kind)
        return unreadable(u"a turn is of an unknown kind"_s);
    turn.kind = *kind;
    turn.parent = TurnId(json.value("parent"_L1).toString());
    turn.userText = json.value("userText"_L1).toString();
    turn.createdAt = timeFrom(json.value("createdAt"_L1));
    turn.provider = json.value("provider"_L1).toString();
    turn.model = json.value("model"_L1).toString();
    turn.cutByCrash = json.value("cutByCrash"_L1).toBool();
    for (const QJsonValue &value : json.value("answer"_L1).toArray()) {
        Result<AssistantMessage> message = messageFromJson(value.toObject());
        if (!message)
            return message.error();
        turn.answer.push_back(std::move(*message));
    }
    if (json.contains("outcome"_L1)) {
        Result<TurnOutcome> outcome = turnOutcomeFromJson(json.value("outcome"_L1).toObject());
        if (!outcome)
            return outcome.error();
        turn.outcome = std::move(*outcome);
    }
    return turn;
}

void appendLine(QByteArray &lines, const QJsonObject &json)
{
    lines += QJsonDocument(json).toJson(QJsonDocument::Compact);
    lines += '\n';
}

Result<QJsonObject> lineObject(const QByteArray &line, int number)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(line, &error);
    if (!document.isObject())
        return unreadable(u"line %1 is not a JSON object"_s.arg(number));
    return document.object();
}

Result<Conversation> conversationFromJson(const QJsonObject &json)
{
    if (json.value("format"_L1).toString() != "fermata-conversation"_L1)
        return unreadable(u"it does not begin as one"_s);
    if (json.value("version"_L1).toInt() > FormatVersion)
        return unreadable(u"a later version of Fermata has written it"_s);
    Conversation conversation;
    conversation.id = ConversationId(json.value("id"_L1).toString());
    conversation.title = json.value("title"_L1).toString();
    conversation.createdAt = timeFrom(json.value("createdAt"_L1));
    conversation.updatedAt = timeFrom(json.value("updatedAt"_L1));
    conversation.activeTurn = TurnId(json.value("activeTurn"_L1).toString());
    return conversation;
}

} // namespace

QJsonObject toJson(const ContentBlock &block)
{
    return std::visit([](const auto &kind) { return blockToJson(kind); }, block);
}

Result<ContentBlock> contentBlockFromJson(const QJsonObject &json)
{
    const QString type = json.value("type"_L1).toString();
    if (type == "text"_L1)
        return ContentBlock(TextBlock{json.value("text"_L1).toString()});
    if (type == "thinking"_L1) {
        ThinkingBlock block;
        block.text = json.value("text"_L1).toString();
        block.signature = json.value("signature"_L1).toString();
        block.complete = json.value("complete"_L1).toBool();
        block.duration = durationFrom(json.value("durationMs"_L1));
        return ContentBlock(block);
    }
    if (type == "toolCall"_L1) {
        ToolCallBlock block;
        block.id = CallId(json.value("id"_L1).toString());
        if (block.id.isNull())
            return unreadable(u"a tool call has no id"_s);
        block.wireId = json.value("wireId"_L1).toString();
        block.name = json.value("name"_L1).toString();
        block.arguments = json.value("arguments"_L1).toString();
        block.extras = json.value("extras"_L1).toObject();
        block.slot = slotFromJson(json.value("slot"_L1).toObject());
        return ContentBlock(block);
    }
    if (type == "unknown"_L1)
        return ContentBlock(UnknownBlock{json.value("raw"_L1).toObject()});
    return ContentBlock(UnknownBlock{json});
}

QByteArray toJsonLines(const Conversation &conversation)
{
    QJsonObject head{
        {u"format"_s, u"fermata-conversation"_s},
        {u"version"_s, FormatVersion},
        {u"id"_s, validText(conversation.id.toString())},
    };
    putText(head, u"title"_s, conversation.title);
    putTime(head, u"createdAt"_s, conversation.createdAt);
    putTime(head, u"updatedAt"_s, conversation.updatedAt);
    putText(head, u"activeTurn"_s, conversation.activeTurn.toString());
    QByteArray lines;
    appendLine(lines, head);
    for (const TurnRecord &turn : conversation.turns)
        appendLine(lines, turnToJson(turn));
    return lines;
}

Result<Conversation> conversationFromJsonLines(const QByteArray &lines)
{
    Conversation conversation;
    QSet<TurnId> known;
    int number = 0;
    for (qsizetype from = 0; from < lines.size();) {
        qsizetype to = lines.indexOf('\n', from);
        if (to < 0)
            to = lines.size();
        const QByteArray line = lines.mid(from, to - from).trimmed();
        from = to + 1;
        ++number;
        if (line.isEmpty())
            continue;
        const Result<QJsonObject> json = lineObject(line, number);
        if (!json)
            return json.error();
        if (conversation.id.isNull()) {
            Result<Conversation> head = conversationFromJson(*json);
            if (!head)
                return head.error();
            if (head->id.isNull())
                return unreadable(u"it has no id"_s);
            conversation = std::move(*head);
            continue;
        }
        Result<TurnRecord> turn = turnFromJson(*json);
        if (!turn)
            return turn.error();
        if (known.contains(turn->id))
            return unreadable(u"line %1 repeats a turn"_s.arg(number));
        if (!turn->parent.isNull() && !known.contains(turn->parent))
            return unreadable(u"line %1 names a turn that is not there before it"_s.arg(number));
        known.insert(turn->id);
        conversation.turns.push_back(std::move(*turn));
    }
    if (conversation.id.isNull())
        return unreadable(u"it is empty"_s);
    if (!conversation.activeTurn.isNull() && !known.contains(conversation.activeTurn))
        return unreadable(u"the branch that it shows is not in it"_s);
    return conversation;
}

} // namespace fermata
