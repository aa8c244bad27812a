// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/conversationstore.h"

#include "store/batch.h"
#include "store/conversationreader.h"
#include "store/database.h"
#include "store/recovery.h"
#include "store/searchquery.h"
#include "store/storeerror.h"
#include "store/turnwriter.h"

#include <QSet>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;
using Mark = ConversationSummary::Mark;

namespace {

QVariant now()
{
    return QDateTime::currentMSecsSinceEpoch();
}

Mark markOf(const QString &state, const QString &status)
{
    if (state == "running"_L1)
        return Mark::Running;
    if (state == "cut"_L1)
        return Mark::Stopped;
    return fermata::markOf(turnStatusFromString(status).value_or(TurnStatus::Completed));
}

Error noSuchConversation()
{
    return Error(ErrorCode::NotFound, u"This conversation is not there any more."_s);
}

// The same conversation under ids that nobody else has.
Conversation underNewIds(Conversation conversation)
{
    QHash<TurnId, TurnId> ids;
    for (const TurnRecord &turn : conversation.turns)
        ids.insert(turn.id, TurnId::create());
    conversation.id = ConversationId::create();
    conversation.activeTurn = ids.value(conversation.activeTurn);
    for (TurnRecord &turn : conversation.turns) {
        turn.id = ids.value(turn.id);
        turn.parent = ids.value(turn.parent);
        if (turn.outcome)
            turn.outcome->turn = turn.id;
        for (AssistantMessage &message : turn.answer) {
            for (ContentBlock &block : message.blocks) {
                if (auto *call = std::get_if<ToolCallBlock>(&block))
                    call->id = CallId::create();
            }
        }
    }
    return conversation;
}

} // namespace

class ConversationStore::Private
{
public:
    explicit Private(std::unique_ptr<Database> database) : m_database(std::move(database)) { }

    Database &database() { return *m_database; }
    TurnWriter &writer() { return m_writer; }

    Result<void> checkWritable() const;
    // One statement that changes one conversation. NotFound if there is none.
    Result<void> changeConversation(const QString &sql, const QVariantList &values);
    Result<std::optional<qint64>> numberOf(const QString &sql, const QString &id);
    std::optional<qint64> conversationNumber(Batch &batch, const ConversationId &id);
    std::optional<qint64> turnNumber(Batch &batch, const TurnId &id);
    qint64 insertConversation(Batch &batch, const Conversation &conversation);
    void insertTurn(Batch &batch, qint64 conversation, const TurnRecord &turn);
    // What stands before a turn and is not in the database, first things first.
    std::vector<const TurnRecord *> unsavedBefore(Batch &batch, const Conversation &conversation,
                                                  const TurnRecord &turn);
    // Commits, and forgets what was written of the turn if that failed.
    Result<void> commit(Batch &batch, const TurnId &turn);

private:
    const std::unique_ptr<Database> m_database;
    TurnWriter m_writer;
};

Result<void> ConversationStore::Private::checkWritable() const
{
    if (!m_database->isReadOnly())
        return {};
    return storeError(
        u"The database %1 is read-only: nothing can be saved in it."_s.arg(m_database->path()));
}

Result<void> ConversationStore::Private::changeConversation(const QString &sql,
                                                            const QVariantList &values)
{
    if (auto writable = checkWritable(); !writable)
        return writable;
    Batch batch(*m_database);
    if (!batch.begin())
        return batch.result();
    {
        auto rows = m_database->select(sql + u" RETURNING number"_s, values);
        if (!rows)
            return rows.error();
        const bool found = rows->next();
        if (auto end = rows->end(); !end)
            return end;
        if (!found)
            return noSuchConversation();
    }
    return batch.commit();
}

Result<std::optional<qint64>> ConversationStore::Private::numberOf(const QString &sql,
                                                                   const QString &id)
{
    auto rows = m_database->select(sql, {textValue(id)});
    if (!rows)
        return rows.error();
    std::optional<qint64> number;
    if (rows->next())
        number = rows->integer(0);
    if (auto end = rows->end(); !end)
        return end.error();
    return number;
}

