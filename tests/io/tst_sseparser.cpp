// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/sseparser.h"

#include <QTest>

#include <vector>

using namespace fermata;
using namespace Qt::StringLiterals;

using Events = std::vector<SseEvent>;

namespace fermata {

char *toString(const SseEvent &event)
{
    const QByteArray text = "{" + event.type + "|" + event.data.left(200) + "|" + event.lastEventId
        + (event.terminated ? "}" : "|cut}");
    return qstrdup(text.constData());
}

} // namespace fermata

class TestSseParser : public QObject
{
    Q_OBJECT

private slots:
    void readsEventsAsTheStandardSays_data();
    void readsEventsAsTheStandardSays();
    void givesTheSameEventsForEverySplit_data() { readsEventsAsTheStandardSays_data(); }
    void givesTheSameEventsForEverySplit();
    void givesTheSameEventsByteByByte_data() { readsEventsAsTheStandardSays_data(); }
    void givesTheSameEventsByteByByte();
    void countsCommentsAsSignsOfLife();
    void remembersTheLastRetryTime_data();
    void remembersTheLastRetryTime();
    void takesALineOfFiveMegabytes();
    void takesAnEventOfExactlyTheLargestSize();
    void refusesALargerEvent_data();
    void refusesALargerEvent();
    void keepsEventsFromBeforeAFault();
    void readsAHundredThousandEvents();
};

namespace {

Events takeAll(SseParser &parser)
{
    Events events;
    while (auto event = parser.next())
        events.push_back(std::move(*event));
    return events;
}

void compareEvents(const Events &actual, const Events &expected)
{
    for (size_t i = 0; i < std::min(actual.size(), expected.size()); ++i)
        QCOMPARE(actual[i], expected[i]);
    QCOMPARE(actual.size(), expected.size());
}

} // namespace

