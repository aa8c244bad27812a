// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cancellation.h"
#include "base/cancellationerror.h"
#include "base/error.h"

#include <QJsonDocument>
#include <QtTest>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const QDateTime Noon(QDate(2024, 2, 29), QTime(12, 0, 0, 250), Qt::UTC);

CancellationReason reasonWith(const QString &text)
{
    return {CancellationCause::TurnLimit, text, u"timer"_s, Noon};
}

} // namespace

class TestCancellationError final : public QObject
{
    Q_OBJECT

private slots:
    void hasCodeMessageCauseReasonPhaseCleanupAndTime();
    void timeIsUtcAndNowIfNotGiven();
    void jsonHasEveryField();
    void jsonWithoutAReasonHasNoReasonField();
    void gracefulTimeoutIsACancellationError();
    void gracefulTimeoutStaysOneWhenCopiedAsItsBase();
    void messageNamesTheReasonOrElseThePhase_data();
    void messageNamesTheReasonOrElseThePhase();
    void phaseNamesNeverChange_data();
    void phaseNamesNeverChange();
    void isRecognisedByTypeThroughTheChain();
    void wordsDoNotMakeACancellation();
    void errorsMadeWithoutAReasonAreSensible();
    void codeTextsNeverChange_data();
    void codeTextsNeverChange();
    void unknownCodeTextIsInternal();
    void chainIsKeptInJsonWithoutDetails();
};

void TestCancellationError::hasCodeMessageCauseReasonPhaseCleanupAndTime()
{
    // behaviours: 234
    const CancellationError error(TurnPhase::Streaming, reasonWith(u"10 min"_s), false, Noon);
    QCOMPARE(error.code(), u"CANCELLATION_ERROR"_s);
    QCOMPARE(error.message(), u"Cancelled: 10 min"_s);
    QVERIFY(error.cause() == CancellationCause::TurnLimit);
    QCOMPARE(error.reasonText(), u"10 min"_s);
    QCOMPARE(error.reason(), reasonWith(u"10 min"_s));
    QVERIFY(error.phase() == TurnPhase::Streaming);
    QVERIFY(!error.cleanupCompleted());
    QCOMPARE(error.timestamp(), Noon);
    QVERIFY(!error.isGracefulTimeout());
    QCOMPARE(error.timeout(), 0ms);
    QVERIFY(!error.cleanupAttempted());
}

void TestCancellationError::timeIsUtcAndNowIfNotGiven()
{
    // behaviours: 234
    const QDateTime before = QDateTime::currentDateTimeUtc();
    const CancellationError now(TurnPhase::Execution);
    QVERIFY(now.timestamp() >= before && now.timestamp() <= QDateTime::currentDateTimeUtc());
    QCOMPARE(now.timestamp().timeSpec(), Qt::UTC);

    const QDateTime elsewhere = Noon.toOffsetFromUtc(7200);
    const CancellationError given(TurnPhase::Execution, std::nullopt, true, elsewhere);
    QCOMPARE(given.timestamp().timeSpec(), Qt::UTC);
    QCOMPARE(given.timestamp(), Noon);
}

void TestCancellationError::jsonHasEveryField()
{
    // behaviours: 235
    const CancellationError error(TurnPhase::ToolCalls, reasonWith(u"10 min"_s), true, Noon);
    const QByteArray text = QJsonDocument(error.toJson()).toJson();
    const QJsonObject expected{
        {u"name"_s, u"CancellationError"_s},
        {u"code"_s, u"CANCELLATION_ERROR"_s},
        {u"message"_s, u"Cancelled: 10 min"_s},
        {u"cause"_s, u"turnLimit"_s},
        {u"reason"_s, u"10 min"_s},
        {u"phase"_s, u"tool_calls"_s},
        {u"cleanupCompleted"_s, true},
        {u"timestamp"_s, u"2024-02-29T12:00:00.250Z"_s},
    };
    QCOMPARE(QJsonDocument::fromJson(text).object(), expected);
}

