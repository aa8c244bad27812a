// SPDX-License-Identifier: GPL-3.0-or-later
#include "httptranscript.h"

#include "io/iothread.h"
#include "support/loopback.h"
#include "support/modelserver.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QNetworkProxyFactory>
#include <QTest>

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

using namespace fermata;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

const QByteArray ChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"_ba;

HttpRequest get(const QUrl &url)
{
    HttpRequest request;
    request.url = url;
    return request;
}

qint64 residentKilobytes()
{
    QFile file(u"/proc/self/status"_s);
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray &line : file.readAll().split('\n')) {
        if (line.startsWith("VmRSS:"))
            return line.simplified().split(' ').value(1).toLongLong();
    }
    return 0;
}

qsizetype entryCount(const QString &folder)
{
    return QDir(folder).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::System).size();
}

// A flood whose bytes show where they belong: each block of 64 KB is the same, and a body is a run of blocks.
QByteArray floodBlock()
{
    QByteArray block(64 * 1024, Qt::Uninitialized);
    for (qsizetype i = 0; i < block.size(); ++i)
        block[i] = char(i % 251);
    return block;
}

Reply flood(qint64 blocks)
{
    const QByteArray head = "HTTP/1.1 200 OK\r\nContent-Length: "
        + QByteArray::number(blocks * floodBlock().size()) + "\r\n\r\n";
    return {{SendBytes{head}, SendRepeatedly{floodBlock(), blocks}}};
}

bool isFlood(const QByteArray &body)
{
    const QByteArray block = floodBlock();
    for (qsizetype at = 0; at < body.size(); at += block.size()) {
        const qsizetype size = std::min(block.size(), body.size() - at);
        if (QByteArrayView(body).sliced(at, size) != QByteArrayView(block).first(size))
            return false;
    }
    return true;
}

// True once the server could send nothing more for 200 ms.
bool isHeldUp(const ModelServer &server)
{
    qint64 sent = -1;
    QElapsedTimer unchanged;
    return QTest::qWaitFor(
        [&] {
            const auto requests = server.requests();
            const qint64 now = requests.empty() ? -1 : requests[0].sent;
            if (std::exchange(sent, now) != now || !unchanged.isValid())
                unchanged.start();
            return now > 0 && unchanged.elapsed() > 200;
        },
        20'000);
}

} // namespace

class TestHttpStream : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QNetworkProxyFactory::setUseSystemConfiguration(false); }
    void reportsStagesThenHeadThenBodyThenEnd();
    void sendsMethodHeadersBodyAndKeyAsGiven_data();
    void sendsMethodHeadersBodyAndKeyAsGiven();
    void readsBrokenAndStrangeReplies_data();
    void readsBrokenAndStrangeReplies();
    void refusesRequestsThatCannotBeSent_data();
    void refusesRequestsThatCannotBeSent();
    void readsOneByteWrites();
    void readsTenMegabytesInBoundedPieces();
    void usesAnOpenConnectionAgain();
    void neverSendsAPostTwice_data();
    void neverSendsAPostTwice();
    void saysSentOnlyWhenTheWholeBodyIsSent();
    void followsNoRedirect();
    void keepsNoCookies();
    void deliversTheBodyOfARefusal_data();
    void deliversTheBodyOfARefusal();
    void namesTheServerThatCannotBeReached_data();
    void namesTheServerThatCannotBeReached();
    void holdsTheServerUpWhilePaused();
    void holdsTheServerUpWhileNobodyReads();
    void pauseAndResumeLoseNothing();
    void opensNothingForACancelledToken();
    void closesAtEveryStage_data();
    void closesAtEveryStage();
    void theServerSeesTheCloseWithinMilliseconds_data();
    void theServerSeesTheCloseWithinMilliseconds();
    void aCancelAfterTheEndChangesNothing();
    void aWaitEndsByItsOwnTokenAndTheStreamGoesOn();
    void aWaitEndsByItsDeadlineAndTheStreamGoesOn();
    void aFloodDoesNotStarveOtherStreams();
    void leavesNothingBehind();
    void worksWithoutTheThreadThatIsGone();
};

