// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/redaction.h"

#include <QtTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class TestRedaction final : public QObject
{
    Q_OBJECT

private slots:
    void credentialsAreReplaced_data();
    void credentialsAreReplaced();
    void ordinaryTextStays_data();
    void ordinaryTextStays();
    void hostileTextTakesLinearTime_data();
    void hostileTextTakesLinearTime();
};

void TestRedaction::credentialsAreReplaced_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("clean");
    const auto row = [](const char *name, const QString &text, const QString &clean) {
        QTest::newRow(name) << text << clean;
    };
    row("bearer header", u"GET /\r\nAuthorization: Bearer CANARY.x_y~z+/=\r\nHost: a"_s,
        u"GET /\r\nAuthorization: Bearer [redacted]\r\nHost: a"_s);
    row("basic header", u"proxy-authorization: Basic Q0FOQVJZOng="_s,
        u"proxy-authorization: Basic [redacted]"_s);
    row("other scheme", u"Authorization: Digest username=\"CANARY\", response=\"CANARY\"\nok"_s,
        u"Authorization: [redacted]\nok"_s);
    row("bearer in a sentence", u"sent bearer CANARY1CANARY to it"_s,
        u"sent bearer [redacted] to it"_s);
    row("long bearer without a digit", u"(Bearer CANARYCANARYCANARYCANARY)"_s,
        u"(Bearer [redacted])"_s);
    row("name without a value", u"password:\nx-api-key: CANARY"_s,
        u"password:\nx-api-key: [redacted]"_s);
    row("quoted on the next line", u"{\"password\":\n  \"CANARY\"}"_s,
        u"{\"password\":\n  \"[redacted]\"}"_s);
    row("all cookies", u"Cookie: a=CANARY; b=CANARY; c=\"CANARY\"\r\nHost: h"_s,
        u"Cookie: [redacted]\r\nHost: h"_s);
    row("set-cookie", u"Set-Cookie: sid=CANARY; Path=/; HttpOnly"_s, u"Set-Cookie: [redacted]"_s);
    row("api key header", u"x-api-key: CANARY\nx"_s, u"x-api-key: [redacted]\nx"_s);
    row("google header", u"X-Goog-Api-Key: CANARY"_s, u"X-Goog-Api-Key: [redacted]"_s);
    row("json", uR"({"api_key": "CANARY", "n": 1})"_s, uR"({"api_key": "[redacted]", "n": 1})"_s);
    row("json headers", uR"({"Authorization":"Bearer CANARY","Host":"h"})"_s,
        uR"({"Authorization":"Bearer [redacted]","Host":"h"})"_s);
    row("json with quotes and spaces", uR"({"password": "CANARY \"CANARY\" it's", "n": 1})"_s,
        uR"({"password": "[redacted]", "n": 1})"_s);
    row("json in json", uR"({"m": "{\"secret\":\"CANARY\",\"n\":1}", "k": 2})"_s,
        uR"({"m": "{\"secret\":\"[redacted]", "k": 2})"_s);
    row("cut json", uR"({"error": {"access_token": "CANARY and mo)"_s,
        uR"({"error": {"access_token": "[redacted])"_s);
    row("single quotes", u"{'apiKey': 'CANARY'}"_s, u"{'apiKey': '[redacted]'}"_s);
    row("short value", u"password=x y"_s, u"password=[redacted] y"_s);
    row("query", u"https://h/v1?a=1&key=CANARY&api_key=CANARY&b=2"_s,
        u"https://h/v1?a=1&key=[redacted]&api_key=[redacted]&b=2"_s);
    row("form", u"client_secret=CANARY&refresh_token=CANARY"_s,
        u"client_secret=[redacted]&refresh_token=[redacted]"_s);
    row("user in address", u"http://me:CANARY@proxy:3128/x"_s, u"http://[redacted]@proxy:3128/x"_s);
    row("token in address", u"https://CANARY@host/repo.git"_s,
        u"https://[redacted]@host/repo.git"_s);
    row("openai", u"key sk-proj-CANARYCANARYCANARY_1 is wrong"_s, u"key [redacted] is wrong"_s);
    row("anthropic", u"(sk-ant-api03-CANARYCANARYCANARY)"_s, u"([redacted])"_s);
    row("google", u"AIzaCANARYCANARYCANARYCANARYCANARYCANARY"_s, u"[redacted]"_s);
    row("github", u"ghp_CANARYCANARYCANARYCANARY"_s, u"[redacted]"_s);
    const QString lone(QChar(0xD800));
    row("lone surrogate", lone + u"Authorization: Bearer CANARY"_s,
        u"?Authorization: Bearer [redacted]"_s);
    row("nul", u"\u0000api-key: CANARY"_s, u"\u0000api-key: [redacted]"_s);
    row("twice in a line", u"api_key=CANARY api_key=CANARY"_s,
        u"api_key=[redacted] api_key=[redacted]"_s);
}