std::optional<qint64> ConversationStore::Private::conversationNumber(Batch &batch,
                                                                     const ConversationId &id)
{
    const auto number = numberOf(u"SELECT number FROM conversations WHERE id = ?"_s, id.toString());
    if (number)
        return *number;
    batch.fail(number.error());
    return std::nullopt;
}

std::optional<qint64> ConversationStore::Private::turnNumber(Batch &batch, const TurnId &id)
{
    const auto number = numberOf(u"SELECT number FROM turns WHERE id = ?"_s, id.toString());
    if (number)
        return *number;
    batch.fail(number.error());
    return std::nullopt;
}

qint64 ConversationStore::Private::insertConversation(Batch &batch,
                                                      const Conversation &conversation)
{
    batch.run(u"INSERT INTO conversations (id, title, created_at, updated_at, active_turn)"
              " VALUES (?, ?, ?, ?, ?)"_s,
              {textValue(conversation.id.toString()), textValue(conversation.title),
               timeValue(conversation.createdAt), timeValue(conversation.updatedAt),
               optionalTextValue(conversation.activeTurn.toString())});
    return batch.lastRow();
}

void ConversationStore::Private::insertTurn(Batch &batch, qint64 conversation,
                                            const TurnRecord &turn)
{
    m_writer.begin(batch, conversation, turn);
    m_writer.finish(batch, turn);
    m_writer.forget(turn.id);
}

std::vector<const TurnRecord *>
ConversationStore::Private::unsavedBefore(Batch &batch, const Conversation &conversation,
                                          const TurnRecord &turn)
{
    std::vector<const TurnRecord *> unsaved;
    TurnId id = turn.parent;
    while (!id.isNull() && unsaved.size() < conversation.turns.size() && !turnNumber(batch, id)) {
        const TurnRecord *record = conversation.find(id);
        if (!record || !batch.ok())
            break;
        unsaved.push_back(record);
        id = record->parent;
    }
    std::reverse(unsaved.begin(), unsaved.end());
    return unsaved;
}

Result<void> ConversationStore::Private::commit(Batch &batch, const TurnId &turn)
{
    auto committed = batch.commit();
    if (!committed)
        m_writer.forget(turn);
    return committed;
}

ConversationStore::ConversationStore(std::unique_ptr<Private> store) : d(std::move(store)) { }

ConversationStore::~ConversationStore() = default;

Result<std::unique_ptr<ConversationStore>> ConversationStore::open(const QString &databasePath)
{
    auto database = Database::open(databasePath);
    if (!database)
        return database.error();
    return std::unique_ptr<ConversationStore>(
        new ConversationStore(std::make_unique<Private>(std::move(*database))));
}

bool ConversationStore::isReadOnly() const
{
    return d->database().isReadOnly();
}

Result<std::vector<ConversationSummary>> ConversationStore::list() const
{
    if (auto ready = d->database().ready(); !ready)
        return ready.error();
    auto rows = d->database().select(
        u"SELECT conversations.id, conversations.title, conversations.updated_at, turns.state,"
        " turns.status FROM conversations"
        " LEFT JOIN turns ON turns.id = conversations.active_turn"
        " WHERE conversations.deleted_at IS NULL"
        " ORDER BY conversations.updated_at DESC, conversations.number DESC"_s);
    if (!rows)
        return rows.error();
    std::vector<ConversationSummary> summaries;
    while (rows->next()) {
        summaries.push_back({ConversationId(rows->text(0)), rows->text(1), rows->time(2),
                             markOf(rows->text(3), rows->text(4))});
    }
    if (auto end = rows->end(); !end)
        return end.error();
    return summaries;
}

Result<Conversation> ConversationStore::load(const ConversationId &id) const
{
    if (auto ready = d->database().ready(); !ready)
        return ready.error();
    return readConversation(d->database(), id);
}

