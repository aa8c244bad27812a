// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/httprequesttool.h"

#include "base/channel.h"
#include "io/iothread.h"
#include "recordingcontext.h"
#include "support/enumcomparison.h"
#include "support/modelserver.h"
#include "tool/approvalpolicy.h"

#include <QTest>
#include <QUrl>

#include <algorithm>
#include <atomic>
#include <thread>

using namespace fermata;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

using Addresses = std::vector<QHostAddress>;

// Answers as a name server may that is in league with the model: another answer each time.
class NameServer final
{
public:
    explicit NameServer(std::vector<Addresses> answers) : m_answers(std::move(answers)) { }

    HostLookUp lookUp()
    {
        return [this](const QString &host, const CancellationToken &, Deadline deadline) {
            hosts << host;
            lastDeadline = deadline;
            const size_t last = m_answers.size() - 1;
            return Result<Addresses>(m_answers[std::min(size_t(hosts.size()) - 1, last)]);
        };
    }

    QStringList hosts; // that were asked for
    Deadline lastDeadline;

private:
    const std::vector<Addresses> m_answers;
};

Addresses addresses(const QStringList &texts)
{
    Addresses result;
    for (const QString &text : texts)
        result.emplace_back(text);
    return result;
}

QJsonObject get(const QString &host, quint16 port, bool privateNetwork)
{
    return {{u"url"_s, u"http://%1:%2/"_s.arg(host, QString::number(port))},
            {u"private_network"_s, privateNetwork}};
}

} // namespace

// Names whose addresses somebody else decides about.
class tst_HttpAddress : public QObject
{
    Q_OBJECT

private slots:
    void noSpellingOfAnAddressHidesIt_data();
    void noSpellingOfAnAddressHidesIt();
    void whatCarriesMuchAsksEachTime_data();
    void whatCarriesMuchAsksEachTime();
    void aNameIsJudgedByItsAddresses_data();
    void aNameIsJudgedByItsAddresses();
    void itConnectsToTheAddressThatWasJudged();
    void everyHopIsJudgedAgain();
    void aNameThatIsNotFoundIsAFault();
    void aLookUpHasItsOwnLimit();
    void aStopEndsALookUp();

private:
    IoThread m_io;
};

void tst_HttpAddress::noSpellingOfAnAddressHidesIt_data()
{
    QTest::addColumn<QString>("host");
    for (const char *host : {"127.0.0.1.",
                             "127.000.000.001",
                             "0177.0.0.1",
                             "0x7f.0x0.0x0.0x1",
                             "0X7F000001",
                             "017700000001",
                             "127.0.1",
                             "127.65535",
                             "4294967295",
                             "%31%32%37.0.0.1",
                             "127%2e0.0.1",
                             "１２７.０.０.１",
                             "①②⑦.⓪.⓪.①",
                             "127。0。0。1",
                             "[::ffff:7f00:1]",
                             "[0:0:0:0:0:ffff:127.0.0.1]",
                             "[::127.0.0.1]",
                             "[fe80::1%25lo]",
                             "[fe80::1%lo]",
                             "[64:ff9b::7f00:1]",
                             "[2002:7f00:1::1]",
                             "[::ffff:0:127.0.0.1]",
                             "ｌｏｃａｌｈｏｓｔ",
                             "localhost%2e",
                             "LocalHost..",
                             "a.b.localhost.",
                             "169.254.169.254",
                             "0251.0376.0251.0376",
                             "2852039166",
                             "0"})
        QTest::addRow("%s", host) << QString::fromUtf8(host);
}

// Whether it is refused as private or as no address at all: nothing is connected to.
// reliability: E26
void tst_HttpAddress::noSpellingOfAnAddressHidesIt()
{
    QFETCH(QString, host);
    ModelServer server(statusReply(200, "secret"));
    HttpRequestTool tool(m_io);
    const QJsonObject arguments = get(host, server.port(), false);
    QVERIFY(!tool.describe(arguments, {}));
    RecordingContext context(u"/workspace"_s);
    const auto result = tool.run(arguments, context);
    QVERIFY(result.isFault());
    // Some resolvers do not know names with a dot at their end.
    const ErrorCode code = result.error().code;
    QVERIFY(code == ErrorCode::Denied || code == ErrorCode::InvalidArgument
            || code == ErrorCode::HostNotFound);
    QCOMPARE(server.connectionCount(), 0);
}

