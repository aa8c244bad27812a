// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/httprequesttool.h"

#include "io/iothread.h"
#include "recordingcontext.h"
#include "support/enumcomparison.h"
#include "support/modelserver.h"
#include "tool/approvalpolicy.h"
#include "tool/argumentvalidator.h"

#include <QElapsedTimer>
#include <QJsonDocument>
#include <QTest>

#include <thread>

using namespace fermata;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

QJsonObject to(const QUrl &url, QJsonObject more = {})
{
    more.insert(u"url"_s, url.toString());
    if (!more.contains(u"private_network"_s))
        more.insert(u"private_network"_s, true);
    return more;
}

Reply redirectTo(const QUrl &url, int status = 302)
{
    return statusReply(status, "moved", {{"Location", url.toEncoded()}});
}

} // namespace

class tst_HttpRequestTool : public QObject
{
    Q_OBJECT

private slots:
    void aReplyIsGivenWithItsStatusHeadersAndBody();
    void methodHeadersAndBodyGoOutAsGiven();
    void nothingOfTheUsersGoesOut();
    void whatIsNoWebAddressIsRefusedBeforeAnything_data();
    void whatIsNoWebAddressIsRefusedBeforeAnything();
    void headersThatWouldChangeTheRequestAreRefused_data();
    void headersThatWouldChangeTheRequestAreRefused();
    void privateAddressesNeedConsent_data();
    void privateAddressesNeedConsent();
    void theRequestShowsEverythingThatGoesOut();
    void onlyASimpleRequestToThePublicMayBeAllowedForEver();
    void redirectsAreFollowedFiveTimes();
    void aRedirectToAnotherPrivateServiceIsNotFollowed();
    void aRedirectToSomethingElseIsRefused_data();
    void aRedirectToSomethingElseIsRefused();
    void aRedirectKeepsOrDropsMethodAndBodyAsItsStatusSays();
    void anEndlessBodyIsCutAndItsConnectionClosed();
    void aPackedBodyIsNotUnpacked();
    void aStopSaysCancelledAndClosesTheConnection_data();
    void aStopSaysCancelledAndClosesTheConnection();
    void itsLimitSaysTimedOutAfterNSeconds_data();
    void itsLimitSaysTimedOutAfterNSeconds();
    void aCancelledCallConnectsToNothing();
    void aFailureIsAFault();

private:
    Result<ToolResult> run(const QJsonObject &arguments, RecordingContext &context)
    {
        const auto checked = parseToolArguments(
            QString::fromUtf8(QJsonDocument(arguments).toJson()), m_tool.spec().parameters);
        if (!checked)
            return checked.error();
        return m_tool.run(*checked, context);
    }
    Result<ToolResult> run(const QJsonObject &arguments)
    {
        RecordingContext context(u"/workspace"_s);
        return run(arguments, context);
    }

    IoThread m_io;
    HttpRequestTool m_tool{m_io};
};

void tst_HttpRequestTool::aReplyIsGivenWithItsStatusHeadersAndBody()
{
    ModelServer server(statusReply(200, "the body", {{"X-Answer", "42"}, {"Set-Cookie", "a=b"}}));
    RecordingContext context(u"/workspace"_s);
    const auto result = run(to(server.url(u"/page?a=b"_s)), context);
    QVERIFY(result);
    QVERIFY(result->output.startsWith(u"HTTP 200"_s));
    QVERIFY(result->output.contains(u"X-Answer: 42\n"_s));
    QVERIFY(!result->output.contains(u"Set-Cookie"_s));
    QVERIFY(result->output.endsWith(u"\n\nthe body"_s));
    QCOMPARE(result->isError, false);
    QVERIFY(context.output().contains("the body"));

    ModelServer missing(statusReply(404, "not here"));
    const auto bad = run(to(missing.url(u"/"_s)));
    QVERIFY(bad);
    QCOMPARE(bad->isError, true);
    QVERIFY(bad->output.contains(u"not here"_s));
}

