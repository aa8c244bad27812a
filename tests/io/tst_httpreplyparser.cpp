// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/httpreplyparser_p.h"

#include <QRandomGenerator>
#include <QTest>

#include <algorithm>
#include <vector>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// What a reply came to, as text that can be compared.
QString outcomeOf(const std::vector<QByteArrayView> &pieces, HttpRequest::Method method)
{
    HttpReplyParser parser(method, u"server"_s);
    QString outcome;
    QByteArray body;
    for (const QByteArrayView piece : pieces) {
        if (piece.isEmpty())
            continue;
        const auto fed = parser.feed(piece);
        if (fed.head)
            outcome += u"%1 %2|"_s.arg(fed.head->status).arg(fed.head->headers.size());
        body += fed.body;
        if (fed.body.size() > piece.size())
            return u"more body than bytes"_s;
        if (fed.fault)
            return outcome + QString::fromLatin1(body) + u'|' + toString(fed.fault->code);
        if (parser.hasEnded())
            break;
    }
    const auto end = parser.finish();
    outcome += QString::fromLatin1(body) + u'|';
    return outcome
        + (end ? parser.hasEnded() ? u"ended"_s : u"closed"_s : toString(end.error().code));
}

} // namespace

class TestHttpReplyParser : public QObject
{
    Q_OBJECT

private slots:
    void readsRepliesAndNamesWhatIsBroken_data();
    void readsRepliesAndNamesWhatIsBroken();
    void givesTheSameForEverySplit_data() { readsRepliesAndNamesWhatIsBroken_data(); }
    void givesTheSameForEverySplit();
    void expectsNoBodyAfterHead();
    void knowsWhenTheConnectionCanBeUsedAgain_data();
    void knowsWhenTheConnectionCanBeUsedAgain();
    void boundsWhatAHostileServerSends_data();
    void boundsWhatAHostileServerSends();
    void survivesRandomDamage();
};

