// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/iothread.h"
#include "provider/modellist.h"
#include "provider/serverdiscovery.h"
#include "support/enumcomparison.h"
#include "support/loopback.h"
#include "support/modelserver.h"

#include <QJsonObject>
#include <QTest>

#include <thread>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

Reply json(QByteArray text, int status = 200)
{
    return statusReply(status, text.replace('\'', '"'), {{"Content-Type", "application/json"}});
}

Deadline soon()
{
    return steadyClock().now() + 20s;
}

Result<FoundServer> probe(IoThread &io, const QUrl &address)
{
    return probeServer(io, {address}, {}, soon());
}

} // namespace

class tst_ServerDiscovery : public QObject
{
    Q_OBJECT

private slots:
    void aServerIsKnownByItsAnswers_data()
    {
        QTest::addColumn<QList<QByteArray>>(
            "replies"); // to /v1/models and what follows; empty: 404
        QTest::addColumn<QString>("kind");
        const QByteArray list = "{'object':'list','data':[{'id':'a','owned_by':'x'},{'id':'b'}]}";
        const auto row = [](const char *name, const QList<QByteArray> &replies, const char *kind) {
            QTest::newRow(name) << replies << QString::fromLatin1(kind);
        };
        row("KoboldCpp", {list, "{'result':'KoboldCpp','version':'1'}"}, "koboldcpp");
        row("Ollama", {list, "", "{'version':'0.6.1'}"}, "ollama");
        row("llama.cpp by its properties", {list, "", "", "{'total_slots':1}"}, "llama.cpp");
        row("llama.cpp by its list", {"{'data':[{'id':'a','owned_by':'llamacpp'},{'id':'b'}]}"},
            "llama.cpp");
        row("vLLM", {"{'data':[{'id':'a','owned_by':'vllm','max_model_len':1},{'id':'b'}]}"},
            "vllm");
        row("LM Studio", {list, "", "", "", "{'models':[{'key':'a'}]}"}, "lmstudio");
        row("older LM Studio", {list, "", "", "", "", "{'data':[{'id':'a'}]}"}, "lmstudio");
        row("text-generation-webui", {list, "", "", "", "", "", "{'model_name':'a'}"},
            "text-generation-webui");
        row("LocalAI", {list, "", "", "", "", "", "", "ok"}, "localai");
        row("any other", {list, ""}, "openai-compatible");
        row("errors with status 200", {list, "{'error':'Unexpected endpoint'}", "[]", "7", "", ""},
            "openai-compatible");
    }

    void aServerIsKnownByItsAnswers()
    {
        QFETCH(QList<QByteArray>, replies);
        ModelServerScript script;
        for (const QByteArray &reply : replies)
            script.replies.push_back(reply.isEmpty() ? statusReply(404, "") : json(reply));
        script.replies.push_back(statusReply(404, ""));
        ModelServer server(script);
        IoThread io;
        const Result<FoundServer> found = probe(io, server.url(QString()));
        QVERIFY2(found.ok(), found.ok() ? "" : qPrintable(found.error().message));
        QTEST(found->kind, "kind");
        QVERIFY(!found->name.isEmpty());
        QCOMPARE(found->models, (QStringList{u"a"_s, u"b"_s}));
        QCOMPARE(found->endpoint, server.url(u"/v1"_s));
        for (const ServedRequest &request : server.requests()) {
            QCOMPARE(request.method, QByteArray("GET"));
            QVERIFY(request.header("authorization").isEmpty());
        }
    }

    void aServerThatLoadsItsModelIsFound()
    {
        ModelServer server(json(
            "{'error':{'code':503,'message':'Loading model','type':'unavailable_error'}}", 503));
        IoThread io;
        const Result<FoundServer> found = probe(io, server.url(QString()));
        QVERIFY(found.ok());
        QCOMPARE(found->kind, u"llama.cpp"_s);
        QVERIFY(found->models.isEmpty());
    }