void tst_HttpRequestTool::methodHeadersAndBodyGoOutAsGiven()
{
    ModelServer server(statusReply(200, "ok"));
    const auto result = run(to(server.url(u"/items"_s),
                               {{u"method"_s, u"POST"_s},
                                {u"headers"_s, QJsonObject{{u"X-Mine"_s, u"välue"_s}}},
                                {u"body"_s, u"{\"a\": 1}"_s}}));
    QVERIFY(result);
    const auto requests = server.requests();
    QCOMPARE(requests.size(), size_t(1));
    QCOMPARE(requests[0].method, "POST");
    QCOMPARE(requests[0].path, "/items");
    QCOMPARE(requests[0].header("X-Mine"), u"välue"_s.toUtf8());
    QCOMPARE(requests[0].body, "{\"a\": 1}");
    // The name that was asked for, although it connects to the address that was judged.
    QCOMPARE(requests[0].header("Host"), "127.0.0.1:" + QByteArray::number(server.port()));
}

// reliability: E32
void tst_HttpRequestTool::nothingOfTheUsersGoesOut()
{
    ModelServer server(statusReply(200, "ok", {{"Set-Cookie", "session=1"}}));
    QVERIFY(run(to(server.url(u"/"_s))));
    QVERIFY(run(to(server.url(u"/"_s))));
    for (const ServedRequest &request : server.requests()) {
        for (const char *header : {"Cookie", "Authorization", "Proxy-Authorization", "Referer"})
            QVERIFY(request.header(header).isEmpty());
    }
    QCOMPARE(server.requests().size(), size_t(2));
}

void tst_HttpRequestTool::whatIsNoWebAddressIsRefusedBeforeAnything_data()
{
    QTest::addColumn<QString>("url");
    for (const char *url : {"file:///etc/passwd",
                            "ftp://example.com/",
                            "gopher://example.com/",
                            "data:text/plain,x",
                            "qrc:/x",
                            "javascript:alert(1)",
                            "unix:/run/docker.sock",
                            "local:/run/docker.sock",
                            "http://",
                            "http:///path",
                            "example.com",
                            "//example.com",
                            "http://user:pass@example.com/",
                            "http://user@example.com",
                            "http://exa mple.com/",
                            "http://example.com:99999/",
                            "http://[::1",
                            "",
                            "http://example.com/\r\nX: y",
                            "http://ex\tample.com"})
        QTest::addRow("«%s»", QByteArray(url).simplified().constData()) << QString::fromLatin1(url);
    QTest::newRow("nul") << u"http://example.com\0.evil/"_s;
    QTest::newRow("too long") << u"http://example.com/"_s + QString(9000, u'a');
}

// reliability: E25
void tst_HttpRequestTool::whatIsNoWebAddressIsRefusedBeforeAnything()
{
    QFETCH(QString, url);
    const QJsonObject arguments{{u"url"_s, url}, {u"private_network"_s, true}};
    QVERIFY(!m_tool.describe(arguments, {}));
    const auto result = run(arguments);
    QVERIFY(result.isFault());
    QVERIFY(!result.error().message.isEmpty());
}

void tst_HttpRequestTool::headersThatWouldChangeTheRequestAreRefused_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    for (const char *name :
         {"Host", "content-length", "Transfer-Encoding", "Connection", "Upgrade",
          "Proxy-Authorization", "Accept-Encoding", "bad name", "", "a:b", "x\ny"})
        QTest::addRow("«%s»", QByteArray(name).simplified().constData())
            << QString::fromLatin1(name) << u"v"_s;
    QTest::newRow("injected") << u"X"_s << u"a\r\nHost: evil"_s;
}

void tst_HttpRequestTool::headersThatWouldChangeTheRequestAreRefused()
{
    QFETCH(QString, name);
    QFETCH(QString, value);
    ModelServer server(statusReply(200, "ok"));
    QVERIFY(run(to(server.url(), {{u"headers"_s, QJsonObject{{name, value}}}})).isFault());
    QCOMPARE(server.connectionCount(), 0);
}

