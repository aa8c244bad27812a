// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/chathistorycheck.h"

#include <QJsonDocument>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class TestChatHistoryCheck : public QObject
{
    Q_OBJECT

private slots:
    void namesTheFirstViolation_data();
    void namesTheFirstViolation();
    void looksIntoTheBodyOfARequest();
};

void TestChatHistoryCheck::namesTheFirstViolation_data()
{
    QTest::addColumn<QByteArray>("messages");
    QTest::addColumn<QString>("violation");
    const QByteArray user = R"({"role":"user","content":"hi"})"_ba;
    const QByteArray assistant = R"({"role":"assistant","content":"yes"})"_ba;
    const QByteArray calls =
        R"({"role":"assistant","content":null,"tool_calls":[)"
        R"({"id":"a","type":"function","function":{"name":"x","arguments":"{}"}},)"
        R"({"id":"b","type":"function","function":{"name":"x","arguments":"{}"}}]})"_ba;
    const QByteArray answerA = R"({"role":"tool","tool_call_id":"a","content":"1"})"_ba;
    const QByteArray answerB = R"({"role":"tool","tool_call_id":"b","content":"2"})"_ba;
    const auto row = [](const char *name, const QList<QByteArray> &messages,
                        const QString &violation = {}) {
        QTest::newRow(name) << "[" + messages.join(',') + "]" << violation;
    };

    row("one question", {user});
    row("system first", {R"({"role":"system","content":"s"})"_ba, user, assistant, user});
    row("content in parts", {R"({"role":"user","content":[{"type":"text","text":"hi"}]})"_ba});
    row("calls and answers in any order", {user, calls, answerB, answerA, assistant, user});
    row("a question after the answers", {user, calls, answerA, answerB, user});
    row("a started answer at the end", {user, assistant});

    row("nothing", {}, u"no messages"_s);
    row("only system", {R"({"role":"system","content":"s"})"_ba}, u"no message of the user"_s);
    row("system later", {user, R"({"role":"system","content":"s"})"_ba},
        u"message 1: the system message is not the first"_s);
    row("assistant first", {assistant}, u"message 0: the first turn is not the user's"_s);
    row("user twice", {user, user}, u"message 1: two messages of role \"user\" in a row"_s);
    row("assistant twice", {user, assistant, assistant},
        u"message 2: two messages of role \"assistant\" in a row"_s);
    row("empty user", {R"({"role":"user","content":" "})"_ba}, u"message 0: no content"_s);
    row("empty assistant", {user, R"({"role":"assistant","content":null})"_ba},
        u"message 1: no content"_s);
    row("empty parts", {R"({"role":"user","content":[{"type":"text","text":""}]})"_ba},
        u"message 0: no content"_s);
    row("an open call before a question", {user, calls, answerA, user},
        u"message 3: 1 tool calls before it have no answer"_s);
    row("open calls at the end", {user, calls}, u"2 tool calls at the end have no answer"_s);
    row("an answer twice", {user, calls, answerA, answerA},
        u"message 3: an answer to a tool call that is not open"_s);
    row("an answer without a call", {user, answerA},
        u"message 1: an answer to a tool call that is not open"_s);
    row("a late answer", {user, calls, answerA, answerB, assistant, answerA},
        u"message 5: an answer to a tool call that is not open"_s);
    row("half arguments",
        {user,
         R"({"role":"assistant","tool_calls":[{"id":"a","function":{"name":"x","arguments":"{\"a"}}]})"_ba},
        u"message 1: the arguments of a tool call are no JSON object"_s);
    row("an id twice", {user, QByteArray(calls).replace("\"id\":\"b\"", "\"id\":\"a\"")},
        u"message 1: a tool call id is empty or used twice"_s);
    row("no calls in the list", {user, R"({"role":"assistant","content":"x","tool_calls":[]})"_ba},
        u"message 1: an empty list of tool calls"_s);
    row("an unknown role", {R"({"role":"robot","content":"x"})"_ba},
        u"message 0: unknown role \"robot\""_s);
}

void TestChatHistoryCheck::namesTheFirstViolation()
{
    QFETCH(QByteArray, messages);
    const QJsonDocument document = QJsonDocument::fromJson(messages);
    QVERIFY(document.isArray());
    QTEST(chatHistoryViolation(document.array()), "violation");
}

void TestChatHistoryCheck::looksIntoTheBodyOfARequest()
{
    QCOMPARE(chatRequestViolation("nonsense"), u"the body is no JSON object"_s);
    QCOMPARE(chatRequestViolation(R"({"messages":[]})"), u"no model"_s);
    QCOMPARE(chatRequestViolation(R"({"model":"m","messages":[{"role":"user","content":"hi"}]})"),
             QString());
}

QTEST_GUILESS_MAIN(TestChatHistoryCheck)
#include "tst_chathistorycheck.moc"
