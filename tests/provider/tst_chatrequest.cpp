// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/chatrequest.h"
#include "provider/toolnames.h"
#include "support/chathistorycheck.h"

#include <QJsonDocument>
#include <QRegularExpression>
#include <QTest>

#include <rapidcheck.h>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

const QUrl Endpoint(u"https://model.test/v1"_s);

HistoryMessage user(const QString &text)
{
    return {HistoryRole::User, {TextBlock{text}}, {}, {}};
}

HistoryMessage assistant(std::vector<HistoryBlock> blocks, const QString &provider = {})
{
    return {HistoryRole::Assistant, std::move(blocks), {}, provider};
}

HistoryMessage results(std::vector<HistoryBlock> blocks)
{
    return {HistoryRole::Tool, std::move(blocks), {}, {}};
}

ModelRequest requestWith(const History &history)
{
    ModelRequest request;
    request.model = u"some-model"_s;
    request.history = history;
    return request;
}

QJsonArray messagesOf(const ModelRequest &request, const QString &kind)
{
    return chatRequest(request, ServerDialect::ofKind(kind), Endpoint)
        .body.value(u"messages"_s)
        .toArray();
}

QString compact(const QJsonArray &array)
{
    return QString::fromUtf8(QJsonDocument(array).toJson(QJsonDocument::Compact));
}

const QStringList Kinds{u"openai"_s,    u"azure"_s,    u"openrouter"_s, u"vllm"_s,
                        u"llama.cpp"_s, u"lmstudio"_s, u"ollama"_s,     u"deepseek"_s,
                        u"groq"_s,      u"mistral"_s,  u"gemini"_s,     u"other"_s};

// What one dialect refuses beyond what all do.
QString dialectViolation(const QJsonArray &messages, const QString &kind)
{
    static const QRegularExpression nine(u"^[a-zA-Z0-9]{9}$"_s);
    static const QRegularExpression name(u"^[a-zA-Z0-9_-]{1,64}$"_s);
    QString previous;
    for (const QJsonValue &value : messages) {
        const QJsonObject message = value.toObject();
        const QString role = message[u"role"].toString();
        if (kind == u"mistral" && previous == u"tool" && role == u"user")
            return u"user after tool"_s;
        const QJsonArray calls = message[u"tool_calls"].toArray();
        for (const QJsonValue &call : calls) {
            const QString id = call[u"id"].toString();
            if (kind == u"mistral" && !nine.match(id).hasMatch())
                return u"id "_s + id;
            if ((kind == u"openai" || kind == u"azure") && id.size() > 40)
                return u"long id "_s + id;
            if (!name.match(call[u"function"][u"name"].toString()).hasMatch())
                return u"tool name"_s;
        }
        if (kind == u"deepseek" && !calls.isEmpty() && !message.contains(u"reasoning_content"_s))
            return u"no reasoning_content"_s;
        previous = role;
    }
    if (previous == u"assistant" && !messages.last().toObject().value(u"prefix"_s).toBool()
        && kind != u"vllm" && kind != u"llama.cpp")
        return u"ends with an answer"_s;
    return {};
}

rc::Gen<QString> anyText()
{
    return rc::gen::map(rc::gen::container<std::vector<char16_t>>(rc::gen::weightedOneOf<char16_t>(
                            {{8, rc::gen::inRange<char16_t>(u'a', u'e')},
                             {3, rc::gen::element(u' ', u'\n', u'"', u'\\')},
                             {1, rc::gen::element<char16_t>(0xd83c, 0xdfbc, 0, 0x202e)}})),
                        [](const std::vector<char16_t> &units) {
                            return QString(reinterpret_cast<const QChar *>(units.data()),
                                           qsizetype(units.size()));
                        });
}

rc::Gen<QString> anyId()
{
    return rc::gen::element(u"call_1"_s, u"call_1"_s, u"abc123XYZ"_s, u"with.dots:and/slashes"_s,
                            u"an-id-that-is-much-longer-than-forty-characters-in-all"_s);
}