void tst_HttpRequestTool::privateAddressesNeedConsent_data()
{
    QTest::addColumn<QString>("host");
    for (const char *host :
         {"127.0.0.1", "localhost", "LOCALHOST", "localhost.", "127.1", "2130706433", "0x7f000001",
          "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "0", "10.0.0.1",
          "169.254.169.254", "192.168.1.1", "100.64.0.1", "[fe80::1]", "metadata.google.internal"})
        QTest::addRow("%s", host) << QString::fromLatin1(host);
}

// reliability: E26
void tst_HttpRequestTool::privateAddressesNeedConsent()
{
    QFETCH(QString, host);
    ModelServer server(statusReply(200, "secret"));
    const QJsonObject arguments{{u"url"_s, u"http://%1:%2/"_s.arg(host).arg(server.port())}};
    const auto request = m_tool.describe(arguments, {});
    QVERIFY(!request); // told before the user is asked
    QVERIFY(request.error().message.contains(u"private_network"_s));
    // And again by the address that it would connect to.
    const auto result = run(arguments);
    QVERIFY(result.isFault());
    QCOMPARE(server.connectionCount(), 0);
}

// reliability: E31
void tst_HttpRequestTool::theRequestShowsEverythingThatGoesOut()
{
    const QString query(300, u'q');
    const auto request = m_tool.describe({{u"url"_s, u"https://bücher.example/p?"_s + query},
                                          {u"method"_s, u"PUT"_s},
                                          {u"headers"_s, QJsonObject{{u"X-A"_s, u"1"_s}}},
                                          {u"body"_s, u"line\u202e\nsecond"_s}},
                                         {});
    QVERIFY(request);
    QCOMPARE(
        request->exactText,
        u"PUT https://xn--bcher-kva.example/p?%1\nX-A: 1\n\nline‹U+202E›\nsecond"_s.arg(query));
    QVERIFY(std::any_of(request->facts.begin(), request->facts.end(),
                        [](const auto &fact) { return fact.second == u"300 characters"_s; }));
    QVERIFY(request->alwaysPattern.isEmpty());
}

// reliability: E31
void tst_HttpRequestTool::onlyASimpleRequestToThePublicMayBeAllowedForEver()
{
    ApprovalPolicy allowing({{u"http_request"_s, ToolPermission::Allow}}, {});
    const auto verdict = [&](const QJsonObject &arguments) {
        return allowing.judge(m_tool.spec(), *m_tool.describe(arguments, {}));
    };
    // A new host asks, however much is allowed; then it is known, and no other is.
    QCOMPARE(verdict({{u"url"_s, u"https://example.com/a"_s}}), ApprovalVerdict::Ask);
    allowing.notePlace(*m_tool.describe({{u"url"_s, u"https://example.com:443/b?c#d"_s}}, {}));
    QCOMPARE(verdict({{u"url"_s, u"https://example.com/a"_s}}), ApprovalVerdict::Ask);
    allowing.notePlace(*m_tool.describe({{u"url"_s, u"https://EXAMPLE.com/b?c#d"_s}}, {}));
    QCOMPARE(verdict({{u"url"_s, u"https://example.com/a"_s}}), ApprovalVerdict::Allow);
    for (const QString &other : {u"http://example.com/a"_s, u"https://example.com:8443/a"_s,
                                 u"https://data.example.com/a"_s, u"https://example.com./a"_s})
        QCOMPARE(verdict({{u"url"_s, other}}), ApprovalVerdict::Ask);
    QCOMPARE(verdict({{u"url"_s, u"https://example.com/a"_s}, {u"method"_s, u"POST"_s}}),
             ApprovalVerdict::Ask);
    QCOMPARE(verdict({{u"url"_s, u"http://127.0.0.1/"_s}, {u"private_network"_s, true}}),
             ApprovalVerdict::Ask);
    QCOMPARE(verdict({{u"url"_s, u"https://example.com/?"_s + QString(201, u'x')}}),
             ApprovalVerdict::Ask);
}

