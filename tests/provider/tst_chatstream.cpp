// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/iothread.h"
#include "modeleventlog.h"
#include "provider/chatcompletionsprovider.h"
#include "support/enumcomparison.h"
#include "support/modelserver.h"

#include <QJsonDocument>
#include <QSignalSpy>
#include <QTest>

#include <thread>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

ModelRequest greeting()
{
    ModelRequest request;
    request.model = u"test-model"_s;
    request.history = {{HistoryRole::User, {TextBlock{u"Hi"_s}}, {}, {}}};
    return request;
}

ModelRequest continuation()
{
    ModelRequest request = greeting();
    request.history.push_back({HistoryRole::Assistant, {TextBlock{u"Half an "_s}}, {}, {}});
    request.continueAnswer = true;
    return request;
}

struct Outcome
{
    ModelEventLog log;
    std::optional<Error> error;
    RetryAdvice advice;
};

Outcome runToEnd(ModelStream &stream, const CancellationToken &token = {})
{
    Outcome outcome;
    for (;;) {
        const auto next = stream.next(token, steadyClock().now() + 20s);
        if (!next) {
            outcome.error = next.error();
            outcome.advice = stream.retryAdvice();
            return outcome;
        }
        const auto *event = std::get_if<ModelEvent>(&*next);
        if (!event) {
            outcome.error = Error(ErrorCode::TimedOut, u"no event"_s);
            return outcome;
        }
        outcome.log.add(*event);
        if (std::holds_alternative<AnswerEnded>(*event))
            return outcome;
    }
}

// Texts, thoughts and calls as they come, then `ending`.
ChatAnswer answerOf(const QStringList &tokens, ReplyEnding ending = ReplyEnding::Done)
{
    ChatAnswer answer;
    answer.tokens = tokens;
    answer.then = ending;
    return answer;
}

ModelServerScript inOrder(std::vector<Reply> replies)
{
    ModelServerScript script;
    script.replies = std::move(replies);
    return script;
}

QJsonObject bodyOf(const ServedRequest &request)
{
    return QJsonDocument::fromJson(request.body).object();
}

// Waits for the first text.
bool readText(ModelStream &stream)
{
    for (;;) {
        const auto next = stream.next({}, steadyClock().now() + 20s);
        if (!next || std::holds_alternative<NoEventInTime>(*next))
            return false;
        if (std::holds_alternative<TextDelta>(std::get<ModelEvent>(*next)))
            return true;
    }
}

Reply refusal(int status, const QByteArray &message)
{
    return jsonReply({{u"error"_s, QJsonObject{{u"message"_s, QString::fromUtf8(message)}}}},
                     status);
}

} // namespace

class tst_ChatStream : public QObject
{
    Q_OBJECT

private:
    static std::unique_ptr<ChatCompletionsProvider>
    providerFor(IoThread &io, const ModelServer &server, const QString &kind = u"openai"_s,
                const Secret &key = Secret("sk-canary-0123456789"))
    {
        return std::make_unique<ChatCompletionsProvider>(io, server.url(u"/v1"_s), key,
                                                         ServerDialect::ofKind(kind));
    }

private slots:
    void anAnswerComesInOrder()
    {
        // behaviours: 66
        ChatAnswer answer = answerOf({u"Hel"_s, u"lo"_s});
        answer.reasoning = {u"Well."_s};
        answer.toolCalls = {{u"run_command"_s, {{u"command"_s, u"ls"_s}}, u"call_9"_s}};
        ModelServer server(toReply(answer));
        IoThread io;
        const auto provider = providerFor(io, server);
        const auto stream = provider->start(greeting(), {});
        std::vector<ConnectionStage> stages;
        QCOMPARE(stream->state(), StreamState::Active);
        ModelEventLog log;
        for (bool ended = false; !ended;) {
            const auto next = stream->next({}, steadyClock().now() + 20s);
            QVERIFY(next.ok() && std::holds_alternative<ModelEvent>(*next));
            const ModelEvent &event = std::get<ModelEvent>(*next);
            if (const auto *progress = std::get_if<ConnectionProgress>(&event))
                stages.push_back(progress->stage);
            log.add(event);
            ended = std::holds_alternative<AnswerEnded>(event);
        }
        QCOMPARE(stages.back(), ConnectionStage::Waiting);
        QCOMPARE(log.lines(),
                 (QStringList{u"Thinking Well."_s, u"ThinkingEnd"_s, u"Text Hello"_s,
                              u"Usage 12 3"_s, u"Call call_9 run_command {\"command\":\"ls\"}"_s,
                              u"End endTurn tool_calls"_s}));
        QCOMPARE(stream->state(), StreamState::Completed);
        const ServedRequest request = server.requests().front();
        QCOMPARE(request.path, QByteArray("/v1/chat/completions"));
        QCOMPARE(request.header("authorization"), QByteArray("Bearer sk-canary-0123456789"));
        QCOMPARE(bodyOf(request)[u"model"].toString(), u"test-model"_s);
        QVERIFY(!request.body.contains("sk-canary"));
    }

