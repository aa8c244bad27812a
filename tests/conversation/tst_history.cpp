// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/history.h"
#include "conversation/serialization.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;
using Kind = HistoryProblem::Kind;

namespace {

HistoryMessage user(const QString &text)
{
    return {HistoryRole::User, {TextBlock{text}}, {}, {}};
}

HistoryMessage assistant(std::vector<HistoryBlock> blocks)
{
    return {HistoryRole::Assistant, std::move(blocks), {}, {}};
}

HistoryMessage results(std::vector<HistoryBlock> blocks)
{
    return {HistoryRole::Tool, std::move(blocks), {}, {}};
}

HistoryBlock call(const QString &id)
{
    return HistoryCall{id, u"run_command"_s, u"{}"_s, {}};
}

HistoryBlock result(const QString &id, const QString &text = u"real"_s)
{
    return HistoryResult{id, text, false};
}

HistoryBlock missing(const QString &id)
{
    return HistoryResult{
        id,
        u"Interrupted: no result of this call was recorded. It may or may not have "
        "taken effect; check before repeating."_s,
        true};
}

TurnRecord turn(const QString &userText, std::vector<AssistantMessage> answer = {})
{
    TurnRecord record;
    record.id = TurnId::create();
    record.userText = userText;
    record.provider = u"p"_s;
    record.answer = std::move(answer);
    record.outcome = TurnOutcome{};
    record.outcome->sent = true;
    return record;
}

TurnRecord continuation(std::vector<AssistantMessage> answer)
{
    TurnRecord record = turn({}, std::move(answer));
    record.kind = TurnKind::Continuation;
    return record;
}

ToolCallBlock storedCall(const QString &wireId, ToolState state, const QString &output = {})
{
    ToolCallBlock block;
    block.id = CallId(u"own-"_s + wireId);
    block.wireId = wireId;
    block.name = u"run_command"_s;
    block.arguments = u"{}"_s;
    block.slot.state = state;
    block.slot.output = output;
    return block;
}

History build(const std::vector<TurnRecord> &turns)
{
    std::vector<const TurnRecord *> path;
    for (const TurnRecord &record : turns)
        path.push_back(&record);
    return buildHistory(path);
}

// One line for each message: U:text, A:text[call], T:[id=text].
QString sketch(const History &history)
{
    QStringList lines;
    for (const HistoryMessage &message : history) {
        QString line = message.role == HistoryRole::User ? u"U:"_s
            : message.role == HistoryRole::Assistant     ? u"A:"_s
                                                         : u"T:"_s;
        for (const HistoryBlock &block : message.blocks) {
            if (const auto *text = std::get_if<TextBlock>(&block))
                line += text->text;
            else if (const auto *thinking = std::get_if<ThinkingBlock>(&block))
                line += u'(' + thinking->text + u')';
            else if (const auto *sent = std::get_if<HistoryCall>(&block))
                line += u'[' + sent->id + u' ' + sent->arguments + u']';
            else if (const auto *reply = std::get_if<HistoryResult>(&block))
                line += u'[' + reply->callId + u'=' + reply->text.left(8) + u']';
            else
                line += u"<?>"_s;
        }
        lines += line;
    }
    return lines.join(u'|');
}

} // namespace

Q_DECLARE_METATYPE(fermata::History)

