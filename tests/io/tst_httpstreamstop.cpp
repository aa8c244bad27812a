// SPDX-License-Identifier: GPL-3.0-or-later
#include "flood.h"
#include "httptranscript.h"

#include "io/iothread.h"
#include "support/loopback.h"
#include "support/modelserver.h"

#include <QDir>
#include <QNetworkProxyFactory>
#include <QTest>

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

using namespace fermata;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

enum class Stage {
    Resolving,
    Connecting,
    TlsHandshake,
    Uploading,
    Silent,
    InHead,
    Streaming,
    Flooding,
    Paused
};
enum class Stop { Token, WaitingElsewhere, DestroyedStream, DestroyedThread };
Q_DECLARE_METATYPE(Stage)
Q_DECLARE_METATYPE(Stop)

namespace {

const QByteArray ChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"_ba;

qsizetype entryCount(const QString &folder)
{
    return QDir(folder).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::System).size();
}

// A server, and a request to it that has come to a stage and stays there.
class HeldRequest
{
public:
    HeldRequest(IoThread &io, Stage stage, const CancellationToken &token)
        : m_full(stage == Stage::Connecting ? std::make_unique<Listener>(Listener::Backlog::Full)
                                            : nullptr),
          m_server(ModelServerScript{.replies = {replyFor(stage)},
                                     .models = {},
                                     .greeting = {},
                                     .readsBody = stage != Stage::Uploading}),
          m_stage(stage)
    {
        HttpRequest request = post(m_server.url());
        if (stage == Stage::Resolving)
            request.url = QUrl(u"http://no-such-host.invalid/"_s);
        else if (stage == Stage::Connecting)
            request.url.setPort(m_full->port());
        else if (stage == Stage::TlsHandshake)
            request.url.setScheme(u"https"_s);
        else if (stage == Stage::Uploading)
            request.body = QByteArray(30'000'000, 'x');
        m_stream = io.openHttp(std::move(request), token);
    }

    bool reach()
    {
        switch (m_stage) {
        case Stage::Resolving:
            return readUntil(*m_stream, u"resolving"_s).end() == u"resolving"_s;
        case Stage::Connecting:
            return readUntil(*m_stream, u"connecting"_s).end() == u"connecting"_s;
        case Stage::TlsHandshake:
            return readUntil(*m_stream, u"connecting"_s).end() == u"connecting"_s
                && m_server.waitForConnections(1);
        case Stage::Uploading:
            return readUntil(*m_stream, u"connecting"_s).end() == u"connecting"_s
                && m_server.waitForRequests(1);
        case Stage::Silent:
            return readUntil(*m_stream, u"sent"_s).end() == u"sent"_s
                && m_server.waitForRequests(1);
        case Stage::InHead:
            return readUntil(*m_stream, u"sent"_s).end() == u"sent"_s
                && m_server.waitForSent(0, 10);
        case Stage::Streaming:
        case Stage::Flooding:
            return readUntil(*m_stream, u"body"_s).end() == u"body"_s;
        case Stage::Paused:
            m_stream->pause();
            return isHeldUp(m_server);
        }
        Q_UNREACHABLE();
    }

    // As far as a server can see it: while resolving and connecting there is none.
    bool waitForClose() const
    {
        return m_stage == Stage::Resolving || m_stage == Stage::Connecting
            || m_server.waitForClosedConnections(1);
    }

    const ModelServer &server() const { return m_server; }
    HttpStream &stream() { return *m_stream; }
    void destroyStream() { m_stream.reset(); }

private:
    static Reply replyFor(Stage stage)
    {
        switch (stage) {
        case Stage::InHead:
            return {{SendBytes{"HTTP/1.1 200 OK\r\nContent-Ty"_ba}, Stall()}};
        case Stage::Streaming: {
            ChatAnswer answer;
            answer.tokens = {u"Hello"_s};
            answer.then = ReplyEnding::Stall;
            return toReply(answer);
        }
        case Stage::Flooding:
        case Stage::Paused:
            return flood(1'000'000);
        default:
            return silentReply();
        }
    }

    std::unique_ptr<Listener> m_full;
    ModelServer m_server;
    const Stage m_stage;
    std::unique_ptr<HttpStream> m_stream;
};

} // namespace

