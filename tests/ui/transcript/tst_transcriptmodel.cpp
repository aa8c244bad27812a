// SPDX-License-Identifier: GPL-3.0-or-later
#include "samples.h"
#include "ui/transcript/transcriptmodel.h"

#include <QSignalSpy>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

void applyBoth(Conversation &conversation, TranscriptModel &model, const TurnEventBatch &batch)
{
    for (const TurnEvent &event : batch.events) {
        if (const auto *started = std::get_if<TurnStarted>(&event)) {
            conversation.turns.push_back(started->record);
            conversation.activeTurn = started->record.id;
        } else {
            fermata::apply(*conversation.find(batch.turn), event);
        }
    }
    model.apply(batch);
}

TurnEventBatch started(const QString &text, TurnId parent, TurnKind kind = TurnKind::Message)
{
    TurnRecord record;
    record.id = TurnId::create();
    record.parent = parent;
    record.kind = kind;
    record.userText = text;
    return {record.id, {TurnStarted{record}}};
}

} // namespace

class TestTranscriptModel : public QObject
{
    Q_OBJECT

private slots:
    void aTurnIsAMessageAndAnAnswer()
    {
        const Conversation conversation = samples::askingForApproval();
        TranscriptModel model;
        model.setConversation(&conversation);
        // The continuation in the middle has no message of the user.
        QCOMPARE(model.rowCount(), 5);
        QCOMPARE(model.row(0).kind, TranscriptRow::Kind::User);
        QCOMPARE(model.row(1).kind, TranscriptRow::Kind::Answer);
        QCOMPARE(model.row(2).kind, TranscriptRow::Kind::Answer);
        QCOMPARE(model.messageText(0), conversation.turns[0].userText);
        QCOMPARE(model.messageText(2), conversation.turns[1].answerText());
        QCOMPARE(model.messageTurn(conversation.turns[1].id)->id, conversation.turns[0].id);
    }

    void aNewTurnAddsItsRowsAndNothingElse()
    {
        Conversation conversation = samples::longConversation(3);
        TranscriptModel model;
        model.setConversation(&conversation);
        QSignalSpy reset(&model, &TranscriptModel::modelReset);
        QSignalSpy added(&model, &TranscriptModel::rowsAdded);
        QSignalSpy changed(&model, &TranscriptModel::rowChanged);
        const TurnEventBatch start = started(u"Next"_s, conversation.activeTurn);
        applyBoth(conversation, model, start);
        QCOMPARE(added.size(), 1);
        QCOMPARE(added[0][0].toInt(), 6);
        QCOMPARE(added[0][1].toInt(), 7);
        applyBoth(conversation, model, {start.turn, {TextAppended{u"text"_s}}});
        QCOMPARE(changed.last()[0].toInt(), 7);
        QCOMPARE(reset.size(), 0);
        QCOMPARE(model.messageText(7), u"text"_s);
    }

    void aRetryShowsTheNewBranch()
    {
        Conversation conversation = samples::longConversation(2);
        TranscriptModel model;
        model.setConversation(&conversation);
        QSignalSpy reset(&model, &TranscriptModel::modelReset);
        const TurnEventBatch retry = started(u"Again"_s, conversation.turns[0].id);
        applyBoth(conversation, model, retry);
        QCOMPARE(reset.size(), 1);
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(model.row(3).turn, retry.turn);
        QCOMPARE(model.versions(retry.turn).size(), size_t(2));
    }

    void eventsOfAHiddenBranchChangeNothing()
    {
        Conversation conversation = samples::longConversation(2);
        const TurnId first = conversation.turns[1].id;
        TurnRecord other = conversation.turns[1];
        other.id = TurnId::create();
        conversation.turns.push_back(other);
        conversation.activeTurn = other.id;
        TranscriptModel model;
        model.setConversation(&conversation);
        QSignalSpy changed(&model, &TranscriptModel::rowChanged);
        applyBoth(conversation, model, {first, {TextAppended{u"late"_s}}});
        QCOMPARE(changed.size(), 0);
    }

    void noticesStandWhereTheyCame()
    {
        Conversation conversation = samples::running(u"text"_s);
        TranscriptModel model;
        model.setConversation(&conversation);
        const TurnId turn = conversation.activeTurn;
        applyBoth(conversation, model, {turn, {NoticeAdded{u"note"_s}}});
        QCOMPARE(model.notices(turn).size(), size_t(1));
        QCOMPARE(model.notices(turn)[0].message, size_t(1));
        QCOMPARE(model.notices(turn)[0].block, size_t(1));
    }
};

QTEST_APPLESS_MAIN(TestTranscriptModel)
#include "tst_transcriptmodel.moc"