void TestCancellationError::jsonWithoutAReasonHasNoReasonField()
{
    // behaviours: 235
    QVERIFY(!CancellationError(TurnPhase::Cleanup).toJson().contains("reason"_L1));
    QVERIFY(!CancellationError(TurnPhase::Cleanup, reasonWith({})).toJson().contains("reason"_L1));
    QCOMPARE(CancellationError(TurnPhase::Cleanup).toJson().value("cause"_L1), u"user"_s);
}

void TestCancellationError::gracefulTimeoutIsACancellationError()
{
    // behaviours: 236
    static_assert(std::is_base_of_v<CancellationError, GracefulCancellationTimeoutError>);
    const GracefulCancellationTimeoutError error(5000ms, true, reasonWith(u"10 min"_s), Noon);
    QCOMPARE(error.code(), u"GRACEFUL_CANCELLATION_TIMEOUT"_s);
    QCOMPARE(error.timeout(), 5000ms);
    QVERIFY(error.cleanupAttempted());
    QVERIFY(!error.cleanupCompleted());
    QVERIFY(error.phase() == TurnPhase::Cleanup);
    QVERIFY(error.cause() == CancellationCause::TurnLimit);

    const QJsonObject json = error.toJson();
    QCOMPARE(json.value("name"_L1), u"GracefulCancellationTimeoutError"_s);
    QCOMPARE(json.value("code"_L1), u"GRACEFUL_CANCELLATION_TIMEOUT"_s);
    QCOMPARE(json.value("timeoutMs"_L1), 5000);
    QCOMPARE(json.value("cleanupAttempted"_L1), true);
    QCOMPARE(json.value("cleanupCompleted"_L1), false);
    QCOMPARE(json.value("reason"_L1), u"10 min"_s);
    QCOMPARE(json.value("timestamp"_L1), u"2024-02-29T12:00:00.250Z"_s);

    QVERIFY(!GracefulCancellationTimeoutError(1ms, false).cleanupAttempted());
    QVERIFY(!GracefulCancellationTimeoutError(1ms, false).cleanupCompleted());
}

void TestCancellationError::gracefulTimeoutStaysOneWhenCopiedAsItsBase()
{
    const CancellationError copy = GracefulCancellationTimeoutError(5000ms);
    QVERIFY(copy.isGracefulTimeout());
    QCOMPARE(copy.timeout(), 5000ms);
    QVERIFY(isGracefulTimeout(Error(copy)));
}

void TestCancellationError::messageNamesTheReasonOrElseThePhase_data()
{
    QTest::addColumn<TurnPhase>("phase");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<QString>("message");
    QTest::newRow("reason") << TurnPhase::Streaming << u"enough"_s << u"Cancelled: enough"_s;
    QTest::newRow("streaming") << TurnPhase::Streaming << QString()
                               << u"Cancelled in phase streaming"_s;
    QTest::newRow("tools") << TurnPhase::ToolCalls << QString()
                           << u"Cancelled in phase tool_calls"_s;
}

void TestCancellationError::messageNamesTheReasonOrElseThePhase()
{
    // behaviours: 237
    QFETCH(TurnPhase, phase);
    QFETCH(QString, reason);
    QFETCH(QString, message);
    QCOMPARE(CancellationError(phase, reasonWith(reason)).message(), message);
    if (reason.isEmpty())
        QCOMPARE(CancellationError(phase).message(), message);
}

void TestCancellationError::phaseNamesNeverChange_data()
{
    QTest::addColumn<TurnPhase>("phase");
    QTest::addColumn<QString>("name");
    QTest::newRow("initialization") << TurnPhase::Initialization << u"initialization"_s;
    QTest::newRow("execution") << TurnPhase::Execution << u"execution"_s;
    QTest::newRow("streaming") << TurnPhase::Streaming << u"streaming"_s;
    QTest::newRow("tools") << TurnPhase::ToolCalls << u"tool_calls"_s;
    QTest::newRow("cleanup") << TurnPhase::Cleanup << u"cleanup"_s;
}