void tst_HttpRequestTool::redirectsAreFollowedFiveTimes()
{
    ModelServerScript script;
    for (int i = 0; i < 5; ++i)
        script.replies.push_back(
            statusReply(302, "moved", {{"Location", "/next" + QByteArray::number(i)}}));
    script.replies.push_back(statusReply(200, "arrived"));
    ModelServer server(script);
    const auto result = run(to(server.url(u"/start"_s)));
    QVERIFY(result);
    QVERIFY(result->output.endsWith(u"arrived"_s));
    QCOMPARE(result->output.count(u"[redirected to "_s), 5);

    ModelServer circle(statusReply(302, "moved", {{"Location", "/again"}}));
    const auto lost = run(to(circle.url(u"/start"_s)));
    QVERIFY(!lost);
    QCOMPARE(lost.error().code, ErrorCode::Redirected);
    QCOMPARE(circle.requests().size(), size_t(6));
}

// reliability: E26, E27
void tst_HttpRequestTool::aRedirectToAnotherPrivateServiceIsNotFollowed()
{
    ModelServer inner(statusReply(200, "secret"));
    ModelServer outer(redirectTo(inner.url(u"/"_s)));
    const auto result = run(to(outer.url(u"/"_s)));
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::Denied);
    QCOMPARE(inner.connectionCount(), 0);
}

void tst_HttpRequestTool::aRedirectToSomethingElseIsRefused_data()
{
    QTest::addColumn<QByteArray>("location");
    for (const char *location : {"file:///etc/passwd", "javascript:alert(1)", "ftp://example.com/",
                                 "http://user:pass@127.0.0.1/", "http://[bad"})
        QTest::addRow("%s", location) << QByteArray(location);
}

// reliability: E25
void tst_HttpRequestTool::aRedirectToSomethingElseIsRefused()
{
    QFETCH(QByteArray, location);
    ModelServer server(statusReply(302, "moved", {{"Location", location}}));
    const auto result = run(to(server.url(u"/"_s)));
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::Redirected);
    QCOMPARE(server.requests().size(), size_t(1));
}

void tst_HttpRequestTool::aRedirectKeepsOrDropsMethodAndBodyAsItsStatusSays()
{
    const auto secondOf = [this](int status) {
        ModelServerScript script;
        script.replies = {statusReply(status, "moved", {{"Location", "/next"}}),
                          statusReply(200, "ok")};
        ModelServer server(script);
        if (!run(to(server.url(u"/start"_s), {{u"method"_s, u"POST"_s}, {u"body"_s, u"text"_s}})))
            return QByteArray();
        return server.requests().back().method + ' ' + server.requests().back().body;
    };
    QCOMPARE(secondOf(303), "GET ");
    QCOMPARE(secondOf(302), "GET ");
    QCOMPARE(secondOf(307), "POST text");

    ModelServer other(statusReply(200, "ok"));
    ModelServer server(redirectTo(other.url(u"/"_s), 307));
    const auto result =
        run(to(server.url(u"/"_s), {{u"method"_s, u"POST"_s}, {u"body"_s, u"text"_s}}));
    QVERIFY(!result); // a body goes to no other host than the one that was shown
    QCOMPARE(other.connectionCount(), 0);
}

// reliability: E29
void tst_HttpRequestTool::anEndlessBodyIsCutAndItsConnectionClosed()
{
    Reply endless;
    endless.steps = {
        SendBytes{"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"},
        SendRepeatedly{QByteArray(64 * 1024, 'x'), 1000000}};
    ModelServer server(endless);
    const auto result = run(to(server.url(u"/"_s)));
    QVERIFY(result);
    QVERIFY(result->output.endsWith(u"[stopped after 5 MB]"_s));
    QVERIFY(result->output.contains(u"bytes omitted"_s));
    QVERIFY(result->output.size() < 70 * 1024);
    QVERIFY(server.waitForDisconnect(0));
}