void TestHttpReplyParser::readsRepliesAndNamesWhatIsBroken_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("outcome");
    const QByteArray ok = "HTTP/1.1 200 OK\r\n"_ba;
    const QByteArray chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
    const QString bad = u"|"_s + toString(ErrorCode::BadStream);
    const QString badAfterHead = u"200 1|"_s + bad;

    QTest::newRow("nothing") << ""_ba << u"|"_s + toString(ErrorCode::ConnectionLost);
    QTest::newRow("part of a status line")
        << "HTTP/1.1 2"_ba << u"|"_s + toString(ErrorCode::Truncated);
    QTest::newRow("length") << ok + "Content-Length: 5\r\n\r\nhello" << u"200 1|hello|ended"_s;
    QTest::newRow("length and more")
        << ok + "Content-Length: 5\r\n\r\nhello, you" << u"200 1|hello|ended"_s;
    QTest::newRow("length and less")
        << ok + "Content-Length: 50\r\n\r\nhello" << u"200 1|hello|TRUNCATED"_s;
    QTest::newRow("until the close") << ok + "A: b\r\n\r\nhello" << u"200 1|hello|closed"_s;
    QTest::newRow("line feeds alone")
        << "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"_ba << u"200 1|hello|ended"_s;
    QTest::newRow("chunks") << chunked + "5\r\nhello\r\n1;ext=\"a\"\r\n!\r\n000\r\n\r\n"
                            << u"200 1|hello!|ended"_s;
    QTest::newRow("B18 chunks with line feeds alone") << chunked + "5\nhello\n0\n\n"
                                                      << u"200 1|hello|ended"_s;
    QTest::newRow("chunk sizes in both cases")
        << chunked + "A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n"
        << u"200 1|01234567890123456789|ended"_s;
    QTest::newRow("trailers") << chunked + "5\r\nhello\r\n0\r\nX: y\r\nZ: z\r\n\r\n"
                              << u"200 1|hello|ended"_s;
    QTest::newRow("no last chunk") << chunked + "5\r\nhello\r\n" << u"200 1|hello|TRUNCATED"_s;
    QTest::newRow("no end of the trailers") << chunked + "5\r\nhello\r\n0\r\n"
                                            << u"200 1|hello|TRUNCATED"_s;
    QTest::newRow("B16 chunk size overflow")
        << chunked + "FFFFFFFFFFFFFFFFFF\r\nhello" << badAfterHead;
    QTest::newRow("B17 chunk size not hex") << chunked + "5x\r\nhello\r\n" << badAfterHead;
    QTest::newRow("negative chunk size") << chunked + "-5\r\nhello\r\n" << badAfterHead;
    QTest::newRow("empty chunk size") << chunked + "\r\nhello\r\n" << badAfterHead;
    QTest::newRow("B19 no line end after a chunk") << chunked + "5\r\nhello5\r\nhello\r\n"
                                                   << u"200 1|hello"_s + bad;
    QTest::newRow("another transfer encoding") << ok + "Transfer-Encoding: gzip, chunked\r\n\r\n"
                                               << bad;
    QTest::newRow("two transfer encodings")
        << ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
        << bad;
    QTest::newRow("folded header") << ok + "A: b\r\n c\r\n\r\n" << bad;
    QTest::newRow("space before the colon")
        << ok + "Content-Length : 2\r\n\r\nhi" << u"200 1|hi|ended"_s;
    QTest::newRow("status line without a reason")
        << "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n"_ba << u"200 1||ended"_s;
    QTest::newRow("status line with more spaces")
        << "HTTP/1.1  200 OK\r\n\r\n"_ba << u"|NOT_HTTP"_s;
    QTest::newRow("four digits") << "HTTP/1.1 2000 OK\r\n\r\n"_ba << u"|NOT_HTTP"_s;
    QTest::newRow("HTTP/2 preface") << "HTTP/2 200\r\n\r\n"_ba << u"|NOT_HTTP"_s;
    QTest::newRow("TLS alert") << "\x15\x03\x01"_ba << u"|NOT_HTTP"_s;
    QTest::newRow("another protocol") << "SSH-2.0-x"_ba << u"|NOT_HTTP"_s;
    QTest::newRow("interim replies")
        << "HTTP/1.1 100 Continue\r\nA: b\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"_ba + ok
            + "Content-Length: 2\r\n\r\nhi"
        << u"200 1|hi|ended"_s;
    QTest::newRow("304") << "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n"_ba
                         << u"304 1||ended"_s;
    QTest::newRow("a length of 19 digits") << ok + "Content-Length: 1000000000000000000\r\n\r\n"
                                           << bad;
    QTest::newRow("an empty length") << ok + "Content-Length: \r\n\r\n" << bad;
    QTest::newRow("a signed length") << ok + "Content-Length: +5\r\n\r\n" << bad;
    QTest::newRow("lengths that differ in one header") << ok + "Content-Length: 5, 6\r\n\r\n"
                                                       << bad;
}

void TestHttpReplyParser::readsRepliesAndNamesWhatIsBroken()
{
    QFETCH(QByteArray, bytes);
    QTEST(outcomeOf({bytes}, HttpRequest::Method::Post), "outcome");
}

void TestHttpReplyParser::givesTheSameForEverySplit()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, outcome);
    const QByteArrayView view(bytes);
    for (qsizetype first = 0; first <= view.size(); ++first) {
        for (qsizetype second = first; second <= view.size(); ++second) {
            QCOMPARE(outcomeOf({view.first(first), view.sliced(first, second - first),
                                view.sliced(second)},
                               HttpRequest::Method::Post),
                     outcome);
        }
    }
}

void TestHttpReplyParser::expectsNoBodyAfterHead()
{
    QCOMPARE(
        outcomeOf({"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"}, HttpRequest::Method::Head),
        u"200 1||ended"_s);
    QCOMPARE(outcomeOf({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
                       HttpRequest::Method::Head),
             u"200 1||ended"_s);
}

void TestHttpReplyParser::knowsWhenTheConnectionCanBeUsedAgain_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<bool>("open");
    QTest::newRow("1.1") << "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"_ba << true;
    QTest::newRow("1.1 that closes")
        << "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n"_ba << false;
    QTest::newRow("1.1 that closes, among others")
        << "HTTP/1.1 200 OK\r\nConnection: x, close\r\nContent-Length: 0\r\n\r\n"_ba << false;
    QTest::newRow("1.0") << "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"_ba << false;
    QTest::newRow("1.0 that stays")
        << "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n"_ba << true;
    QTest::newRow("more than announced")
        << "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n"_ba << false;
    QTest::newRow("chunked and a length")
        << "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"_ba
        << false;
    QTest::newRow("not whole") << "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"_ba << false;
}