void TestSseParser::readsEventsAsTheStandardSays_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<Events>("expected");

    const Events ab{{{}, "a", {}}, {{}, "b", {}}};
    QTest::newRow("LF") << "data: a\n\ndata: b\n\n"_ba << ab;
    QTest::newRow("CRLF") << "data: a\r\n\r\ndata: b\r\n\r\n"_ba << ab;
    QTest::newRow("lone CR") << "data: a\r\rdata: b\r\r"_ba << ab;
    QTest::newRow("all line ends mixed") << "data: a\r\n\rdata: b\n\r\n"_ba << ab;
    QTest::newRow("LF then CR is two line ends") << "data: a\n\rdata: b\n\r"_ba << ab;
    QTest::newRow("byte order mark") << "\xEF\xBB\xBF"
                                        "data: a\n\ndata: b\n\n"_ba
                                     << ab;
    QTest::newRow("a second byte order mark is a part of the name") << "\xEF\xBB\xBF\xEF\xBB\xBF"
                                                                       "data: a\n\n"_ba
                                                                    << Events{};
    QTest::newRow("no space after the colon") << "data:a\n\ndata:b\n\n"_ba << ab;
    QTest::newRow("only one space is taken away") << "data:  a\n\n"_ba << Events{{{}, " a", {}}};
    QTest::newRow("several data lines") << "data: a\ndata: b\n\n"_ba << Events{{{}, "a\nb", {}}};
    QTest::newRow("data without a colon is an empty line") << "data\n\n"_ba << Events{{{}, "", {}}};
    QTest::newRow("two empty data lines") << "data\ndata\n\n"_ba << Events{{{}, "\n", {}}};
    QTest::newRow("named events, id and retry")
        << "event: delta\nid: 7\nretry: 10\ndata: a\n\ndata: b\n\n"_ba
        << Events{{"delta", "a", "7"}, {{}, "b", "7"}};
    QTest::newRow("an event without data is none, and leaves no name")
        << "event: x\n\ndata: a\n\n"_ba << Events{{{}, "a", {}}};
    QTest::newRow("an id with NUL is ignored")
        << QByteArray("id: 1\nid: 2\0003\ndata: a\n\n", 24) << Events{{{}, "a", "1"}};
    QTest::newRow("NUL in data stays")
        << QByteArray("data: a\0b\n\n", 11) << Events{{{}, QByteArray("a\0b", 3), {}}};
    QTest::newRow("comments and unknown fields")
        << ": hi\nfoo: bar\n:\ndata: a\n: x\n\ndata: b\n\n"_ba << ab;
    QTest::newRow("comments alone") << ": keep-alive\n\n: keep-alive\n\n"_ba << Events{};
    QTest::newRow("blank lines alone") << "\n\n\r\n\r\r\n"_ba << Events{};
    QTest::newRow("nothing") << ""_ba << Events{};
    QTest::newRow("a name that only begins like data") << "datax: a\n data: b\n\n"_ba << Events{};
    QTest::newRow("colons in the value")
        << "data: {\"a\": \"b:c\"}\n\n"_ba << Events{{{}, "{\"a\": \"b:c\"}", {}}};
    QTest::newRow("an emoji and invalid UTF-8")
        << "data: \xF0\x9F\x98\x80\xFF\xC0\n\n"_ba << Events{{{}, "\xF0\x9F\x98\x80\xFF\xC0", {}}};
    QTest::newRow("a terminator with trailing spaces")
        << "data: [DONE]  \n\n"_ba << Events{{{}, "[DONE]  ", {}}};
    QTest::newRow("bytes after the terminator")
        << "data: [DONE]\n\ndata: a\n\n"_ba << Events{{{}, "[DONE]", {}}, {{}, "a", {}}};
    QTest::newRow("the error field of old servers")
        << "error: {\"code\":500}\n\n"_ba << Events{{"error", "{\"code\":500}", {}}};
    QTest::newRow("an event named error")
        << "event: error\ndata: {}\n\n"_ba << Events{{"error", "{}", {}}};
    QTest::newRow("an end without the last blank line")
        << "data: a\n\nevent: x\ndata: b\n"_ba << Events{{{}, "a", {}}, {"x", "b", {}, false}};
    QTest::newRow("an end inside a line")
        << "data: a\n\ndata: {\"hal"_ba << Events{{{}, "a", {}}, {{}, "{\"hal", {}, false}};
    QTest::newRow("an end inside CRLF") << "data: a\r\n\r"_ba << Events{{{}, "a", {}}};
    QTest::newRow("an end inside a name") << "data: a\n\ndat"_ba << Events{{{}, "a", {}}};
}

void TestSseParser::readsEventsAsTheStandardSays()
{
    QFETCH(QByteArray, bytes);
    QFETCH(Events, expected);
    SseParser parser;
    parser.feed(bytes);
    parser.finish();
    compareEvents(takeAll(parser), expected);
    QVERIFY(!parser.fault());
}

void TestSseParser::givesTheSameEventsForEverySplit()
{
    QFETCH(QByteArray, bytes);
    QFETCH(Events, expected);
    for (qsizetype first = 0; first <= bytes.size(); ++first) {
        for (qsizetype second = first; second <= bytes.size(); ++second) {
            SseParser parser;
            parser.feed(QByteArrayView(bytes).first(first));
            parser.feed(QByteArrayView(bytes).sliced(first, second - first));
            parser.feed(QByteArrayView(bytes).sliced(second));
            parser.finish();
            compareEvents(takeAll(parser), expected);
            if (QTest::currentTestFailed())
                QFAIL(qPrintable(u"split at %1 and %2"_s.arg(first).arg(second)));
        }
    }
}

void TestSseParser::givesTheSameEventsByteByByte()
{
    QFETCH(QByteArray, bytes);
    QFETCH(Events, expected);
    SseParser parser;
    Events events;
    for (const char &byte : std::as_const(bytes)) {
        parser.feed(QByteArrayView(&byte, 1));
        const Events more = takeAll(parser);
        events.insert(events.end(), more.begin(), more.end());
    }
    parser.finish();
    const Events tail = takeAll(parser);
    events.insert(events.end(), tail.begin(), tail.end());
    compareEvents(events, expected);
}

