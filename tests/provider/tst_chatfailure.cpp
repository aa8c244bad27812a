// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/chatfailure.h"
#include "support/enumcomparison.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const ChatTarget Target{
    .endpoint = QUrl(u"https://model.test:8443/v1"_s), .model = u"qwen3:8b"_s, .hasKey = true};
const QDateTime Now(QDate(2026, 3, 1), QTime(12, 0), Qt::UTC);

// JSON with ' for ", so that it can be read here.
ChatFailure failure(int status, QByteArray body,
                    std::vector<std::pair<QByteArray, QByteArray>> headers = {})
{
    body.replace('\'', '"');
    return failureOfReply(Target, {.status = status, .reason = "x", .headers = std::move(headers)},
                          body, Now);
}

} // namespace

class tst_ChatFailure : public QObject
{
    Q_OBJECT

private slots:
    void aStatusBecomesWhatItMeans_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<ErrorCode>("code");
        QTest::addColumn<bool>("retryable");
        const auto row = [](const char *name, int status, const QByteArray &body, ErrorCode code,
                            bool retryable) {
            QTest::newRow(name) << status << body << code << retryable;
        };
        row("400", 400, "{'error':{'message':'bad'}}", ErrorCode::BadRequest, false);
        row("400 context", 400,
            "{'error':{'message':'The model has a maximum context length of 4096 tokens'}}",
            ErrorCode::ContextOverflow, false);
        row("400 context of llama.cpp", 400,
            "{'error':{'code':400,'type':'exceed_context_size_error','message':'x'}}",
            ErrorCode::ContextOverflow, false);
        row("401", 401, "", ErrorCode::Authentication, false);
        row("402", 402, "", ErrorCode::PaymentRequired, false);
        row("403", 403, "<html>no</html>", ErrorCode::Forbidden, false);
        row("404 model", 404, "{'error':{'message':'model qwen3:8b not found'}}",
            ErrorCode::ModelNotFound, false);
        row("404 page", 404, "<h1>Not Found</h1>", ErrorCode::NotFound, false);
        row("408", 408, "", ErrorCode::HttpStatus, true);
        row("409", 409, "", ErrorCode::HttpStatus, true);
        row("413", 413, "", ErrorCode::ContextOverflow, false);
        row("418", 418, "", ErrorCode::HttpStatus, false);
        row("422", 422, "{'detail':[{'msg':'field required'}]}", ErrorCode::BadRequest, false);
        row("425", 425, "", ErrorCode::HttpStatus, true);
        row("429", 429, "{'error':{'message':'slow down','code':'rate_limit_exceeded'}}",
            ErrorCode::RateLimited, true);
        row("429 quota", 429, "{'error':{'message':'x','code':'insufficient_quota'}}",
            ErrorCode::QuotaExceeded, false);
        row("500", 500, QByteArray(200'000, '\0'), ErrorCode::ServerError, true);
        row("501", 501, "", ErrorCode::ServerError, false);
        row("502", 502, "<html><head><title>Bad gateway</title></head></html>",
            ErrorCode::ServerError, true);
        row("503", 503,
            "{'error':{'code':503,'message':'Loading model','type':'unavailable_error'}}",
            ErrorCode::ServerError, true);
        row("504", 504, "", ErrorCode::ServerError, true);
        row("529", 529, "{'type':'error','error':{'type':'overloaded_error','message':'x'}}",
            ErrorCode::ServerError, true);
        row("999", 999, "", ErrorCode::HttpStatus, false);
    }

    void aStatusBecomesWhatItMeans()
    {
        // behaviours: 118
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        const ChatFailure told = failure(status, body);
        QFETCH(ErrorCode, code);
        QCOMPARE(told.error.code, code);
        QTEST(told.advice.retryable, "retryable");
        QVERIFY2(told.error.message.contains(u"model.test:8443"), qPrintable(told.error.message));
        QVERIFY(told.error.message.size() < 500);
        QVERIFY(told.error.detail.size() < 5000);
        QVERIFY(!told.error.message.contains(u'<'));
    }

    void theSentenceSaysWhatToDo()
    {
        QCOMPARE(
            failure(401, "").error.message,
            u"The server at model.test:8443 did not accept the key. Check it in Settings > Model."_s);
        const QString unknown =
            failure(404, "{'error':{'code':'model_not_found','message':'x'}}").error.message;
        QVERIFY(unknown.contains(u"qwen3:8b") && unknown.contains(u"404")
                && unknown.contains(u"Settings > Model"));
    }

    void aRedirectNamesItsTargetAndNothingSecret()
    {
        const ChatFailure told = failure(
            307, "",
            {{"Location", "https://user:pw@other.test/v1/x?ticket=sk-abcdefghijklmnopqrstuv"}});
        QCOMPARE(told.error.code, ErrorCode::Redirected);
        QVERIFY(told.error.message.contains(u"https://other.test/v1/x"));
        QVERIFY(!told.error.message.contains(u"ticket") && !told.error.message.contains(u"pw"));
        QVERIFY(!told.advice.retryable);
        for (const QByteArray &location : {QByteArray(), QByteArray("file:///etc/passwd"),
                                           QByteArray("\xff\xfe"), QByteArray(100'000, 'x')})
            QCOMPARE(failure(302, "", {{"Location", location}}).error.code, ErrorCode::Redirected);
    }

    void secretsAndMarkupNeverPass()
    {
        // behaviours: 283
        const QByteArray body = "{'error':{'message':'<b>Incorrect</b> API key provided: "
                                "sk-abcdefghijklmnopqrstuvwx. %1 %2 \\u202e\\u0007'}}";
        const Error error = failure(400, body).error;
        for (const QString &text : {error.message, error.detail}) {
            QVERIFY2(!text.contains(u"sk-abc"), qPrintable(text));
            QVERIFY(text.contains(u"[redacted]"));
        }
        QVERIFY(error.message.contains(u"Incorrect") && error.message.contains(u"%1 %2"));
        QVERIFY(!error.message.contains(u'\u202e') && !error.message.contains(u'\a'));
    }

    void retryAfterIsReadInAllItsForms_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<qint64>("expected"); // ms; -1: nothing
        const auto row = [](const char *title, const char *name, const char *value,
                            qint64 expected) {
            QTest::newRow(title) << QByteArray(name) << QByteArray(value) << expected;
        };
        row("seconds", "Retry-After", "5", 5000);
        row("fraction", "Retry-After", "0.25", 250);
        row("milliseconds", "retry-after-ms", "1500", 1500);
        row("negative", "Retry-After", "-3", 0);
        row("a day", "Retry-After", "86400", 86'400'000);
        row("huge", "Retry-After", "99999999999999999999", 1'000'000'000'000);
        row("date", "Retry-After", "Sun, 01 Mar 2026 12:00:30 GMT", 30'000);
        row("past date", "Retry-After", "Sat, 28 Feb 2026 12:00:00 GMT", 0);
        row("2099", "Retry-After", "Thu, 01 Jan 2099 00:00:00 GMT", 1'000'000'000'000);
        row("garbage", "Retry-After", "soon", -1);
        row("infinite", "Retry-After", "1e999", -1);
        row("not a number", "Retry-After", "nan", -1);
        row("none", "X", "1", -1);
    }

    void retryAfterIsReadInAllItsForms()
    {
        // behaviours: 123
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, value);
        const RetryAdvice advice = failure(429, "", {{name, value}}).advice;
        QVERIFY(advice.retryable);
        QTEST(advice.retryAfter ? qint64(advice.retryAfter->count()) : qint64(-1), "expected");
    }

    void retryAfterIsReadFromTheBody()
    {
        QCOMPARE(failure(429, "{'error':{'message':'Please try again in 5.289s. Visit x'}}")
                     .advice.retryAfter,
                 5289ms);
        QCOMPARE(failure(429, "{'error':{'message':'Please try again in 1m2s'}}").advice.retryAfter,
                 62s);
        QCOMPARE(
            failure(429, "{'error':{'message':'Please try again in 250ms'}}").advice.retryAfter,
            250ms);
        QCOMPARE(failure(429,
                         "[{'error':{'code':429,'message':'x','status':'RESOURCE_EXHAUSTED','"
                         "details':[{'@type':'t','retryDelay':'38s'}]}}]")
                     .advice.retryAfter,
                 38s);
    }

    void theServerDecidesWhetherToRetry()
    {
        QVERIFY(!failure(500, "", {{"x-should-retry", "false"}}).advice.retryable);
        QVERIFY(failure(400, "", {{"X-Should-Retry", "true"}}).advice.retryable);
    }

    void onlyAConnectionWithoutAReplyIsTriedAgain()
    {
        // behaviours: 118
        QVERIFY(
            failureOfConnection(Target, Error(ErrorCode::ConnectionLost, u"x"_s)).advice.retryable);
        for (const ErrorCode code : {ErrorCode::ConnectionRefused, ErrorCode::HostNotFound,
                                     ErrorCode::Tls, ErrorCode::Truncated, ErrorCode::NotHttp})
            QVERIFY(!failureOfConnection(Target, Error(code, u"x"_s)).advice.retryable);
    }
};

QTEST_GUILESS_MAIN(tst_ChatFailure)
#include "tst_chatfailure.moc"
