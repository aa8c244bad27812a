// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/profile.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class TestProfile final : public QObject
{
    Q_OBJECT

private slots:
    void anAddressAsTypedIsMadeComplete_data();
    void anAddressAsTypedIsMadeComplete();
    void anAddressThatCannotBeUsedIsRefusedWithASentence_data();
    void anAddressThatCannotBeUsedIsRefusedWithASentence();
    void onlyLoopbackIsThisMachine_data();
    void onlyLoopbackIsThisMachine();
    void anOriginHasSchemeHostAndPort_data();
    void anOriginHasSchemeHostAndPort();
    void aKeyGoesOnlyToTheOriginItWasSavedFor();
    void whatTheUserShouldKnowOfAnAddressIsSaid();
};

void TestProfile::anAddressAsTypedIsMadeComplete_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("endpoint");

    QTest::newRow("host and port") << u"localhost:11434"_s << u"http://localhost:11434/v1"_s;
    QTest::newRow("spaces around") << u"  localhost:11434\n"_s << u"http://localhost:11434/v1"_s;
    QTest::newRow("local host alone") << u"localhost"_s << u"http://localhost/v1"_s;
    QTest::newRow("local address") << u"127.0.0.1:8080"_s << u"http://127.0.0.1:8080/v1"_s;
    QTest::newRow("bare IPv6") << u"::1"_s << u"http://[::1]/v1"_s;
    QTest::newRow("IPv6 and port") << u"[::1]:8080"_s << u"http://[::1]:8080/v1"_s;
    QTest::newRow("trailing slash") << u"http://host/v1/"_s << u"http://host/v1"_s;
    QTest::newRow("remote is encrypted") << u"api.example.com"_s << u"https://api.example.com/v1"_s;
    QTest::newRow("remote with port")
        << u"api.example.com:8443"_s << u"https://api.example.com:8443/v1"_s;
    QTest::newRow("private network") << u"192.168.1.5:11434"_s << u"http://192.168.1.5:11434/v1"_s;
    QTest::newRow("private network 172") << u"172.16.0.9"_s << u"http://172.16.0.9/v1"_s;
    QTest::newRow("public address") << u"172.32.0.9"_s << u"https://172.32.0.9/v1"_s;
    QTest::newRow("scheme is kept")
        << u"http://api.example.com"_s << u"http://api.example.com/v1"_s;
    QTest::newRow("capital letters")
        << u"HTTPS://API.Example.com/V1"_s << u"https://api.example.com/V1"_s;
    QTest::newRow("path is kept") << u"https://openrouter.ai/api/v1"_s
                                  << u"https://openrouter.ai/api/v1"_s;
    QTest::newRow("path without scheme")
        << u"localhost:8080/api"_s << u"http://localhost:8080/api"_s;
    QTest::newRow("whole request address")
        << u"https://api.example.com/v1/chat/completions"_s << u"https://api.example.com/v1"_s;
    QTest::newRow("whole request address and slash")
        << u"https://api.example.com/v1/chat/completions/"_s << u"https://api.example.com/v1"_s;
    QTest::newRow("request address without version")
        << u"http://localhost:8080/chat/completions"_s << u"http://localhost:8080"_s;
    QTest::newRow("trailing dot of the host")
        << u"https://api.example.com./v1"_s << u"https://api.example.com/v1"_s;
    QTest::newRow("number that is loopback")
        << u"http://2130706433:8080"_s << u"http://127.0.0.1:8080/v1"_s;
}

void TestProfile::anAddressAsTypedIsMadeComplete()
{
    QFETCH(const QString, text);
    QFETCH(const QString, endpoint);
    QString problem = u"left over"_s;
    const QUrl url = endpointFromText(text, &problem);
    QCOMPARE(problem, QString());
    QCOMPARE(url.toString(QUrl::FullyEncoded), endpoint);
    QCOMPARE(endpointFromText(endpoint + u'/', &problem).host(), url.host());
    QCOMPARE(endpointProblem(url), QString());
}

void TestProfile::anAddressThatCannotBeUsedIsRefusedWithASentence_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("word");

    QTest::newRow("empty") << u" "_s << u"Enter the address"_s;
    QTest::newRow("file") << u"file:///etc/passwd"_s << u"file:"_s;
    QTest::newRow("file with one slash") << u"file:/etc/passwd"_s << u"file:"_s;
    QTest::newRow("script") << u"javascript:alert(1)"_s << u"javascript:"_s;
    QTest::newRow("other scheme") << u"ftp://host/v1"_s << u"ftp:"_s;
    QTest::newRow("web socket") << u"ws://host"_s << u"ws:"_s;
    QTest::newRow("unix socket") << u"unix:/run/x.sock"_s << u"unix:"_s;
    QTest::newRow("name and password") << u"https://me:secret@host/v1"_s << u"password"_s;
    QTest::newRow("name alone") << u"https://me@host/v1"_s << u"password"_s;
    QTest::newRow("name without scheme") << u"me@host"_s << u"password"_s;
    QTest::newRow("empty name") << u"https://@host/v1"_s << u"password"_s;
    QTest::newRow("no host") << u"http://"_s << u"server"_s;
    QTest::newRow("no host but a path") << u"http:///v1"_s << u"server"_s;
    QTest::newRow("port too large") << u"http://host:70000"_s << u"valid"_s;
    QTest::newRow("port zero") << u"http://host:0"_s << u"Port 0"_s;
    QTest::newRow("query") << u"https://host/v1?key=1"_s << u"?"_s;
    QTest::newRow("fragment") << u"https://host/v1#x"_s << u"#"_s;
    QTest::newRow("space inside") << u"http://ho st/v1"_s << u"space"_s;
    QTest::newRow("line break inside") << u"http://host/v1\r\nX-Evil: 1"_s << u"space"_s;
    QTest::newRow("NUL inside") << u"http://host"_s + QChar(0) + u".example.com"_s << u"control"_s;
    QTest::newRow("bidi override") << u"http://host\u202e.example.com"_s << u"control"_s;
    QTest::newRow("too long") << u"http://"_s + QString(5000, u'a') << u"longer"_s;
    QTest::newRow("broken IPv6") << u"http://[::1/v1"_s << u"valid"_s;
}