class TestHttpStreamStop : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QNetworkProxyFactory::setUseSystemConfiguration(false); }
    void opensNothingForACancelledToken();
    void closesAtEveryStage_data();
    void closesAtEveryStage();
    void theServerSeesTheCloseWithinMilliseconds_data();
    void theServerSeesTheCloseWithinMilliseconds();
    void aCancelAfterTheEndChangesNothing();
    void aWaitEndsByItsOwnTokenAndTheStreamGoesOn();
    void aWaitEndsByItsDeadlineAndTheStreamGoesOn();
    void leavesNothingBehind();
    void worksWithoutTheThreadThatIsGone();
};

void TestHttpStreamStop::opensNothingForACancelledToken()
{
    // behaviours: 48
    ModelServer server(textReply({u"a"_s}));
    IoThread io;
    CancellationSource source;
    source.cancel(CancellationCause::User, u"early"_s);
    const auto stream = io.openHttp(post(server.url()), source.token());
    const auto next = stream->next({});
    QVERIFY(next.isCancelled());
    QCOMPARE(next.error().cancellation->reasonText(), u"early"_s);
    QVERIFY(stream->next(source.token()).isCancelled());
    // A later request on the same thread went through, so the first one would have, too.
    QCOMPARE(readAll(*io.openHttp(post(server.url()), {})).end(), u"end"_s);
    QCOMPARE(server.connectionCount(), 1);
}

void TestHttpStreamStop::closesAtEveryStage_data()
{
    QTest::addColumn<Stage>("stage");
    QTest::addColumn<Stop>("stop");
    const std::pair<const char *, Stage> stages[] = {{"resolving", Stage::Resolving},
                                                     {"connecting", Stage::Connecting},
                                                     {"TLS handshake", Stage::TlsHandshake},
                                                     {"uploading", Stage::Uploading},
                                                     {"silent", Stage::Silent},
                                                     {"inside the head", Stage::InHead},
                                                     {"streaming", Stage::Streaming},
                                                     {"flooding", Stage::Flooding},
                                                     {"paused", Stage::Paused}};
    const std::pair<const char *, Stop> stops[] = {
        {"by the token", Stop::Token},
        {"by the token while another one is waited with", Stop::WaitingElsewhere},
        {"by destroying the stream", Stop::DestroyedStream},
        {"by destroying the thread", Stop::DestroyedThread}};
    for (const auto &[stageName, stage] : stages) {
        for (const auto &[stopName, stop] : stops)
            QTest::addRow("%s, %s", stageName, stopName) << stage << stop;
    }
}

void TestHttpStreamStop::closesAtEveryStage()
{
    // behaviours: 50, 52, 292
    QFETCH(Stage, stage);
    QFETCH(Stop, stop);
    auto io = std::make_unique<IoThread>();
    CancellationSource source;
    HeldRequest held(*io, stage, source.token());
    QVERIFY(held.reach());
    // A lookup may have failed before the stop; all others stay where they are.
    const bool mayEndByItself = stage == Stage::Resolving;
    QVERIFY(mayEndByItself || !held.stream().closedAt());
    switch (stop) {
    case Stop::Token:
    case Stop::WaitingElsewhere: {
        // A thread that waits all the time is woken.
        std::thread canceller([&source] { source.cancel(CancellationCause::User, u"why"_s); });
        HttpTranscript got;
        while (readOne(held.stream(), got,
                       stop == Stop::Token ? source.token() : CancellationToken())) { }
        canceller.join();
        if (!mayEndByItself)
            QCOMPARE(got.end(), toString(ErrorCode::Cancelled));
        QVERIFY(held.stream().next({}).isCancelled());
        QTRY_VERIFY(held.stream().closedAt());
        break;
    }
    case Stop::DestroyedStream:
        held.destroyStream();
        break;
    case Stop::DestroyedThread:
        io.reset();
        QVERIFY(held.stream().closedAt());
        HttpTranscript got;
        while (readOne(held.stream(), got)) { }
        if (!mayEndByItself)
            QCOMPARE(got.end(), toString(ErrorCode::Io));
        held.stream().resume();
        break;
    }
    QVERIFY(held.waitForClose());
}

void TestHttpStreamStop::theServerSeesTheCloseWithinMilliseconds_data()
{
    QTest::addColumn<Stage>("stage");
    QTest::newRow("silent") << Stage::Silent;
    QTest::newRow("streaming") << Stage::Streaming;
    QTest::newRow("flooding") << Stage::Flooding;
    QTest::newRow("paused") << Stage::Paused;
}