void tst_HttpAddress::whatCarriesMuchAsksEachTime_data()
{
    QTest::addColumn<QJsonObject>("arguments");
    const QString much(400, u'x');
    QTest::newRow("query") << QJsonObject{{u"url"_s, u"https://example.com/?"_s + much}};
    QTest::newRow("path") << QJsonObject{{u"url"_s, u"https://example.com/"_s + much}};
    QTest::newRow("header") << QJsonObject{{u"url"_s, u"https://example.com/"_s},
                                           {u"headers"_s, QJsonObject{{u"X-A"_s, much}}}};
    QTest::newRow("many headers") << QJsonObject{
        {u"url"_s, u"https://example.com/"_s},
        {u"headers"_s, QJsonObject{{u"X-A"_s, much.left(150)}, {u"X-B"_s, much.left(150)}}}};
    QTest::newRow("fragment") << QJsonObject{{u"url"_s, u"https://example.com/#"_s + much}};
}

// Files of the workspace can leave by any part of a request.
// reliability: E31
void tst_HttpAddress::whatCarriesMuchAsksEachTime()
{
    QFETCH(QJsonObject, arguments);
    HttpRequestTool tool(m_io);
    const ApprovalPolicy allowing({{u"http_request"_s, ToolPermission::Allow}}, {});
    const auto request = tool.describe(arguments, {});
    QVERIFY(request);
    QVERIFY(request->alwaysPattern.isEmpty());
    QCOMPARE(allowing.judge(tool.spec(), *request), ApprovalVerdict::Ask);
    QVERIFY(std::any_of(request->facts.begin(), request->facts.end(),
                        [](const auto &fact) { return fact.first.startsWith(u"Long "_s); }));
}

void tst_HttpAddress::aNameIsJudgedByItsAddresses_data()
{
    QTest::addColumn<QStringList>("texts");
    for (const char *address :
         {"127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1",
          "100.64.0.1", "169.254.169.254", "::1", "::", "::ffff:127.0.0.1", "fe80::1", "fe80::1%lo",
          "fd00::1", "64:ff9b::7f00:1", "2002:7f00:1::"})
        QTest::addRow("%s", address) << QStringList{QString::fromLatin1(address)};
    QTest::newRow("public and private") << QStringList{u"8.8.8.8"_s, u"127.0.0.1"_s};
    QTest::newRow("private and public") << QStringList{u"127.0.0.1"_s, u"8.8.8.8"_s};
    QTest::newRow("the last of a thousand")
        << u"8.8.8.8 "_s.repeated(999).split(u' ', Qt::SkipEmptyParts) + QStringList{u"::1"_s};
    QTest::newRow("none") << QStringList();
}

// reliability: E26, E27, E28
void tst_HttpAddress::aNameIsJudgedByItsAddresses()
{
    QFETCH(QStringList, texts);
    ModelServer server(statusReply(200, "secret"));
    NameServer names({addresses(texts)});
    HttpRequestTool tool(m_io, names.lookUp());
    const QJsonObject arguments = get(u"127.0.0.1.wild.example"_s, server.port(), false);
    // Not looked up before the user has agreed: to ask for a name tells something, too.
    QVERIFY(tool.describe(arguments, {}));
    QVERIFY(names.hosts.isEmpty());
    RecordingContext context(u"/workspace"_s);
    const auto result = tool.run(arguments, context);
    QVERIFY(result.isFault());
    QCOMPARE(result.error().code, ErrorCode::Denied);
    QVERIFY2(result.error().message.contains(u"private_network"_s),
             qUtf8Printable(result.error().message));
    QCOMPARE(server.connectionCount(), 0);
}

