// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cancelrequest.h"
#include "support/manualclock.h"

#include <QtTest>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestCancelRequest final : public QObject
{
    Q_OBJECT

private slots:
    void idAloneIsEnough();
    void causeReasonAndSourceAreTaken();
    void wrongRequestIsRefused_data();
    void wrongRequestIsRefused();
    void onlyTwoCausesAreForPrograms();
    void reasonIsCleaned();
    void unknownMembersAreIgnored();
    void tenRequestsPerSecondAreTaken();
};

void TestCancelRequest::idAloneIsEnough()
{
    const auto request = parseCancelRequest(R"({"turnId": "t1"})", u"mcp"_s);
    QVERIFY(request.ok());
    QCOMPARE(request->turnId, u"t1"_s);
    QVERIFY(request->reason.cause == CancellationCause::External);
    QVERIFY(request->reason.text.isEmpty());
    QCOMPARE(request->reason.source, u"mcp"_s);
}

void TestCancelRequest::causeReasonAndSourceAreTaken()
{
    const auto request = parseCancelRequest(
        R"({"turnId": "t1", "cause": "superseded", "reason": "a newer question"})", {});
    QVERIFY(request.ok());
    QVERIFY(request->reason.cause == CancellationCause::Superseded);
    QCOMPARE(request->reason.text, u"a newer question"_s);
    QVERIFY(request->reason.source.isEmpty());
}

void TestCancelRequest::wrongRequestIsRefused_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("what");
    QTest::newRow("id missing") << "{}"_ba << u"turnId is missing"_s;
    QTest::newRow("id of other case") << R"({"turnid": "t"})"_ba << u"turnId is missing"_s;
    QTest::newRow("id empty") << R"({"turnId": ""})"_ba << u"turnId is empty"_s;
    QTest::newRow("id blank") << R"({"turnId": " \t"})"_ba << u"turnId is empty"_s;
    QTest::newRow("id null") << R"({"turnId": null})"_ba << u"turnId is not a text"_s;
    QTest::newRow("id number") << R"({"turnId": 7})"_ba << u"turnId is not a text"_s;
    QTest::newRow("id bool") << R"({"turnId": true})"_ba << u"turnId is not a text"_s;
    QTest::newRow("id list") << R"({"turnId": ["t"]})"_ba << u"turnId is not a text"_s;
    QTest::newRow("id object") << R"({"turnId": {"t": 1}})"_ba << u"turnId is not a text"_s;
    QTest::newRow("id long") << "{\"turnId\": \""_ba + QByteArray(201, 'x') + "\"}"
                             << u"longer than 200"_s;
    QTest::newRow("cause unknown")
        << R"({"turnId": "t", "cause": "whim"})"_ba << u"cause is unknown"_s;
    QTest::newRow("cause of other case")
        << R"({"turnId": "t", "cause": "External"})"_ba << u"cause is unknown"_s;
    QTest::newRow("cause number") << R"({"turnId": "t", "cause": 0})"_ba
                                  << u"cause is not a text"_s;
    QTest::newRow("cause null") << R"({"turnId": "t", "cause": null})"_ba
                                << u"cause is not a text"_s;
    QTest::newRow("cause user") << R"({"turnId": "t", "cause": "user"})"_ba
                                << u"cause user is not for programs"_s;
    QTest::newRow("reason number")
        << R"({"turnId": "t", "reason": 1})"_ba << u"reason is not a text"_s;
    QTest::newRow("reason object")
        << R"({"turnId": "t", "reason": {}})"_ba << u"reason is not a text"_s;
    QTest::newRow("no JSON") << "stop it"_ba << u"not JSON"_s;
    QTest::newRow("cut JSON") << R"({"turnId": "t")"_ba << u"not JSON"_s;
    QTest::newRow("nothing") << QByteArray() << u"not JSON"_s;
    QTest::newRow("a list") << R"([{"turnId": "t"}])"_ba << u"not an object"_s;
    QTest::newRow("a text") << R"("t")"_ba << u"not"_s;
    QTest::newRow("invalid UTF-8") << "{\"turnId\": \"\xff\xfe\"}"_ba << u"not JSON"_s;
    QTest::newRow("large") << "{\"turnId\": \"t\", \"x\": \""_ba + QByteArray(65536, 'x') + "\"}"
                           << u"larger than 65536 bytes"_s;
    QTest::newRow("deep") << "{\"turnId\": \"t\", \"x\": "_ba + QByteArray(5000, '[') + "}"
                          << u"not JSON"_s;
}

void TestCancelRequest::wrongRequestIsRefused()
{
    // behaviours: 280
    QFETCH(QByteArray, json);
    QFETCH(QString, what);
    const auto request = parseCancelRequest(json, u"mcp"_s);
    QVERIFY(request.isFault());
    QVERIFY(request.error().code == ErrorCode::InvalidArgument);
    QVERIFY2(request.error().message.contains(what), qPrintable(request.error().message));
}

void TestCancelRequest::onlyTwoCausesAreForPrograms()
{
    // behaviours: 278
    for (int value = 0; value <= int(CancellationCause::Parent); ++value) {
        const auto cause = CancellationCause(value);
        const bool allowed =
            cause == CancellationCause::External || cause == CancellationCause::Superseded;
        QCOMPARE(mayBeGivenByProgram(cause), allowed);
        const QJsonObject json{{u"turnId"_s, u"t"_s}, {u"cause"_s, toString(cause)}};
        QCOMPARE(cancelRequestFromJson(json, {}).ok(), allowed);
    }
}

void TestCancelRequest::reasonIsCleaned()
{
    // behaviours: 278
    const QJsonObject json{{u"turnId"_s, u"t"_s},
                           {u"reason"_s, u"a\u202E\u0000b"_s + QString(500, u'x')}};
    const auto request = cancelRequestFromJson(json, u"tool\u0007"_s);
    QVERIFY(request.ok());
    QCOMPARE(request->reason.text, u"ab"_s + QString(198, u'x'));
    QCOMPARE(request->reason.source, u"tool"_s);
}

void TestCancelRequest::unknownMembersAreIgnored()
{
    QVERIFY(parseCancelRequest(R"({"turnId": "t", "_meta": {"x": [1]}})", {}).ok());
}

void TestCancelRequest::tenRequestsPerSecondAreTaken()
{
    ManualClock clock;
    auto limiter = cancelRequestLimiter(clock);
    for (int i = 0; i < 10; ++i)
        QVERIFY(limiter.tryAcquire());
    QVERIFY(!limiter.tryAcquire());
    QCOMPARE(limiter.refused(), 1u);
    clock.advance(1s);
    QVERIFY(limiter.tryAcquire());
}

QTEST_APPLESS_MAIN(TestCancelRequest)
#include "tst_cancelrequest.moc"