void TestSseParser::countsCommentsAsSignsOfLife()
{
    SseParser parser;
    parser.feed(": OPENROUTER PROCESSING\n\n:");
    QCOMPARE(parser.commentCount(), 1u);
    parser.feed("\n");
    QCOMPARE(parser.commentCount(), 2u);
    QVERIFY(!parser.next());
}

void TestSseParser::remembersTheLastRetryTime_data()
{
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<int>("expected");
    QTest::newRow("digits") << "250"_ba << 250;
    QTest::newRow("zero") << "0"_ba << 0;
    QTest::newRow("negative") << "-5"_ba << 1;
    QTest::newRow("signed") << "+5"_ba << 1;
    QTest::newRow("a fraction") << "1.5"_ba << 1;
    QTest::newRow("huge") << "99999999999999999999"_ba << 1;
    QTest::newRow("nothing") << ""_ba << 1;
}

void TestSseParser::remembersTheLastRetryTime()
{
    QFETCH(QByteArray, value);
    SseParser parser;
    QVERIFY(!parser.retry());
    parser.feed("retry: 1\n");
    parser.feed("retry: " + value + "\n");
    QVERIFY(parser.retry());
    QTEST(int(parser.retry()->count()), "expected");
}

void TestSseParser::takesALineOfFiveMegabytes()
{
    const QByteArray text(5 * 1024 * 1024, 'x');
    const QByteArray bytes = "data: " + text + "\n\n";
    SseParser parser;
    for (qsizetype at = 0; at < bytes.size(); at += 65536)
        parser.feed(
            QByteArrayView(bytes).sliced(at, std::min<qsizetype>(65536, bytes.size() - at)));
    const auto event = parser.next();
    QVERIFY(event);
    QVERIFY(event->data == text);
}

void TestSseParser::takesAnEventOfExactlyTheLargestSize()
{
    const QByteArray text(SseParser::LargestEvent - qsizetype(strlen("data: ")), 'x');
    SseParser parser;
    parser.feed("data: ");
    parser.feed(text);
    parser.feed("\n\n");
    QVERIFY(!parser.fault());
    const auto event = parser.next();
    QVERIFY(event);
    QCOMPARE(event->data.size(), text.size());
}

void TestSseParser::refusesALargerEvent_data()
{
    QTest::addColumn<QByteArray>("prefix");
    QTest::addColumn<QByteArray>("unit");
    QTest::newRow("a line without an end") << "data: "_ba << QByteArray(65536, 'x');
    QTest::newRow("an event without an end") << ""_ba << ("data: " + QByteArray(65000, 'x') + "\n");
    QTest::newRow("a comment without an end") << ":"_ba << QByteArray(65536, 'x');
}

void TestSseParser::refusesALargerEvent()
{
    QFETCH(QByteArray, prefix);
    QFETCH(QByteArray, unit);
    SseParser parser;
    parser.feed(prefix);
    qsizetype fed = prefix.size();
    while (!parser.fault() && fed < 8 * SseParser::LargestEvent) {
        parser.feed(unit);
        fed += unit.size();
    }
    QVERIFY(parser.fault());
    QCOMPARE(toString(parser.fault()->code), toString(ErrorCode::TooLarge));
    parser.feed("\n\ndata: late\n\n");
    parser.finish();
    QVERIFY(!parser.next());
}

void TestSseParser::keepsEventsFromBeforeAFault()
{
    SseParser parser;
    parser.feed("data: a\n\ndata: " + QByteArray(SseParser::LargestEvent + 1, 'x'));
    QVERIFY(parser.fault());
    compareEvents(takeAll(parser), {{{}, "a", {}}});
}

void TestSseParser::readsAHundredThousandEvents()
{
    const QByteArray event = "data: " + QByteArray(268, 'x') + "\n\n";
    const QByteArray bytes = event.repeated(100'000);
    SseParser parser;
    int count = 0;
    for (qsizetype at = 0; at < bytes.size(); at += 65536) {
        parser.feed(
            QByteArrayView(bytes).sliced(at, std::min<qsizetype>(65536, bytes.size() - at)));
        while (parser.next())
            ++count;
    }
    QCOMPARE(count, 100'000);
}

QTEST_GUILESS_MAIN(TestSseParser)
#include "tst_sseparser.moc"