void TestProfile::anAddressThatCannotBeUsedIsRefusedWithASentence()
{
    QFETCH(const QString, text);
    QFETCH(const QString, word);
    QString problem;
    const QUrl url = endpointFromText(text, &problem);
    QVERIFY2(url.isEmpty(), qPrintable(url.toString()));
    QVERIFY2(problem.contains(word), qPrintable(problem));
    QVERIFY(problem.endsWith(u'.'));
    QVERIFY(!problem.contains(u"secret"_s));
    QVERIFY(endpointFromText(text, nullptr).isEmpty());
}

void TestProfile::onlyLoopbackIsThisMachine_data()
{
    QTest::addColumn<QString>("address");
    QTest::addColumn<bool>("local");

    for (const char *address :
         {"http://localhost:1", "http://LOCALHOST", "http://localhost.", "http://127.0.0.1",
          "http://127.255.1.2:80", "http://[::1]:8080", "http://[0:0:0:0:0:0:0:1]",
          "http://[::ffff:127.0.0.1]", "http://[::ffff:7f00:1]", "http://0x7f.1",
          "http://2130706433", "http://model.localhost"})
        QTest::newRow(address) << QString::fromLatin1(address) << true;
    for (const char *address :
         {"http://localhost.example.com", "http://127.0.0.1.example.com", "http://notlocalhost",
          "http://192.168.0.1", "http://128.0.0.1", "http://[::2]", "http://[::ffff:8f00:1]",
          "http://0.0.0.0", "http://", ""})
        QTest::newRow(address) << QString::fromLatin1(address) << false;
}

void TestProfile::onlyLoopbackIsThisMachine()
{
    QFETCH(const QString, address);
    QTEST(isLocal(QUrl(address)), "local");
}

void TestProfile::anOriginHasSchemeHostAndPort_data()
{
    QTest::addColumn<QString>("address");
    QTest::addColumn<QString>("origin");

    QTest::newRow("http") << u"http://Host/v1"_s << u"http://host:80"_s;
    QTest::newRow("https") << u"HTTPS://host"_s << u"https://host:443"_s;
    QTest::newRow("port") << u"https://host:8443/a/b"_s << u"https://host:8443"_s;
    QTest::newRow("IPv6") << u"http://[::1]:8080"_s << u"http://[::1]:8080"_s;
    QTest::newRow("dot at the end") << u"http://host./"_s << u"http://host:80"_s;
    QTest::newRow("look-alike letters")
        << u"https://exämple.com"_s << u"https://xn--exmple-cua.com:443"_s;
    QTest::newRow("no host") << u"file:///x"_s << QString();
    QTest::newRow("nothing") << QString() << QString();
}

void TestProfile::anOriginHasSchemeHostAndPort()
{
    QFETCH(const QString, address);
    QTEST(originOf(QUrl(address)), "origin");
}

void TestProfile::aKeyGoesOnlyToTheOriginItWasSavedFor()
{
    Profile profile;
    profile.endpoint = QUrl(u"https://api.example.com/v1"_s);
    profile.keyOrigin = originOf(profile.endpoint);
    QVERIFY2(!mayReceiveKey(profile), "there is no key");
    profile.keyName = u"main"_s;
    QVERIFY(mayReceiveKey(profile));
    profile.endpoint = QUrl(u"https://api.example.com:443/other"_s);
    QVERIFY(mayReceiveKey(profile));

    for (const QString &other :
         {u"http://api.example.com/v1"_s, u"https://api.example.com:444/v1"_s,
          u"https://api.example.com.evil.org/v1"_s, u"https://evil.org/api.example.com"_s, u""_s}) {
        profile.endpoint = QUrl(other);
        QVERIFY2(!mayReceiveKey(profile), qPrintable(other));
    }
    profile.endpoint = QUrl();
    profile.keyOrigin.clear();
    QVERIFY2(!mayReceiveKey(profile), "no origin is not the same as an equal one");
}

void TestProfile::whatTheUserShouldKnowOfAnAddressIsSaid()
{
    QCOMPARE(endpointWarning(QUrl(u"http://localhost:11434/v1"_s)), QString());
    QCOMPARE(endpointWarning(QUrl(u"https://api.example.com/v1"_s)), QString());
    QVERIFY(endpointWarning(QUrl(u"http://api.example.com/v1"_s)).contains(u"not encrypted"_s));
    // A Cyrillic letter that looks like a Latin one.
    const QString lookAlike = endpointWarning(QUrl(u"https://ex\u0430mple.com/v1"_s));
    QVERIFY2(lookAlike.contains(u"xn--"_s), qPrintable(lookAlike));
}

QTEST_GUILESS_MAIN(TestProfile)
#include "tst_profile.moc"