class TestHistory final : public QObject
{
    Q_OBJECT

private slots:
    void whatEveryProviderRefusesIsAProblem_data()
    {
        QTest::addColumn<History>("history");
        QTest::addColumn<std::vector<HistoryProblem>>("problems");
        using Problems = std::vector<HistoryProblem>;
        QTest::newRow("empty") << History{} << Problems{};
        QTest::newRow("text") << History{user(u"q"_s), assistant({TextBlock{u"a"_s}})}
                              << Problems{};
        QTest::newRow("two user messages") << History{user(u"q"_s), user(u"r"_s)} << Problems{};
        QTest::newRow("call and result")
            << History{user(u"q"_s), assistant({call(u"1"_s), call(u"2"_s)}),
                       results({result(u"2"_s), result(u"1"_s)})}
            << Problems{};
        QTest::newRow("one id in two messages")
            << History{assistant({call(u"1"_s)}), results({result(u"1"_s)}),
                       assistant({call(u"1"_s)}), results({result(u"1"_s)})}
            << Problems{};
        QTest::newRow("missing at the end")
            << History{assistant({call(u"1"_s)})} << Problems{{Kind::MissingResult, 0}};
        QTest::newRow("missing one of two")
            << History{assistant({call(u"1"_s), call(u"2"_s)}), results({result(u"1"_s)})}
            << Problems{{Kind::MissingResult, 0}};
        QTest::newRow("result after another message")
            << History{assistant({call(u"1"_s)}), user(u"q"_s), results({result(u"1"_s)})}
            << Problems{{Kind::MissingResult, 0}, {Kind::MisplacedResult, 2}};
        QTest::newRow("orphan") << History{user(u"q"_s), results({result(u"1"_s)})}
                                << Problems{{Kind::OrphanResult, 1}};
        QTest::newRow("duplicate result")
            << History{assistant({call(u"1"_s)}), results({result(u"1"_s), result(u"1"_s)})}
            << Problems{{Kind::DuplicateResult, 1}};
        QTest::newRow("duplicate call")
            << History{assistant({call(u"1"_s), call(u"1"_s)}), results({result(u"1"_s)})}
            << Problems{{Kind::DuplicateCallId, 0}};
        QTest::newRow("no blocks") << History{assistant({})} << Problems{{Kind::EmptyMessage, 0}};
        QTest::newRow("blank text") << History{user(u" \n"_s)} << Problems{{Kind::EmptyMessage, 0}};
        QTest::newRow("thinking alone") << History{assistant({ThinkingBlock{u"t"_s, {}, true, {}}})}
                                        << Problems{{Kind::EmptyMessage, 0}};
        QTest::newRow("unfinished thinking")
            << History{assistant({ThinkingBlock{u"t"_s, {}, false, {}}, TextBlock{u"a"_s}})}
            << Problems{{Kind::UnfinishedThinking, 0}};
        QTest::newRow("empty id") << History{assistant({call({})}), results({result({})})}
                                  << Problems{{Kind::EmptyId, 0}, {Kind::EmptyId, 1}};
        QTest::newRow("call of a user")
            << History{{HistoryRole::User, {call(u"1"_s), TextBlock{u"q"_s}}, {}, {}}}
            << Problems{{Kind::WrongRole, 0}};
        QTest::newRow("lone surrogate")
            << History{user(u"q"_s + QChar(0xd800))} << Problems{{Kind::InvalidText, 0}};
    }
    void whatEveryProviderRefusesIsAProblem()
    {
        // behaviours: 176
        QFETCH(History, history);
        QTEST(validateHistory(history), "problems");
    }

