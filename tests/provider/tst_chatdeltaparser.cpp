// SPDX-License-Identifier: GPL-3.0-or-later
#include "modeleventlog.h"
#include "provider/chatdeltaparser.h"

#include <QJsonDocument>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// JSON with ' for ", so that it can be read here.
QJsonObject object(QByteArray json)
{
    const QJsonDocument document = QJsonDocument::fromJson(json.replace('\'', '"'));
    Q_ASSERT(document.isObject());
    return document.object();
}

QByteArray choice(const QByteArray &fields)
{
    return "{'id':'r1','choices':[{'index':0," + fields + "}]}";
}

QByteArray delta(const QByteArray &fields)
{
    return choice("'delta':{" + fields + "}");
}

QByteArray call(const QByteArray &fields)
{
    return delta("'tool_calls':[{" + fields + "}]");
}

QByteArray finish(const QByteArray &reason)
{
    return choice("'delta':{},'finish_reason':'" + reason + "'");
}

QStringList logOf(ChatDeltaParser parser, const QByteArrayList &chunks)
{
    ModelEventLog log;
    for (const QByteArray &chunk : chunks) {
        const auto events = parser.parse(object(chunk));
        if (!events) {
            log.add(events.error());
            return log.lines();
        }
        for (const ModelEvent &event : *events)
            log.add(event);
    }
    for (const ModelEvent &event : parser.finish())
        log.add(event);
    return log.lines();
}

QStringList callsOf(const QStringList &log)
{
    return log.filter(QRegularExpression(u"^Call "_s));
}

// "name arguments" of each call: ids that were made up are looked at elsewhere.
QStringList namesAndArguments(const QStringList &log)
{
    QStringList calls;
    for (const QString &line : callsOf(log))
        calls.append(line.section(u' ', 2));
    return calls;
}

} // namespace