void TestHttpStream::reportsStagesThenHeadThenBodyThenEnd()
{
    ModelServer server(
        {{WaitForRelease(), SendBytes{ChunkedHead}, WaitForRelease(), SendBytes{chunk("hello"_ba)},
          WaitForRelease(), SendBytes{"0\r\n\r\n"_ba}}});
    IoThread io;
    const auto stream = io.openHttp(post(server.url()), {});
    HttpTranscript got;
    for (int i = 0; i < 3; ++i)
        QVERIFY(readOne(*stream, got));
    QCOMPARE(got.order, QStringList({u"resolving"_s, u"connecting"_s, u"sent"_s}));
    server.release();
    QVERIFY(readOne(*stream, got));
    QCOMPARE(got.end(), u"head"_s);
    QCOMPARE(got.head.status, 200);
    QCOMPARE(got.head.reason, "OK"_ba);
    QCOMPARE(got.head.header("TRANSFER-encoding"), "chunked"_ba);
    QCOMPARE(got.head.header("absent"), QByteArray());
    server.release();
    QVERIFY(readOne(*stream, got));
    QCOMPARE(got.body, "hello"_ba);
    server.release();
    QVERIFY(!readOne(*stream, got));
    QCOMPARE(got.end(), u"end"_s);
    QVERIFY(!stream->closedAt());

    QVERIFY(!readOne(*stream, got));
    QCOMPARE(got.end(), toString(ErrorCode::Io));
}

void TestHttpStream::sendsMethodHeadersBodyAndKeyAsGiven_data()
{
    QTest::addColumn<HttpRequest::Method>("method");
    QTest::addColumn<QByteArray>("verb");
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("GET") << HttpRequest::Method::Get << "GET"_ba
                         << ""_ba;
    QTest::newRow("HEAD") << HttpRequest::Method::Head << "HEAD"_ba
                          << ""_ba;
    QTest::newRow("POST") << HttpRequest::Method::Post << "POST"_ba
                          << "{\"a\":1}"_ba;
    QTest::newRow("POST without a body") << HttpRequest::Method::Post << "POST"_ba
                                         << ""_ba;
    QTest::newRow("PUT") << HttpRequest::Method::Put << "PUT"_ba
                         << "x"_ba;
    QTest::newRow("DELETE") << HttpRequest::Method::Delete << "DELETE"_ba
                            << ""_ba;
    QTest::newRow("DELETE with a body") << HttpRequest::Method::Delete << "DELETE"_ba
                                        << "{}"_ba;
    QTest::newRow("3 MB") << HttpRequest::Method::Post << "POST"_ba << QByteArray(3'000'000, 'x');
}

void TestHttpStream::sendsMethodHeadersBodyAndKeyAsGiven()
{
    QFETCH(HttpRequest::Method, method);
    QFETCH(QByteArray, verb);
    QFETCH(QByteArray, body);
    ModelServer server(statusReply(204, {}));
    IoThread io;
    HttpRequest request;
    request.method = method;
    request.url = server.url(u"/v1/x?y=%20z#fragment"_s);
    request.headers = {{"X-One", "1"}, {"User-Agent", "Tester"}};
    request.secretHeader = {"Authorization"_ba, Secret("Bearer canary"_ba)};
    request.body = body;
    const auto stream = io.openHttp(request, {});
    QCOMPARE(readAll(*stream).end(), u"end"_s);
    const auto seen = server.requests();
    QCOMPARE(seen.size(), size_t(1));
    QCOMPARE(seen[0].method, verb);
    QCOMPARE(seen[0].path, "/v1/x?y=%20z"_ba);
    QVERIFY(seen[0].body == body);
    QCOMPARE(seen[0].header("x-one"), "1"_ba);
    QCOMPARE(seen[0].header("user-agent"), "Tester"_ba);
    QCOMPARE(seen[0].header("authorization"), "Bearer canary"_ba);
    QCOMPARE(seen[0].header("accept-encoding"), "identity"_ba);
    QCOMPARE(seen[0].header("cookie"), QByteArray());
}

