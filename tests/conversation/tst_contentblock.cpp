// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/contentblock.h"
#include "conversation/turnevent.h"
#include "conversation/turnoutcome.h"
#include "conversation/validtext.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class TestContentBlock final : public QObject
{
    Q_OBJECT

private slots:
    void everyToolStateHasAStableName_data()
    {
        QTest::addColumn<ToolState>("state");
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("final");
        QTest::addColumn<bool>("started");
        QTest::newRow("waiting") << ToolState::Waiting << u"Waiting"_s << false << false;
        QTest::newRow("asking") << ToolState::Asking << u"Asking"_s << false << false;
        QTest::newRow("running") << ToolState::Running << u"Running"_s << false << true;
        QTest::newRow("finished") << ToolState::Finished << u"Finished"_s << true << true;
        QTest::newRow("failed") << ToolState::Failed << u"Failed"_s << true << true;
        QTest::newRow("denied") << ToolState::Denied << u"Denied"_s << true << false;
        QTest::newRow("interrupted") << ToolState::Interrupted << u"Interrupted"_s << true << true;
        QTest::newRow("timed out") << ToolState::TimedOut << u"TimedOut"_s << true << true;
        QTest::newRow("not run") << ToolState::NotRun << u"NotRun"_s << true << false;
        QTest::newRow("still running")
            << ToolState::StillRunning << u"StillRunning"_s << true << true;
    }
    void everyToolStateHasAStableName()
    {
        QFETCH(ToolState, state);
        QFETCH(QString, name);
        QCOMPARE(toString(state), name);
        QCOMPARE(toolStateFromString(name), std::optional(state));
        QTEST(isFinal(state), "final");
        QTEST(wasStarted(state), "started");
    }
    void unknownNamesAreNothing()
    {
        QVERIFY(!toolStateFromString(u"finished"));
        QVERIFY(!turnStatusFromString(u"Cancelled"));
        QVERIFY(!stopReasonFromString(u""));
    }
    void statusAndStopReasonsComeBackFromTheirNames()
    {
        for (int i = 0; i <= int(TurnStatus::Failed); ++i)
            QCOMPARE(turnStatusFromString(toString(TurnStatus(i))), std::optional(TurnStatus(i)));
        for (int i = 0; i <= int(StopReason::Limit); ++i)
            QCOMPARE(stopReasonFromString(toString(StopReason(i))), std::optional(StopReason(i)));
        QCOMPARE(toString(StopReason::EndTurn), u"endTurn"_s);
        QCOMPARE(toString(TurnStatus::Completed), u"Completed"_s);
        QCOMPARE(toString(TurnStage::WaitingForFirstToken), u"WaitingForFirstToken"_s);
    }

    void aResultSaysTheNoteFirst()
    {
        ToolSlot slot;
        slot.state = ToolState::Interrupted;
        slot.note = u"Interrupted: stopped by the user."_s;
        slot.output = u"line 1"_s;
        QCOMPARE(resultText(slot),
                 u"Interrupted: stopped by the user.\n\nOutput so far:\nline 1"_s);
        slot.output.clear();
        QCOMPARE(resultText(slot), slot.note);
    }
    void aFinishedResultIsItsOutputAndNothingElse()
    {
        ToolSlot slot;
        slot.state = ToolState::Finished;
        slot.output = u"42"_s;
        QCOMPARE(resultText(slot), u"42"_s);
        QVERIFY(!slot.isError());
    }
    void whatWasUndoneSaysSoBehindItsResult()
    {
        ToolSlot slot;
        slot.state = ToolState::Finished;
        slot.output = u"“a.txt” was made: 4 bytes."_s;
        slot.undo = {{u"path"_s, u"a.txt"_s}};
        QVERIFY(slot.canBeUndone());
        slot.undoneAt = QDateTime::fromMSecsSinceEpoch(1'700'000'000'000, Qt::UTC);
        QVERIFY(!slot.canBeUndone());
        QVERIFY(!slot.isError());
        QVERIFY(resultText(slot).startsWith(slot.output + u"\n\nUndone: the user has taken"_s));
    }
    void aSlotWithoutNoteSaysWhetherItWasStarted()
    {
        // behaviours: 184
        for (int i = 0; i <= int(ToolState::StillRunning); ++i) {
            ToolSlot slot;
            slot.state = ToolState(i);
            const QString text = resultText(slot);
            if (slot.state == ToolState::Finished || slot.state == ToolState::Failed) {
                QVERIFY(text.isEmpty());
            } else if (wasStarted(slot.state)) {
                QVERIFY(text.startsWith(u"Interrupted: "_s));
                QVERIFY(
                    text.contains(u"may or may not have taken effect; check before repeating"_s));
            } else {
                QVERIFY(text.startsWith(u"Not run: "_s));
            }
            QCOMPARE(slot.isError(), slot.state != ToolState::Finished);
        }
    }

    void onlyAWholeAnswerOfTheModelIsAnAnswer_data()
    {
        // behaviours: 245
        QTest::addColumn<TurnStatus>("status");
        QTest::addColumn<StopReason>("reason");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("answer");
        QTest::newRow("end") << TurnStatus::Completed << StopReason::EndTurn << u"x"_s << true;
        QTest::newRow("stop sequence")
            << TurnStatus::Completed << StopReason::StopSequence << u"x"_s << true;
        QTest::newRow("no text") << TurnStatus::Completed << StopReason::EndTurn << u" \n"_s
                                 << false;
        QTest::newRow("vetoed") << TurnStatus::Completed << StopReason::Vetoed << u"x"_s << false;
        QTest::newRow("cut by length")
            << TurnStatus::Completed << StopReason::MaxTokens << u"x"_s << false;
        QTest::newRow("stopped") << TurnStatus::Stopped << StopReason::Cancelled << u"x"_s << false;
        QTest::newRow("limit") << TurnStatus::LimitReached << StopReason::Limit << u"x"_s << false;
        QTest::newRow("failed") << TurnStatus::Failed << StopReason::Error << u"x"_s << false;
    }
    void onlyAWholeAnswerOfTheModelIsAnAnswer()
    {
        QFETCH(TurnStatus, status);
        QFETCH(StopReason, reason);
        QFETCH(QString, text);
        TurnOutcome outcome;
        outcome.status = status;
        outcome.stopReason = reason;
        outcome.text = text;
        QTEST(outcome.isAnswer(), "answer");
    }

    void loneSurrogatesAreReplacedAndPairsKept()
    {
        const QString high = QChar(0xd83d);
        const QString low = QChar(0xde00);
        QCOMPARE(validText(high + low), high + low);
        QCOMPARE(validText(u"a"_s + high), u"a\ufffd"_s);
        QCOMPARE(validText(low + u"b"_s), u"\ufffdb"_s);
        QCOMPARE(validText(high + high + low), u"\ufffd"_s + high + low);
        QCOMPARE(wholeCodePoints(u"ab"_s + high), 2);
        QCOMPARE(wholeCodePoints(u"ab"_s + high + low), 4);
        QCOMPARE(wholeCodePoints(QString()), 0);
    }
};

QTEST_APPLESS_MAIN(TestContentBlock)
#include "tst_contentblock.moc"