    void aHistoryIsRepairedWithAllThatCanBeKept_data()
    {
        QTest::addColumn<History>("broken");
        QTest::addColumn<History>("repaired");
        const History valid{user(u"q"_s), assistant({call(u"1"_s)}), results({result(u"1"_s)})};
        QTest::newRow("valid") << valid << valid;
        QTest::newRow("empty") << History{} << History{};
        QTest::newRow("text only") << History{user(u"q"_s)} << History{user(u"q"_s)};
        QTest::newRow("in the middle")
            << History{user(u"q"_s), assistant({call(u"1"_s)}), user(u"r"_s)}
            << History{user(u"q"_s), assistant({call(u"1"_s)}), results({missing(u"1"_s)}),
                       user(u"r"_s)};
        QTest::newRow("only the missing ones")
            << History{assistant({call(u"1"_s), call(u"2"_s)}), results({result(u"2"_s)})}
            << History{assistant({call(u"1"_s), call(u"2"_s)}),
                       results({missing(u"1"_s), result(u"2"_s)})};
        QTest::newRow("in the last message")
            << History{user(u"q"_s), assistant({TextBlock{u"a"_s}, call(u"1"_s)})}
            << History{user(u"q"_s), assistant({TextBlock{u"a"_s}, call(u"1"_s)}),
                       results({missing(u"1"_s)})};
        QTest::newRow("moved to its call")
            << History{assistant({call(u"1"_s)}), user(u"q"_s), results({result(u"1"_s)})}
            << History{assistant({call(u"1"_s)}), results({result(u"1"_s)}), user(u"q"_s)};
        QTest::newRow("in a message of the user")
            << History{assistant({call(u"1"_s)}),
                       {HistoryRole::User, {result(u"1"_s), TextBlock{u"q"_s}}, {}, {}}}
            << History{assistant({call(u"1"_s)}), results({result(u"1"_s)}), user(u"q"_s)};
        QTest::newRow("a lone result first")
            << History{results({result(u"1"_s)}), user(u"q"_s)} << History{user(u"q"_s)};
        QTest::newRow("a lone result does not answer a later call")
            << History{results({result(u"1"_s)}), assistant({call(u"1"_s)})}
            << History{assistant({call(u"1"_s)}), results({missing(u"1"_s)})};
        QTest::newRow("two tool messages")
            << History{assistant({call(u"1"_s), call(u"2"_s)}), results({result(u"2"_s)}),
                       results({result(u"1"_s)})}
            << History{assistant({call(u"1"_s), call(u"2"_s)}),
                       results({result(u"1"_s), result(u"2"_s)})};
        QTest::newRow("the first result counts")
            << History{assistant({call(u"1"_s)}),
                       results({result(u"1"_s, u"a"_s), result(u"1"_s, u"b"_s)})}
            << History{assistant({call(u"1"_s)}), results({result(u"1"_s, u"a"_s)})};
        QTest::newRow("one id twice in a message")
            << History{assistant({call(u"1"_s), call(u"1"_s), call(u"1_2"_s)}),
                       results({result(u"1"_s, u"a"_s), result(u"1"_s, u"b"_s),
                                result(u"1_2"_s, u"c"_s)})}
            << History{assistant({call(u"1"_s), call(u"1_3"_s), call(u"1_2"_s)}),
                       results({result(u"1"_s, u"a"_s), result(u"1_3"_s, u"b"_s),
                                result(u"1_2"_s, u"c"_s)})};
        QTest::newRow("pairs are matched per message")
            << History{assistant({call(u"1"_s)}), user(u"q"_s), assistant({call(u"1"_s)}),
                       results({result(u"1"_s)})}
            << History{assistant({call(u"1"_s)}), results({missing(u"1"_s)}), user(u"q"_s),
                       assistant({call(u"1"_s)}), results({result(u"1"_s)})};
        QTest::newRow("empty ids and empty messages")
            << History{assistant({call({})}), results({result({})}), assistant({}), user(u""_s),
                       user(u"q"_s)}
            << History{user(u"q"_s)};
        QTest::newRow("unfinished thinking")
            << History{assistant({ThinkingBlock{u"t"_s, {}, false, {}}, TextBlock{u"a"_s}})}
            << History{assistant({TextBlock{u"a"_s}})};
        QTest::newRow("text that is not valid")
            << History{user(u"q"_s + QChar(0xd800))} << History{user(u"q\ufffd"_s)};
    }
    void aHistoryIsRepairedWithAllThatCanBeKept()
    {
        // behaviours: 177, 178, 179, 180, 181, 182, 183
        QFETCH(History, broken);
        QFETCH(History, repaired);
        const History once = repairHistory(broken);
        QCOMPARE(sketch(once), sketch(repaired));
        QCOMPARE(once, repaired);
        QVERIFY(validateHistory(once).empty());
        QCOMPARE(repairHistory(once), once);
    }

