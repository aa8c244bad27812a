// SPDX-License-Identifier: GPL-3.0-or-later
#include "flood.h"
#include "httptranscript.h"

#include "io/iothread.h"
#include "support/loopback.h"
#include "support/modelserver.h"

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
    void aFloodDoesNotStarveOtherStreams();
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

QTEST_GUILESS_MAIN(TestHttpStream)
#include "tst_httpstream.moc"
