// SPDX-License-Identifier: GPL-3.0-or-later
#include "httptranscript.h"

#include "io/iothread.h"
#include "support/loopback.h"
#include "support/modelserver.h"

#include <QFile>
#include <QNetworkProxyFactory>
#include <QProcess>
#include <QSslConfiguration>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace fermata;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

// Against the TLS server of the openssl tool, which serves files as whole replies; certificates are made on the spot.
class TestHttpStreamTls : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void readsAReplyOfATrustedServer();
    void holdsATrustedServerUpWhilePaused();
    void refusesBadCertificates_data();
    void refusesBadCertificates();
    void tellsAServerOfAnotherProtocol();
    void closesATrustedStream_data();
    void closesATrustedStream();

private:
    void makeCertificate(const QString &name, const QString &subjectAlternative);
    void serve(const QString &certificate, const QStringList &options = {});
    void trust(const QString &certificate);
    QUrl url(const QString &file) const;

    QTemporaryDir m_folder;
    QSslConfiguration m_original;
    std::unique_ptr<QProcess> m_server;
    quint16 m_port = 0;
};

void TestHttpStreamTls::initTestCase()
{
    QNetworkProxyFactory::setUseSystemConfiguration(false);
    if (QStandardPaths::findExecutable(u"openssl"_s).isEmpty())
        QSKIP("The openssl tool is not installed.");
    m_original = QSslConfiguration::defaultConfiguration();
    makeCertificate(u"good"_s, u"IP:127.0.0.1"_s);
    makeCertificate(u"other"_s, u"DNS:example.test"_s);

    QByteArray body(3'000'000, Qt::Uninitialized);
    for (qsizetype i = 0; i < body.size(); ++i)
        body[i] = char(i * 31 + i / 997);
    QFile large(m_folder.filePath(u"large"_s));
    QVERIFY(large.open(QIODevice::WriteOnly));
    large.write("HTTP/1.1 200 OK\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n\r\n"
                + body);
    QFile endless(m_folder.filePath(u"endless"_s));
    QVERIFY(endless.open(QIODevice::WriteOnly));
    endless.write("HTTP/1.1 200 OK\r\nContent-Length: 200000000\r\n\r\n");
    QVERIFY(endless.resize(200'000'000));
}

void TestHttpStreamTls::cleanup()
{
    if (m_server) {
        m_server->kill();
        m_server->waitForFinished();
        m_server.reset();
    }
    QSslConfiguration::setDefaultConfiguration(m_original);
}

void TestHttpStreamTls::makeCertificate(const QString &name, const QString &subjectAlternative)
{
    QProcess openssl;
    openssl.setWorkingDirectory(m_folder.path());
    openssl.start(u"openssl"_s,
                  {u"req"_s, u"-x509"_s, u"-newkey"_s, u"rsa:2048"_s, u"-nodes"_s, u"-days"_s,
                   u"2"_s, u"-subj"_s, u"/CN=Fermata test"_s, u"-addext"_s,
                   u"subjectAltName="_s + subjectAlternative, u"-keyout"_s, name + u".key"_s,
                   u"-out"_s, name + u".pem"_s});
    QVERIFY(openssl.waitForFinished());
    QVERIFY2(openssl.exitCode() == 0, openssl.readAllStandardError().constData());
}

void TestHttpStreamTls::serve(const QString &certificate, const QStringList &options)
{
    m_port = unusedPort();
    m_server = std::make_unique<QProcess>();
    m_server->setWorkingDirectory(m_folder.path());
    m_server->start(u"openssl"_s,
                    QStringList{u"s_server"_s, u"-HTTP"_s, u"-accept"_s,
                                u"127.0.0.1:%1"_s.arg(m_port), u"-cert"_s, certificate + u".pem"_s,
                                u"-key"_s, certificate + u".key"_s}
                        + options);
    QByteArray output;
    while (!output.contains("ACCEPT") && m_server->waitForReadyRead())
        output += m_server->readAllStandardOutput();
    QVERIFY2(output.contains("ACCEPT"), m_server->readAllStandardError().constData());
}

void TestHttpStreamTls::trust(const QString &certificate)
{
    QSslConfiguration configuration = m_original;
    QVERIFY(configuration.addCaCertificates(m_folder.filePath(certificate + u".pem"_s)));
    QSslConfiguration::setDefaultConfiguration(configuration);
}

QUrl TestHttpStreamTls::url(const QString &file) const
{
    return QUrl(u"https://127.0.0.1:%1/%2"_s.arg(m_port).arg(file));
}

