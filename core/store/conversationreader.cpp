// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/conversationreader.h"

#include "base/logging.h"
#include "conversation/serialization.h"
#include "store/database.h"

#include <QJsonDocument>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr auto TextIsAnswer = "textIsAnswer"_L1;

using Answers = QHash<qint64, StoredAnswer>;

// Which rows: of one turn, or of all turns of a conversation.
struct Selection
{
    QString turns; // an SQL set with one placeholder
    qint64 number = 0;
};

QJsonObject objectFrom(const QString &text)
{
    return QJsonDocument::fromJson(text.toUtf8()).object();
}

Error notFound()
{
    return Error(ErrorCode::NotFound, u"This conversation is not there any more."_s);
}

// Rows that do not fit together come from a damaged or foreign hand: they are left out, and the rest is read.
StoredMessage *messageAt(Answers &answers, qint64 turn, qint64 position)
{
    const auto answer = answers.find(turn);
    if (answer == answers.end() || position < 0 || position >= qint64(answer->size()))
        return nullptr;
    return &(*answer)[size_t(position)];
}

Result<void> readMessages(Database &database, const Selection &selection, Answers &answers)
{
    auto rows =
        database.select(u"SELECT turn, position, complete, extras, instruction FROM messages"
                        " WHERE turn IN (%1) ORDER BY turn, position"_s.arg(selection.turns),
                        {selection.number});
    if (!rows)
        return rows.error();
    while (rows->next()) {
        StoredMessage message;
        message.complete = rows->integer(2) != 0;
        if (const QString extras = rows->text(3); !extras.isEmpty())
            message.extras = objectFrom(extras);
        message.instruction = rows->text(4);
        answers[rows->integer(0)].push_back(std::move(message));
    }
    return rows->end();
}

ContentBlock blockFrom(const QString &kind, const QString &data)
{
    if (kind == "text"_L1)
        return TextBlock();
    auto block = contentBlockFromJson(objectFrom(data));
    if (block)
        return *block;
    qCWarning(lcStore) << "a stored block could not be read:" << block.error().message;
    return UnknownBlock{objectFrom(data)};
}

Result<void> readBlocks(Database &database, const Selection &selection, Answers &answers)
{
    auto rows = database.select(
        u"SELECT blocks.turn, blocks.message, blocks.number, blocks.kind, blocks.data, blocks.text,"
        " slots.state, slots.note, slots.exit_status, slots.started_at, slots.duration_ms,"
        " slots.undo, slots.undone_at"
        " FROM blocks LEFT JOIN slots ON slots.block = blocks.number"
        " WHERE blocks.turn IN (%1)"
        " ORDER BY blocks.turn, blocks.message, blocks.position"_s.arg(selection.turns),
        {selection.number});
    if (!rows)
        return rows.error();
    while (rows->next()) {
        StoredMessage *message = messageAt(answers, rows->integer(0), rows->integer(1));
        if (!message)
            continue;
        StoredBlock stored;
        stored.number = rows->integer(2);
        stored.block = blockFrom(rows->text(3), rows->text(4));
        if (auto *call = std::get_if<ToolCallBlock>(&stored.block)) {
            call->slot.state = toolStateFromString(rows->text(6)).value_or(ToolState::Interrupted);
            call->slot.note = rows->text(7);
            if (!rows->isNull(8))
                call->slot.exitStatus = int(rows->integer(8));
            call->slot.startedAt = rows->time(9);
            call->slot.duration = std::chrono::milliseconds(rows->integer(10));
            if (!rows->isNull(11))
                call->slot.undo = objectFrom(rows->text(11));
            call->slot.undoneAt = rows->time(12);
        }
        if (QString *text = longText(stored.block))
            *text = rows->text(5);
        message->blocks.push_back(std::move(stored));
    }
    return rows->end();
}

Result<void> readSegments(Database &database, const Selection &selection, Answers &answers)
{
    QHash<qint64, StoredBlock *> blocks;
    for (StoredAnswer &answer : answers) {
        for (StoredMessage &message : answer) {
            for (StoredBlock &block : message.blocks)
                blocks.insert(block.number, &block);
        }
    }
    auto rows =
        database.select(u"SELECT segments.block, segments.text FROM segments"
                        " JOIN blocks ON blocks.number = segments.block WHERE blocks.turn IN (%1)"
                        " ORDER BY segments.block, segments.position"_s.arg(selection.turns),
                        {selection.number});
    if (!rows)
        return rows.error();
    while (rows->next()) {
        StoredBlock *stored = blocks.value(rows->integer(0));
        if (!stored)
            continue;
        if (QString *text = longText(stored->block))
            *text += rows->text(1);
        ++stored->segments;
    }
    return rows->end();
}

Result<Answers> readAnswers(Database &database, const Selection &selection)
{
    Answers answers;
    if (auto read = readMessages(database, selection, answers); !read)
        return read.error();
    if (auto read = readBlocks(database, selection, answers); !read)
        return read.error();
    if (auto read = readSegments(database, selection, answers); !read)
        return read.error();
    return answers;
}