class tst_ChatDeltaParser : public QObject
{
    Q_OBJECT

private slots:
    void textAndThinkingComeAsTheyAre_data()
    {
        QTest::addColumn<QByteArrayList>("chunks");
        QTest::addColumn<QStringList>("log");
        const auto row = [](const char *name, const QByteArrayList &chunks, QStringList log) {
            QTest::newRow(name) << chunks << log;
        };
        const QString end = u"End endTurn "_s;
        row("text",
            {delta("'role':'assistant','content':''"), delta("'content':'a'"),
             delta("'content':'b'")},
            {u"Text ab"_s, end});
        row("role in each delta",
            {delta("'role':'assistant','content':'a'"), delta("'role':'assistant','content':'b'")},
            {u"Text ab"_s, end});
        row("no choices first", {"{'choices':[]}", "{}", delta("'content':'a'")},
            {u"Text a"_s, end});
        row("delta null", {choice("'delta':null"), delta("'content':null"), delta("'content':'a'")},
            {u"Text a"_s, end});
        row("choices of another kind",
            {"{'choices':null}", "{'choices':{'a':1}}", "{'choices':[1,'x',null]}",
             delta("'content':7")},
            {end});
        row("a second choice is not ours",
            {"{'choices':[{'index':1,'delta':{'content':'no'}}]}", delta("'content':'a'")},
            {u"Text a"_s, end});
        row("parts",
            {delta("'content':[{'type':'text','text':'a'},'b',{'type':'text','text':'c'}]")},
            {u"Text abc"_s, end});
        row("unknown part",
            {delta("'content':[{'type':'image_url','image_url':{'url':'data:,'}}]")},
            {u"Unknown {\"image_url\":{\"url\":\"data:,\"},\"type\":\"image_url\"}"_s, end});
        row("message beside deltas", {delta("'content':'a'"), choice("'message':{'content':'a'}")},
            {u"Text a"_s, end});
        row("obfuscation", {delta("'content':'a','obfuscation':'xyz'")}, {u"Text a"_s, end});
        row("huge and broken numbers",
            {"{'created':1e300,'choices':[{'index':0,'delta':{'content':'a'}}],'usage':{'prompt_"
             "tokens':1e300,'completion_tokens':-4}}"},
            {u"Text a"_s, u"Usage 0 0"_s, end});

        row("reasoning_content", {delta("'reasoning_content':'t'"), delta("'content':'a'")},
            {u"Thinking t"_s, u"ThinkingEnd"_s, u"Text a"_s, end});
        row("reasoning", {delta("'reasoning':'t','content':''"), delta("'content':'a'")},
            {u"Thinking t"_s, u"ThinkingEnd"_s, u"Text a"_s, end});
        row("both fields say the same", {delta("'reasoning':'t','reasoning_content':'t'")},
            {u"Thinking t"_s, u"ThinkingEnd"_s, end});
        row("thinking parts, then a string",
            {delta("'content':[{'type':'thinking','thinking':[{'type':'text','text':'t'}]}]"),
             delta("'content':'a'")},
            {u"Thinking t"_s, u"ThinkingEnd"_s, u"Text a"_s, end});
        row("thinking again after text",
            {delta("'reasoning':'t'"), delta("'content':'a'"), delta("'reasoning':'u'"),
             delta("'content':'b'")},
            {u"Thinking t"_s, u"ThinkingEnd"_s, u"Text a"_s, u"Thinking u"_s, u"ThinkingEnd"_s,
             u"Text b"_s, end});
        row("think tags", {delta("'content':'<think>t</think>\\n\\na'")},
            {u"Thinking t"_s, u"ThinkingEnd"_s, u"Text a"_s, end});
        row("think tags in pieces",
            {delta("'content':'\\n<th'"), delta("'content':'ink>t<'"), delta("'content':'b></th'"),
             delta("'content':'ink> a'")},
            {u"Thinking t<b>"_s, u"ThinkingEnd"_s, u"Text a"_s, end});
        row("an empty think block", {delta("'content':'<think>\\n\\n</think>\\n\\na'")},
            {u"Text a"_s, end});
        row("tags within the text", {delta("'content':'Use <think>x</think>.'")},
            {u"Text Use <think>x</think>."_s, end});
        row("what only looks like a tag", {delta("'content':'<thin'"), delta("'content':'g>'")},
            {u"Text <thing>"_s, end});

        row("usage on every chunk",
            {"{'choices':[],'usage':{'prompt_tokens':5,'completion_tokens':1}}",
             "{'choices':[],'usage':null}",
             "{'choices':[],'usage':{'prompt_tokens':5,'completion_tokens':1}}",
             "{'choices':[],'usage':{'prompt_tokens':5,'completion_tokens':2}}"},
            {u"Usage 5 1"_s, u"Usage 5 2"_s, end});
        row("usage of Groq",
            {"{'choices':[],'x_groq':{'usage':{'prompt_tokens':5,'completion_tokens':1}}}"},
            {u"Usage 5 1"_s, end});
        row("timings of llama.cpp",
            {"{'choices':[],'timings':{'prompt_n':2,'cache_n':3,'predicted_n':4}}"},
            {u"Usage 5 4"_s, end});
    }

    void textAndThinkingComeAsTheyAre()
    {
        QFETCH(QByteArrayList, chunks);
        QFETCH(QStringList, log);
        QCOMPARE(logOf(ChatDeltaParser(), chunks), log);
    }

    void theFinishReasonIsKeptAndUnderstood_data()
    {
        QTest::addColumn<QByteArray>("reason");
        QTest::addColumn<QString>("end");
        const auto row = [](const char *reason, const char *end) {
            QTest::newRow(reason) << QByteArray(reason)
                                  << u"End %1 %2"_s.arg(QLatin1String(end), QLatin1String(reason));
        };
        row("stop", "endTurn");
        row("tool_calls", "endTurn");
        row("length", "maxTokens");
        row("model_length", "maxTokens");
        row("content_filter", "contentFiltered");
        row("stop_sequence", "stopSequence");
        row("something_new", "endTurn");
    }

    void theFinishReasonIsKeptAndUnderstood()
    {
        // behaviours: 244
        QFETCH(QByteArray, reason);
        QFETCH(QString, end);
        QCOMPARE(logOf(ChatDeltaParser(), {delta("'content':'a'"), finish(reason)}),
                 (QStringList{u"Text a"_s, end}));
    }

    void aRefusalIsShownAndNamed()
    {
        QCOMPARE(logOf(ChatDeltaParser(),
                       {delta("'refusal':'I can'"), delta("'refusal':'not.'"), finish("stop")}),
                 (QStringList{u"Text I cannot."_s, u"End refusal stop"_s}));
    }

