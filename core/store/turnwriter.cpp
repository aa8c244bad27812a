// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/turnwriter.h"

#include "conversation/serialization.h"
#include "conversation/validtext.h"
#include "store/batch.h"
#include "store/conversationreader.h"
#include "store/database.h"

#include <QJsonDocument>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QString compact(const QJsonObject &json)
{
    return json.isEmpty() ? u""_s
                          : QString::fromUtf8(QJsonDocument(json).toJson(QJsonDocument::Compact));
}

ContentBlock shapeOf(ContentBlock block)
{
    if (QString *text = longText(block))
        text->clear();
    return block;
}

// What is in a block's data: neither its long text nor the slot, which have places of their own.
QString dataOf(const ContentBlock &block)
{
    if (std::holds_alternative<TextBlock>(block))
        return u""_s;
    QJsonObject json = toJson(block);
    json.remove(u"slot"_s);
    if (std::holds_alternative<ThinkingBlock>(block))
        json.remove(u"text"_s);
    return compact(json);
}

QVariantList slotValues(const ToolSlot &slot)
{
    return {toString(slot.state),
            textValue(slot.note),
            slot.exitStatus ? QVariant(*slot.exitStatus) : QVariant(),
            timeValue(slot.startedAt),
            qint64(slot.duration.count()),
            optionalTextValue(compact(slot.undo)),
            timeValue(slot.undoneAt)};
}

// What can be written of a text now.
QString writable(const QString &text, TurnWriter::Text end)
{
    return validText(end == TurnWriter::Text::Grows ? text.left(wholeCodePoints(text)) : text);
}

bool isSettled(const AssistantMessage &message)
{
    return message.complete
        && std::all_of(message.blocks.begin(), message.blocks.end(), [](const ContentBlock &block) {
               const auto *call = std::get_if<ToolCallBlock>(&block);
               return !call || isFinal(call->slot.state);
           });
}

} // namespace

void TurnWriter::begin(Batch &batch, qint64 conversation, const TurnRecord &turn)
{
    batch.run(u"INSERT INTO turns (id, conversation, parent, kind, user_text, created_at, provider,"
              " model, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'running')"
              " ON CONFLICT (id) DO UPDATE SET user_text = excluded.user_text,"
              " provider = excluded.provider, model = excluded.model"_s,
              {textValue(turn.id.toString()), conversation,
               optionalTextValue(turn.parent.toString()), kindName(turn.kind),
               textValue(turn.userText), timeValue(turn.createdAt), textValue(turn.provider),
               textValue(turn.model)});
}

void TurnWriter::write(Batch &batch, const TurnRecord &record, Text text)
{
    Turn *turn = turnFor(batch, record);
    if (!turn)
        return;
    for (size_t i = 0; i < record.answer.size(); ++i) {
        const bool settled = i < turn->messages.size() && turn->messages[i].settled;
        if (!settled || text == Text::Final)
            writeMessage(batch, *turn, i, record.answer[i], text);
    }
}

void TurnWriter::writeCall(Batch &batch, const TurnRecord &record, const ToolCallBlock &call)
{
    Turn *turn = turnFor(batch, record);
    if (!turn)
        return;
    for (Message &message : turn->messages) {
        for (Block &written : message.blocks) {
            const auto *known = std::get_if<ToolCallBlock>(&written.shape);
            if (known && known->id == call.id)
                updateBlock(batch, written, call, Text::Grows);
        }
    }
}