HistoryMessage anyMessage()
{
    const int kind = *rc::gen::inRange(0, 6);
    if (kind < 2)
        return user(*anyText());
    HistoryMessage message{HistoryRole::Assistant,
                           {},
                           {{u"reasoning_details"_s, QJsonArray{1}}},
                           *rc::gen::element(QString(), u"openai"_s, u"deepseek"_s)};
    if (kind == 2)
        message.blocks.push_back(ThinkingBlock{*anyText(), {}, true, {}});
    message.blocks.push_back(TextBlock{*anyText()});
    if (kind < 4)
        return message;
    const int calls = *rc::gen::inRange(1, 4);
    for (int i = 0; i < calls; ++i)
        message.blocks.push_back(
            HistoryCall{*anyId() + QString::number(i),
                        *rc::gen::element(u"run"_s, u"a.b c"_s, QString()),
                        *rc::gen::element(QString(), u"{}"_s, u"{\"a\""_s, u"[1]"_s),
                        {}});
    return message;
}

} // namespace

class tst_ChatRequest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        // RC_PARAMS="max_success=100000" for more.
        if (qEnvironmentVariableIsEmpty("RC_PARAMS"))
            qputenv("RC_PARAMS", "max_success=2000");
    }

    void aPlainRequestIsMinimal()
    {
        ModelRequest request = requestWith({user(u"Hi"_s)});
        request.systemPrompt = u"Be brief."_s;
        const ChatRequest shaped =
            chatRequest(request, ServerDialect::ofKind(u"ollama"_s), Endpoint);
        QCOMPARE(shaped.url, QUrl(u"https://model.test/v1/chat/completions"_s));
        const QJsonObject expected{
            {u"model"_s, u"some-model"_s},
            {u"stream"_s, true},
            {u"stream_options"_s, QJsonObject{{u"include_usage"_s, true}}},
            {u"messages"_s,
             QJsonArray{QJsonObject{{u"role"_s, u"system"_s}, {u"content"_s, u"Be brief."_s}},
                        QJsonObject{{u"role"_s, u"user"_s}, {u"content"_s, u"Hi"_s}}}}};
        QCOMPARE(shaped.body, expected);
    }

    void fieldsGoByTheServer()
    {
        ModelRequest request = requestWith({user(u"Hi"_s)});
        request.maxOutputTokens = 100;
        const auto bodyOf = [&](const QString &kind) {
            return chatRequest(request, ServerDialect::ofKind(kind), Endpoint).body;
        };
        QVERIFY(bodyOf(u"openai"_s).contains(u"max_completion_tokens"_s));
        QVERIFY(!bodyOf(u"openai"_s).contains(u"max_tokens"_s));
        QVERIFY(bodyOf(u"deepseek"_s).contains(u"max_tokens"_s));
        QVERIFY(!bodyOf(u"mistral"_s).contains(u"stream_options"_s));
        for (const QString &kind : Kinds)
            QVERIFY(!bodyOf(kind).contains(u"tools"_s)); // an empty array is refused
        request.tools = {{u"run.it"_s, u"Runs"_s, {}}};
        const QJsonObject function = bodyOf(u"openai"_s)[u"tools"][0][u"function"].toObject();
        QCOMPARE(function.value(u"name"_s).toString(), wireToolName(u"run.it"_s));
        QCOMPARE(function.value(u"parameters"_s).toObject().value(u"type"_s).toString(),
                 u"object"_s);
    }

    void theDialectIsFoundByAddress_data()
    {
        QTest::addColumn<QString>("address");
        QTest::addColumn<QString>("kind");
        const auto row = [](const QString &address, const QString &kind) {
            QTest::newRow(qPrintable(address)) << address << kind;
        };
        row(u"https://api.openai.com/v1"_s, u"openai"_s);
        row(u"https://me.openai.azure.com/openai/v1"_s, u"azure"_s);
        row(u"https://openrouter.ai/api/v1"_s, u"openrouter"_s);
        row(u"https://api.mistral.ai/v1"_s, u"mistral"_s);
        row(u"https://api.groq.com/openai/v1"_s, u"groq"_s);
        row(u"https://api.deepseek.com"_s, u"deepseek"_s);
        row(u"http://localhost:11434/v1"_s, u"ollama"_s);
        row(u"http://127.0.0.1:8080/v1"_s, u"llama.cpp"_s);
        row(u"http://[::1]:8000/v1"_s, u"vllm"_s);
        row(u"http://LOCALHOST:1234/v1"_s, u"lmstudio"_s);
        row(u"http://10.0.0.5:11434/v1"_s, u"openai-compatible"_s);
        row(u"https://api.openai.com.evil.test/v1"_s, u"openai-compatible"_s);
    }

    void theDialectIsFoundByAddress()
    {
        QFETCH(QString, address);
        QTEST(ServerDialect::forEndpoint(QUrl(address)).kind, "kind");
    }

    void theAddressIsCompleted_data()
    {
        QTest::addColumn<QString>("endpoint");
        QTest::addColumn<QString>("url");
        const QString full = u"http://a.test/v1/chat/completions"_s;
        QTest::newRow("base") << u"http://a.test/v1"_s << full;
        QTest::newRow("slash") << u"http://a.test/v1//"_s << full;
        QTest::newRow("whole") << full << full;
        QTest::newRow("no path") << u"http://a.test"_s << u"http://a.test/chat/completions"_s;
        QTest::newRow("query") << u"http://a.test/x?api-version=1"_s
                               << u"http://a.test/x/chat/completions?api-version=1"_s;
    }

    void theAddressIsCompleted()
    {
        QFETCH(QString, endpoint);
        QTEST(endpointWithPath(QUrl(endpoint), u"/chat/completions"_s).toString(), "url");
    }

    void theKeyGoesIntoItsHeader()
    {
        const auto header = keyHeader(ServerDialect::ofKind(u"openai"_s), Secret(" sk-1\n"));
        QVERIFY(header);
        QCOMPARE(header->first, QByteArray("Authorization"));
        QCOMPARE(header->second.reveal(), QByteArray("Bearer sk-1"));
        QCOMPARE(keyHeader(ServerDialect::ofKind(u"azure"_s), Secret("k"))->first,
                 QByteArray("api-key"));
        QVERIFY(!keyHeader(ServerDialect::ofKind(u"openai"_s), Secret()));
        const ChatRequest request =
            chatRequest(requestWith({user(u"Hi"_s)}), ServerDialect::ofKind(u"openai"_s), Endpoint);
        const HttpRequest http =
            httpRequest(request, ServerDialect::ofKind(u"openai"_s), Secret("sk-1"));
        for (const auto &[name, value] : http.headers)
            QVERIFY(!value.contains("sk-1"));
        QVERIFY(!http.body.contains("sk-1"));
    }

    void consecutiveUserMessagesAreMerged()
    {
        // behaviours: 56, 186
        const History history{user(u"One"_s), user(u"Two"_s), assistant({TextBlock{u"  "_s}}),
                              user(u"Three"_s)};
        QCOMPARE(compact(messagesOf(requestWith(history), u"openai"_s)),
                 u"[{\"content\":\"One\\n\\nTwo\\n\\nThree\",\"role\":\"user\"}]"_s);
    }

    void aPartialAnswerIsTrimmedAndNothingIsAdded()
    {
        // behaviours: 55, 56
        const History history{user(u"One"_s), assistant({TextBlock{u"  Half an \n"_s}}),
                              user(u"Two"_s)};
        QCOMPARE(compact(messagesOf(requestWith(history), u"openai"_s)),
                 u"[{\"content\":\"One\",\"role\":\"user\"},{\"content\":\"  Half "
                 u"an\",\"role\":\"assistant\"},"
                 "{\"content\":\"Two\",\"role\":\"user\"}]"_s);
    }

    void anAnswerAndItsContinuationAreOneMessage()
    {
        const History history{user(u"One"_s), assistant({TextBlock{u"Hello "_s}}),
                              assistant({TextBlock{u"world"_s}}), user(u"Two"_s)};
        QCOMPARE(messagesOf(requestWith(history), u"openai"_s)[1][u"content"].toString(),
                 u"Hello world"_s);
    }

    void callsAndResultsKeepTheirIds()
    {
        const History history{
            user(u"Go"_s),
            assistant({TextBlock{u"Now."_s}, HistoryCall{u"call_1"_s, u"run"_s, u"{\"a\":1}"_s, {}},
                       HistoryCall{u"call_2"_s, u"run"_s, {}, {}}}),
            results({HistoryResult{u"call_1"_s, u"done"_s, false},
                     HistoryResult{u"call_2"_s, {}, true}})};
        const QJsonArray messages = messagesOf(requestWith(history), u"openai"_s);
        QCOMPARE(messages.size(), 4);
        QCOMPARE(messages[1][u"tool_calls"][0][u"id"].toString(), u"call_1"_s);
        QCOMPARE(messages[1][u"tool_calls"][1][u"function"][u"arguments"].toString(), u"{}"_s);
        QCOMPARE(messages[2][u"tool_call_id"].toString(), u"call_1"_s);
        QCOMPARE(messages[3][u"content"].toString(), u"(no output)"_s);
    }

    void argumentsThatAreNoObjectAreWrapped()
    {
        const History history{user(u"Go"_s),
                              assistant({HistoryCall{u"a"_s, u"run"_s, u"{\"cut"_s, {}}}),
                              results({HistoryResult{u"a"_s, u"Not valid."_s, true}})};
        const QString arguments =
            messagesOf(requestWith(history),
                       u"ollama"_s)[1][u"tool_calls"][0][u"function"][u"arguments"]
                .toString();
        QCOMPARE(arguments, u"{\"unparsed_arguments\":\"{\\\"cut\"}"_s);
    }

    void mistralGetsItsOrderAndIds()
    {
        const History history{
            user(u"Go"_s), assistant({HistoryCall{u"call_1"_s, u"run"_s, u"{}"_s, {}}}),
            results({HistoryResult{u"call_1"_s, u"Interrupted: …"_s, true}}), user(u"Again"_s)};
        const QJsonArray messages = messagesOf(requestWith(history), u"mistral"_s);
        QCOMPARE(messages.size(), 5);
        QCOMPARE(messages[3][u"role"].toString(), u"assistant"_s);
        const QString id = messages[1][u"tool_calls"][0][u"id"].toString();
        QCOMPARE(id.size(), 9);
        QCOMPARE(messages[2][u"tool_call_id"].toString(), id);
        QCOMPARE(messagesOf(requestWith(history), u"openai"_s).size(), 4);
        // The rules come with the model, too.
        ModelRequest local = requestWith(history);
        local.model = u"Devstral-Small"_s;
        QCOMPARE(messagesOf(local, u"vllm"_s).size(), 5);
    }

    void thinkingGoesBackOnlyWhereItMust()
    {
        History history{
            user(u"Go"_s),
            assistant(
                {ThinkingBlock{u"hm"_s, {}, true, {}}, HistoryCall{u"a"_s, u"run"_s, u"{}"_s, {}}},
                u"deepseek"_s),
            results({HistoryResult{u"a"_s, u"x"_s, false}}),
            assistant({ThinkingBlock{u"ok"_s, {}, true, {}}, TextBlock{u"Done."_s}}, u"deepseek"_s),
            user(u"More"_s)};
        const QJsonArray messages = messagesOf(requestWith(history), u"deepseek"_s);
        QCOMPARE(messages[1][u"reasoning_content"].toString(), u"hm"_s);
        QVERIFY(!messages[3].toObject().contains(u"reasoning_content"_s));
        QVERIFY(!compact(messagesOf(requestWith(history), u"openai"_s)).contains(u"hm"));
        history[1].provider =
            u"openai"_s; // from elsewhere: the field has to be there, the thought does not go
        QCOMPARE(
            messagesOf(requestWith(history), u"deepseek"_s)[1][u"reasoning_content"].toString(),
            QString());
    }

    void extrasGoBackToTheirMakerOnly()
    {
        // behaviours: 196
        HistoryMessage answer =
            assistant({TextBlock{u"Hi"_s}, UnknownBlock{{{u"type"_s, u"odd"_s}}},
                       HistoryCall{u"a"_s, u"run"_s, u"{}"_s, {{u"extra_content"_s, 1}}}},
                      u"openrouter"_s);
        answer.extras = {{u"reasoning_details"_s, QJsonArray{1}}, {u"role"_s, u"system"_s}};
        const History history{user(u"Go"_s), answer,
                              results({HistoryResult{u"a"_s, u"x"_s, false}})};
        const QJsonObject back = messagesOf(requestWith(history), u"openrouter"_s)[1].toObject();
        QCOMPARE(back[u"role"].toString(), u"assistant"_s);
        QVERIFY(back.contains(u"reasoning_details"_s));
        QCOMPARE(back[u"content"][1][u"type"].toString(), u"odd"_s);
        QCOMPARE(back[u"tool_calls"][0][u"extra_content"].toInt(), 1);
        const QString elsewhere = compact(messagesOf(requestWith(history), u"groq"_s));
        for (const QString &word : {u"reasoning_details"_s, u"odd"_s, u"extra_content"_s})
            QVERIFY(!elsewhere.contains(word));
    }

    void aCutAnswerIsTakenUpAsTheServerWantsIt()
    {
        // behaviours: 188
        ModelRequest request = requestWith({user(u"Go"_s), assistant({TextBlock{u"Half a "_s}})});
        request.continueAnswer = true;
        const auto shaped = [&](const QString &kind, const QUrl &endpoint = Endpoint) {
            return chatRequest(request, ServerDialect::ofKind(kind), endpoint);
        };
        const ChatRequest vllm = shaped(u"vllm"_s);
        QCOMPARE(vllm.body[u"continue_final_message"].toBool(), true);
        QCOMPARE(vllm.body[u"add_generation_prompt"].toBool(true), false);
        QCOMPARE(vllm.body[u"messages"][1][u"content"].toString(), u"Half a"_s);
        QCOMPARE(vllm.continued->trimmedSpace, u" "_s);
        QCOMPARE(shaped(u"mistral"_s).body[u"messages"][1][u"prefix"].toBool(), true);
        QCOMPARE(shaped(u"deepseek"_s, QUrl(u"https://api.deepseek.com/v1"_s)).url,
                 QUrl(u"https://api.deepseek.com/beta/chat/completions"_s));
        const ChatRequest openai = shaped(u"openai"_s);
        QCOMPARE(openai.body[u"messages"].toArray().size(), 3);
        QCOMPARE(openai.body[u"messages"][2][u"role"].toString(), u"user"_s);
        QVERIFY(!openai.body.contains(u"continue_final_message"_s));

        request.continueAnswer = false; // never ends with an answer by accident
        QCOMPARE(shaped(u"vllm"_s).body[u"messages"].toArray().size(), 3);
        request.continueAnswer = true;
        request.history = {user(u"Go"_s), assistant({TextBlock{u" "_s}})};
        QVERIFY(!shaped(u"vllm"_s).continued);
    }

    void toolNamesAreMappedBothWays()
    {
        // behaviours: 285
        const QString longName(100, u'n');
        for (const QString &name :
             {u"a.b"_s, u"a/b"_s, u"größe"_s, QString(), longName, longName + u'x'}) {
            const QString wire = wireToolName(name);
            QVERIFY(QRegularExpression(u"^[a-zA-Z0-9_-]{1,64}$"_s).match(wire).hasMatch());
            QCOMPARE(ToolNames(std::vector<ToolDefinition>{{name, {}, {}}}).registryName(wire),
                     name);
        }
        QVERIFY(wireToolName(u"a.b"_s) != wireToolName(u"a/b"_s));
        QCOMPARE(wireToolName(u"run_command-2"_s), u"run_command-2"_s);
        QCOMPARE(ToolNames().registryName(u"anything"_s), u"anything"_s);
    }

    void everyRepairedHistoryIsAcceptedByEveryServer()
    {
        // behaviours: 187, 189
        QVERIFY(rc::check("shaped histories pass a strict server", [] {
            History history;
            const int count = *rc::gen::inRange(1, 9);
            for (int i = 0; i < count; ++i) {
                history.push_back(anyMessage());
                if (*rc::gen::inRange(0, 3) > 0) {
                    HistoryMessage answers{HistoryRole::Tool, {}, {}, {}};
                    for (const HistoryBlock &block : history.back().blocks) {
                        if (const auto *call = std::get_if<HistoryCall>(&block))
                            answers.blocks.push_back(
                                HistoryResult{call->id, *anyText(), *rc::gen::arbitrary<bool>()});
                    }
                    if (!answers.blocks.empty())
                        history.push_back(answers);
                }
            }
            ModelRequest request = requestWith(repairHistory(history));
            request.history.push_back(user(u"Next"_s));
            const bool continues = *rc::gen::arbitrary<bool>();
            if (continues)
                request.history.push_back(assistant({TextBlock{u"Cut "_s + *anyText()}}));
            request.continueAnswer = continues;
            const History before = request.history;
            for (const QString &kind : Kinds) {
                const QByteArray bytes =
                    httpRequest(chatRequest(request, ServerDialect::ofKind(kind), Endpoint),
                                ServerDialect::ofKind(kind), {})
                        .body;
                const QJsonDocument document = QJsonDocument::fromJson(bytes);
                RC_ASSERT(document.isObject());
                const QString violation = chatRequestViolation(bytes);
                const QString own = dialectViolation(document[u"messages"].toArray(), kind);
                if (!violation.isEmpty() || !own.isEmpty())
                    RC_FAIL((kind + u": "_s + violation + own + u'\n' + QString::fromUtf8(bytes))
                                .toStdString());
            }
            RC_ASSERT(request.history == before);
        }));
    }
};

QTEST_GUILESS_MAIN(tst_ChatRequest)
#include "tst_chatrequest.moc"