std::vector<AssistantMessage> withoutNumbers(StoredAnswer stored)
{
    std::vector<AssistantMessage> answer;
    for (StoredMessage &message : stored) {
        AssistantMessage &plain = answer.emplace_back();
        plain.extras = message.extras;
        plain.complete = message.complete;
        plain.instruction = message.instruction;
        for (StoredBlock &block : message.blocks)
            plain.blocks.push_back(std::move(block.block));
    }
    return answer;
}

std::optional<TurnOutcome> outcomeFrom(const QString &text, const TurnRecord &turn)
{
    if (text.isEmpty())
        return std::nullopt;
    const QJsonObject json = objectFrom(text);
    auto outcome = turnOutcomeFromJson(json);
    if (!outcome) {
        qCWarning(lcStore) << "the stored end of a turn could not be read:"
                           << outcome.error().message;
        return std::nullopt;
    }
    if (json.value(TextIsAnswer).toBool())
        outcome->text = turn.answerText();
    return *outcome;
}

Result<std::vector<TurnRecord>> readTurns(Database &database, const Selection &selection)
{
    Result<Answers> answers = readAnswers(database, selection);
    if (!answers)
        return answers.error();
    auto rows = database.select(
        u"SELECT number, id, parent, kind, user_text, created_at, provider, model, state, outcome"
        " FROM turns WHERE number IN (%1) ORDER BY number"_s.arg(selection.turns),
        {selection.number});
    if (!rows)
        return rows.error();
    std::vector<TurnRecord> turns;
    while (rows->next()) {
        TurnRecord turn;
        turn.id = TurnId(rows->text(1));
        turn.parent = TurnId(rows->text(2));
        turn.kind = rows->text(3) == kindName(TurnKind::Continuation) ? TurnKind::Continuation
                                                                      : TurnKind::Message;
        turn.userText = rows->text(4);
        turn.createdAt = rows->time(5);
        turn.provider = rows->text(6);
        turn.model = rows->text(7);
        turn.answer = withoutNumbers(answers->take(rows->integer(0)));
        turn.outcome = outcomeFrom(rows->text(9), turn);
        // An end that cannot be read is at least an end.
        const QString state = rows->text(8);
        turn.cutByCrash = state == "cut"_L1 || (state == "ended"_L1 && !turn.outcome);
        turns.push_back(std::move(turn));
    }
    if (auto end = rows->end(); !end)
        return end.error();
    return turns;
}

} // namespace

QString *longText(ContentBlock &block)
{
    return const_cast<QString *>(longText(std::as_const(block)));
}

const QString *longText(const ContentBlock &block)
{
    if (const auto *text = std::get_if<TextBlock>(&block))
        return &text->text;
    if (const auto *thinking = std::get_if<ThinkingBlock>(&block))
        return &thinking->text;
    if (const auto *call = std::get_if<ToolCallBlock>(&block))
        return &call->slot.output;
    return nullptr;
}

QString kindName(TurnKind kind)
{
    return kind == TurnKind::Continuation ? u"continuation"_s : u"message"_s;
}

QString kindName(const ContentBlock &block)
{
    constexpr QLatin1StringView names[] = {"text"_L1, "thinking"_L1, "toolCall"_L1, "unknown"_L1};
    static_assert(std::size(names) == std::variant_size_v<ContentBlock>);
    return names[block.index()];
}

Result<StoredAnswer> readAnswer(Database &database, qint64 turn)
{
    Result<Answers> answers = readAnswers(database, {u"?"_s, turn});
    if (!answers)
        return answers.error();
    return answers->take(turn);
}

Result<TurnRecord> readTurn(Database &database, qint64 turn)
{
    auto turns = readTurns(database, {u"?"_s, turn});
    if (!turns)
        return turns.error();
    if (turns->empty())
        return notFound();
    return std::move(turns->front());
}

Result<Conversation> readConversation(Database &database, const ConversationId &id)
{
    Conversation conversation;
    conversation.id = id;
    qint64 number = 0;
    {
        auto rows = database.select(u"SELECT number, title, created_at, updated_at, active_turn"
                                    " FROM conversations WHERE id = ?"_s,
                                    {textValue(id.toString())});
        if (!rows)
            return rows.error();
        if (!rows->next()) {
            auto end = rows->end();
            return end ? notFound() : end.error();
        }
        number = rows->integer(0);
        conversation.title = rows->text(1);
        conversation.createdAt = rows->time(2);
        conversation.updatedAt = rows->time(3);
        conversation.activeTurn = TurnId(rows->text(4));
    }
    auto turns =
        readTurns(database, {u"SELECT number FROM turns WHERE conversation = ?"_s, number});
    if (!turns)
        return turns.error();
    conversation.turns = std::move(*turns);
    return conversation;
}

QString outcomeToText(const TurnOutcome &outcome, const QString &answerText)
{
    QJsonObject json;
    if (!outcome.text.isEmpty() && outcome.text == answerText) {
        TurnOutcome shorter = outcome;
        shorter.text.clear();
        json = toJson(shorter);
        json.insert(TextIsAnswer, true);
    } else {
        json = toJson(outcome);
    }
    return QString::fromUtf8(QJsonDocument(json).toJson(QJsonDocument::Compact));
}

} // namespace fermata