// A server that packs although it was told not to: nothing of it is unpacked, and it is said why.
// reliability: E29
void tst_HttpRequestTool::aPackedBodyIsNotUnpacked()
{
    // 100 MB of zeros as gzip, which is 100 KB: qCompress gives it with another frame, of the same size.
    const QByteArray packed = qCompress(QByteArray(100 * 1024 * 1024, '\0')).mid(4);
    QVERIFY(packed.size() < 200 * 1024);
    ModelServer server(statusReply(200, packed, {{"Content-Encoding", "deflate"}}));
    const auto result = run(to(server.url(u"/"_s)));
    QCOMPARE(server.requests().at(0).header("Accept-Encoding"), "identity");
    QVERIFY(result.isFault());
    QVERIFY2(result.error().message.contains(u"compress"_s),
             qUtf8Printable(result.error().message));
}

void tst_HttpRequestTool::aStopSaysCancelledAndClosesTheConnection_data()
{
    QTest::addColumn<bool>("answers");
    QTest::newRow("while the server is silent") << false;
    QTest::newRow("in the body") << true;
}

// behaviours: 51, 109
void tst_HttpRequestTool::aStopSaysCancelledAndClosesTheConnection()
{
    QFETCH(bool, answers);
    Reply reply = silentReply();
    if (answers)
        reply.steps = {SendBytes{"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart"}, Stall{}};
    ModelServer server(reply);
    RecordingContext context(u"/workspace"_s);
    QElapsedTimer timer;
    std::jthread stopper([&] {
        if (answers ? context.waitForOutput("part") : server.waitForRequests(1)) {
            timer.start();
            context.source.cancel(CancellationCause::User);
        }
    });
    const auto result = run(to(server.url(u"/"_s)), context);
    stopper.join();
    QVERIFY(result.isCancelled());
    QVERIFY(result.error().message.startsWith(u"Cancelled"_s));
    QVERIFY(context.output().endsWith("[cancelled]\n"));
    QCOMPARE(context.output().contains("part"), answers);
    QVERIFY(timer.elapsed() < 20000);
    QVERIFY(server.waitForDisconnect(0));
}

void tst_HttpRequestTool::itsLimitSaysTimedOutAfterNSeconds_data()
{
    QTest::addColumn<QByteArray>("begin");
    QTest::addColumn<bool>("drips");
    QTest::newRow("silent server") << QByteArray() << false;
    QTest::newRow("silent in the body")
        << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart") << false;
    QTest::newRow("a byte now and then")
        << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\npart") << true;
}

// behaviours: 109
// reliability: E29
void tst_HttpRequestTool::itsLimitSaysTimedOutAfterNSeconds()
{
    QFETCH(QByteArray, begin);
    QFETCH(bool, drips);
    Reply reply;
    if (!begin.isEmpty())
        reply.steps.push_back(SendBytes{begin});
    if (drips)
        reply.steps.push_back(SendSlowly{QByteArray(990, '.'), 100ms});
    reply.steps.push_back(Stall{});
    ModelServer server(reply);
    const auto result = run(to(server.url(u"/"_s), {{u"timeout_seconds"_s, 3}}));
    QVERIFY(result);
    QCOMPARE(result->isError, true);
    QVERIFY2(result->output.endsWith(u"[timed out after 3 seconds]"_s),
             qUtf8Printable(result->output));
    QCOMPARE(result->output.contains(u"part"_s), !begin.isEmpty());
    QVERIFY(server.waitForDisconnect(0));
}

void tst_HttpRequestTool::aCancelledCallConnectsToNothing()
{
    ModelServer server(statusReply(200, "ok"));
    RecordingContext context(u"/workspace"_s);
    context.source.cancel(CancellationCause::User);
    QVERIFY(run(to(server.url(u"/"_s)), context).isCancelled());
    QCOMPARE(server.connectionCount(), 0);
}

void tst_HttpRequestTool::aFailureIsAFault()
{
    quint16 port = 0;
    {
        const ModelServer gone(statusReply(200, "ok"));
        port = gone.port();
    }
    QUrl url(u"http://127.0.0.1/"_s);
    url.setPort(port);
    const auto refused = run(to(url));
    QVERIFY(refused.isFault());
    QCOMPARE(refused.error().code, ErrorCode::ConnectionRefused);
}

QTEST_GUILESS_MAIN(tst_HttpRequestTool)
#include "tst_httprequesttool.moc"