    void callsArePutTogether_data()
    {
        QTest::addColumn<QByteArrayList>("chunks");
        QTest::addColumn<QStringList>("calls"); // name and arguments
        const auto row = [](const char *name, const QByteArrayList &chunks, QStringList calls) {
            QTest::newRow(name) << chunks << calls;
        };
        row("two at once, by index",
            {call("'index':0,'id':'a','function':{'name':'one','arguments':''}"),
             call("'index':1,'id':'b','function':{'name':'two','arguments':''}"),
             call("'index':0,'function':{'arguments':'{\\'x\\''}"),
             call("'index':1,'function':{'arguments':'{}'}"),
             call("'index':0,'function':{'arguments':':1}'}")},
            {u"one {\"x\":1}"_s, u"two {}"_s});
        row("no index, one call",
            {call("'id':'a','function':{'name':'one','arguments':'{'}"),
             call("'function':{'arguments':'}'}")},
            {u"one {}"_s});
        row("no index, two calls",
            {call("'id':'a','function':{'name':'one','arguments':'{}'}"),
             call("'id':'b','function':{'name':'two','arguments':'{}'}")},
            {u"one {}"_s, u"two {}"_s});
        row("no index and no id, two whole calls",
            {call("'function':{'name':'one','arguments':'{}'}"),
             call("'function':{'name':'one','arguments':'{}'}")},
            {u"one {}"_s, u"one {}"_s});
        row("all of index 0, other ids",
            {call("'index':0,'id':'a','function':{'name':'one','arguments':'{}'}"),
             call("'index':0,'id':'b','function':{'name':'two','arguments':'{'}"),
             call("'index':0,'function':{'arguments':'}'}")},
            {u"one {}"_s, u"two {}"_s});
        row("id and name on each fragment",
            {call("'index':0,'id':'a','function':{'name':'one','arguments':'{'}"),
             call("'index':0,'id':'a','function':{'name':'one','arguments':'}'}")},
            {u"one {}"_s});
        row("empty id on continuations",
            {call("'index':0,'id':'a','function':{'name':'one','arguments':'{'}"),
             call("'index':0,'id':'','function':{'name':null,'arguments':'}'}")},
            {u"one {}"_s});
        row("a changing id",
            {call("'index':0,'id':'a','function':{'name':'one','arguments':'{'}"),
             call("'index':0,'id':'b','function':{'arguments':'}'}")},
            {u"one {}"_s});
        row("name in pieces",
            {call("'index':0,'id':'a','function':{'name':'read_'}"),
             call("'index':0,'function':{'name':'file'}"),
             call("'index':0,'function':{'arguments':'{}'}")},
            {u"read_file {}"_s});
        row("arguments as an object",
            {call("'index':0,'id':'a','function':{'name':'one','arguments':{'x':[1]}}")},
            {u"one {\"x\":[1]}"_s});
        row("arguments of other kinds",
            {call("'index':0,'id':'a','function':{'name':'one','arguments':null}"),
             call("'index':1,'id':'b','function':{'name':'two','arguments':7}")},
            {u"one "_s, u"two 7"_s});
        row("index from 1 and with gaps, negative and huge",
            {call("'index':1,'id':'a','function':{'name':'one','arguments':'{}'}"),
             call("'index':7,'id':'b','function':{'name':'two','arguments':'{}'}"),
             call("'index':-3,'id':'c','function':{'name':'three','arguments':'{}'}"),
             call("'index':9999999999,'id':'d','function':{'name':'four','arguments':'{}'}")},
            {u"one {}"_s, u"two {}"_s, u"three {}"_s, u"four {}"_s});
        row("no function, no name",
            {call("'index':0,'id':'a'"), "{'choices':[{'delta':{'tool_calls':[1,null,'x']}}]}"},
            {u" "_s});
        row("the old single call",
            {delta("'function_call':{'name':'one','arguments':'{'}"),
             delta("'function_call':{'arguments':'}'}")},
            {u"one {}"_s});
        row("whole message",
            {choice("'message':{'content':null,'tool_calls':[{'id':'a','type':'function','function'"
                    ":{'name':'one','arguments':'{}'}}]}")},
            {u"one {}"_s});
        row("with the finish reason stop",
            {call("'index':0,'id':'a','function':{'name':'one','arguments':'{}'}"), finish("stop")},
            {u"one {}"_s});
    }

