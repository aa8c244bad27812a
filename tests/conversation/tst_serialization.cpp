// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/serialization.h"

#include "conversationgenerators.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <rapidcheck.h>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

QByteArray line(const QJsonObject &json)
{
    return QJsonDocument(json).toJson(QJsonDocument::Compact) + '\n';
}

QByteArray head()
{
    return line({{u"format"_s, u"fermata-conversation"_s}, {u"version"_s, 1}, {u"id"_s, u"c"_s}});
}

} // namespace

class TestSerialization final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { arbitrary::useCases(2000); }

    void blocksComeBackEqual()
    {
        QVERIFY(rc::check("contentBlockFromJson(toJson(b)) == b", [] {
            const ContentBlock block = arbitrary::block();
            const QByteArray bytes = line(toJson(block));
            const auto back = contentBlockFromJson(QJsonDocument::fromJson(bytes).object());
            RC_ASSERT(back.ok());
            RC_ASSERT(*back == block);
        }));
    }
    void whatAnUndoNeedsStaysOnThisMachine()
    {
        ToolCallBlock call;
        call.id = CallId(u"1"_s);
        call.slot.state = ToolState::Finished;
        call.slot.undo = {{u"path"_s, u"a"_s}, {u"before"_s, u"the old content"_s}};
        const QByteArray bytes = line(toJson(ContentBlock(call)));
        QVERIFY(!bytes.contains("old content"));
        const auto back = contentBlockFromJson(QJsonDocument::fromJson(bytes).object());
        QVERIFY(std::get<ToolCallBlock>(*back).slot.undo.isEmpty());
    }
    void outcomesComeBackEqual()
    {
        // behaviours: 194
        QVERIFY(rc::check("turnOutcomeFromJson(toJson(o)) is o", [] {
            const TurnOutcome outcome = arbitrary::outcome();
            const QByteArray bytes = line(toJson(outcome));
            const auto back = turnOutcomeFromJson(QJsonDocument::fromJson(bytes).object());
            RC_ASSERT(back.ok());
            RC_ASSERT(line(toJson(*back)) == bytes);
            RC_ASSERT(back->reason == outcome.reason);
            RC_ASSERT(back->limit == outcome.limit);
            RC_ASSERT(back->tools == outcome.tools);
            RC_ASSERT(back->usage == outcome.usage);
            RC_ASSERT(back->startedAt == outcome.startedAt);
            RC_ASSERT(back->timeToStop == outcome.timeToStop);
            RC_ASSERT(back->serverIdleAfter == outcome.serverIdleAfter);
            RC_ASSERT(back->error.has_value() == outcome.error.has_value());
            if (back->error) {
                RC_ASSERT(back->error->toJson() == outcome.error->toJson());
                RC_ASSERT(back->error->detail == outcome.error->detail);
            }
        }));
    }
    void conversationsAreExportedAndImportedWithoutLoss()
    {
        QVERIFY(rc::check("fromJsonLines(toJsonLines(c)) is c", [] {
            const Conversation conversation = arbitrary::conversation();
            const QByteArray bytes = toJsonLines(conversation);
            const auto back = conversationFromJsonLines(bytes);
            RC_ASSERT(back.ok());
            RC_ASSERT(toJsonLines(*back) == bytes);
            RC_ASSERT(back->title == conversation.title);
            RC_ASSERT(back->activeTurn == conversation.activeTurn);
            RC_ASSERT(back->turns.size() == conversation.turns.size());
            for (size_t i = 0; i < back->turns.size(); ++i) {
                RC_ASSERT(back->turns[i].answer == conversation.turns[i].answer);
                RC_ASSERT(back->turns[i].userText == conversation.turns[i].userText);
                RC_ASSERT(back->turns[i].createdAt == conversation.turns[i].createdAt);
                RC_ASSERT(back->turns[i].cutByCrash == conversation.turns[i].cutByCrash);
            }
        }));
    }
    void blocksOfALaterVersionAreKeptAsTheyAre()
    {
        const QJsonObject future{{u"type"_s, u"hologram"_s}, {u"data"_s, QJsonArray{1, 2}}};
        const auto block = contentBlockFromJson(future);
        QVERIFY(block.ok());
        QCOMPARE(toJson(*block), future);
    }
    void aProvidersBlockIsNotTakenForOneOfOurs()
    {
        const UnknownBlock raw{{{u"type"_s, u"text"_s}, {u"citations"_s, true}}};
        const auto back = contentBlockFromJson(toJson(ContentBlock(raw)));
        QVERIFY(back.ok());
        QCOMPARE(*back, ContentBlock(raw));
    }
    void aLoneSurrogateIsReplaced()
    {
        const auto json = toJson(ContentBlock(TextBlock{u"a"_s + QChar(0xd83d)}));
        QCOMPARE(json.value("text"_L1).toString(), u"a\ufffd"_s);
    }
    void numbersBeyondDoublesAreKept()
    {
        TurnOutcome outcome;
        outcome.usage.input = (qint64(1) << 60) + 1;
        const QByteArray bytes = line(toJson(outcome));
        const auto back = turnOutcomeFromJson(QJsonDocument::fromJson(bytes).object());
        QCOMPARE(back->usage.input, outcome.usage.input);
    }
    void fieldsOfTheWrongTypeAreAsIfTheyWereNotThere()
    {
        const auto outcome = turnOutcomeFromJson({{u"status"_s, u"Stopped"_s},
                                                  {u"stopReason"_s, u"cancelled"_s},
                                                  {u"reason"_s, 7},
                                                  {u"usage"_s, u"many"_s},
                                                  {u"startedAt"_s, u"yesterday"_s},
                                                  {u"tools"_s, QJsonArray{}}});
        QVERIFY(outcome.ok());
        QVERIFY(!outcome->reason);
        QVERIFY(!outcome->startedAt.isValid());
        QCOMPARE(outcome->usage, TokenUsage());
    }

    void whatIsNoConversationIsRefused_data()
    {
        QTest::addColumn<QByteArray>("lines");
        const QByteArray turn = line({{u"id"_s, u"t"_s}});
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("blank lines") << QByteArray("\n\n");
        QTest::newRow("text") << QByteArray("hello\n");
        QTest::newRow("another format") << QByteArray("{\"format\":\"x\",\"id\":\"c\"}\n");
        QTest::newRow("a later format") << line(
            {{u"format"_s, u"fermata-conversation"_s}, {u"version"_s, 2}, {u"id"_s, u"c"_s}});
        QTest::newRow("no id") << line(
            {{u"format"_s, u"fermata-conversation"_s}, {u"version"_s, 1}});
        QTest::newRow("a turn without id") << head() + "{}\n";
        QTest::newRow("a turn twice") << head() + turn + turn;
        QTest::newRow("a parent that is not there")
            << head() + line({{u"id"_s, u"t"_s}, {u"parent"_s, u"x"_s}});
        QTest::newRow("its own parent")
            << head() + line({{u"id"_s, u"t"_s}, {u"parent"_s, u"t"_s}});
        QTest::newRow("a cut line") << head() + turn.left(4);
        QTest::newRow("deep nesting") << head() + QByteArray(100000, '[');
        QTest::newRow("a block that is no object")
            << head() + "{\"id\":\"t\",\"answer\":[{\"blocks\":[null]}]}\n";
        QTest::newRow("a call without id")
            << head() + "{\"id\":\"t\",\"answer\":[{\"blocks\":[{\"type\":\"toolCall\"}]}]}\n";
        QTest::newRow("a branch that is not there")
            << line({{u"format"_s, u"fermata-conversation"_s},
                     {u"version"_s, 1},
                     {u"id"_s, u"c"_s},
                     {u"activeTurn"_s, u"x"_s}});
    }
    void whatIsNoConversationIsRefused()
    {
        QFETCH(QByteArray, lines);
        const auto conversation = conversationFromJsonLines(lines);
        QVERIFY(!conversation.ok());
        QVERIFY(conversation.error().code == ErrorCode::InvalidArgument);
        QVERIFY(!conversation.error().message.isEmpty());
    }
    void windowsLineEndsAndBlankLinesAreRead()
    {
        const auto conversation =
            conversationFromJsonLines(head().replace("\n", "\r\n") + "\r\n{\"id\":\"t\"}");
        QVERIFY(conversation.ok());
        QCOMPARE(conversation->turns.size(), 1u);
    }
    void bytesInAnyOrderNeverCrash()
    {
        QVERIFY(rc::check("a damaged export is read or refused", [] {
            QByteArray bytes = toJsonLines(arbitrary::conversation());
            const int changes = arbitrary::number(1, 5);
            for (int i = 0; i < changes; ++i)
                bytes[arbitrary::number(0, int(bytes.size()) - 1)] =
                    char(arbitrary::number(0, 255));
            const auto back = conversationFromJsonLines(bytes);
            if (back)
                RC_ASSERT(!toJsonLines(*back).isEmpty());
        }));
    }
};

QTEST_APPLESS_MAIN(TestSerialization)
#include "tst_serialization.moc"
