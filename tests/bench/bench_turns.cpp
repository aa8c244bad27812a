// SPDX-License-Identifier: GPL-3.0-or-later
// What cancellation costs a stream that nobody stops, and what a thousand turns leave behind. One JSON object per figure.
#include "agent/turn.h"
#include "conversation/turnevent.h"
#include "figures.h"
#include "io/iothread.h"
#include "provider/chatcompletionsprovider.h"
#include "support/modelserver.h"
#include "support/processes.h"

#include <QCoreApplication>
#include <QLoggingCategory>

#include <thread>

#include <time.h>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

constexpr int Tokens = 100'000;
constexpr int Rounds = 15;
constexpr int Turns = 1000;

// Of this thread alone: what the server and the sockets' thread do is not in it.
double threadMilliseconds()
{
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

// 100,000 events of 280 bytes, as fast as they are taken.
Reply manyTokens()
{
    const auto event = [](const QByteArray &choice) {
        return sseEvent(
            R"({"id":"chatcmpl-123456789012345678901234567890","object":"chat.completion.chunk",)"
            R"("created":1700000000,"model":"some-model-of-some-size","system_fingerprint":)"
            R"("fp_1234567890","choices":[)"
            + choice + "]}");
    };
    QByteArray token =
        event(R"({"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null})");
    token.insert(token.size() - 2, QByteArray(qMax(0, 280 - int(token.size())), ' '));
    return {{SendBytes{chunkedHead("text/event-stream")}, SendRepeatedly{chunk(token), Tokens},
             SendBytes{chunk(event(R"({"index":0,"delta":{},"finish_reason":"stop"})"))
                       + chunk(sseEvent("[DONE]")) + chunk({})}}};
}

// Reads and folds one whole answer; the time that it took this thread.
double readAnswer(ModelProvider &provider, const CancellationToken &token)
{
    ModelRequest request;
    request.model = u"model"_s;
    HistoryMessage message;
    message.blocks.push_back(TextBlock{u"Go on."_s});
    request.history.push_back(message);
    TurnRecord record;
    const double before = threadMilliseconds();
    const auto stream = provider.start(request, token);
    for (;;) {
        const auto next = stream->next(token, std::nullopt);
        if (!next.ok())
            qFatal("the stream failed: %s", qPrintable(next.error().message));
        const auto *event = std::get_if<ModelEvent>(&next.value());
        if (!event)
            continue;
        if (std::holds_alternative<AnswerEnded>(*event))
            break;
        if (const auto *text = std::get_if<TextDelta>(event))
            apply(record, TextAppended{text->text});
    }
    const double taken = threadMilliseconds() - before;
    if (record.answerText().size() != qsizetype(Tokens) * 5)
        qFatal("the answer is not whole");
    return taken;
}

void measureStreaming()
{
    IoThread io;
    ModelServer server(manyTokens());
    ChatCompletionsProvider provider(io, server.url(u"/v1"_s), Secret());
    (void)readAnswer(provider, {}); // warms up
    std::vector<double> with;
    std::vector<double> without;
    // In turn, so that what else the machine does meets both alike; and the least of each is compared, because
    // everything else only adds.
    for (int round = 0; round < Rounds; ++round) {
        const CancellationSource source;
        with.push_back(readAnswer(provider, source.token()));
        without.push_back(readAnswer(provider, {}));
    }
    const double least = std::ranges::min(without);
    printFigure({{u"bench"_s, u"turns"_s},
                 {u"figure"_s, u"100,000 events of 280 bytes, read, parsed and folded"_s},
                 {u"unit"_s, u"ms of CPU"_s},
                 {u"cost_of_live_token_percent"_s, (std::ranges::min(with) - least) / least * 100},
                 {u"budget"_s, QJsonObject{{u"p50"_s, 500}, {u"cost_of_live_token_percent"_s, 1}}}},
                with);
}

// Keeps nothing: what is measured is the turn.
class NoJournal final : public TurnJournal
{
public:
    Result<void> begin(const Conversation &, const TurnRecord &) override { return {}; }
    Result<void> checkpoint(const TurnRecord &) override { return {}; }
    Result<void> saveCall(const TurnRecord &, const ToolCallBlock &) override { return {}; }
    Result<void> finish(const TurnRecord &) override { return {}; }
};

// Every other one is stopped in mid-stream.
std::vector<double> runTurns(int count)
{
    IoThread io;
    ChatAnswer whole;
    whole.tokens = QStringList{u"one "_s, u"two "_s, u"three"_s};
    ChatAnswer stalling = whole;
    stalling.then = ReplyEnding::Stall;
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        const bool isStopped = i % 2 == 1;
        ModelServer answering(toReply(isStopped ? stalling : whole));
        TurnRequest request;
        request.turn.id = TurnId::create();
        request.turn.userText = u"Hello"_s;
        request.provider =
            std::make_shared<ChatCompletionsProvider>(io, answering.url(u"/v1"_s), Secret());
        const auto control = std::make_shared<TurnControl>(request.turn.id);
        NoJournal journal;
        const Instant start = steadyClock().now();
        Turn(request, control, journal, [&](const TurnEvent &event) {
            if (isStopped && std::holds_alternative<TextAppended>(event))
                control->stop({CancellationCause::User, {}, {}, {}});
        }).run();
        times.push_back(milliseconds(steadyClock().now() - start));
    }
    return times;
}

void measureWhatIsLeft()
{
    (void)runTurns(50); // warms up
    const int threads = ownThreads();
    const int descriptors = openDescriptors();
    const qint64 heap = heapKilobytes();
    const qint64 resident = residentKilobytes();
    const std::vector<double> times = runTurns(Turns);
    // A thread that was joined or detached is in /proc for a moment longer.
    const Instant patience = steadyClock().now() + std::chrono::seconds(2);
    while (ownThreads() > threads && steadyClock().now() < patience)
        std::this_thread::yield();
    printFigure({{u"bench"_s, u"turns"_s},
                 {u"figure"_s, u"1,000 turns, every other one stopped"_s},
                 {u"unit"_s, u"ms"_s},
                 {u"added_threads"_s, ownThreads() - threads},
                 {u"added_descriptors"_s, openDescriptors() - descriptors},
                 {u"added_heap_KB"_s, heapKilobytes() - heap},
                 {u"added_resident_KB"_s, residentKilobytes() - resident},
                 {u"budget"_s,
                  QJsonObject{{u"added_threads"_s, 0},
                              {u"added_descriptors"_s, 0},
                              {u"added_resident_KB"_s, 5000}}}},
                times);
}

} // namespace

// behaviours: 303, 304
int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    QLoggingCategory::setFilterRules(u"fermata.*=false"_s);
    measureStreaming();
    measureWhatIsLeft();
    return 0;
}