    void callsArePutTogether()
    {
        QFETCH(QByteArrayList, chunks);
        QFETCH(QStringList, calls);
        const QStringList log = logOf(ChatDeltaParser(), chunks);
        QCOMPARE(namesAndArguments(log), calls);
        QVERIFY(log.last().startsWith(u"End "_s));
    }

    void everyCallHasAnIdOfItsOwn()
    {
        const QByteArrayList chunks{
            call("'index':0,'id':'same','function':{'name':'one','arguments':'{}'}"),
            call("'index':1,'id':'same','function':{'name':'two','arguments':'{}'}"),
            call("'index':2,'function':{'name':'three','arguments':'{}'}"),
            call("'index':3,'function':{'name':'three','arguments':'{}'}")};
        QStringList ids;
        for (const QString &line : callsOf(logOf(ChatDeltaParser(), chunks)))
            ids.append(line.section(u' ', 1, 1));
        QCOMPARE(ids.size(), 4);
        QCOMPARE(ids.removeDuplicates(), 0);
        QVERIFY(!ids.contains(QString()));
        QCOMPARE(ids.first(), u"same"_s);
    }

    void callsThatWereCutByTheTokenLimitSaySo()
    {
        // behaviours: 261
        const QStringList log =
            logOf(ChatDeltaParser(),
                  {call("'index':0,'id':'a','function':{'name':'one','arguments':'{\\'x'}"),
                   finish("length")});
        QCOMPARE(log, (QStringList{u"Call a one {\"x"_s, u"End maxTokens length"_s}));
    }

    void tooManyCallsAreAFault()
    {
        QByteArrayList chunks;
        for (int i = 0; i < 1000; ++i)
            chunks.append(call("'index':" + QByteArray::number(i)
                               + ",'function':{'name':'one','arguments':'{}'}"));
        QCOMPARE(logOf(ChatDeltaParser(), chunks), QStringList(u"Error TOO_LARGE"_s));
    }

    void tooLargeArgumentsAreAFault()
    {
        const QByteArray piece =
            "'index':0,'function':{'arguments':'" + QByteArray(1024 * 1024, 'x') + "'}";
        QByteArrayList chunks;
        for (int i = 0; i < 17; ++i)
            chunks.append(call(piece));
        QCOMPARE(logOf(ChatDeltaParser(), chunks), QStringList(u"Error TOO_LARGE"_s));
    }

    void namesComeBackAsTheRegistryHasThem()
    {
        // behaviours: 285
        const QString odd = u"files.read/all"_s;
        const ToolNames names({{odd, {}, {}}, {u"run_command"_s, {}, {}}});
        const QByteArray wire = wireToolName(odd).toUtf8();
        const QStringList log =
            logOf(ChatDeltaParser(names),
                  {call("'index':0,'id':'a','function':{'name':'" + wire + "','arguments':'{}'}"),
                   call("'index':1,'id':'b','function':{'name':'run_command','arguments':'{}'}"),
                   call("'index':2,'id':'c','function':{'name':'Run_Command','arguments':'{}'}")});
        QCOMPARE(namesAndArguments(log),
                 (QStringList{u"files.read/all {}"_s, u"run_command {}"_s, u"Run_Command {}"_s}));
    }

    void whatHasToGoBackIsKept()
    {
        const QStringList log = logOf(
            ChatDeltaParser(),
            {delta("'reasoning_details':[{'type':'reasoning.text','index':0,'text':'a','signature':"
                   "null}]"),
             delta("'reasoning_details':[{'type':'reasoning.text','index':0,'text':'b','signature':"
                   "'s'}]"),
             delta("'reasoning_details':[{'type':'reasoning.encrypted','index':1,'data':'x'}]"),
             call("'index':0,'id':'a','function':{'name':'one','arguments':'{}'},'extra_content':{'"
                  "google':{'thought_signature':'t'}}")});
        QCOMPARE(log.first(),
                 u"Call a one {} {\"extra_content\":{\"google\":{\"thought_signature\":\"t\"}}}"_s);
        QCOMPARE(log.last(),
                 u"End endTurn  "
                 u"{\"reasoning_details\":[{\"index\":0,\"signature\":\"s\",\"text\":\"ab\","
                 u"\"type\":\"reasoning.text\"},"
                 "{\"data\":\"x\",\"index\":1,\"type\":\"reasoning.encrypted\"}]}"_s);
    }

