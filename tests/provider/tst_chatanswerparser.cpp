// SPDX-License-Identifier: GPL-3.0-or-later
#include "modeleventlog.h"

#include <QRegularExpression>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

QString delta(const QString &fields, const QString &rest = u"\"finish_reason\":null"_s)
{
    return u"{\"id\":\"r\",\"choices\":[{\"index\":0,\"delta\":{%1},%2}]}"_s.arg(fields, rest);
}

QString content(const QString &text)
{
    return delta(u"\"content\":\"%1\""_s.arg(text));
}

const QString Finish = u"{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}"_s;
const QString FinishCalls =
    u"{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}"_s;
const QString Usage =
    u"{\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":3}}"_s;
const QString Done = u"[DONE]"_s;

// Thinking, text with characters of two and four bytes, a call in pieces, usage, comments, both kinds of line ends.
QByteArray richStream()
{
    return sseStream({delta(u"\"role\":\"assistant\",\"content\":\"\""_s),
                      delta(u"\"reasoning_content\":\"Let me \""_s),
                      delta(u"\"reasoning_content\":\"see.\""_s)})
        + ": keep-alive\r\n\r\n"
        + sseStream({content(u"Grüße"_s), content(u" 🎼 an"_s), content(u" alle.\\n"_s)})
        + "event: message\r\nid: 7\r\n"
        + sseStream(
               {delta(
                    u"\"tool_calls\":[{\"index\":0,\"id\":\"call_a\",\"type\":\"function\",\"function\":{\"name\":\"read_file\",\"arguments\":\"\"}}]"_s),
                delta(u"\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"pa\"}}]"_s),
                delta(
                    u"\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"th\\\":1}\"}}]"_s),
                FinishCalls, Usage, Done});
}

const QStringList RichLog{u"Thinking Let me see."_s,
                          u"ThinkingEnd"_s,
                          u"Text Grüße 🎼 an alle.\n"_s,
                          u"Usage 12 3"_s,
                          u"Call call_a read_file {\"path\":1}"_s,
                          u"End endTurn tool_calls"_s};

} // namespace

class tst_ChatAnswerParser : public QObject
{
    Q_OBJECT

private slots:
    void aWholeStreamGivesItsEvents()
    {
        // behaviours: 58
        QCOMPARE(parsed(richStream()).lines(), RichLog);
    }

    void aCutAtAnyByteIsNeverTakenForWhole()
    {
        // behaviours: 57, 61
        const QByteArray stream = richStream();
        const qsizetype finish = stream.indexOf("data: " + FinishCalls.toUtf8());
        const qsizetype wholeFrom = finish + 6 + FinishCalls.size();
        const QString wholeText = parsed(stream).text();
        int runs = 0;
        for (qsizetype at = 0; at < stream.size(); ++at, ++runs) {
            const ModelEventLog log = parsed(stream.first(at));
            const bool ended = log.lines().last().startsWith(u"End "_s);
            QVERIFY2(ended == (at >= wholeFrom), qPrintable(log.lines().join(u" | "_s)));
            QVERIFY2(wholeText.startsWith(log.text()), qPrintable(log.text()));
            QVERIFY(log.text().isValidUtf16() && !log.text().contains(u'\ufffd'));
            const bool called = !log.lines().filter(QRegularExpression(u"^Call "_s)).isEmpty();
            QCOMPARE(called, ended);
            QVERIFY(ended || log.lines().last().startsWith(u"Error "_s));
        }
        QVERIFY(runs > 1000);
    }

    void howTheBytesAreSplitDoesNotShow()
    {
        const QByteArray stream = richStream();
        for (qsizetype at = 0; at <= stream.size(); ++at)
            QCOMPARE(parsed({stream.first(at), stream.sliced(at)}).lines(), RichLog);
        std::vector<QByteArray> single;
        for (const char c : stream)
            single.emplace_back(1, c);
        QCOMPARE(parsed(single).lines(), RichLog);
    }