Result<void> ConversationStore::create(const Conversation &conversation)
{
    if (auto writable = d->checkWritable(); !writable)
        return writable;
    Batch batch(d->database());
    batch.begin();
    if (batch.ok() && !d->conversationNumber(batch, conversation.id))
        d->insertConversation(batch, conversation);
    return batch.commit();
}

Result<void> ConversationStore::rename(const ConversationId &id, const QString &title)
{
    return d->changeConversation(u"UPDATE conversations SET title = ? WHERE id = ?"_s,
                                 {textValue(title), textValue(id.toString())});
}

Result<void> ConversationStore::markDeleted(const ConversationId &id)
{
    return d->changeConversation(u"UPDATE conversations SET deleted_at = ? WHERE id = ?"_s,
                                 {now(), textValue(id.toString())});
}

Result<void> ConversationStore::undelete(const ConversationId &id)
{
    return d->changeConversation(u"UPDATE conversations SET deleted_at = NULL WHERE id = ?"_s,
                                 {textValue(id.toString())});
}

Result<void> ConversationStore::purgeDeleted()
{
    if (auto writable = d->checkWritable(); !writable)
        return writable;
    Batch batch(d->database());
    if (!batch.begin())
        return batch.result();
    TurnWriter::unindex(batch,
                        u"turns.conversation IN"
                        " (SELECT number FROM conversations WHERE deleted_at IS NOT NULL)"_s);
    batch.run(u"DELETE FROM conversations WHERE deleted_at IS NOT NULL"_s);
    return batch.commit();
}

Result<void> ConversationStore::setActiveTurn(const ConversationId &id, const TurnId &turn)
{
    return d->changeConversation(
        u"UPDATE conversations SET active_turn = ? WHERE id = ? AND EXISTS"
        " (SELECT 1 FROM turns WHERE turns.id = ? AND turns.conversation = conversations.number)"_s,
        {textValue(turn.toString()), textValue(id.toString()), textValue(turn.toString())});
}

Result<void> ConversationStore::setDraft(const ConversationId &id, const QString &text)
{
    return d->changeConversation(u"UPDATE conversations SET draft = ? WHERE id = ?"_s,
                                 {textValue(text), textValue(id.toString())});
}

Result<QString> ConversationStore::draft(const ConversationId &id) const
{
    if (auto ready = d->database().ready(); !ready)
        return ready.error();
    auto rows = d->database().select(u"SELECT draft FROM conversations WHERE id = ?"_s,
                                     {textValue(id.toString())});
    if (!rows)
        return rows.error();
    if (rows->next())
        return rows->text(0);
    auto end = rows->end();
    return end ? noSuchConversation() : end.error();
}

Result<std::vector<SearchHit>> ConversationStore::search(const QString &text, int most) const
{
    const SearchQuery query = searchQuery(text);
    std::vector<SearchHit> hits;
    if (query.match.isEmpty())
        return hits;
    if (auto ready = d->database().ready(); !ready)
        return ready.error();
    const QString order = query.newestFirst ? u"search_index.rowid DESC"_s : u"rank"_s;
    auto rows =
        d->database().select(u"SELECT conversations.id, turns.id, conversations.title,"
                             " snippet(search_index, -1, '', '', '…', 16), conversations.updated_at"
                             " FROM search_index JOIN turns ON turns.number = search_index.rowid"
                             " JOIN conversations ON conversations.number = turns.conversation"
                             " WHERE search_index MATCH ? AND conversations.deleted_at IS NULL"
                             " ORDER BY %1 LIMIT ?"_s.arg(order),
                             {query.match, most});
    if (!rows)
        return rows.error();
    while (rows->next()) {
        hits.push_back({ConversationId(rows->text(0)), TurnId(rows->text(1)), rows->text(2),
                        cleanSnippet(rows->text(3)), rows->time(4)});
    }
    if (auto end = rows->end(); !end)
        return end.error();
    return hits;
}