void TurnWriter::finish(Batch &batch, const TurnRecord &record)
{
    const Turn *turn = turnFor(batch, record);
    if (!turn)
        return;
    const qint64 number = turn->number;
    unindex(batch, u"turns.number = ?"_s, {number});
    write(batch, record, Text::Final);

    const auto &outcome = record.outcome;
    batch.run(u"UPDATE turns SET state = ?, status = ?, sent = ?, outcome = ?, provider = ?,"
              " model = ?, indexed = 1 WHERE number = ?"_s,
              {outcome && !record.cutByCrash ? u"ended"_s : u"cut"_s,
               outcome ? QVariant(toString(outcome->status)) : QVariant(),
               outcome ? QVariant(outcome->sent) : QVariant(),
               outcome ? QVariant(outcomeToText(*outcome, record.answerText())) : QVariant(),
               textValue(record.provider), textValue(record.model), number});
    batch.run(u"INSERT INTO search_index (rowid, user_text, answer)"
              " SELECT number, user_text, answer FROM searchable WHERE number = ?"_s,
              {number});
}

void TurnWriter::unindex(Batch &batch, const QString &condition, const QVariantList &values)
{
    batch.run(u"INSERT INTO search_index (search_index, rowid, user_text, answer)"
              " SELECT 'delete', searchable.number, searchable.user_text, searchable.answer"
              " FROM turns JOIN searchable ON searchable.number = turns.number"
              " WHERE turns.indexed = 1 AND %1"_s.arg(condition),
              values);
    batch.run(u"UPDATE turns SET indexed = 0 WHERE indexed = 1 AND %1"_s.arg(condition), values);
}

TurnWriter::Turn *TurnWriter::turnFor(Batch &batch, const TurnRecord &record)
{
    if (!batch.ok())
        return nullptr;
    if (const auto known = m_turns.find(record.id); known != m_turns.end())
        return &*known;

    // Not begun by this object, or given up after a fault: what is there is what the database says.
    Database &database = batch.database();
    Turn turn;
    {
        auto rows = database.select(u"SELECT number FROM turns WHERE id = ?"_s,
                                    {textValue(record.id.toString())});
        if (!rows) {
            batch.fail(rows.error());
            return nullptr;
        }
        if (!rows->next()) {
            auto end = rows->end();
            batch.fail(end ? Error(ErrorCode::NotFound, u"This turn was never begun."_s)
                           : end.error());
            return nullptr;
        }
        turn.number = rows->integer(0);
    }
    auto stored = readAnswer(database, turn.number);
    if (!stored) {
        batch.fail(stored.error());
        return nullptr;
    }
    for (size_t i = 0; i < stored->size(); ++i) {
        StoredMessage &from = (*stored)[i];
        Message &message = turn.messages.emplace_back();
        message.extras = from.extras;
        message.complete = from.complete;
        message.instruction = from.instruction;
        for (size_t j = 0; j < from.blocks.size(); ++j) {
            const QString *text = longText(from.blocks[j].block);
            const bool inRecord = i < record.answer.size() && j < record.answer[i].blocks.size();
            const QString *now = inRecord ? longText(record.answer[i].blocks[j]) : nullptr;
            const bool grown = text && now && validText(*now).startsWith(*text);
            message.blocks.push_back({from.blocks[j].number, shapeOf(from.blocks[j].block),
                                      grown ? text->size() : -1, from.blocks[j].segments});
        }
    }
    if (!matches(turn, record)) {
        batch.run(u"DELETE FROM messages WHERE turn = ?"_s, {turn.number});
        turn.messages.clear();
    }
    return batch.ok() ? &*m_turns.insert(record.id, std::move(turn)) : nullptr;
}

// True if the record can have grown from what is stored.
bool TurnWriter::matches(const Turn &turn, const TurnRecord &record)
{
    if (turn.messages.size() > record.answer.size())
        return false;
    for (size_t i = 0; i < turn.messages.size(); ++i) {
        const auto &written = turn.messages[i].blocks;
        const auto &blocks = record.answer[i].blocks;
        if (written.size() > blocks.size())
            return false;
        for (size_t j = 0; j < written.size(); ++j) {
            if (written[j].shape.index() != blocks[j].index())
                return false;
        }
    }
    return true;
}

