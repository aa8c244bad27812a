// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/conversationstore.h"

#include "conversation/history.h"
#include "conversation/serialization.h"
#include "conversationgenerators/conversationgenerators.h"
#include "store/database.h"
#include "streamedturn.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <rapidcheck.h>

using namespace fermata;
using namespace Qt::StringLiterals;
using Mark = ConversationSummary::Mark;

namespace {

// One folder and one store, opened anew as often as wanted.
class Shelf
{
public:
    Shelf() { reopen(); }

    ConversationStore *operator->() const { return m_store.get(); }
    QString path() const { return m_folder.filePath(u"fermata.db"_s); }
    void reopen()
    {
        m_store.reset();
        auto opened = ConversationStore::open(path());
        if (!opened)
            qFatal("%s", qPrintable(opened.error().message + opened.error().detail));
        m_store = std::move(*opened);
    }

private:
    QTemporaryDir m_folder;
    std::unique_ptr<ConversationStore> m_store;
};

QByteArray written(const Conversation &conversation)
{
    return toJsonLines(conversation);
}

QByteArray written(const TurnRecord &record)
{
    Conversation conversation;
    conversation.id = ConversationId(u"c"_s);
    conversation.turns = {record};
    return toJsonLines(conversation);
}

TurnRecord withFinalSlots(TurnRecord turn)
{
    for (AssistantMessage &message : turn.answer) {
        for (ContentBlock &block : message.blocks) {
            if (auto *call = std::get_if<ToolCallBlock>(&block); call && !isFinal(call->slot.state))
                call->slot.state = ToolState::Failed;
        }
    }
    return turn;
}

Conversation withFinalSlots(Conversation conversation)
{
    for (TurnRecord &turn : conversation.turns)
        turn = withFinalSlots(std::move(turn));
    return conversation;
}

Conversation titled(const QString &title, qint64 time = 1'700'000'000'000)
{
    Conversation conversation;
    conversation.id = ConversationId::create();
    conversation.title = title;
    conversation.createdAt = QDateTime::fromMSecsSinceEpoch(time, Qt::UTC);
    conversation.updatedAt = conversation.createdAt;
    return conversation;
}

TurnRecord asked(const QString &text)
{
    TurnRecord turn;
    turn.id = TurnId::create();
    turn.userText = text;
    return turn;
}

TurnOutcome ended(TurnStatus status)
{
    TurnOutcome outcome;
    outcome.status = status;
    outcome.sent = true;
    return outcome;
}

// What another connection sees of changes: it differs after each commit that wrote something.
qint64 dataVersion(Database &watcher)
{
    auto rows = watcher.select(u"SELECT data_version FROM pragma_data_version"_s);
    return rows && rows->next() ? rows->integer(0) : -1;
}

} // namespace