void TestHttpReplyParser::knowsWhenTheConnectionCanBeUsedAgain()
{
    QFETCH(QByteArray, bytes);
    HttpReplyParser parser(HttpRequest::Method::Get, u"server"_s);
    QVERIFY(!parser.feed(bytes).fault);
    QTEST(parser.leavesConnectionOpen(), "open");
}

void TestHttpReplyParser::boundsWhatAHostileServerSends_data()
{
    QTest::addColumn<QByteArray>("begin");
    QTest::addColumn<QByteArray>("unit");
    QTest::addColumn<int>("most"); // bytes that may be taken before the fault
    const QByteArray ok = "HTTP/1.1 200 OK\r\n"_ba;
    const QByteArray chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
    QTest::newRow("a status line without end")
        << "HTTP/1.1 200 "_ba << QByteArray(1000, 'x') << 70'000;
    QTest::newRow("B5 a header without end") << ok + "A: " << QByteArray(1000, 'x') << 70'000;
    QTest::newRow("B6 headers without end") << ok << "A: b\r\n"_ba << 31'000;
    QTest::newRow("large headers without end") << ok << "A: " + QByteArray(60'000, 'x') + "\r\n"
                                               << 1'200'000;
    QTest::newRow("B9 interim replies without end") << ""_ba
                                                    << "HTTP/1.1 100 Continue\r\n\r\n"_ba << 3'000;
    QTest::newRow("interim replies with large heads without end")
        << ""_ba
        << "HTTP/1.1 100 Continue\r\nA: " + QByteArray(60'000, 'x') + "\r\n\r\n"
        << 1'200'000;
    QTest::newRow("a chunk size without end") << chunked << QByteArray(1000, '0') << 70'000;
    QTest::newRow("B20 trailers without end") << chunked + "0\r\n"
                                              << "A: b\r\n"_ba << 80'000;
}

void TestHttpReplyParser::boundsWhatAHostileServerSends()
{
    QFETCH(QByteArray, begin);
    QFETCH(QByteArray, unit);
    QFETCH(int, most);
    HttpReplyParser parser(HttpRequest::Method::Post, u"server"_s);
    if (!begin.isEmpty())
        QVERIFY(!parser.feed(begin).fault);
    for (int taken = 0; taken <= most; taken += int(unit.size())) {
        const auto fed = parser.feed(unit);
        if (!fed.fault)
            continue;
        QCOMPARE(toString(fed.fault->code), toString(ErrorCode::BadStream));
        QVERIFY(fed.fault->message.contains(u"server"_s));
        return;
    }
    QFAIL("no bound was met");
}

void TestHttpReplyParser::survivesRandomDamage()
{
    const QByteArray good =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n"
        "5\r\nhello\r\n1a;x\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nT: r\r\n\r\n"_ba;
    const quint32 seed = qEnvironmentVariableIsSet("FERMATA_SEED")
        ? quint32(qEnvironmentVariableIntValue("FERMATA_SEED"))
        : QRandomGenerator::global()->generate();
    qInfo("FERMATA_SEED=%u", seed);
    QRandomGenerator random(seed);
    for (int i = 0; i < 20'000; ++i) {
        QByteArray bytes = good;
        for (int damage = random.bounded(1, 4); damage > 0; --damage) {
            const int at = random.bounded(int(bytes.size()));
            switch (random.bounded(3)) {
            case 0:
                bytes[at] = char(random.bounded(256));
                break;
            case 1:
                bytes.remove(at, random.bounded(1, 8));
                break;
            default:
                bytes.insert(at, bytes.mid(random.bounded(int(bytes.size())), random.bounded(8)));
                break;
            }
            if (bytes.isEmpty())
                bytes = "H"_ba;
        }
        const qsizetype cut = random.bounded(int(bytes.size()) + 1);
        const QByteArrayView view(bytes);
        const QString whole = outcomeOf({view}, HttpRequest::Method::Post);
        QCOMPARE(outcomeOf({view.first(cut), view.sliced(cut)}, HttpRequest::Method::Post), whole);
    }
}

QTEST_GUILESS_MAIN(TestHttpReplyParser)
#include "tst_httpreplyparser.moc"