void TestHttpStreamTls::readsAReplyOfATrustedServer()
{
    serve(u"good"_s);
    trust(u"good"_s);
    IoThread io;
    HttpRequest request;
    request.url = url(u"large"_s);
    const HttpTranscript got = readAll(*io.openHttp(request, {}));
    QCOMPARE(
        got.order,
        QStringList({u"resolving"_s, u"connecting"_s, u"sent"_s, u"head"_s, u"body"_s, u"end"_s}));
    QCOMPARE(got.body.size(), 3'000'000);
    for (qsizetype i = 0; i < got.body.size(); ++i) {
        if (got.body[i] != char(i * 31 + i / 997))
            QFAIL(qPrintable(u"wrong byte at %1"_s.arg(i)));
    }
}

void TestHttpStreamTls::holdsATrustedServerUpWhilePaused()
{
    serve(u"good"_s);
    trust(u"good"_s);
    IoThread io;
    HttpRequest request;
    request.url = url(u"large"_s);
    const auto stream = io.openHttp(request, {});
    HttpTranscript got = readUntil(*stream, u"body"_s);
    stream->pause();
    while (readOne(*stream, got, {}, soon(200ms))) { }
    QVERIFY(got.timedOut);
    QVERIFY(got.body.size() < 1'000'000);
    stream->resume();
    while (readOne(*stream, got)) { }
    QCOMPARE(got.end(), u"end"_s);
    QCOMPARE(got.body.size(), 3'000'000);
}

void TestHttpStreamTls::refusesBadCertificates_data()
{
    // B40
    QTest::addColumn<QString>("certificate");
    QTest::addColumn<QString>("trusted");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("reason");
    QTest::newRow("self-signed") << u"good"_s << QString() << QStringList() << u"self-signed"_s;
    QTest::newRow("for another host")
        << u"other"_s << u"other"_s << QStringList() << u"host name"_s;
    QTest::newRow("TLS 1.0") << u"good"_s << u"good"_s
                             << QStringList{u"-tls1"_s, u"-cipher"_s, u"DEFAULT@SECLEVEL=0"_s}
                             << QString();
}

void TestHttpStreamTls::refusesBadCertificates()
{
    QFETCH(QString, certificate);
    QFETCH(QString, trusted);
    QFETCH(QStringList, options);
    QFETCH(QString, reason);
    serve(certificate, options);
    if (!trusted.isEmpty())
        trust(trusted);
    IoThread io;
    HttpRequest request = post(url(u"large"_s));
    request.secretHeader = {"Authorization"_ba, Secret("canary"_ba)};
    const HttpTranscript got = readAll(*io.openHttp(request, {}));
    QCOMPARE(got.order, QStringList({u"resolving"_s, u"connecting"_s, toString(ErrorCode::Tls)}));
    QVERIFY2(got.message.startsWith(u"No secure connection to 127.0.0.1:%1: "_s.arg(m_port)),
             qPrintable(got.message));
    QVERIFY2(got.message.contains(reason), qPrintable(got.message));
}

void TestHttpStreamTls::tellsAServerOfAnotherProtocol()
{
    ModelServer server(
        ModelServerScript{.replies = {}, .models = {}, .greeting = "SSH-2.0-OpenSSH_9.2\r\n"_ba});
    IoThread io;
    QUrl address = server.url();
    QCOMPARE(readAll(*io.openHttp(post(address), {})).end(), toString(ErrorCode::NotHttp));
    address.setScheme(u"https"_s);
    QCOMPARE(readAll(*io.openHttp(post(address), {})).end(), toString(ErrorCode::Tls));
}

void TestHttpStreamTls::closesATrustedStream_data()
{
    QTest::addColumn<bool>("paused");
    QTest::newRow("flooding") << false;
    QTest::newRow("paused") << true;
}

void TestHttpStreamTls::closesATrustedStream()
{
    QFETCH(bool, paused);
    serve(u"good"_s);
    trust(u"good"_s);
    IoThread io;
    HttpRequest request;
    request.url = url(u"endless"_s);
    CancellationSource source;
    const auto stream = io.openHttp(request, source.token());
    QCOMPARE(readUntil(*stream, u"body"_s).end(), u"body"_s);
    if (paused)
        stream->pause();
    source.cancel(CancellationCause::User);
    QVERIFY(stream->next(source.token()).isCancelled());
    QTRY_VERIFY(stream->closedAt());
    // The tool serves one connection at a time: it is free again only because the first one was closed.
    request.url = url(u"large"_s);
    QCOMPARE(readAll(*io.openHttp(request, {})).body.size(), 3'000'000);
}

QTEST_GUILESS_MAIN(TestHttpStreamTls)
#include "tst_httpstreamtls.moc"