void TestHttpStream::readsBrokenAndStrangeReplies_data()
{
    QTest::addColumn<Reply>("reply");
    QTest::addColumn<QString>("end");
    QTest::addColumn<QByteArray>("body");
    const auto row = [](const char *name, const QByteArray &bytes, const QString &end,
                        const QByteArray &body = {}, ReplyEnding ending = ReplyEnding::Close) {
        QTest::newRow(name) << rawReply(bytes, ending) << end << body;
    };
    const QString ended = u"end"_s;
    const QString lost = toString(ErrorCode::ConnectionLost);
    const QString truncated = toString(ErrorCode::Truncated);
    const QString notHttp = toString(ErrorCode::NotHttp);
    const QString bad = toString(ErrorCode::BadStream);
    const QByteArray ok = "HTTP/1.1 200 OK\r\n"_ba;

    row("B1 closed at once", {}, lost);
    row("reset at once", {}, lost, {}, ReplyEnding::Reset);
    row("closed inside the head", ok + "Content-Ty", truncated);
    row("B3 another protocol", "SSH-2.0-OpenSSH_9.2\r\n"_ba, notHttp);
    row("B3 a page without a status line", "<html><body>hi</body></html>\n"_ba, notHttp);
    row("B4 status -200", "HTTP/1.1 -200 OK\r\nContent-Length: 0\r\n\r\n"_ba, notHttp);
    row("status 0", "HTTP/1.1 0 OK\r\nContent-Length: 0\r\n\r\n"_ba, notHttp);
    row("status 1000", "HTTP/1.1 1000 OK\r\nContent-Length: 0\r\n\r\n"_ba, notHttp);
    row("B4 status 999", "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"_ba, ended);
    row("B4 no reason phrase", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi"_ba, ended, "hi"_ba);
    row("B5 a header of 100 KB", ok + "X: " + QByteArray(100 * 1024, 'x') + "\r\n\r\n", bad);
    QByteArray many;
    for (int i = 0; i < 5001; ++i)
        many += "X-" + QByteArray::number(i) + ": y\r\n";
    row("B5 5,001 headers", ok + many + "\r\n", bad);
    row("B7 a header with NUL", ok + QByteArray("X: a\0b\r\n\r\n", 10), bad);
    row("B8 a line without a colon", ok + "Content-Length: 2\r\nnonsense\r\n\r\nhi", ended,
        "hi"_ba);
    row("B10 a negative length", ok + "Content-Length: -6\r\n\r\nhi", bad);
    row("B10 two lengths", ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi!", bad);
    row("the same length twice", ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi", ended,
        "hi"_ba);
    row("B11 a length without bounds", ok + "Content-Length: 99999999999999999999\r\n\r\nhi", bad);
    row("B12 a body that breaks off", ok + "Content-Length: 1000\r\n\r\nfifteen letters", truncated,
        "fifteen letters"_ba);
    row("B13 more than announced", ok + "Content-Length: 5\r\n\r\nfifteen letters", ended,
        "fifte"_ba);
    row("B14 no last chunk", ChunkedHead + chunk("hello"_ba), truncated, "hello"_ba);
    row("B15 a chunk that breaks off", ChunkedHead + "40\r\nfifteen letters", truncated,
        "fifteen letters"_ba);
    row("B21 a reset in the middle", ChunkedHead + chunk("hello"_ba), truncated, "hello"_ba,
        ReplyEnding::Reset);
    row("a body that ends with the connection", ok + "\r\nhello", ended, "hello"_ba);
    row("B37 a compressed reply",
        ok + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b", bad);
    row("an encoding that is none",
        ok + "Content-Encoding: Identity\r\nContent-Length: 2\r\n\r\nhi", ended, "hi"_ba);
    row("a hundred and one", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"_ba, notHttp);
    row("100 Continue first",
        "HTTP/1.1 100 Continue\r\n\r\n"_ba + ok + "Content-Length: 2\r\n\r\nhi", ended, "hi"_ba);
    row("204", "HTTP/1.1 204 No Content\r\n\r\n"_ba, ended, {}, ReplyEnding::Done);
    row("200 without a body", ok + "Content-Length: 0\r\n\r\n", ended, {}, ReplyEnding::Done);
    row("HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nhello"_ba, ended, "hello"_ba);
}

void TestHttpStream::readsBrokenAndStrangeReplies()
{
    QFETCH(Reply, reply);
    QFETCH(QByteArray, body);
    ModelServer server(reply);
    IoThread io;
    const auto stream = io.openHttp(post(server.url()), {});
    const HttpTranscript got = readAll(*stream);
    QVERIFY(!got.timedOut);
    QTEST(got.end(), "end");
    QCOMPARE(got.body, body);
    if (got.end() != u"end"_s) {
        QVERIFY2(got.message.contains(u"127.0.0.1:%1"_s.arg(server.port())),
                 qPrintable(got.message));
        QVERIFY2(got.message.endsWith(u'.'), qPrintable(got.message));
        QTRY_VERIFY(stream->closedAt());
    }
}

void TestHttpStream::refusesRequestsThatCannotBeSent_data()
{
    QTest::addColumn<QString>("url");
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QString>("end");
    const QString address = toString(ErrorCode::InvalidAddress);
    const QString argument = toString(ErrorCode::InvalidArgument);
    QTest::newRow("no address") << QString() << "v"_ba
                                << "k"_ba << address;
    QTest::newRow("no host") << u"http:///x"_s << "v"_ba
                             << "k"_ba << address;
    QTest::newRow("a file") << u"file:///etc/passwd"_s << "v"_ba
                            << "k"_ba << address;
    QTest::newRow("another scheme") << u"ftp://localhost/"_s << "v"_ba
                                    << "k"_ba << address;
    QTest::newRow("a password in it") << u"http://a:canary@localhost/"_s << "v"_ba
                                      << "k"_ba << address;
    QTest::newRow("a header with a line break") << u"http://localhost/"_s << "v\r\nX: y"_ba
                                                << "k"_ba << argument;
    QTest::newRow("a key with a line break") << u"http://localhost/"_s << "v"_ba
                                             << "canary\n"_ba << argument;
    QTest::newRow("a key with NUL")
        << u"http://localhost/"_s << "v"_ba << QByteArray("canary\0", 7) << argument;
}

void TestHttpStream::refusesRequestsThatCannotBeSent()
{
    QFETCH(QString, url);
    QFETCH(QByteArray, header);
    QFETCH(QByteArray, key);
    IoThread io;
    HttpRequest request = get(QUrl(url));
    request.headers = {{"X-Test", header}};
    request.secretHeader = {"Authorization"_ba, Secret(key)};
    const auto stream = io.openHttp(request, {});
    const HttpTranscript got = readAll(*stream);
    QCOMPARE(got.order.size(), 1);
    QTEST(got.end(), "end");
    QVERIFY(!got.message.contains(u"canary"_s));
}

void TestHttpStream::readsOneByteWrites()
{
    // B24
    const Reply answer = textReply({u"a"_s, u"b"_s});
    QByteArray bytes;
    for (const ReplyStep &step : answer.steps)
        bytes += std::get<SendBytes>(step).bytes;
    ModelServer whole(rawReply(bytes, ReplyEnding::Done));
    ModelServer slow(slowReply(bytes, 0ms));
    IoThread io;
    const HttpTranscript expected = readAll(*io.openHttp(post(whole.url()), {}));
    const HttpTranscript got = readAll(*io.openHttp(post(slow.url()), {}));
    QVERIFY(expected.body.endsWith("data: [DONE]\n\n"));
    QCOMPARE(got.body, expected.body);
    QCOMPARE(got.order, expected.order);
}

void TestHttpStream::readsTenMegabytesInBoundedPieces()
{
    QByteArray expected(10'000'000, Qt::Uninitialized);
    for (qsizetype i = 0; i < expected.size(); ++i)
        expected[i] = char(i * 31 + i / 997);
    ModelServer server(statusReply(200, expected));
    IoThread io;
    const HttpTranscript got = readAll(*io.openHttp(get(server.url()), {}));
    QCOMPARE(got.end(), u"end"_s);
    QVERIFY(got.body == expected);
    QVERIFY(got.largestPiece <= 64 * 1024);
}

void TestHttpStream::usesAnOpenConnectionAgain()
{
    ModelServer server(textReply({u"a"_s}));
    IoThread io;
    for (int i = 0; i < 5; ++i)
        QCOMPARE(readAll(*io.openHttp(post(server.url()), {})).end(), u"end"_s);
    QCOMPARE(server.requests().size(), size_t(5));
    QCOMPARE(server.connectionCount(), 1);

    const auto stream = io.openHttp(post(server.url()), {});
    QCOMPARE(readAll(*stream).order,
             QStringList({u"resolving"_s, u"sent"_s, u"head"_s, u"body"_s, u"end"_s}));
}

void TestHttpStream::neverSendsAPostTwice_data()
{
    QTest::addColumn<Reply>("reply");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<bool>("readsBody");
    const Reply close{{CloseConnection()}};
    const Reply reset{{ResetConnection()}};
    QTest::newRow("closed") << close << "{\"a\":1}"_ba << true;
    QTest::newRow("reset") << reset << "{\"a\":1}"_ba << true;
    QTest::newRow("closed, no body") << close << ""_ba << true;
    QTest::newRow("closed, 1 MB") << close << QByteArray(1'000'000, 'x') << true;
    QTest::newRow("closed before the body was read")
        << close << QByteArray(1'000'000, 'x') << false;
    QTest::newRow("reset before the body was read") << reset << QByteArray(1'000'000, 'x') << false;
}

void TestHttpStream::neverSendsAPostTwice()
{
    QFETCH(Reply, reply);
    QFETCH(QByteArray, body);
    QFETCH(bool, readsBody);
    ModelServer server(ModelServerScript{
        .replies = {reply}, .models = {}, .greeting = {}, .readsBody = readsBody});
    IoThread io;
    for (int i = 0; i < 20; ++i)
        QCOMPARE(readAll(*io.openHttp(post(server.url(), body), {})).end(),
                 toString(ErrorCode::ConnectionLost));
    QCOMPARE(server.requests().size(), size_t(20));
    QCOMPARE(server.connectionCount(), 20);
}

void TestHttpStream::saysSentOnlyWhenTheWholeBodyIsSent()
{
    ModelServer server(ModelServerScript{
        .replies = {silentReply()}, .models = {}, .greeting = {}, .readsBody = false});
    IoThread io;
    const auto stream = io.openHttp(post(server.url(), QByteArray(30'000'000, 'x')), {});
    HttpTranscript got = readUntil(*stream, u"connecting"_s);
    QVERIFY(server.waitForRequests(1));
    QVERIFY(!readOne(*stream, got, {}, soon(100ms)));
    QVERIFY(got.timedOut);
}

void TestHttpStream::followsNoRedirect()
{
    for (const int status : {301, 302, 303, 307, 308}) {
        ModelServer other(textReply({u"wrong"_s}));
        ModelServer server(
            statusReply(status, "moved"_ba, {{"Location", other.url().toEncoded()}}));
        IoThread io;
        const HttpTranscript got = readAll(*io.openHttp(post(server.url()), {}));
        QCOMPARE(got.head.status, status);
        QCOMPARE(got.head.header("location"), other.url().toEncoded());
        QCOMPARE(got.end(), u"end"_s);
        QCOMPARE(got.body, "moved"_ba);
        QCOMPARE(other.connectionCount(), 0);
    }
}

void TestHttpStream::keepsNoCookies()
{
    // B39
    ModelServer server(statusReply(200, "x"_ba, {{"Set-Cookie", "a=b"}}));
    IoThread io;
    for (int i = 0; i < 3; ++i)
        QCOMPARE(readAll(*io.openHttp(get(server.url()), {})).end(), u"end"_s);
    for (const ServedRequest &request : server.requests())
        QCOMPARE(request.header("cookie"), QByteArray());
}

void TestHttpStream::deliversTheBodyOfARefusal_data()
{
    QTest::addColumn<int>("status");
    for (const int status :
         {400, 401, 402, 403, 404, 407, 408, 409, 413, 422, 425, 429, 500, 501, 502, 503, 504, 529})
        QTest::addRow("%d", status) << status;
}

void TestHttpStream::deliversTheBodyOfARefusal()
{
    QFETCH(int, status);
    ModelServer server(
        statusReply(status, "{\"error\":\"why\"}"_ba,
                    {{"WWW-Authenticate", "Basic realm=\"x\""}, {"Retry-After", "7"}}));
    IoThread io;
    const HttpTranscript got = readAll(*io.openHttp(post(server.url()), {}));
    QCOMPARE(got.head.status, status);
    QCOMPARE(got.head.header("retry-after"), "7"_ba);
    QCOMPARE(got.body, "{\"error\":\"why\"}"_ba);
    QCOMPARE(got.end(), u"end"_s);
    QCOMPARE(server.requests().size(), size_t(1));
}

void TestHttpStream::namesTheServerThatCannotBeReached_data()
{
    QTest::addColumn<QString>("url");
    QTest::addColumn<QString>("end");
    QTest::addColumn<QString>("message");
    const QString port = QString::number(unusedPort());
    QTest::newRow("refused")
        << u"http://127.0.0.1:%1/"_s.arg(port) << toString(ErrorCode::ConnectionRefused)
        << u"127.0.0.1:%1 refused the connection. Is the server running?"_s.arg(port);
    QTest::newRow("refused by name")
        << u"http://localhost:%1/"_s.arg(port) << toString(ErrorCode::ConnectionRefused)
        << u"localhost:%1 refused the connection. Is the server running?"_s.arg(port);
    QTest::newRow("refused with TLS")
        << u"https://localhost:%1/"_s.arg(port) << toString(ErrorCode::ConnectionRefused)
        << u"localhost:%1 refused the connection. Is the server running?"_s.arg(port);
    QTest::newRow("unknown host") << u"http://no-such-host.invalid/"_s
                                  << toString(ErrorCode::HostNotFound)
                                  << u"The host of no-such-host.invalid:80 was not found. "
                                     "Check the address and the network."_s;
}

void TestHttpStream::namesTheServerThatCannotBeReached()
{
    QFETCH(QString, url);
    IoThread io;
    const auto stream = io.openHttp(post(QUrl(url)), {});
    const HttpTranscript got = readAll(*stream);
    QTEST(got.end(), "end");
    QTEST(got.message, "message");
    QVERIFY(!got.order.contains(u"sent"_s));
    QTRY_VERIFY(stream->closedAt());
}

void TestHttpStream::holdsTheServerUpWhilePaused()
{
    // behaviours: 289, 293
    constexpr qint64 Blocks = 1600; // 100 MB
    ModelServer server(flood(Blocks));
    IoThread io;
    const qint64 before = residentKilobytes();
    const auto stream = io.openHttp(post(server.url()), {});
    HttpTranscript got = readUntil(*stream, u"body"_s);
    stream->pause();
    QVERIFY(stream->isPaused());
    while (readOne(*stream, got, {}, soon(200ms))) { }
    QVERIFY(got.timedOut);
    QVERIFY(isHeldUp(server));
    QVERIFY(server.requests()[0].sent < Blocks * 64 * 1024 / 2);
    QVERIFY2(residentKilobytes() - before < 20 * 1024,
             qPrintable(QString::number(residentKilobytes() - before)));

    stream->resume();
    QVERIFY(!stream->isPaused());
    qint64 size = got.body.size();
    QVERIFY(isFlood(got.body));
    HttpTranscript rest;
    while (readOne(*stream, rest)) {
        size += rest.body.size();
        rest.body.clear();
    }
    QCOMPARE(rest.end(), u"end"_s);
    QCOMPARE(size, Blocks * 64 * 1024);
    QVERIFY2(residentKilobytes() - before < 20 * 1024,
             qPrintable(QString::number(residentKilobytes() - before)));
}

void TestHttpStream::holdsTheServerUpWhileNobodyReads()
{
    ModelServer server(flood(1600));
    IoThread io;
    const qint64 before = residentKilobytes();
    const auto stream = io.openHttp(post(server.url()), {});
    QVERIFY(server.waitForRequests(1));
    QVERIFY(isHeldUp(server));
    QVERIFY(server.requests()[0].sent < 800 * 64 * 1024);
    QVERIFY2(residentKilobytes() - before < 20 * 1024,
             qPrintable(QString::number(residentKilobytes() - before)));
}

void TestHttpStream::pauseAndResumeLoseNothing()
{
    // behaviours: 289
    constexpr qint64 Blocks = 200;
    ModelServer server(flood(Blocks));
    IoThread io;
    const auto stream = io.openHttp(post(server.url()), {});
    HttpTranscript got;
    int count = 0;
    while (readOne(*stream, got)) {
        if (++count % 3 == 0) {
            stream->pause();
            stream->pause();
        }
        if (count % 3 == 1 || stream->isPaused())
            stream->resume();
    }
    QCOMPARE(got.end(), u"end"_s);
    QCOMPARE(got.body.size(), Blocks * 64 * 1024);
    QVERIFY(isFlood(got.body));
}

void TestHttpStream::opensNothingForACancelledToken()
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

void TestHttpStream::closesAtEveryStage_data()
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

void TestHttpStream::closesAtEveryStage()
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

void TestHttpStream::theServerSeesTheCloseWithinMilliseconds_data()
{
    QTest::addColumn<Stage>("stage");
    QTest::newRow("silent") << Stage::Silent;
    QTest::newRow("streaming") << Stage::Streaming;
    QTest::newRow("flooding") << Stage::Flooding;
    QTest::newRow("paused") << Stage::Paused;
}

void TestHttpStream::theServerSeesTheCloseWithinMilliseconds()
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

void TestHttpStream::aCancelAfterTheEndChangesNothing()
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

void TestHttpStream::aWaitEndsByItsOwnTokenAndTheStreamGoesOn()
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

void TestHttpStream::aWaitEndsByItsDeadlineAndTheStreamGoesOn()
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

void TestHttpStream::aFloodDoesNotStarveOtherStreams()
{
    // B41
    ModelServer flooding(flood(1'000'000));
    ModelServer calm(textReply(QStringList(20, u"token"_s)));
    IoThread io;
    CancellationSource source;
    const auto loud = io.openHttp(post(flooding.url()), source.token());
    std::thread reader([&] {
        while (auto next = loud->next(source.token())) { }
    });
    for (int i = 0; i < 50; ++i)
        QCOMPARE(readAll(*io.openHttp(post(calm.url()), {})).end(), u"end"_s);
    source.cancel(CancellationCause::User);
    reader.join();
}

void TestHttpStream::leavesNothingBehind()
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

void TestHttpStream::worksWithoutTheThreadThatIsGone()
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

QTEST_GUILESS_MAIN(TestHttpStream)
#include "tst_httpstream.moc"