class TestConversationStore final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { arbitrary::useCases(200); }

    void conversationsComeBackEqual()
    {
        // behaviours: 194, 205, 214
        Shelf shelf;
        QVERIFY(rc::check("load(save(c)) == c", [&] {
            const Conversation saved = withFinalSlots(arbitrary::conversation());
            const auto id = shelf->import(saved);
            RC_ASSERT(id.ok());
            RC_ASSERT(*id == saved.id);
            const auto loaded = shelf->load(saved.id);
            RC_ASSERT(loaded.ok());
            RC_ASSERT(written(*loaded) == written(saved));
        }));
    }
    void whatIsThereIsThereAfterReopening()
    {
        Shelf shelf;
        Conversation conversation = titled(u"kept"_s);
        conversation.turns = {asked(u"q"_s)};
        conversation.turns[0].outcome = ended(TurnStatus::Stopped);
        conversation.activeTurn = conversation.turns[0].id;
        QVERIFY(shelf->import(conversation).ok());
        shelf.reopen();
        QCOMPARE(written(*shelf->load(conversation.id)), written(conversation));
    }
    void whatAnUndoNeedsIsKeptAndThatItWasDone()
    {
        Shelf shelf;
        TurnRecord turn = withFinalSlots(streamed::after(streamed::Steps));
        turn.outcome = streamed::outcome();
        ToolSlot &slot = turn.findCall(streamed::callId())->slot;
        slot.undo = {{u"path"_s, u"a"_s}, {u"before"_s, u"x"_s}};
        QVERIFY(shelf->beginTurn(streamed::conversation(), turn).ok());
        QVERIFY(shelf->finishTurn(turn).ok());
        shelf.reopen();
        QCOMPARE(
            shelf->load(streamed::conversationId())->turns[0].findCall(streamed::callId())->slot,
            slot);
        // As an undo of another day does it: the turn is finished again.
        slot.undoneAt = QDateTime::fromMSecsSinceEpoch(1'700'000'000'000, Qt::UTC);
        QVERIFY(shelf->finishTurn(turn).ok());
        shelf.reopen();
        const auto loaded = shelf->load(streamed::conversationId());
        QCOMPARE(loaded->turns[0].findCall(streamed::callId())->slot, slot);
        QCOMPARE(written(loaded->turns[0]), written(turn));
    }
    void aMissingConversationIsNotFound()
    {
        // behaviours: 205
        Shelf shelf;
        const ConversationId id = ConversationId::create();
        QVERIFY(shelf->load(id).error().code == ErrorCode::NotFound);
        QVERIFY(shelf->rename(id, u"x"_s).error().code == ErrorCode::NotFound);
        QVERIFY(shelf->draft(id).error().code == ErrorCode::NotFound);
        QVERIFY(shelf->markDeleted(id).error().code == ErrorCode::NotFound);
        QVERIFY(shelf->checkpoint(asked(u"q"_s)).error().code == ErrorCode::NotFound);
        QVERIFY(shelf->finishTurn(asked(u"q"_s)).error().code == ErrorCode::NotFound);
    }
    void theListShowsTheNewestFirst()
    {
        // behaviours: 215
        Shelf shelf;
        for (int i = 0; i < 30; ++i)
            QVERIFY(shelf->import(titled(QString::number(i), 1'700'000'000'000 + i)).ok());
        const auto list = shelf->list();
        QVERIFY(list.ok());
        QCOMPARE(list->size(), 30u);
        QCOMPARE(list->front().title, u"29"_s);
        QCOMPARE(list->back().title, u"0"_s);
        QCOMPARE(list->back().updatedAt.toMSecsSinceEpoch(), 1'700'000'000'000);
    }
    void theListMarksHowTheLastTurnEnded_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<int>("mark");
        QTest::newRow("completed") << int(TurnStatus::Completed) << int(Mark::None);
        QTest::newRow("stopped") << int(TurnStatus::Stopped) << int(Mark::Stopped);
        QTest::newRow("timed out") << int(TurnStatus::TimedOut) << int(Mark::Limit);
        QTest::newRow("limit") << int(TurnStatus::LimitReached) << int(Mark::Limit);
        QTest::newRow("failed") << int(TurnStatus::Failed) << int(Mark::Failed);
    }
    void theListMarksHowTheLastTurnEnded()
    {
        QFETCH(int, status);
        QFETCH(int, mark);
        Shelf shelf;
        const Conversation conversation = titled(u"c"_s);
        TurnRecord turn = asked(u"q"_s);
        QVERIFY(shelf->beginTurn(conversation, turn).ok());
        QVERIFY(shelf->list()->front().mark == Mark::Running);
        turn.outcome = ended(TurnStatus(status));
        QVERIFY(shelf->finishTurn(turn).ok());
        QCOMPARE(int(shelf->list()->front().mark), mark);
    }
    void titlesAndDraftsAreKeptAsTheyAre_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("plain") << u"A title"_s;
        QTest::newRow("empty") << QString();
        QTest::newRow("quotes") << u"Robert'); DROP TABLE turns;--"_s;
        QTest::newRow("markup and breaks") << u"<img src=x>\n![a](b)"_s;
        QTest::newRow("zero") << u"a"_s + QChar(u'\0') + u"b"_s;
        QTest::newRow("other planes") << u"😀 漢字"_s;
    }
    void titlesAndDraftsAreKeptAsTheyAre()
    {
        // behaviours: 216
        QFETCH(QString, text);
        Shelf shelf;
        const Conversation conversation = titled(u"c"_s);
        QVERIFY(shelf->create(conversation).ok());
        QVERIFY(shelf->rename(conversation.id, text).ok());
        QVERIFY(shelf->setDraft(conversation.id, text).ok());
        shelf.reopen();
        QCOMPARE(shelf->load(conversation.id)->title, text);
        QCOMPARE(*shelf->draft(conversation.id), text);
    }
    void renamingKeepsTheTimeOfCreation()
    {
        // behaviours: 214
        Shelf shelf;
        const Conversation conversation = titled(u"c"_s);
        QVERIFY(shelf->create(conversation).ok());
        QVERIFY(shelf->rename(conversation.id, u"d"_s).ok());
        QVERIFY(shelf->create(conversation).ok());
        TurnRecord turn = asked(u"q"_s);
        QVERIFY(shelf->beginTurn(conversation, turn).ok());
        const auto loaded = shelf->load(conversation.id);
        QCOMPARE(loaded->createdAt, conversation.createdAt);
        QCOMPARE(loaded->title, u"d"_s);
        QVERIFY(loaded->updatedAt > conversation.updatedAt);
    }
    void whatIsDeletedIsHiddenAndComesBack()
    {
        Shelf shelf;
        const Conversation conversation = titled(u"c"_s);
        TurnRecord turn = asked(u"needle"_s);
        turn.outcome = ended(TurnStatus::Completed);
        QVERIFY(shelf->beginTurn(conversation, turn).ok());
        QVERIFY(shelf->finishTurn(turn).ok());
        QVERIFY(shelf->markDeleted(conversation.id).ok());
        QVERIFY(shelf->list()->empty());
        QVERIFY(shelf->search(u"needle"_s, 10)->empty());
        QVERIFY(shelf->undelete(conversation.id).ok());
        QCOMPARE(shelf->list()->size(), 1u);
        QCOMPARE(shelf->search(u"needle"_s, 10)->size(), 1u);
    }
    void purgingRemovesOnlyWhatWasDeleted()
    {
        Shelf shelf;
        const Conversation kept = titled(u"kept"_s);
        const Conversation gone = titled(u"gone"_s);
        for (const Conversation &conversation : {kept, gone}) {
            TurnRecord turn = streamed::after(streamed::Steps);
            turn.id = TurnId::create();
            turn.userText = u"needle"_s;
            turn.outcome = ended(TurnStatus::Completed);
            QVERIFY(shelf->beginTurn(conversation, turn).ok());
            QVERIFY(shelf->finishTurn(turn).ok());
        }
        QVERIFY(shelf->markDeleted(gone.id).ok());
        QVERIFY(shelf->purgeDeleted().ok());
        QVERIFY(shelf->load(gone.id).error().code == ErrorCode::NotFound);
        QVERIFY(shelf->load(kept.id).ok());
        const auto hits = shelf->search(u"needle"_s, 10);
        QCOMPARE(hits->size(), 1u);
        QCOMPARE(hits->front().conversation, kept.id);
        auto database = Database::open(shelf.path());
        for (const QString &table : {u"turns"_s, u"messages"_s, u"slots"_s}) {
            auto rows = (*database)->select(u"SELECT count(*) FROM "_s + table);
            QVERIFY(rows->next());
            QCOMPARE(rows->integer(0), table == u"messages"_s ? 2 : 1);
        }
        QVERIFY(
            (*database)
                ->run(
                    u"INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)"_s)
                .ok());
    }
    void theBranchThatIsShownIsKept()
    {
        // behaviours: 195
        Shelf shelf;
        const Conversation conversation = titled(u"c"_s);
        const TurnRecord first = asked(u"1"_s);
        const TurnRecord second = asked(u"2"_s);
        QVERIFY(shelf->beginTurn(conversation, first).ok());
        QVERIFY(shelf->beginTurn(conversation, second).ok());
        QCOMPARE(shelf->load(conversation.id)->activeTurn, second.id);
        QVERIFY(shelf->setActiveTurn(conversation.id, first.id).ok());
        QCOMPARE(shelf->load(conversation.id)->activeTurn, first.id);
        QVERIFY(!shelf->setActiveTurn(conversation.id, TurnId::create()).ok());
        QCOMPARE(shelf->load(conversation.id)->activeTurn, first.id);
        QCOMPARE(shelf->load(conversation.id)->turns.size(), 2u);
    }
    void whatWasNotSavedBeforeIsSavedWithTheNextTurn()
    {
        // behaviours: 208
        Shelf shelf;
        Conversation conversation = titled(u"c"_s);
        for (int i = 0; i < 3; ++i) {
            TurnRecord turn = asked(QString::number(i));
            turn.outcome = ended(TurnStatus::Completed);
            if (i > 0)
                turn.parent = conversation.turns.back().id;
            conversation.turns.push_back(turn);
        }
        TurnRecord next = asked(u"next"_s);
        next.parent = conversation.turns.back().id;
        QVERIFY(shelf->beginTurn(conversation, next).ok());
        const auto loaded = shelf->load(conversation.id);
        QCOMPARE(loaded->turns.size(), 4u);
        QCOMPARE(loaded->activePath().size(), 4u);
        QCOMPARE(loaded->turns[0].userText, u"0"_s);
    }

    void aCheckpointHoldsWhatCameSoFar()
    {
        Shelf shelf;
        QVERIFY(rc::check("after every checkpoint the record is on the disk", [&] {
            const Conversation conversation = titled(u"c"_s);
            TurnRecord record;
            bool begun = false;
            for (const TurnEvent &event : arbitrary::events()) {
                apply(record, event);
                if (!begun) {
                    RC_ASSERT(shelf->beginTurn(conversation, record).ok());
                    begun = true;
                } else if (arbitrary::chance(50) && !record.outcome) {
                    RC_ASSERT(shelf->checkpoint(record).ok());
                    if (arbitrary::chance(20))
                        shelf.reopen();
                    const auto loaded = shelf->load(conversation.id);
                    RC_ASSERT(loaded.ok());
                    RC_ASSERT(written(loaded->turns[0]) == written(record));
                }
            }
            record = withFinalSlots(std::move(record));
            if (!record.outcome)
                record.cutByCrash = true;
            RC_ASSERT(shelf->finishTurn(record).ok());
            RC_ASSERT(shelf->finishTurn(record).ok());
            RC_ASSERT(written(shelf->load(conversation.id)->turns[0]) == written(record));
        }));
    }
    void halfACharacterWaitsForItsOtherHalf()
    {
        Shelf shelf;
        TurnRecord record = asked(u"q"_s);
        QVERIFY(shelf->beginTurn(titled(u"c"_s), record).ok());
        const auto stored = [&] {
            return shelf->load(shelf->list()->front().id)->turns[0].answerText();
        };
        apply(record, TextAppended{u"a"_s + QChar(0xd83d)});
        QVERIFY(shelf->checkpoint(record).ok());
        QCOMPARE(stored(), u"a"_s);
        apply(record, TextAppended{QChar(0xde00) + u"b"_s + QChar(0xd83d)});
        QVERIFY(shelf->checkpoint(record).ok());
        QCOMPARE(stored(), u"a😀b"_s);
        apply(record, TextAppended{u"c"_s});
        QVERIFY(shelf->checkpoint(record).ok());
        QCOMPARE(stored(), u"a😀b\ufffdc"_s);
        apply(record, TextAppended{QChar(0xd83d)});
        record.cutByCrash = true;
        QVERIFY(shelf->finishTurn(record).ok());
        QCOMPARE(stored(), u"a😀b\ufffdc\ufffd"_s);
    }
    void nothingNewIsNotWritten()
    {
        // behaviours: 209
        Shelf shelf;
        TurnRecord record = streamed::turn();
        QVERIFY(shelf->beginTurn(streamed::conversation(), record).ok());
        auto watcher = Database::open(shelf.path());
        QVERIFY(watcher.ok());
        for (int step = 0; step < streamed::Steps; ++step) {
            record = streamed::after(step);
            QVERIFY(shelf->checkpoint(record).ok());
            const qint64 before = dataVersion(**watcher);
            QVERIFY(shelf->checkpoint(record).ok());
            if (const ToolCallBlock *call = record.findCall(streamed::callId()))
                QVERIFY(shelf->saveCall(record, *call).ok());
            QCOMPARE(dataVersion(**watcher), before);
        }
        record = streamed::after(streamed::Steps);
        QVERIFY(shelf->checkpoint(record).ok());
        const qint64 before = dataVersion(**watcher);
        apply(record, TextAppended{u"new"_s});
        QVERIFY(shelf->checkpoint(record).ok());
        QVERIFY(dataVersion(**watcher) != before);
    }
    void aCallIsSavedWithItsSlotBeforeItRuns()
    {
        // behaviours: 200
        Shelf shelf;
        TurnRecord record = streamed::turn();
        QVERIFY(shelf->beginTurn(streamed::conversation(), record).ok());
        record = streamed::after(13); // the call has not been written by any checkpoint yet
        QVERIFY(shelf->saveCall(record, *record.findCall(streamed::callId())).ok());
        const auto running = shelf->load(streamed::conversationId());
        QVERIFY(running->turns[0].findCall(streamed::callId())->slot.state == ToolState::Running);
        record = streamed::after(16);
        QVERIFY(shelf->saveCall(record, *record.findCall(streamed::callId())).ok());
        const auto finished = shelf->load(streamed::conversationId());
        QCOMPARE(finished->turns[0].findCall(streamed::callId())->slot,
                 record.findCall(streamed::callId())->slot);
    }
    void theGivenStateOfACallIsSaved()
    {
        Shelf shelf;
        TurnRecord record = streamed::after(11);
        QVERIFY(shelf->beginTurn(streamed::conversation(), record).ok());
        ToolCallBlock call = *record.findCall(streamed::callId());
        call.slot.state = ToolState::Denied;
        call.slot.note = u"Not run: denied."_s;
        QVERIFY(shelf->saveCall(record, call).ok());
        const auto loaded = shelf->load(streamed::conversationId());
        QCOMPARE(loaded->turns[0].findCall(streamed::callId())->slot, call.slot);
    }
    void anotherStoreGoesOnWithATurn()
    {
        Shelf shelf;
        TurnRecord record = streamed::after(14);
        QVERIFY(shelf->beginTurn(streamed::conversation(), record).ok());
        shelf.reopen();
        record = streamed::after(20);
        QVERIFY(shelf->checkpoint(record).ok());
        shelf.reopen();
        record = streamed::after(streamed::Steps);
        QVERIFY(shelf->checkpoint(record).ok());
        QCOMPARE(written(shelf->load(streamed::conversationId())->turns[0]), written(record));
    }
    void aRecordThatWasWrittenOtherwiseIsWrittenAnew()
    {
        Shelf shelf;
        TurnRecord record = streamed::after(20);
        QVERIFY(shelf->beginTurn(streamed::conversation(), record).ok());
        shelf.reopen();
        record = streamed::turn();
        apply(record, TextAppended{u"other"_s});
        QVERIFY(shelf->checkpoint(record).ok());
        QCOMPARE(written(shelf->load(streamed::conversationId())->turns[0]), written(record));
    }
    void beginningMayBeRepeated()
    {
        Shelf shelf;
        const TurnRecord record = streamed::after(5);
        QVERIFY(shelf->beginTurn(streamed::conversation(), record).ok());
        QVERIFY(shelf->beginTurn(streamed::conversation(), record).ok());
        shelf.reopen();
        QVERIFY(shelf->beginTurn(streamed::conversation(), record).ok());
        QCOMPARE(shelf->list()->size(), 1u);
        QCOMPARE(shelf->load(streamed::conversationId())->turns.size(), 1u);
    }

    void aTurnThatRanIsCutAtTheNextStart()
    {
        // behaviours: 184, 190, 193
        Shelf shelf;
        TurnRecord record = streamed::after(15);
        ToolCallBlock finished = *record.findCall(streamed::callId());
        finished.id = CallId(u"finished"_s);
        finished.slot.state = ToolState::Finished;
        finished.slot.output = u"real"_s;
        ToolCallBlock waiting = finished;
        waiting.id = CallId(u"waiting"_s);
        waiting.slot = {};
        ToolCallBlock asking = waiting;
        asking.id = CallId(u"asking"_s);
        asking.slot.state = ToolState::Asking;
        for (const ToolCallBlock &call : {finished, waiting, asking})
            record.answer[0].blocks.push_back(call);
        QVERIFY(shelf->beginTurn(streamed::conversation(), record).ok());
        shelf.reopen();
        const auto cut = shelf->recoverInterrupted();
        QVERIFY(cut.ok());
        QCOMPARE(*cut, 1);
        QCOMPARE(*shelf->recoverInterrupted(), 0);
        const auto loaded = shelf->load(streamed::conversationId());
        const TurnRecord &turn = loaded->turns[0];
        QVERIFY(turn.cutByCrash);
        QVERIFY(!turn.isRunning());
        QCOMPARE(turn.answerText(), record.answerText());
        const ToolSlot &ran = turn.findCall(streamed::callId())->slot;
        QVERIFY(ran.state == ToolState::Interrupted);
        QVERIFY(ran.note.contains(u"may or may not have taken effect; check before repeating"_s));
        QCOMPARE(ran.output, u"the wh"_s);
        QVERIFY(turn.findCall(waiting.id)->slot.state == ToolState::NotRun);
        QVERIFY(turn.findCall(waiting.id)->slot.note.startsWith(u"Not run: "_s));
        QVERIFY(turn.findCall(asking.id)->slot.state == ToolState::NotRun);
        QVERIFY(turn.findCall(asking.id)->slot.note.contains(u"counts as not allowed"_s));
        QVERIFY(validateHistory(buildHistory(loaded->activePath())).empty());
        QVERIFY(shelf->list()->front().mark == Mark::Stopped);
    }
    void aResultThatWasSavedIsUsedAfterACrash()
    {
        // behaviours: 192
        Shelf shelf;
        const TurnRecord record = streamed::after(16);
        QVERIFY(shelf->beginTurn(streamed::conversation(), record).ok());
        shelf.reopen();
        QCOMPARE(*shelf->recoverInterrupted(), 1);
        const auto loaded = shelf->load(streamed::conversationId());
        QCOMPARE(loaded->turns[0].findCall(streamed::callId())->slot,
                 record.findCall(streamed::callId())->slot);
        QCOMPARE(std::get<HistoryResult>(buildHistory(loaded->activePath())[2].blocks[0]).text,
                 u"the whole output"_s);
    }
    void whatWasCutIsFoundBySearch()
    {
        Shelf shelf;
        QVERIFY(shelf->beginTurn(streamed::conversation(), streamed::after(9)).ok());
        QVERIFY(shelf->search(u"begin"_s, 5)->empty());
        QVERIFY(shelf->recoverInterrupted().ok());
        QCOMPARE(shelf->search(u"begin"_s, 5)->size(), 1u);
    }

    void anImportGetsNewIdsIfTheOldOnesAreTaken()
    {
        Shelf shelf;
        Conversation conversation = titled(u"c"_s);
        TurnRecord first = withFinalSlots(streamed::after(streamed::Steps));
        first.outcome = streamed::outcome();
        TurnRecord second = asked(u"2"_s);
        second.parent = first.id;
        second.outcome = ended(TurnStatus::Completed);
        conversation.turns = {first, second};
        conversation.activeTurn = second.id;
        QCOMPARE(*shelf->import(conversation), conversation.id);
        const auto copy = shelf->import(conversation);
        QVERIFY(copy.ok());
        QVERIFY(*copy != conversation.id);
        const auto loaded = shelf->load(*copy);
        QCOMPARE(loaded->activePath().size(), 2u);
        QVERIFY(loaded->turns[0].id != first.id);
        QVERIFY(!loaded->turns[0].findCall(streamed::callId()));
        QCOMPARE(loaded->turns[0].answerText(), first.answerText());
        QCOMPARE(written(*shelf->load(conversation.id)), written(conversation));
    }
    void nothingInAnImportRuns()
    {
        // behaviours: 190
        Shelf shelf;
        Conversation conversation = titled(u"c"_s);
        conversation.turns = {streamed::after(14)};
        const auto id = shelf->import(conversation);
        const auto loaded = shelf->load(*id);
        QVERIFY(loaded->turns[0].cutByCrash);
        QVERIFY(loaded->turns[0].findCall(streamed::callId())->slot.state
                == ToolState::Interrupted);
    }

    void aThousandConversationsAreListedAtOnce()
    {
        Shelf shelf;
        for (int i = 0; i < 1000; ++i) {
            Conversation conversation = titled(u"Conversation %1"_s.arg(i), 1'700'000'000'000 + i);
            conversation.turns = {asked(u"question %1"_s.arg(i))};
            conversation.turns[0].outcome = ended(TurnStatus::Stopped);
            conversation.activeTurn = conversation.turns[0].id;
            QVERIFY(shelf->import(conversation).ok());
        }
        shelf.reopen();
        QElapsedTimer timer;
        timer.start();
        const auto list = shelf->list();
        qInfo("listing 1,000 conversations: %.2f ms", double(timer.nsecsElapsed()) / 1e6);
        QVERIFY(list.ok());
        QCOMPARE(list->size(), 1000u);
        QVERIFY(list->front().mark == Mark::Stopped);
    }
    void aCheckpointCostsWhatIsNew()
    {
        Shelf shelf;
        TurnRecord record = asked(u"q"_s);
        apply(record, TextAppended{u"x"_s.repeated(100'000)});
        const Conversation conversation = titled(u"c"_s);
        QVERIFY(shelf->beginTurn(conversation, record).ok());
        std::vector<qint64> times;
        for (int i = 0; i < 500; ++i) {
            apply(record, TextAppended{u"y"_s.repeated(60)});
            QElapsedTimer timer;
            timer.start();
            QVERIFY(shelf->checkpoint(record).ok());
            times.push_back(timer.nsecsElapsed());
        }
        std::sort(times.begin(), times.end());
        qInfo(
            "checkpoint of a 100 KB draft that grew by 60 characters: median %.3f ms, p99 %.3f ms",
            double(times[250]) / 1e6, double(times[495]) / 1e6);
        auto database = Database::open(shelf.path());
        auto rows = (*database)->select(u"SELECT count(*), max(length(text)) FROM segments"_s);
        QVERIFY(rows->next());
        QCOMPARE(rows->integer(0), 500);
        QCOMPARE(rows->integer(1), 60);
        QCOMPARE(shelf->load(conversation.id)->turns[0].answerText(), record.answerText());
    }
};

QTEST_GUILESS_MAIN(TestConversationStore)
#include "tst_conversationstore.moc"