void TestCancellationError::phaseNamesNeverChange()
{
    QFETCH(TurnPhase, phase);
    QFETCH(QString, name);
    QCOMPARE(toString(phase), name);
    QVERIFY(turnPhaseFromString(name) == phase);
    QVERIFY(!turnPhaseFromString(name.toUpper()));
}

void TestCancellationError::isRecognisedByTypeThroughTheChain()
{
    // behaviours: 239
    const Error plain = CancellationError(TurnPhase::Streaming, reasonWith(u"x"_s));
    const Error graceful = GracefulCancellationTimeoutError(5000ms);
    QVERIFY(isCancellation(plain));
    QVERIFY(isCancellation(graceful));
    QVERIFY(!isGracefulTimeout(plain));
    QVERIFY(isGracefulTimeout(graceful));

    Error wrapped = graceful;
    for (int depth = 0; depth < 20; ++depth)
        wrapped = wrapped.wrappedIn(ErrorCode::ServerError, u"outer"_s);
    QVERIFY(isCancellation(wrapped));
    QVERIFY(isGracefulTimeout(wrapped));
    QVERIFY(isCancellation(plain.wrappedIn(ErrorCode::ConnectionLost, u"outer"_s)));
    QCOMPARE(cancellationOf(plain.wrappedIn(ErrorCode::ConnectionLost, {}))->reasonText(), u"x"_s);
}

void TestCancellationError::wordsDoNotMakeACancellation()
{
    // behaviours: 239
    const Error words(ErrorCode::ServerError, u"CANCELLATION_ERROR: cancelled by user"_s,
                      u"CancellationError"_s);
    QVERIFY(!isCancellation(words));
    QVERIFY(!isGracefulTimeout(words));
    QVERIFY(!isCancellation(words.wrappedIn(ErrorCode::TimedOut, u"aborted"_s)));
    QVERIFY(!isCancellation(Error()));
    QVERIFY(!isGracefulTimeout(Error()));
    QVERIFY(!cancellationOf(Error()));
}

void TestCancellationError::errorsMadeWithoutAReasonAreSensible()
{
    // behaviours: 240
    const CancellationSource source;
    source.cancel(CancellationCause::External);
    const Result<void> fromToken = source.token().check(TurnPhase::Initialization);
    QCOMPARE(fromToken.error().message, u"Cancelled in phase initialization"_s);
    QVERIFY(cancellationOf(fromToken.error())->cause() == CancellationCause::External);
    QVERIFY(cancellationOf(fromToken.error())->reasonText().isEmpty());

    const GracefulCancellationTimeoutError fromTimeout(5000ms);
    QCOMPARE(fromTimeout.message(), u"The clean-up after the stop did not end within 5000 ms"_s);
    QVERIFY(!fromTimeout.reason());
    QVERIFY(fromTimeout.reasonText().isEmpty());
    QVERIFY(!fromTimeout.toJson().contains("reason"_L1));
}