    void aDetailWithoutTextGetsNone()
    {
        const QStringList log =
            logOf(ChatDeltaParser(),
                  {delta("'reasoning_details':[{'type':'reasoning.text','index':0,'signature':'s'},"
                         "{'type':'reasoning.summary','index':0,'summary':null}]"),
                   delta("'content':'x'")});
        QCOMPARE(log.last(),
                 u"End endTurn  "
                 u"{\"reasoning_details\":[{\"index\":0,\"signature\":\"s\",\"type\":\"reasoning."
                 u"text\"},"
                 "{\"index\":0,\"summary\":null,\"type\":\"reasoning.summary\"}]}"_s);
    }

    void aThoughtThatWasCutIsNotEnded()
    {
        ChatDeltaParser parser;
        ModelEventLog log;
        const auto events = parser.parse(object(delta("'content':'<think>half </thi'")));
        for (const ModelEvent &event : *events)
            log.add(event);
        for (const ModelEvent &event : parser.flush())
            log.add(event);
        QCOMPARE(log.lines(), QStringList(u"Thinking half </thi"_s));
    }

    void aContinuationRepeatsNothing_data()
    {
        QTest::addColumn<PrefillKind>("prefill");
        QTest::addColumn<QString>("old");
        QTest::addColumn<QString>("sent");
        QTest::addColumn<QString>("joined");
        const QString old = u"The quick brown fox jumps"_s;
        const auto row = [](const char *name, PrefillKind kind, const QString &before,
                            const QString &sent, const QString &joined) {
            QTest::newRow(name) << kind << before << sent << joined;
        };
        row("the flag sends only new text", PrefillKind::ContinueFinalMessage, old, u" over"_s,
            old + u" over"_s);
        row("equal words are new ones then", PrefillKind::ContinueFinalMessage, u"ha"_s, u"ha"_s,
            u"haha"_s);
        row("a repeated prefix", PrefillKind::Prefix, old, old + u" over"_s, old + u" over"_s);
        row("a short repeated prefix", PrefillKind::Prefix, u"Yes"_s, u"Yes, it is"_s,
            u"Yes, it is"_s);
        row("no repeated prefix", PrefillKind::Prefix, old, u" over"_s, old + u" over"_s);
        row("only the prefix", PrefillKind::Prefix, old, old, old);
        row("asked, repeats all", PrefillKind::None, old, old + u" over"_s, old + u" over"_s);
        row("asked, repeats the last words", PrefillKind::None, old, u"brown fox jumps over"_s,
            old + u" over"_s);
        row("asked, goes on", PrefillKind::None, old, u" over The lazy dog"_s,
            old + u" over The lazy dog"_s);
        row("asked, begins with words that are there", PrefillKind::None, old, u"The end"_s,
            old + u"The end"_s);
        row("space at the seam, once", PrefillKind::ContinueFinalMessage, u"Hello "_s, u" world"_s,
            u"Hello world"_s);
        row("space at the seam, from us", PrefillKind::ContinueFinalMessage, u"Hello "_s,
            u"world"_s, u"Hello world"_s);
        row("lines at the seam", PrefillKind::ContinueFinalMessage, u"Hello\n\n"_s, u"\nworld"_s,
            u"Hello\n\nworld"_s);
        row("repeated with space at the seam", PrefillKind::Prefix, u"Hello my friend "_s,
            u"Hello my friend and"_s, u"Hello my friend and"_s);
    }

    void aContinuationRepeatsNothing()
    {
        // behaviours: 188
        QFETCH(PrefillKind, prefill);
        QFETCH(QString, old);
        QFETCH(QString, sent);
        QFETCH(QString, joined);
        const QString trimmed = QString(u'x' + old).trimmed().sliced(1);
        for (const qsizetype step : {1, 3, 100}) {
            ContinuationFilter filter(
                {.text = trimmed, .trimmedSpace = old.sliced(trimmed.size()), .prefill = prefill});
            QString text = old;
            for (qsizetype at = 0; at < sent.size(); at += step)
                text += filter.append(sent.mid(at, step));
            text += filter.finish();
            QCOMPARE(text, joined);
        }
    }
};

QTEST_GUILESS_MAIN(tst_ChatDeltaParser)
#include "tst_chatdeltaparser.moc"
