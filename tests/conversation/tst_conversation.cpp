// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/conversation.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

TurnRecord turn(const QString &id, const QString &parent = {})
{
    TurnRecord record;
    record.id = TurnId(id);
    record.parent = TurnId(parent);
    return record;
}

// a ── b ── c
//  └── d      (made after c)
//       └── e
Conversation tree()
{
    Conversation conversation;
    conversation.turns = {turn(u"a"_s), turn(u"b"_s, u"a"_s), turn(u"c"_s, u"b"_s),
                          turn(u"d"_s, u"a"_s), turn(u"e"_s, u"d"_s)};
    conversation.activeTurn = TurnId(u"c"_s);
    return conversation;
}

QString names(const std::vector<const TurnRecord *> &path)
{
    QString text;
    for (const TurnRecord *record : path)
        text += record->id.toString();
    return text;
}

} // namespace

class TestConversation final : public QObject
{
    Q_OBJECT

private slots:
    void theActivePathLeadsFromTheFirstTurnToTheActiveOne()
    {
        Conversation conversation = tree();
        QCOMPARE(names(conversation.activePath()), u"abc"_s);
        conversation.activeTurn = TurnId(u"e"_s);
        QCOMPARE(names(conversation.activePath()), u"ade"_s);
        conversation.activeTurn = {};
        QVERIFY(conversation.activePath().empty());
        conversation.activeTurn = TurnId(u"none"_s);
        QVERIFY(conversation.activePath().empty());
    }
    void aCircleOfParentsDoesNotHoldTheProgram()
    {
        Conversation conversation;
        conversation.turns = {turn(u"a"_s, u"b"_s), turn(u"b"_s, u"a"_s)};
        conversation.activeTurn = TurnId(u"b"_s);
        QCOMPARE(names(conversation.activePath()), u"ab"_s);
        QCOMPARE(conversation.leafBelow(TurnId(u"a"_s)).toString(), u"b"_s);
    }
    void siblingsAreTheVersionsOfOnePlaceInTheOrderTheyWereMade()
    {
        // behaviours: 195
        const Conversation conversation = tree();
        const std::vector<TurnId> versions{TurnId(u"b"_s), TurnId(u"d"_s)};
        QCOMPARE(conversation.siblings(TurnId(u"d"_s)), versions);
        QCOMPARE(conversation.siblings(TurnId(u"b"_s)), versions);
        QVERIFY(conversation.siblings(TurnId(u"none"_s)).empty());
    }
    void theLeafBelowAVersionIsWhereItWasLeft()
    {
        const Conversation conversation = tree();
        QCOMPARE(conversation.leafBelow(TurnId(u"b"_s)).toString(), u"c"_s);
        QCOMPARE(conversation.leafBelow(TurnId(u"d"_s)).toString(), u"e"_s);
        QCOMPARE(conversation.leafBelow(TurnId(u"a"_s)).toString(), u"e"_s);
        QCOMPARE(conversation.leafBelow(TurnId(u"c"_s)).toString(), u"c"_s);
    }
    void turnsAndCallsAreFoundById()
    {
        Conversation conversation = tree();
        QVERIFY(!conversation.find(TurnId(u"x"_s)));
        TurnRecord *record = conversation.find(TurnId(u"d"_s));
        QVERIFY(record);
        ToolCallBlock call;
        call.id = CallId(u"1"_s);
        record->answer.push_back({{TextBlock{u"t"_s}, call}, {}, true});
        QVERIFY(record->findCall(CallId(u"1"_s)));
        QVERIFY(!record->findCall(CallId(u"2"_s)));
    }
    void theAnswerTextIsTheTextOfAllIterations()
    {
        TurnRecord record;
        QCOMPARE(record.answerText(), QString());
        record.answer = {{{ThinkingBlock{u"hm"_s, {}, true, {}}, TextBlock{u"one"_s}}, {}, true},
                         {{}, {}, true},
                         {{TextBlock{}, TextBlock{u"two"_s}}, {}, true}};
        QCOMPARE(record.answerText(), u"one\n\ntwo"_s);
    }
    void aTitleIsOnePlainLine_data()
    {
        // behaviours: 216
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("title");
        QTest::newRow("short") << u"Hello there"_s << u"Hello there"_s;
        QTest::newRow("empty") << QString() << QString();
        QTest::newRow("blank lines first") << u"\n \r\n  What is  it?\nMore"_s << u"What is it?"_s;
        QTest::newRow("line separator") << u"a\u2028b"_s << u"a"_s;
        QTest::newRow("control characters") << u"a\u0007b\u202ec\u200bd"_s << u"abcd"_s;
        QTest::newRow("markup stays text") << u"<b>x</b> ![i](u)"_s << u"<b>x</b> ![i](u)"_s;
        QTest::newRow("lone surrogate") << u"x"_s + QChar(0xd83d) << u"x\ufffd"_s;
    }
    void aTitleIsOnePlainLine()
    {
        QFETCH(QString, text);
        QTEST(titleFromText(text), "title");
    }
    void aLongTitleIsCutAtAWord()
    {
        const QString title = titleFromText(u"word "_s.repeated(50));
        QVERIFY(title.size() <= 60);
        QVERIFY(title.endsWith(u"word…"_s));
    }
    void aLongWordIsCutBetweenCharacters()
    {
        const QString title = titleFromText(u"😀"_s.repeated(100000));
        QVERIFY(title.size() <= 60);
        QVERIFY(title.isValidUtf16());
        QVERIFY(title.endsWith(u'…'));
    }
};

QTEST_APPLESS_MAIN(TestConversation)
#include "tst_conversation.moc"
