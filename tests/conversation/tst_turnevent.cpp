// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/serialization.h"
#include "conversation/turnevent.h"

#include "conversationgenerators.h"

#include <QTest>

#include <rapidcheck.h>

using namespace fermata;
using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

namespace {

TurnRecord folded(const std::vector<TurnEvent> &events)
{
    TurnRecord record;
    for (const TurnEvent &event : events)
        apply(record, event);
    return record;
}

// The whole of a record as text, for comparing.
QByteArray written(const TurnRecord &record)
{
    Conversation conversation;
    conversation.id = ConversationId(u"c"_s);
    conversation.turns = {record};
    return toJsonLines(conversation);
}

ToolCallBlock call(const QString &id)
{
    ToolCallBlock block;
    block.id = CallId(id);
    block.name = u"run_command"_s;
    return block;
}

} // namespace

class TestTurnEvent final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { arbitrary::useCases(2000); }

    void anUndoneCallKeepsItsResult()
    {
        ToolSlot slot;
        slot.state = ToolState::Finished;
        slot.output = u"made"_s;
        slot.undo = {{u"path"_s, u"a"_s}};
        const QDateTime now = QDateTime::fromMSecsSinceEpoch(1'700'000'000'000, Qt::UTC);
        const TurnRecord record =
            folded({IterationStarted{1}, ToolCallAdded{call(u"1"_s)},
                    ToolStateChanged{CallId(u"1"_s), slot}, ToolUndone{CallId(u"1"_s), now},
                    ToolUndone{CallId(u"other"_s), now}});
        slot.undoneAt = now;
        QCOMPARE(record.findCall(CallId(u"1"_s))->slot, slot);
    }
    void textGrowsInOneBlock()
    {
        const TurnRecord record = folded({IterationStarted{1}, TextAppended{u"Hel"_s},
                                          TextAppended{u"lo"_s}, MessageCompleted{}});
        QCOMPARE(record.answer.size(), 1u);
        QVERIFY(record.answer[0].complete);
        QCOMPARE(record.answer[0].blocks, (std::vector<ContentBlock>{TextBlock{u"Hello"_s}}));
    }
    void thinkingAndTextAlternateAsBlocks()
    {
        const TurnRecord record =
            folded({IterationStarted{1}, ThinkingAppended{u"h"_s}, ThinkingAppended{u"m"_s},
                    ThinkingEnded{u"sig"_s, milliseconds(7)}, TextAppended{u"a"_s},
                    ThinkingAppended{u"more"_s}});
        const ThinkingBlock whole{u"hm"_s, u"sig"_s, true, milliseconds(7)};
        const ThinkingBlock cut{u"more"_s, {}, false, {}};
        QCOMPARE(record.answer[0].blocks,
                 (std::vector<ContentBlock>{whole, TextBlock{u"a"_s}, cut}));
    }
    void aHiddenThoughtIsKeptForItsSignature()
    {
        TurnRecord record = folded({IterationStarted{1}, ThinkingEnded{u"sig"_s, {}}});
        QCOMPARE(record.answer[0].blocks,
                 (std::vector<ContentBlock>{ThinkingBlock{{}, u"sig"_s, true, {}}}));
        record = folded({ThinkingEnded{{}, milliseconds(3)}});
        QVERIFY(record.answer.empty());
    }
    void aRetryBeginsTheSameMessageAgain()
    {
        const TurnRecord record =
            folded({IterationStarted{1}, IterationStarted{2}, TextAppended{u"x"_s},
                    MessageCompleted{}, IterationStarted{3}, TextAppended{u"y"_s}});
        QCOMPARE(record.answer.size(), 2u);
        QCOMPARE(record.answerText(), u"x\n\ny"_s);
    }
    void aCallComesWithItsSlotAndFollowsItsStates()
    {
        ToolSlot running;
        running.state = ToolState::Running;
        ToolSlot finished;
        finished.state = ToolState::Finished;
        finished.output = u"all of it"_s;
        const CallId id(u"1"_s);
        std::vector<TurnEvent> events{IterationStarted{1},
                                      ToolCallAdded{call(u"1"_s)},
                                      MessageCompleted{},
                                      ToolStateChanged{id, running},
                                      ToolOutputAppended{id, u"li"_s},
                                      ToolOutputAppended{id, u"ve"_s},
                                      ToolStateChanged{id, running}};
        QCOMPARE(folded(events).findCall(id)->slot.output, u"live"_s);
        events.push_back(ToolStateChanged{id, finished});
        QCOMPARE(folded(events).findCall(id)->slot, finished);
    }
    void aResultThatIsThereIsNeverReplaced()
    {
        ToolSlot finished;
        finished.state = ToolState::Finished;
        finished.output = u"real"_s;
        ToolSlot interrupted;
        interrupted.state = ToolState::Interrupted;
        const CallId id(u"1"_s);
        const TurnRecord record =
            folded({ToolCallAdded{call(u"1"_s)}, ToolStateChanged{id, finished},
                    ToolStateChanged{id, interrupted}, ToolOutputAppended{id, u"late"_s}});
        QCOMPARE(record.findCall(id)->slot, finished);
    }
    void eventsForUnknownCallsChangeNothing()
    {
        const TurnRecord record = folded(
            {ToolStateChanged{CallId(u"x"_s), {}}, ToolOutputAppended{CallId(u"x"_s), u"o"_s}});
        QVERIFY(record.answer.empty());
    }
    void theEndGivesTheOutcome()
    {
        TurnOutcome outcome;
        outcome.status = TurnStatus::Stopped;
        TurnRecord record = folded({TextAppended{u"partial"_s}});
        QVERIFY(record.isRunning());
        apply(record, TurnFinished{outcome});
        QVERIFY(!record.isRunning());
        QVERIFY(record.outcome->status == TurnStatus::Stopped);
        QCOMPARE(record.answerText(), u"partial"_s);
        QVERIFY(!record.answer[0].complete);
    }
    void eventsWithoutContentChangeNothing()
    {
        const TurnRecord before = folded({TextAppended{u"x"_s}});
        TurnRecord record = before;
        const std::vector<TurnEvent> events{StageChanged{},  ApprovalAsked{},     ApprovalClosed{},
                                            QuestionAsked{}, QuestionClosed{},    RetryScheduled{},
                                            UsageChanged{},  NoticeAdded{u"n"_s}, SaveFailed{},
                                            SaveRecovered{}, TextAppended{}};
        for (const TurnEvent &event : events)
            apply(record, event);
        QCOMPARE(written(record), written(before));
    }

    void coalescingChangesNoContent()
    {
        QVERIFY(rc::check("coalesced events fold to the same record", [] {
            const std::vector<TurnEvent> events = arbitrary::events();
            std::vector<TurnEvent> coalesced;
            for (const TurnEvent &event : events)
                appendCoalesced(coalesced, event);
            RC_ASSERT(coalesced.size() <= events.size());
            RC_ASSERT(written(folded(coalesced)) == written(folded(events)));
        }));
    }
    void adjacentDeltasBecomeOne()
    {
        std::vector<TurnEvent> events;
        for (int i = 0; i < 1000; ++i)
            appendCoalesced(events, TextAppended{u"x"_s});
        appendCoalesced(events, ThinkingAppended{u"t"_s});
        appendCoalesced(events, ThinkingAppended{u"t"_s});
        appendCoalesced(events, ToolOutputAppended{CallId(u"1"_s), u"o"_s});
        appendCoalesced(events, ToolOutputAppended{CallId(u"1"_s), u"o"_s});
        appendCoalesced(events, ToolOutputAppended{CallId(u"2"_s), u"o"_s});
        appendCoalesced(events, StageChanged{});
        appendCoalesced(events, StageChanged{});
        QStringList log;
        for (const TurnEvent &event : events)
            log += describe(event);
        QCOMPARE(log,
                 (QStringList{u"TextAppended 1000"_s, u"ThinkingAppended 2"_s,
                              u"ToolOutputAppended 2"_s, u"ToolOutputAppended 1"_s,
                              u"StageChanged Starting"_s, u"StageChanged Starting"_s}));
    }

    void aDescriptionHoldsNoContent()
    {
        const QString secret = u"sk-canary"_s;
        TurnRecord record;
        record.userText = secret;
        ToolCallBlock block = call(secret);
        block.arguments = secret;
        ToolSlot slot;
        slot.output = slot.note = secret;
        ApprovalRequest request;
        request.exactText = secret;
        TurnOutcome outcome;
        outcome.text = secret;
        const std::vector<TurnEvent> events{TurnStarted{record},
                                            TextAppended{secret},
                                            ThinkingAppended{secret},
                                            ThinkingEnded{secret, {}},
                                            UnknownBlockAdded{{{{u"x"_s, secret}}}},
                                            MessageCompleted{{{u"x"_s, secret}}},
                                            ToolCallAdded{block},
                                            ToolStateChanged{block.id, slot},
                                            ToolOutputAppended{block.id, secret},
                                            ApprovalAsked{request},
                                            NoticeAdded{secret},
                                            SaveFailed{secret},
                                            RetryScheduled{1, 3, {}, secret},
                                            TurnFinished{outcome}};
        for (const TurnEvent &event : events)
            QVERIFY2(!describe(event).contains(secret), qPrintable(describe(event)));
        QCOMPARE(describe(TextAppended{u"twelve chars"_s}), u"TextAppended 12"_s);
        slot.state = ToolState::Finished;
        QCOMPARE(describe(ToolStateChanged{block.id, slot}), u"ToolStateChanged Finished"_s);
    }
};

QTEST_APPLESS_MAIN(TestTurnEvent)
#include "tst_turnevent.moc"