void TestHttpStreamStop::theServerSeesTheCloseWithinMilliseconds()
{
    // behaviours: 51
    QFETCH(Stage, stage);
    IoThread io;
    std::vector<double> milliseconds;
    const int tries = stage == Stage::Paused ? 5 : 40;
    for (int i = 0; i < tries; ++i) {
        CancellationSource source;
        HeldRequest held(io, stage, source.token());
        QVERIFY(held.reach());
        const Instant stop = steadyClock().now();
        source.cancel(CancellationCause::User);
        QVERIFY(held.server().waitForDisconnect(0));
        const Duration seen = *held.server().requests()[0].disconnected - stop;
        milliseconds.push_back(double(seen.count()) / 1e6);
        QTRY_VERIFY(held.stream().closedAt());
        QVERIFY(*held.stream().closedAt() >= stop);
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    qInfo("stop to close seen by the server: median %.2f ms, max %.2f ms",
          milliseconds[milliseconds.size() / 2], milliseconds.back());
    // The median, so that a busy machine does not fail it.
    QVERIFY(milliseconds[milliseconds.size() / 2] <= 50);
}

void TestHttpStreamStop::aCancelAfterTheEndChangesNothing()
{
    // behaviours: 60
    ModelServer server(textReply({u"a"_s}));
    IoThread io;
    CancellationSource source;
    const auto stream = io.openHttp(post(server.url()), source.token());
    HttpTranscript got = readAll(*stream);
    QCOMPARE(got.end(), u"end"_s);
    source.cancel(CancellationCause::User);
    stream->pause();
    stream->resume();
    QCOMPARE(readAll(*io.openHttp(post(server.url()), {})).end(), u"end"_s);
    QCOMPARE(server.connectionCount(), 1);
}

void TestHttpStreamStop::aWaitEndsByItsOwnTokenAndTheStreamGoesOn()
{
    ModelServer server({{WaitForRelease(), SendBytes{ChunkedHead + chunk("hi"_ba) + "0\r\n\r\n"}}});
    IoThread io;
    const auto stream = io.openHttp(post(server.url()), {});
    QCOMPARE(readUntil(*stream, u"sent"_s).end(), u"sent"_s);
    CancellationSource source;
    source.cancel(CancellationCause::ToolLimit);
    const auto next = stream->next(source.token());
    QVERIFY(next.isCancelled());
    QVERIFY(next.error().cancellation->cause() == CancellationCause::ToolLimit);
    server.release();
    const HttpTranscript got = readAll(*stream);
    QCOMPARE(got.body, "hi"_ba);
    QCOMPARE(got.end(), u"end"_s);
}

void TestHttpStreamStop::aWaitEndsByItsDeadlineAndTheStreamGoesOn()
{
    ModelServer server({{WaitForRelease(), SendBytes{ChunkedHead + chunk("hi"_ba) + "0\r\n\r\n"}}});
    IoThread io;
    const auto stream = io.openHttp(post(server.url()), {});
    HttpTranscript got = readUntil(*stream, u"sent"_s);
    QVERIFY(!readOne(*stream, got, {}, soon(5ms)));
    QVERIFY(got.timedOut);
    server.release();
    got = readAll(*stream);
    QCOMPARE(got.body, "hi"_ba);
    QCOMPARE(got.end(), u"end"_s);
}

void TestHttpStreamStop::leavesNothingBehind()
{
    ModelServer server(silentReply());
    IoThread io;
    const auto runSome = [&](int count) {
        for (int i = 0; i < count; ++i) {
            CancellationSource source;
            const auto stream = io.openHttp(post(server.url()), source.token());
            if (i % 3 == 0)
                readUntil(*stream, u"sent"_s);
            if (i % 2 == 0)
                source.cancel(CancellationCause::User);
        }
    };
    runSome(20);
    const qsizetype descriptors = entryCount(u"/proc/self/fd"_s);
    const qsizetype threads = entryCount(u"/proc/self/task"_s);
    runSome(200);
    QTRY_VERIFY(entryCount(u"/proc/self/fd"_s) <= descriptors);
    QTRY_VERIFY(entryCount(u"/proc/self/task"_s) <= threads);
}

void TestHttpStreamStop::worksWithoutTheThreadThatIsGone()
{
    ModelServer server(textReply({u"a"_s}));
    std::unique_ptr<HttpStream> stream;
    {
        IoThread io;
        stream = io.openHttp(post(server.url()), {});
    }
    HttpTranscript got = readAll(*stream);
    QCOMPARE(got.end(), toString(ErrorCode::Io));
    stream->pause();
    stream->resume();
    QVERIFY(!stream->next({}).ok());
}

QTEST_GUILESS_MAIN(TestHttpStreamStop)
#include "tst_httpstreamstop.moc"