    void aRefusalSaysWhatToDo_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<ErrorCode>("code");
        QTest::addColumn<bool>("retryable");
        QTest::newRow("400") << 400 << QByteArray("{\"error\":{\"message\":\"bad\"}}")
                             << ErrorCode::BadRequest << false;
        QTest::newRow("401") << 401 << QByteArray() << ErrorCode::Authentication << false;
        QTest::newRow("404") << 404 << QByteArray("{\"error\":{\"code\":\"model_not_found\"}}")
                             << ErrorCode::ModelNotFound << false;
        QTest::newRow("429") << 429 << QByteArray("{}") << ErrorCode::RateLimited << true;
        QTest::newRow("500 binary")
            << 500 << QByteArray(1000, '\0') << ErrorCode::ServerError << true;
        QTest::newRow("502 page") << 502 << QByteArray("<html>Bad gateway</html>")
                                  << ErrorCode::ServerError << true;
        QTest::newRow("503 huge") << 503 << QByteArray(4 * 1024 * 1024, 'x')
                                  << ErrorCode::ServerError << true;
    }

    void aRefusalSaysWhatToDo()
    {
        // behaviours: 118, 123
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        QFETCH(ErrorCode, code);
        ModelServer server(statusReply(status, body, {{"Retry-After", "3"}}));
        IoThread io;
        const auto provider = providerFor(io, server);
        const Outcome outcome = runToEnd(*provider->start(greeting(), {}));
        QVERIFY(outcome.error);
        QCOMPARE(outcome.error->code, code);
        QTEST(outcome.advice.retryable, "retryable");
        if (outcome.advice.retryable)
            QCOMPARE(outcome.advice.retryAfter, 3000ms);
        QVERIFY2(outcome.error->message.contains(u"127.0.0.1:%1"_s.arg(server.port())),
                 qPrintable(outcome.error->message));
        QCOMPARE(server.requests().size(), size_t(1));
    }

    void anEndlessRefusalIsCut()
    {
        const QByteArray head =
            "HTTP/1.1 500 Error\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n";
        ModelServer server({{SendBytes{head}, SendRepeatedly{QByteArray(64 * 1024, 'x'), 1600}}});
        IoThread io;
        const auto provider = providerFor(io, server);
        const auto stream = provider->start(greeting(), {});
        const Outcome outcome = runToEnd(*stream);
        QVERIFY(outcome.error);
        QCOMPARE(outcome.error->code, ErrorCode::ServerError);
        QVERIFY(server.requests().front().sent < 100 * 1024 * 1024);
    }

    void aRedirectIsToldAndNotFollowed()
    {
        ModelServer other(textReply({u"no"_s}));
        ModelServer server(statusReply(307, "", {{"Location", other.url().toEncoded()}}));
        IoThread io;
        const auto provider = providerFor(io, server);
        const Outcome outcome = runToEnd(*provider->start(greeting(), {}));
        QVERIFY(outcome.error);
        QCOMPARE(outcome.error->code, ErrorCode::Redirected);
        QVERIFY(outcome.error->message.contains(other.url().toString()));
        QCOMPARE(other.connectionCount(), 0);
    }

    void aBrokenConnectionIsAFaultAfterItsText_data()
    {
        QTest::addColumn<ReplyEnding>("ending");
        QTest::newRow("closed") << ReplyEnding::Close;
        QTest::newRow("reset") << ReplyEnding::Reset;
    }

    void aBrokenConnectionIsAFaultAfterItsText()
    {
        // behaviours: 61, 121
        QFETCH(ReplyEnding, ending);
        ModelServer server(toReply(answerOf({u"Half"_s, u" an"_s}, ending)));
        IoThread io;
        const auto provider = providerFor(io, server);
        const Outcome outcome = runToEnd(*provider->start(greeting(), {}));
        QVERIFY(outcome.error);
        QCOMPARE(outcome.error->code, ErrorCode::Truncated);
        QVERIFY(!outcome.advice.retryable);
        QVERIFY(u"Half an"_s.startsWith(outcome.log.text()));
        QVERIFY(ending == ReplyEnding::Reset || outcome.log.text() == u"Half an");
    }

    void aConnectionLostBeforeTheReplyMayBeTriedAgain()
    {
        // behaviours: 118
        ModelServer server(rawReply("", ReplyEnding::Close));
        IoThread io;
        const auto provider = providerFor(io, server);
        const Outcome outcome = runToEnd(*provider->start(greeting(), {}));
        QVERIFY(outcome.error);
        QCOMPARE(outcome.error->code, ErrorCode::ConnectionLost);
        QVERIFY(outcome.advice.retryable);
        QCOMPARE(server.requests().size(), size_t(1));
    }

    void aWholeObjectIsAnAnswer()
    {
        ModelServer server(
            jsonReply({{u"choices"_s,
                        QJsonArray{QJsonObject{{u"message"_s, QJsonObject{{u"content"_s, u"Hi"_s}}},
                                               {u"finish_reason"_s, u"stop"_s}}}}}));
        IoThread io;
        const auto provider = providerFor(io, server);
        QCOMPARE(runToEnd(*provider->start(greeting(), {})).log.lines(),
                 (QStringList{u"Text Hi"_s, u"End endTurn stop"_s}));
    }

    void aRefusedFieldIsLeftOutOnceAndForGood_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("instead");
        QTest::newRow("stream_options")
            << u"other"_s << QByteArray("Unrecognized request argument supplied: stream_options")
            << u"stream_options"_s << QString();
        QTest::newRow("max_tokens")
            << u"other"_s
            << QByteArray("Unsupported parameter: 'max_tokens' is not supported with this model. "
                          "Use 'max_completion_tokens' instead.")
            << u"max_tokens"_s << u"max_completion_tokens"_s;
        QTest::newRow("max_completion_tokens")
            << u"openai"_s << QByteArray("unknown field max_completion_tokens")
            << u"max_completion_tokens"_s << QString();
        QTest::newRow("tools") << u"ollama"_s
                               << QByteArray(
                                      "registry.ollama.ai/library/gemma:2b does not support tools")
                               << u"tools"_s << QString();
    }

    void aRefusedFieldIsLeftOutOnceAndForGood()
    {
        // behaviours: 125
        QFETCH(QString, kind);
        QFETCH(QByteArray, words);
        QFETCH(QString, field);
        QFETCH(QString, instead);
        ModelServer server(inOrder({refusal(400, words), textReply({u"Hi"_s})}));
        IoThread io;
        const auto provider = providerFor(io, server, kind);
        ModelRequest request = greeting();
        request.maxOutputTokens = 50;
        request.tools = {{u"run_command"_s, u"Runs"_s, {}}};
        for (int run = 0; run < 2; ++run) {
            const Outcome outcome = runToEnd(*provider->start(request, {}));
            QVERIFY(!outcome.error);
            QCOMPARE(outcome.log.text(), u"Hi"_s);
            // What the user would miss is said, and said once.
            const bool isTold = outcome.log.lines().join(u'\n').contains(u"cannot use tools"_s);
            QCOMPARE(isTold, run == 0 && field == u"tools");
        }
        const auto requests = server.requests();
        QCOMPARE(requests.size(), size_t(3));
        QVERIFY(bodyOf(requests[0]).contains(field));
        for (const size_t later : {1, 2}) {
            QVERIFY(!bodyOf(requests[later]).contains(field));
            QVERIFY(instead.isEmpty() || bodyOf(requests[later]).contains(instead));
        }
    }

    void aFieldIsNotTakenOutTwice()
    {
        // behaviours: 125
        ModelServer server(refusal(400, "Unsupported parameter: stream_options"));
        IoThread io;
        const auto provider = providerFor(io, server);
        const Outcome outcome = runToEnd(*provider->start(greeting(), {}));
        QVERIFY(outcome.error);
        QCOMPARE(outcome.error->code, ErrorCode::BadRequest);
        QCOMPARE(server.requests().size(), size_t(2));
        // What did not help is not remembered.
        runToEnd(*provider->start(greeting(), {}));
        QVERIFY(bodyOf(server.requests()[2]).contains(u"stream_options"_s));
    }

    void aContinuationThatIsRefusedIsAskedFor()
    {
        // behaviours: 188
        ModelServer server(inOrder(
            {refusal(400, "Assistant response prefill is incompatible with enable_thinking."),
             refusal(500, "Conversation roles must alternate"), textReply({u"answer."_s})}));
        IoThread io;
        const auto provider = providerFor(io, server, u"llama.cpp"_s);
        QVERIFY(provider->canContinueAnswer(u"test-model"_s));
        const Outcome outcome = runToEnd(*provider->start(continuation(), {}));
        QVERIFY(!outcome.error);
        QCOMPARE(outcome.log.text(), u"answer."_s);
        const auto requests = server.requests();
        QCOMPARE(requests.size(), size_t(3));
        QVERIFY(bodyOf(requests[0])[u"continue_final_message"].toBool());
        QVERIFY(!bodyOf(requests[1])[u"chat_template_kwargs"][u"enable_thinking"].toBool(true));
        QVERIFY(!bodyOf(requests[2]).contains(u"continue_final_message"_s));
        QCOMPARE(bodyOf(requests[2])[u"messages"].toArray().last()[u"role"].toString(), u"user"_s);
        QVERIFY(!provider->canContinueAnswer(u"test-model"_s));
        QVERIFY(provider->canContinueAnswer(u"another-model"_s));
    }

    void aContinuationIsJoinedWithoutRepetition()
    {
        // behaviours: 188
        ModelServer server(textReply({u"Half"_s, u" an"_s, u" answer."_s}));
        IoThread io;
        const auto provider = providerFor(io, server, u"mistral"_s);
        QCOMPARE(runToEnd(*provider->start(continuation(), {})).log.text(), u"answer."_s);
    }

    void aCancelledTokenOpensNoConnection()
    {
        ModelServer server(textReply({u"no"_s}));
        IoThread io;
        const auto provider = providerFor(io, server);
        const CancellationSource source;
        source.cancel(CancellationCause::User);
        const auto stream = provider->start(greeting(), source.token());
        QVERIFY(stream->next(source.token(), {}).isCancelled());
        QCOMPARE(stream->state(), StreamState::Cancelled);
        QCOMPARE(server.connectionCount(), 0);
    }

    void stopEndsASilentStream()
    {
        // behaviours: 50, 51
        ModelServer server(silentReply());
        IoThread io;
        const auto provider = providerFor(io, server);
        const CancellationSource source;
        const auto stream = provider->start(greeting(), source.token());
        QVERIFY(server.waitForRequests(1));
        std::thread stopper([&] { source.cancel(CancellationCause::User, u"enough"_s); });
        const Outcome outcome = runToEnd(*stream, source.token());
        stopper.join();
        QVERIFY(outcome.error && isCancellation(*outcome.error));
        QCOMPARE(outcome.error->cancellation->phase(), TurnPhase::Streaming);
        QCOMPARE(outcome.error->cancellation->reasonText(), u"enough"_s);
        QVERIFY(server.waitForDisconnect(0));
        QTRY_VERIFY(stream->closedAt());
    }

    void nothingComesAfterStop()
    {
        // behaviours: 49, 60
        ModelServer server(toReply(answerOf({u"a"_s, u"b"_s, u"c"_s})));
        IoThread io;
        const auto provider = providerFor(io, server);
        const CancellationSource source;
        const auto stream = provider->start(greeting(), source.token());
        QVERIFY(readText(*stream));
        source.cancel(CancellationCause::User);
        QVERIFY(stream->next(source.token(), {}).isCancelled());
        QVERIFY(stream->next(source.token(), {}).isCancelled());
        stream->pause();
        stream->resume();
        QCOMPARE(stream->state(), StreamState::Cancelled);
    }

    void aCompletedStreamStaysCompleted()
    {
        // behaviours: 60, 290
        ModelServer server(textReply({u"Hi"_s}));
        IoThread io;
        const auto provider = providerFor(io, server);
        const CancellationSource source;
        const auto stream = provider->start(greeting(), source.token());
        QVERIFY(!runToEnd(*stream, source.token()).error);
        source.cancel(CancellationCause::User);
        stream->pause();
        QCOMPARE(stream->state(), StreamState::Completed);
    }

    void aDeadlineEndsOnlyTheWait()
    {
        ModelReleaseServer gate;
        IoThread io;
        const auto provider = providerFor(io, gate.server);
        const auto stream = provider->start(greeting(), {});
        QVERIFY(readText(*stream));
        const auto next = stream->next({}, steadyClock().now() + 20ms);
        QVERIFY(next.ok() && std::holds_alternative<NoEventInTime>(*next));
        gate.server.release();
        QCOMPARE(runToEnd(*stream).log.lines().last(), u"End endTurn stop"_s);
    }

    void aFinishReasonIsEnoughWhenTheServerStaysSilent()
    {
        const QByteArray head = chunkedHead("text/event-stream");
        const QByteArray events = sseStream(
            {u"{\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}"_s});
        ModelServer server({{SendBytes{head + chunk(events)}, Stall()}});
        IoThread io;
        const auto provider = providerFor(io, server);
        QCOMPARE(runToEnd(*provider->start(greeting(), {})).log.lines(),
                 (QStringList{u"Text Hi"_s, u"End endTurn stop"_s}));
    }

    void pauseHoldsTheServerUpAndLosesNothing()
    {
        // behaviours: 289, 292, 294
        const QByteArray event = sseStream(
            {u"{\"choices\":[{\"delta\":{\"content\":\"%1\"}}]}"_s.arg(QString(1000, u'x'))});
        constexpr qint64 count = 30'000;
        ModelServer server(
            {{SendBytes{chunkedHead("text/event-stream")}, SendRepeatedly{chunk(event), count},
              SendBytes{chunk("data: [DONE]\n\n")}, SendBytes{"0\r\n\r\n"}}});
        IoThread io;
        const auto provider = providerFor(io, server);
        const auto stream = provider->start(greeting(), {});
        qint64 characters = 0;
        bool ended = false;
        // Until nothing comes for 300 ms, or the end.
        const auto drain = [&](std::chrono::milliseconds patience) {
            while (!ended) {
                const auto next = stream->next({}, steadyClock().now() + patience);
                if (!next || std::holds_alternative<NoEventInTime>(*next))
                    return;
                const ModelEvent &happened = std::get<ModelEvent>(*next);
                if (const auto *text = std::get_if<TextDelta>(&happened))
                    characters += text->text.size();
                ended = std::holds_alternative<AnswerEnded>(happened);
            }
        };
        QVERIFY(readText(*stream));
        characters = 1000;
        stream->pause();
        QCOMPARE(stream->state(), StreamState::Paused);
        drain(300ms);
        QVERIFY(!ended);
        QVERIFY(server.requests().front().sent < count * event.size() / 2);
        stream->resume();
        stream->resume();
        QCOMPARE(stream->state(), StreamState::Active);
        drain(20s);
        QVERIFY(ended);
        QCOMPARE(characters, count * 1000);
    }

    void stopEndsAPausedStream()
    {
        // behaviours: 291, 292
        ModelReleaseServer gate;
        IoThread io;
        const auto provider = providerFor(io, gate.server);
        const CancellationSource source;
        const auto stream = provider->start(greeting(), source.token());
        QVERIFY(readText(*stream));
        stream->pause();
        stream->resume();
        stream->pause();
        source.cancel(CancellationCause::User);
        QVERIFY(runToEnd(*stream, source.token()).error->cancellation);
        QCOMPARE(stream->state(), StreamState::Cancelled);
        QVERIFY(gate.server.waitForDisconnect(0));
    }

    void destroyingTheStreamClosesTheConnection()
    {
        // behaviours: 51
        ModelServer server(silentReply());
        IoThread io;
        const auto provider = providerFor(io, server);
        auto stream = provider->start(greeting(), {});
        QVERIFY(server.waitForRequests(1));
        stream.reset();
        QVERIFY(server.waitForDisconnect(0));
    }

private:
    // "Hi" at once, the end after release().
    struct ModelReleaseServer
    {
        ModelServer server{Reply{
            {SendBytes{chunkedHead("text/event-stream")
                       + chunk("data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n")},
             WaitForRelease(),
             SendBytes{
                 chunk("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: "
                       "[DONE]\n\n")
                 + "0\r\n\r\n"}}}};
    };
};

QTEST_GUILESS_MAIN(tst_ChatStream)
#include "tst_chatstream.moc"