void TestCancellationError::codeTextsNeverChange_data()
{
    QTest::addColumn<ErrorCode>("code");
    QTest::addColumn<QString>("text");
    const std::pair<ErrorCode, const char *> released[] = {
        {ErrorCode::Cancelled, "CANCELLATION_ERROR"},
        {ErrorCode::InvalidArgument, "INVALID_ARGUMENT"},
        {ErrorCode::InvalidAddress, "INVALID_ADDRESS"},
        {ErrorCode::NotFound, "NOT_FOUND"},
        {ErrorCode::Busy, "BUSY"},
        {ErrorCode::Io, "IO"},
        {ErrorCode::Storage, "STORAGE"},
        {ErrorCode::StorageDamaged, "STORAGE_DAMAGED"},
        {ErrorCode::HostNotFound, "HOST_NOT_FOUND"},
        {ErrorCode::ConnectionRefused, "CONNECTION_REFUSED"},
        {ErrorCode::ConnectionFailed, "CONNECTION_FAILED"},
        {ErrorCode::ConnectionLost, "CONNECTION_LOST"},
        {ErrorCode::Tls, "TLS"},
        {ErrorCode::NotHttp, "NOT_HTTP"},
        {ErrorCode::HttpStatus, "HTTP_STATUS"},
        {ErrorCode::BadRequest, "BAD_REQUEST"},
        {ErrorCode::Authentication, "AUTHENTICATION"},
        {ErrorCode::PaymentRequired, "PAYMENT_REQUIRED"},
        {ErrorCode::Forbidden, "FORBIDDEN"},
        {ErrorCode::ModelNotFound, "MODEL_NOT_FOUND"},
        {ErrorCode::RateLimited, "RATE_LIMITED"},
        {ErrorCode::QuotaExceeded, "QUOTA_EXCEEDED"},
        {ErrorCode::ContextOverflow, "CONTEXT_OVERFLOW"},
        {ErrorCode::ServerError, "SERVER_ERROR"},
        {ErrorCode::Redirected, "REDIRECTED"},
        {ErrorCode::UnexpectedContent, "UNEXPECTED_CONTENT"},
        {ErrorCode::BadStream, "BAD_STREAM"},
        {ErrorCode::Truncated, "TRUNCATED"},
        {ErrorCode::EmptyAnswer, "EMPTY_ANSWER"},
        {ErrorCode::TooLarge, "TOO_LARGE"},
        {ErrorCode::TimedOut, "TIMED_OUT"},
        {ErrorCode::Denied, "DENIED"},
        {ErrorCode::Unsupported, "UNSUPPORTED"},
        {ErrorCode::Internal, "INTERNAL"},
    };
    for (const auto &[code, text] : released)
        QTest::newRow(text) << code << QString::fromLatin1(text);
}

void TestCancellationError::codeTextsNeverChange()
{
    // behaviours: 241
    QFETCH(ErrorCode, code);
    QFETCH(QString, text);
    QCOMPARE(toString(code), text);
    QVERIFY(errorCodeFromString(text) == code);
}

void TestCancellationError::unknownCodeTextIsInternal()
{
    QVERIFY(errorCodeFromString(u"SOMETHING_NEW") == ErrorCode::Internal);
    QVERIFY(errorCodeFromString({}) == ErrorCode::Internal);
}

void TestCancellationError::chainIsKeptInJsonWithoutDetails()
{
    // behaviours: 242
    Error inner(ErrorCode::ConnectionLost, u"The connection was lost"_s,
                u"the text of a message and {\"path\": \"of a tool call\"}"_s);
    inner.cause = std::make_shared<const Error>(
        CancellationError(TurnPhase::Streaming, reasonWith(u"10 min"_s), true, Noon));
    const Error outer = inner.wrappedIn(ErrorCode::ServerError, u"The request failed"_s);

    const QByteArray text = QJsonDocument(outer.toJson()).toJson();
    const QJsonObject json = QJsonDocument::fromJson(text).object();
    QCOMPARE(json.value("code"_L1), u"SERVER_ERROR"_s);
    QCOMPARE(json.value("message"_L1), u"The request failed"_s);
    const QJsonObject second = json.value("cause"_L1).toObject();
    QCOMPARE(second.value("code"_L1), u"CONNECTION_LOST"_s);
    const QJsonObject third = second.value("cause"_L1).toObject();
    QCOMPARE(third.value("code"_L1), u"CANCELLATION_ERROR"_s);
    QCOMPARE(third.value("cancellation"_L1).toObject().value("reason"_L1), u"10 min"_s);
    QVERIFY(!third.contains("cause"_L1));
    QVERIFY(!text.contains("text of a message"));
    QVERIFY(!text.contains("tool call"));
}

QTEST_APPLESS_MAIN(TestCancellationError)
#include "tst_cancellationerror.moc"