Result<ConversationId> ConversationStore::import(const Conversation &conversation)
{
    if (auto writable = d->checkWritable(); !writable)
        return writable.error();
    Batch batch(d->database());
    if (!batch.begin())
        return batch.result().error();
    bool taken = d->conversationNumber(batch, conversation.id).has_value();
    for (const TurnRecord &turn : conversation.turns)
        taken = taken || d->turnNumber(batch, turn.id);
    Conversation added = taken ? underNewIds(conversation) : conversation;
    const qint64 number = d->insertConversation(batch, added);
    for (TurnRecord &turn : added.turns) {
        turn.cutByCrash = turn.cutByCrash || !turn.outcome;
        settleCalls(turn);
        d->insertTurn(batch, number, turn);
    }
    if (auto committed = batch.commit(); !committed)
        return committed.error();
    return added.id;
}

Result<int> ConversationStore::recoverInterrupted()
{
    if (isReadOnly())
        return 0;
    Batch batch(d->database());
    if (!batch.begin())
        return batch.result().error();
    std::vector<qint64> numbers;
    {
        auto rows = d->database().select(
            u"SELECT number FROM turns WHERE state = 'running' ORDER BY number"_s);
        if (!rows)
            return rows.error();
        while (rows->next())
            numbers.push_back(rows->integer(0));
        if (auto end = rows->end(); !end)
            return end.error();
    }
    for (const qint64 number : numbers) {
        auto turn = readTurn(d->database(), number);
        if (!turn)
            return turn.error();
        turn->cutByCrash = true;
        settleCalls(*turn);
        d->writer().finish(batch, *turn);
        d->writer().forget(turn->id);
    }
    if (numbers.empty())
        return 0;
    if (auto committed = batch.commit(); !committed)
        return committed.error();
    return int(numbers.size());
}

Result<void> ConversationStore::beginTurn(const Conversation &conversation, const TurnRecord &turn)
{
    if (auto writable = d->checkWritable(); !writable)
        return writable;
    Batch batch(d->database());
    if (!batch.begin())
        return batch.result();
    std::optional<qint64> number = d->conversationNumber(batch, conversation.id);
    if (!number && batch.ok())
        number = d->insertConversation(batch, conversation);
    const qint64 row = number.value_or(0);
    for (const TurnRecord *unsaved : d->unsavedBefore(batch, conversation, turn))
        d->insertTurn(batch, row, *unsaved);
    d->writer().begin(batch, row, turn);
    d->writer().write(batch, turn, TurnWriter::Text::Grows);
    batch.run(u"UPDATE conversations SET active_turn = ?, updated_at = ? WHERE number = ?"_s,
              {textValue(turn.id.toString()), now(), row});
    return d->commit(batch, turn.id);
}

Result<void> ConversationStore::checkpoint(const TurnRecord &turn)
{
    if (auto writable = d->checkWritable(); !writable)
        return writable;
    Batch batch(d->database());
    d->writer().write(batch, turn, TurnWriter::Text::Grows);
    return d->commit(batch, turn.id);
}

Result<void> ConversationStore::saveCall(const TurnRecord &turn, const ToolCallBlock &call)
{
    if (auto writable = d->checkWritable(); !writable)
        return writable;
    Batch batch(d->database());
    d->writer().write(batch, turn, TurnWriter::Text::Grows);
    d->writer().writeCall(batch, turn, call);
    return d->commit(batch, turn.id);
}

Result<void> ConversationStore::finishTurn(const TurnRecord &turn)
{
    if (auto writable = d->checkWritable(); !writable)
        return writable;
    Batch batch(d->database());
    if (!batch.begin())
        return batch.result();
    d->writer().finish(batch, turn);
    batch.run(u"UPDATE conversations SET updated_at = ? WHERE number ="
              " (SELECT conversation FROM turns WHERE id = ?)"_s,
              {now(), textValue(turn.id.toString())});
    auto committed = d->commit(batch, turn.id);
    d->writer().forget(turn.id);
    return committed;
}

} // namespace fermata