// reliability: E27
void tst_HttpAddress::itConnectsToTheAddressThatWasJudged()
{
    ModelServer server(statusReply(200, "ok"));
    // A second look, by whomever, would lead elsewhere.
    NameServer names({addresses({u"127.0.0.1"_s}), addresses({u"127.9.9.9"_s})});
    HttpRequestTool tool(m_io, names.lookUp());
    RecordingContext context(u"/workspace"_s);
    const auto result = tool.run(get(u"rebind.invalid"_s, server.port(), true), context);
    QVERIFY2(result, result ? "" : qUtf8Printable(result.error().message));
    QVERIFY(result->output.endsWith(u"ok"_s));
    QCOMPARE(names.hosts, QStringList{u"rebind.invalid"_s});
    QCOMPARE(server.requests().at(0).header("Host"),
             "rebind.invalid:" + QByteArray::number(server.port()));
}

// reliability: E26, E27
void tst_HttpAddress::everyHopIsJudgedAgain()
{
    ModelServer inner(statusReply(200, "secret"));
    ModelServer outer(statusReply(
        302, "moved",
        {{"Location", "http://inner.invalid:" + QByteArray::number(inner.port()) + "/"}}));
    NameServer names({addresses({u"127.0.0.1"_s})});
    HttpRequestTool tool(m_io, names.lookUp());
    RecordingContext context(u"/workspace"_s);
    // The consent is for the host that was shown, and for no other, whatever they resolve to.
    const auto result = tool.run(get(u"outer.invalid"_s, outer.port(), true), context);
    QVERIFY(result.isFault());
    QCOMPARE(result.error().code, ErrorCode::Denied);
    QCOMPARE(names.hosts, (QStringList{u"outer.invalid"_s, u"inner.invalid"_s}));
    QCOMPARE(outer.connectionCount(), 1);
    QCOMPARE(inner.connectionCount(), 0);
}

// reliability: E28
void tst_HttpAddress::aNameThatIsNotFoundIsAFault()
{
    HttpRequestTool tool(m_io, [](const QString &, const CancellationToken &, Deadline) {
        return Result<Addresses>(Error(ErrorCode::HostNotFound, u"no such host"_s));
    });
    RecordingContext context(u"/workspace"_s);
    const auto result = tool.run(get(u"missing.invalid"_s, 80, false), context);
    QVERIFY(result.isFault());
    QCOMPARE(result.error().code, ErrorCode::HostNotFound);
}

// reliability: E28
void tst_HttpAddress::aLookUpHasItsOwnLimit()
{
    NameServer names({addresses({u"10.0.0.1"_s})});
    HttpRequestTool tool(m_io, names.lookUp());
    RecordingContext context(u"/workspace"_s);
    QVERIFY(tool.run(get(u"slow.invalid"_s, 80, false), context).isFault());
    QVERIFY(names.lastDeadline);
    QVERIFY(*names.lastDeadline <= steadyClock().now() + 5s);

    HttpRequestTool late(m_io, [](const QString &, const CancellationToken &, Deadline) {
        return Result<Addresses>(Error(ErrorCode::TimedOut, u"took too long"_s));
    });
    const auto result = late.run(get(u"slow.invalid"_s, 80, false), context);
    // Not the words of the call's own limit, which is not over.
    QVERIFY(result);
    QVERIFY(result->isError);
    QVERIFY2(result->output.contains(u"took too long"_s), qUtf8Printable(result->output));
}

// behaviours: 109
// reliability: E28
void tst_HttpAddress::aStopEndsALookUp()
{
    std::atomic<bool> asked = false;
    HttpRequestTool tool(m_io, [&](const QString &, const CancellationToken &token, Deadline) {
        asked = true;
        asked.notify_all();
        Channel<int> silence;
        (void)silence.receive(token, {}); // for ever, were it not for the token
        return Result<Addresses>(token.check(TurnPhase::ToolCalls).error());
    });
    RecordingContext context(u"/workspace"_s);
    std::jthread stopper([&] {
        asked.wait(false);
        context.source.cancel(CancellationCause::User);
    });
    const auto result = tool.run(get(u"hangs.invalid"_s, 80, false), context);
    QVERIFY(result.isCancelled());
    QVERIFY(context.output().endsWith("[cancelled]\n"));
}

QTEST_GUILESS_MAIN(tst_HttpAddress)
#include "tst_httpaddress.moc"