void TestRedaction::credentialsAreReplaced()
{
    // behaviours: 283
    QFETCH(QString, text);
    QFETCH(QString, clean);
    QCOMPARE(redacted(text), clean);
    QVERIFY(!redacted(text).contains("CANARY"_L1));
    QCOMPARE(redacted(clean), clean);
}

void TestRedaction::ordinaryTextStays_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("empty") << QString();
    QTest::newRow("sentence") << u"The bearer of this letter keeps basic manners."_s;
    QTest::newRow("a provider's words")
        << u"Missing bearer or basic authentication in header; basic\nauthentication failed"_s;
    QTest::newRow("identifiers")
        << u"skipUnresolvedReferences pkgconfigDirectories hfsplusFilesystem"_s;
    QTest::newRow("counts") << uR"({"total_tokens": 17, "max_tokens": 100})"_s;
    QTest::newRow("address") << u"https://host:8080/path?q=1#part and a@b.example"_s;
    QTest::newRow("key of an object") << uR"({"key": "value", "monkey": "banana"})"_s;
    QTest::newRow("unicode") << u"\U0001F600 \u00e9\u4e2d"_s;
}

void TestRedaction::ordinaryTextStays()
{
    QFETCH(QString, text);
    QCOMPARE(redacted(text), text);
}

void TestRedaction::hostileTextTakesLinearTime_data()
{
    // If one of these is quadratic, it takes hours.
    constexpr int Many = 1000000;
    QTest::addColumn<QString>("text");
    QTest::newRow("spaces after a name") << u"password:"_s + QString(Many, u' ');
    QTest::newRow("spaces before a colon") << u"password"_s + QString(Many, u' ') + u"x"_s;
    QTest::newRow("spaces after bearer") << u"bearer"_s + QString(Many, u' ');
    QTest::newRow("names") << u"authorization"_s.repeated(Many / 10);
    QTest::newRow("bearers") << u"authorization: "_s + u"bearer "_s.repeated(Many / 10);
    QTest::newRow("backslashes") << u"\"secret\": \""_s + QString(Many, u'\\');
    QTest::newRow("open quote") << u"\"secret\": \""_s + QString(Many, u'x');
    QTest::newRow("quotes") << u"api_key=\""_s.repeated(Many / 10);
    QTest::newRow("addresses") << u"://"_s.repeated(Many / 10);
    QTest::newRow("user without end") << u"://"_s + QString(Many, u'u');
    QTest::newRow("prefixes") << u"sk-"_s.repeated(Many / 10);
}

void TestRedaction::hostileTextTakesLinearTime()
{
    // behaviours: 283
    QFETCH(QString, text);
    const QString clean = redacted(text + u"\nx-api-key: CANARY"_s);
    QVERIFY(!clean.contains("CANARY"_L1));
}

QTEST_APPLESS_MAIN(TestRedaction)
#include "tst_redaction.moc"