void TurnWriter::writeMessage(Batch &batch, Turn &turn, size_t index,
                              const AssistantMessage &message, Text text)
{
    if (index == turn.messages.size()) {
        batch.run(u"INSERT INTO messages (turn, position, complete, extras, instruction)"
                  " VALUES (?, ?, ?, ?, ?)"_s,
                  {turn.number, qint64(index), message.complete, compact(message.extras),
                   textValue(message.instruction)});
        turn.messages.push_back({{}, message.extras, message.complete, message.instruction, false});
    }
    Message &written = turn.messages[index];
    if (written.complete != message.complete || written.extras != message.extras
        || written.instruction != message.instruction) {
        batch.run(u"UPDATE messages SET complete = ?, extras = ?, instruction = ?"
                  " WHERE turn = ? AND position = ?"_s,
                  {message.complete, compact(message.extras), textValue(message.instruction),
                   turn.number, qint64(index)});
        written.instruction = message.instruction;
        written.complete = message.complete;
        written.extras = message.extras;
    }
    for (size_t i = 0; i < message.blocks.size(); ++i) {
        if (i < written.blocks.size())
            updateBlock(batch, written.blocks[i], message.blocks[i], text);
        else
            insertBlock(batch, turn, index, message.blocks[i], text);
    }
    written.settled = isSettled(message);
}

void TurnWriter::insertBlock(Batch &batch, Turn &turn, size_t message, const ContentBlock &block,
                             Text text)
{
    auto &blocks = turn.messages[message].blocks;
    const QString *content = longText(block);
    const QString first = content ? writable(*content, text) : QString();
    batch.run(u"INSERT INTO blocks (turn, message, position, kind, data, text)"
              " VALUES (?, ?, ?, ?, ?, ?)"_s,
              {turn.number, qint64(message), qint64(blocks.size()), kindName(block), dataOf(block),
               textValue(first)});
    blocks.push_back({batch.lastRow(), shapeOf(block), first.size(), 0});
    if (const auto *call = std::get_if<ToolCallBlock>(&block)) {
        batch.run(u"INSERT INTO slots (block, state, note, exit_status, started_at, duration_ms,"
                  " undo, undone_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"_s,
                  QVariantList{blocks.back().number} + slotValues(call->slot));
    }
}

void TurnWriter::updateBlock(Batch &batch, Block &written, const ContentBlock &block, Text text)
{
    ContentBlock shape = shapeOf(block);
    if (shape != written.shape) {
        if (const QString data = dataOf(shape); data != dataOf(written.shape)) {
            batch.run(u"UPDATE blocks SET data = ? WHERE number = ?"_s, {data, written.number});
        }
        if (const auto *call = std::get_if<ToolCallBlock>(&shape)) {
            batch.run(u"UPDATE slots SET state = ?, note = ?, exit_status = ?, started_at = ?,"
                      " duration_ms = ?, undo = ?, undone_at = ? WHERE block = ?"_s,
                      slotValues(call->slot) + QVariantList{written.number});
            if (isFinal(call->slot.state))
                written.length = -1; // its result is not the live output gone on
        }
        written.shape = std::move(shape);
    }
    updateText(batch, written, block, text);
}

void TurnWriter::updateText(Batch &batch, Block &written, const ContentBlock &block, Text text)
{
    const QString *content = longText(block);
    if (!content)
        return;
    const qsizetype length = text == Text::Grows ? wholeCodePoints(*content) : content->size();
    const bool replaced = written.length < 0 || length < written.length;
    if (replaced || (text == Text::Final && (written.segments > 0 || length > written.length))) {
        batch.run(u"UPDATE blocks SET text = ? WHERE number = ?"_s,
                  {textValue(writable(*content, text)), written.number});
        batch.run(u"DELETE FROM segments WHERE block = ?"_s, {written.number});
        written.segments = 0;
    } else if (length > written.length) {
        batch.run(u"INSERT INTO segments (block, position, text) VALUES (?, ?, ?)"_s,
                  {written.number, written.segments,
                   textValue(content->mid(written.length, length - written.length))});
        ++written.segments;
    }
    written.length = length;
}

} // namespace fermata