    void theEndIsAFinishReasonOrDone_data()
    {
        QTest::addColumn<QByteArray>("stream");
        QTest::addColumn<QStringList>("log");
        const QStringList whole{u"Text Hi"_s, u"End endTurn stop"_s};
        const QStringList truncated{u"Text Hi"_s, u"Error TRUNCATED"_s};
        const auto row = [](const char *name, const QByteArray &stream, const QStringList &log) {
            QTest::newRow(name) << stream << log;
        };
        row("both", sseStream({content(u"Hi"_s), Finish, Done}), whole);
        row("no [DONE]", sseStream({content(u"Hi"_s), Finish}), whole);
        row("no finish reason", sseStream({content(u"Hi"_s), Done}),
            {u"Text Hi"_s, u"End endTurn "_s});
        row("neither", sseStream({content(u"Hi"_s)}), truncated);
        row("[DONE] twice and bytes after it",
            sseStream({content(u"Hi"_s), Finish, Done, Done, content(u"more"_s)}), whole);
        row("[DONE] with space", sseStream({content(u"Hi"_s), Finish, u"[DONE]  "_s}), whole);
        row("finish twice", sseStream({content(u"Hi"_s), Finish, Finish, Done}), whole);
        row("content after finish", sseStream({content(u"H"_s), Finish, content(u"i"_s), Done}),
            whole);
        row("empty finish reason",
            sseStream({delta(u"\"content\":\"Hi\""_s, u"\"finish_reason\":\"\""_s)}), truncated);
        row("no last blank line", sseStream({content(u"Hi"_s)}) + "data: " + Finish.toUtf8(),
            whole);
        row("half an object at the end",
            sseStream({content(u"Hi"_s)}) + "data: " + Finish.toUtf8().chopped(3), truncated);
        row("terminator and no content", sseStream({Finish, Done}), {u"End endTurn stop"_s});
        row("only [DONE]", sseStream({Done}), {u"End endTurn "_s});
        row("only comments", ": ping\n\n: ping\n\n", {u"Error TRUNCATED"_s});
        row("nothing", "", {u"Error TRUNCATED"_s});
        row("the empty chunk of Ollama's hidden error", sseStream({content(QString())}),
            {u"Error TRUNCATED"_s});
        row("byte order mark", "\xef\xbb\xbf" + sseStream({content(u"Hi"_s), Finish}), whole);
        row("CR only", sseStream({content(u"Hi"_s), Finish}).replace('\n', '\r'), whole);
        row("no space after the colon",
            sseStream({content(u"Hi"_s), Finish}).replace("data: ", "data:"), whole);
    }

    void theEndIsAFinishReasonOrDone()
    {
        // behaviours: 61, 62
        QFETCH(QByteArray, stream);
        QTEST(parsed(stream).lines(), "log");
    }

    void anErrorInTheStreamIsTheOutcome_data()
    {
        QTest::addColumn<QByteArray>("tail");
        QTest::addColumn<QString>("error");
        const auto row = [](const char *name, const QByteArray &tail, const QString &error) {
            QTest::newRow(name) << tail << u"Error "_s + error;
        };
        row("object",
            sseStream(
                {u"{\"error\":{\"message\":\"boom\",\"type\":\"server_error\",\"code\":null}}"_s}),
            u"SERVER_ERROR"_s);
        row("string", sseStream({u"{\"error\":\"your subscription was cancelled\"}"_s}),
            u"SERVER_ERROR"_s);
        row("number as code, then [DONE]",
            sseStream({u"{\"error\":{\"message\":\"x\",\"code\":429}}"_s, Done}),
            u"RATE_LIMITED"_s);
        row("quota",
            sseStream({u"{\"error\":{\"message\":\"x\",\"code\":\"insufficient_quota\"}}"_s}),
            u"QUOTA_EXCEEDED"_s);
        row("context",
            sseStream(
                {u"{\"error\":{\"message\":\"x\",\"type\":\"exceed_context_size_error\",\"code\":400}}"_s}),
            u"CONTEXT_OVERFLOW"_s);
        row("error choice",
            sseStream(
                {u"{\"error\":{\"code\":\"server_error\",\"message\":\"x\"},\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}]}"_s}),
            u"SERVER_ERROR"_s);
        row("finish reason error", sseStream({delta(QString(), u"\"finish_reason\":\"error\""_s)}),
            u"SERVER_ERROR"_s);
        row("finish reason abort", sseStream({delta(QString(), u"\"finish_reason\":\"abort\""_s)}),
            u"SERVER_ERROR"_s);
        row("error field", "error: {\"code\":500,\"message\":\"x\",\"type\":\"server_error\"}\n\n",
            u"SERVER_ERROR"_s);
        row("error event", "event: error\ndata: {\"message\":\"x\"}\n\n", u"SERVER_ERROR"_s);
        row("anthropic",
            "event: error\ndata: "
            "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n",
            u"SERVER_ERROR"_s);
    }

    void anErrorInTheStreamIsTheOutcome()
    {
        // behaviours: 63, 64
        QFETCH(QByteArray, tail);
        QFETCH(QString, error);
        QCOMPARE(parsed(tail).lines(), QStringList(error));
        const QStringList afterText = parsed(sseStream({content(u"Hi"_s)}) + tail).lines();
        QCOMPARE(afterText, (QStringList{u"Text Hi"_s, error}));
    }