    void whatIsNoModelServerIsNotFound()
    {
        IoThread io;
        for (const Reply &reply :
             {json("<html></html>"), json("{'hello':1}"), statusReply(401, "")}) {
            ModelServer server(reply);
            const Result<FoundServer> found = probe(io, server.url(QString()));
            QVERIFY(found.isFault());
            QCOMPARE(found.error().code, ErrorCode::NotFound);
        }
        QUrl nobody(u"http://127.0.0.1"_s);
        nobody.setPort(unusedPort());
        QCOMPARE(probe(io, nobody).error().code, ErrorCode::ConnectionRefused);
    }

    void otherMachinesAreNotAsked()
    {
        IoThread io;
        for (const QString &address :
             {u"http://192.168.1.1:11434"_s, u"http://example.org:8080"_s, u"http://0.0.0.0:80"_s})
            QCOMPARE(probe(io, QUrl(address)).error().code, ErrorCode::InvalidAddress);
        for (const ServerCandidate &candidate : serverCandidates())
            QCOMPARE(candidate.address.host(), u"localhost"_s);
    }

    void aSilentPortEndsByTheDeadlineOrStop()
    {
        ModelServer server(silentReply());
        IoThread io;
        const auto late = probeServer(io, {server.url(QString())}, {}, steadyClock().now() + 50ms);
        QCOMPARE(late.error().code, ErrorCode::TimedOut);
        const CancellationSource source;
        std::thread stopper([&] {
            server.waitForRequests(2);
            source.cancel(CancellationCause::User);
        });
        QVERIFY(probeServer(io, {server.url(QString())}, source.token(), soon()).isCancelled());
        stopper.join();
        QVERIFY(fetchModels(io, server.url(u"/v1"_s), {}, source.token(), soon()).isCancelled());
        QCOMPARE(server.requests().size(), size_t(2));
    }

    void modelNamesAreReadFromEveryForm_data()
    {
        QTest::addColumn<QByteArray>("list");
        QTest::addColumn<QStringList>("names");
        QTest::newRow("data") << QByteArray("{'data':[{'id':'a'},{'id':'b'},{'id':'a'}]}")
                              << QStringList{u"a"_s, u"b"_s};
        QTest::newRow("models") << QByteArray("{'models':[{'name':'a'},{'key':'b'},{'x':1},7]}")
                                << QStringList{u"a"_s, u"b"_s};
        QTest::newRow("array") << QByteArray("[{'id':'a'}]") << QStringList{u"a"_s};
        QTest::newRow("empty") << QByteArray("{'data':[]}") << QStringList();
    }

    void modelNamesAreReadFromEveryForm()
    {
        QFETCH(QByteArray, list);
        ModelServer server(json(list));
        IoThread io;
        const Result<QStringList> names =
            fetchModels(io, server.url(u"/v1"_s), Secret("sk-1"), {}, soon());
        QVERIFY(names.ok());
        QTEST(*names, "names");
        QCOMPARE(server.requests().front().path, QByteArray("/v1/models"));
        QCOMPARE(server.requests().front().header("authorization"), QByteArray("Bearer sk-1"));
    }

    void aFailedTestSaysWhy_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<ErrorCode>("code");
        QTest::newRow("key") << 401 << QByteArray() << ErrorCode::Authentication;
        QTest::newRow("path") << 404 << QByteArray("<h1>Not Found</h1>") << ErrorCode::NotFound;
        QTest::newRow("page") << 200 << QByteArray("<html></html>") << ErrorCode::UnexpectedContent;
        QTest::newRow("object") << 200 << QByteArray("{}") << ErrorCode::UnexpectedContent;
        QTest::newRow("too much") << 200 << QByteArray(9 * 1024 * 1024, ' ') << ErrorCode::TooLarge;
        QTest::newRow("redirect") << 302 << QByteArray() << ErrorCode::Redirected;
    }

    void aFailedTestSaysWhy()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        QFETCH(ErrorCode, code);
        ModelServer server(statusReply(status, body, {{"Location", "http://elsewhere.test/"}}));
        IoThread io;
        const Result<QStringList> names =
            fetchModels(io, server.url(u"/v1"_s), Secret("sk-1"), {}, soon());
        QVERIFY(names.isFault());
        QCOMPARE(names.error().code, code);
        QVERIFY(names.error().message.contains(u"127.0.0.1"));
    }
};

QTEST_GUILESS_MAIN(tst_ServerDiscovery)
#include "tst_serverdiscovery.moc"