    void turnsBecomeMessages()
    {
        const History history =
            build({turn(u"q"_s,
                        {{{TextBlock{u"look"_s}, storedCall(u"1"_s, ToolState::Finished, u"out"_s)},
                          {},
                          true},
                         {{TextBlock{u"done"_s}}, {}, true}}),
                   turn(u"r"_s)});
        QCOMPARE(sketch(history), u"U:q|A:look[1 {}]|T:[1=out]|A:done|U:r"_s);
        QCOMPARE(history[1].provider, u"p"_s);
        QVERIFY(validateHistory(history).empty());
    }
    void everyCallHasItsResultHoweverTheTurnEnded()
    {
        // behaviours: 176, 184
        const History history =
            build({turn(u"q"_s,
                        {{{storedCall(u"1"_s, ToolState::Finished, u"real out"_s),
                           storedCall(u"2"_s, ToolState::Interrupted, u"half"_s),
                           storedCall(u"3"_s, ToolState::NotRun)},
                          {},
                          true}}),
                   turn(u"next"_s)});
        QCOMPARE(sketch(history),
                 u"U:q|A:[1 {}][2 {}][3 {}]|T:[1=real out][2=Interrup][3=Not run:]|U:next"_s);
        const auto &half = std::get<HistoryResult>(history[2].blocks[1]);
        QVERIFY(half.isError);
        QVERIFY(half.text.endsWith(u"Output so far:\nhalf"_s));
        QVERIFY(!std::get<HistoryResult>(history[2].blocks[0]).isError);
        QVERIFY(validateHistory(history).empty());
    }
    void aTurnThatWasNeverSentIsLeftOut()
    {
        TurnRecord unsent = turn(u"lost"_s);
        unsent.outcome->sent = false;
        QCOMPARE(
            sketch(build({turn(u"q"_s, {{{TextBlock{u"a"_s}}, {}, true}}), unsent, turn(u"r"_s)})),
            u"U:q|A:a|U:r"_s);
        TurnRecord running = turn(u"now"_s);
        running.outcome.reset();
        QCOMPARE(sketch(build({unsent, running})), u"U:now"_s);
        running.cutByCrash = true;
        QCOMPARE(sketch(build({running, turn(u"r"_s)})), u"U:now|U:r"_s);
    }
    void aPartialAnswerIsSentAsWhatItIs()
    {
        const History history =
            build({turn(u"q"_s,
                        {{{ThinkingBlock{u"t"_s, u"s"_s, true, {}}, TextBlock{u"half a sen"_s}},
                          {},
                          false}}),
                   turn(u"r"_s)});
        QCOMPARE(sketch(history), u"U:q|A:(t)half a sen|U:r"_s);
    }
    void unfinishedThinkingIsNeverSent()
    {
        const ThinkingBlock cut{u"cut"_s, {}, false, {}};
        QCOMPARE(sketch(build({turn(u"q"_s, {{{cut}, {}, false}}), turn(u"r"_s)})), u"U:q|U:r"_s);
        QCOMPARE(sketch(build({turn(u"q"_s, {{{TextBlock{u"a"_s}, cut}, {}, false}})})),
                 u"U:q|A:a"_s);
    }
    void aMessageNeverEndsInAThought()
    {
        const ThinkingBlock whole{u"t"_s, u"s"_s, true, {}};
        QCOMPARE(sketch(build({turn(u"q"_s, {{{whole}, {}, false}}), turn(u"r"_s)})), u"U:q|U:r"_s);
        QCOMPARE(sketch(build({turn(u"q"_s, {{{TextBlock{u"a"_s}, whole}, {}, false}})})),
                 u"U:q|A:a"_s);
    }
    void aContinuationBelongsToTheAnswerItTakesUp()
    {
        const History history =
            build({turn(u"q"_s, {{{TextBlock{u"The answ"_s}}, {}, false}}),
                   continuation({{{TextBlock{u"er is 4"_s}}, {}, true}}), turn(u"r"_s)});
        QCOMPARE(sketch(history), u"U:q|A:The answer is 4|U:r"_s);
    }
    void aContinuationOfAContinuationIsStillOneAnswer()
    {
        QCOMPARE(
            sketch(build({turn(u"q"_s, {{{TextBlock{u"a"_s}}, {}, false}}),
                          continuation({{{TextBlock{u"b"_s}}, {}, false}}), continuation({}),
                          continuation({{{ThinkingBlock{u"t"_s, {}, true, {}}, TextBlock{u"c"_s},
                                          storedCall(u"1"_s, ToolState::Finished, u"o"_s)},
                                         {},
                                         true},
                                        {{TextBlock{u"d"_s}}, {}, true}})})),
            u"U:q|A:abc[1 {}]|T:[1=o]|A:d"_s);
    }
    void aContinuationAfterAToolIsAMessageOfItsOwn()
    {
        QCOMPARE(
            sketch(build({turn(u"q"_s, {{{storedCall(u"1"_s, ToolState::Interrupted)}, {}, true}}),
                          continuation({{{TextBlock{u"so"_s}}, {}, true}})})),
            u"U:q|A:[1 {}]|T:[1=Interrup]|A:so"_s);
    }
    void aContinuationByAnotherProviderTakesOnlyTheText()
    {
        TurnRecord other = continuation({{{TextBlock{u"b"_s}}, {}, true}});
        other.provider = u"other"_s;
        const History history = build(
            {turn(u"q"_s,
                  {{{ThinkingBlock{u"t"_s, u"sig"_s, true, {}}, UnknownBlock{}, TextBlock{u"a"_s}},
                    {{u"x"_s, 1}},
                    false}}),
             other});
        QCOMPARE(sketch(history), u"U:q|A:ab"_s);
        QCOMPARE(history[1].provider, u"other"_s);
        QVERIFY(history[1].extras.isEmpty());
    }
    void theQuestionOfWhatWasContinuedIsNotLeftOut()
    {
        TurnRecord first = turn(u"q"_s);
        first.outcome->sent = false;
        QCOMPARE(sketch(build({first, continuation({{{TextBlock{u"a"_s}}, {}, true}})})),
                 u"U:q|A:a"_s);
    }
    void whiteSpaceAtTheEndGoesOnlyFromTheLastThing()
    {
        const TurnRecord cut = turn(u"q"_s, {{{TextBlock{u"word \n"_s}}, {}, false}});
        QCOMPARE(sketch(build({cut})), u"U:q|A:word"_s);
        QCOMPARE(sketch(build({cut, turn(u"r"_s)})), u"U:q|A:word \n|U:r"_s);
        QCOMPARE(cut.answerText(), u"word \n"_s);
    }
    void idsThatModelsRepeatOrLeaveOutAreMadeUnique()
    {
        ToolCallBlock nameless = storedCall(u"1"_s, ToolState::Finished, u"b"_s);
        nameless.id = CallId(u"own-2"_s);
        ToolCallBlock empty = storedCall({}, ToolState::Finished, u"c"_s);
        const History history = build({turn(
            u"q"_s,
            {{{storedCall(u"1"_s, ToolState::Finished, u"a"_s), nameless, empty}, {}, true}})});
        QCOMPARE(sketch(history), u"U:q|A:[1 {}][own-2 {}][own- {}]|T:[1=a][own-2=b][own-=c]"_s);
        QVERIFY(validateHistory(history).empty());
    }
    void argumentsThatAreNoObjectAreNotSent()
    {
        ToolCallBlock broken = storedCall(u"1"_s, ToolState::Failed, u"not valid"_s);
        broken.arguments = u"{\"path\": \"a"_s;
        QCOMPARE(sketch(build({turn(u"q"_s, {{{broken}, {}, true}})})),
                 u"U:q|A:[1 {}]|T:[1=not vali]"_s);
        broken.arguments = u"{ \"path\" : \"a\" }"_s;
        QCOMPARE(sketch(build({turn(u"q"_s, {{{broken}, {}, true}})})),
                 u"U:q|A:[1 { \"path\" : \"a\" }]|T:[1=not vali]"_s);
    }
    void unknownBlocksGoBackUnchanged()
    {
        const UnknownBlock unknown{{{u"type"_s, u"redacted_thinking"_s}, {u"data"_s, u"xyz"_s}}};
        const History history = build({turn(u"q"_s, {{{unknown, TextBlock{u"a"_s}}, {}, true}})});
        QCOMPARE(history[1].blocks[0], HistoryBlock(unknown));
    }
};

QTEST_APPLESS_MAIN(TestHistory)
#include "tst_history.moc"