    void whatIsNoStreamIsRecognised_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QStringList>("log");
        const auto row = [](const char *name, const QByteArray &body, const QStringList &log) {
            QTest::newRow(name) << body << log;
        };
        row("a page", "<!DOCTYPE html><html><body>Log in</body></html>",
            {u"Error UNEXPECTED_CONTENT"_s});
        row("plain text", "Internal Server Error", {u"Error UNEXPECTED_CONTENT"_s});
        row("a whole answer",
            "\n\n{\"choices\":[{\"message\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}],"
            "\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}",
            {u"Text Hi"_s, u"Usage 1 2"_s, u"End endTurn stop"_s});
        row("a whole answer, cut",
            "{\"choices\":[{\"message\":{\"content\":\"Hi\"},\"finish_reason\":\"st",
            {u"Error UNEXPECTED_CONTENT"_s});
        row("an error object", "{\"error\":{\"message\":\"no\",\"code\":500}}",
            {u"Error SERVER_ERROR"_s});
        row("an error in an array", "[{\"error\":{\"message\":\"no\",\"code\":400}}]",
            {u"Error BAD_REQUEST"_s});
        row("lines of JSON", "{\"error\":\"model gone\"}\n{\"done\":true}\n",
            {u"Error SERVER_ERROR"_s});
        row("another object", "{\"hello\":1}", {u"Error UNEXPECTED_CONTENT"_s});
    }

    void whatIsNoStreamIsRecognised()
    {
        QFETCH(QByteArray, body);
        QFETCH(QStringList, log);
        QCOMPARE(parsed(body).lines(), log);
        for (qsizetype at = 1; at < body.size(); ++at)
            QCOMPARE(parsed({body.first(at), body.sliced(at)}).lines(), log);
    }

    void unreadableEventsAreLeftOut()
    {
        const QStringList bad{u"nonsense"_s, u"[1]"_s, u"\"text\""_s,      u"null"_s,
                              u"1e999"_s,    u"{"_s,   QString(2000, u'[')};
        QStringList objects{content(u"H"_s)};
        objects += bad;
        objects += {content(u"i"_s), Finish};
        QCOMPARE(parsed(sseStream(objects)).lines(),
                 (QStringList{u"Text Hi"_s, u"End endTurn stop"_s}));
    }

    void tooManyUnreadableEventsAreAFault()
    {
        QStringList objects{content(u"Hi"_s)};
        for (int i = 0; i <= ChatAnswerParser::MostBadEvents; ++i)
            objects.append(u"nonsense"_s);
        objects.append(Finish);
        QCOMPARE(parsed(sseStream(objects)).lines(),
                 (QStringList{u"Text Hi"_s, u"Error BAD_STREAM"_s}));
    }

    void anEndlessLineIsAFault()
    {
        const QByteArray piece(1024 * 1024, 'x');
        std::vector<QByteArray> pieces{"data: "};
        for (int i = 0; i < 20; ++i)
            pieces.push_back(piece);
        QCOMPARE(parsed(pieces).lines(), QStringList(u"Error TOO_LARGE"_s));
        pieces.front() = "{\"x\": \"";
        QCOMPARE(parsed(pieces).lines(), QStringList(u"Error TOO_LARGE"_s));
    }

    void aLargeSingleEventIsTaken()
    {
        const QString text(5 * 1024 * 1024, u'x');
        QCOMPARE(parsed(sseStream({content(text), Finish})).text(), text);
    }

    void invalidBytesBecomeReplacementCharacters()
    {
        // behaviours: 286
        const QByteArray stream = "data: {\"choices\":[{\"delta\":{\"content\":\"a\xff"
                                  "b\"}}]}\n\n"
            + sseStream({content(u"\\ud800"_s), content(u"c"_s), content(u"\\ud83c"_s),
                         content(u"\\udfbc"_s), content(u"d\\u0000"_s), content(u"\\ud83c"_s),
                         Finish});
        const QString text = parsed(stream).text();
        QVERIFY(text.isValidUtf16());
        QCOMPARE(text, u"a\ufffdb\ufffdc🎼d\ufffd\ufffd"_s);
    }

    void aSilenceEndsWithAnyByte()
    {
        ChatAnswerParser parser(
            {.endpoint = QUrl(u"http://m.test/v1"_s), .model = {}, .hasKey = false}, {});
        for (const QByteArray &bytes :
             {QByteArray(": ping\n"), QByteArray("\n"), QByteArray("da")}) {
            parser.feed(bytes);
            const auto item = parser.next();
            QVERIFY(item);
            QVERIFY(std::holds_alternative<KeepAlive>(std::get<ModelEvent>(item->value)));
            QVERIFY(!parser.next());
        }
    }
};

QTEST_GUILESS_MAIN(tst_ChatAnswerParser)
#include "tst_chatanswerparser.moc"
