// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/modelcatalog.h"

#include "base/clock.h"
#include "io/iothread.h"
#include "session/sessionservices.h"
#include "settings/secretstore.h"
#include "support/loopback.h"
#include "support/modelserver.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

Profile profileFor(const QUrl &endpoint)
{
    Profile profile;
    profile.id = u"p"_s;
    profile.kind = u"openai"_s;
    profile.endpoint = endpoint;
    return profile;
}

ModelServerScript listing(const QStringList &models)
{
    ModelServerScript script;
    script.models = models;
    return script;
}

QUrl endpointOf(const ModelServer &server)
{
    return server.url(u"/v1"_s);
}

} // namespace

class TestModelCatalog final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanup();
    void aServerThatAnswersGivesItsModels();
    void whatIsWrongIsSaidInASentence_data();
    void whatIsWrongIsSaidInASentence();
    void aServerThatRefusesTheKeyIsAProblem();
    void aStoppedTestEndsOnceAndClosesTheConnection();
    void stoppingWithoutATestDoesNothing();
    void aNewTestStopsTheOneThatRuns();
    void aKeyForAnotherOriginIsNotSent();
    void aSavedKeyIsFetchedForTheTest();
    void aKeyFromTheEnvironmentIsUsed();
    void theGuideAlwaysWorks();
    void aTestFromASlotOfTestedEndsOnce();
    void destructionWhileAskingIsQuick();
    void aServerOnThisMachineIsFoundWithoutCredentials();
    void discoveryNeverLeavesThisMachine();
    void profilesComeFromTheEnvironment_data();
    void profilesComeFromTheEnvironment();

private:
    std::unique_ptr<ModelCatalog> catalog() const
    {
        return std::make_unique<ModelCatalog>(m_services);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<IoThread> m_io;
    std::unique_ptr<SecretStore> m_secrets;
    std::shared_ptr<SessionServices> m_services;
};

void TestModelCatalog::initTestCase()
{
    qRegisterMetaType<DiscoveredServer>();
    qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
}

void TestModelCatalog::init()
{
    for (const char *name :
         {"OPENAI_API_KEY", "OPENAI_BASE_URL", "OLLAMA_HOST", "FERMATA_TEST_KEY"})
        qunsetenv(name);
    m_folder = std::make_unique<QTemporaryDir>();
    m_io = std::make_unique<IoThread>();
    m_secrets = std::make_unique<SecretStore>(m_folder->filePath(u"keys.json"_s));
    m_services = std::make_shared<SessionServices>();
    m_services->io = m_io.get();
    m_services->secrets = m_secrets.get();
}

void TestModelCatalog::cleanup()
{
    m_services.reset();
    m_secrets.reset();
    m_io.reset();
    m_folder.reset();
}

void TestModelCatalog::aServerThatAnswersGivesItsModels()
{
    ModelServer server(listing({u"small"_s, u"large"_s}));
    const auto models = catalog();
    QSignalSpy tested(models.get(), &ModelCatalog::tested);
    models->test(profileFor(endpointOf(server)), Secret(" sk-canary\n"));
    QCOMPARE(tested.size(), 0);
    QTRY_COMPARE(tested.size(), 1);
    QCOMPARE(tested[0][0].toString(), u"p"_s);
    QCOMPARE(tested[0][1].toStringList(), QStringList({u"small"_s, u"large"_s}));
    QCOMPARE(tested[0][2].toString(), QString());
    const auto requests = server.requests();
    QCOMPARE(requests.size(), size_t(1));
    QCOMPARE(requests[0].method, QByteArray("GET"));
    QCOMPARE(requests[0].path, QByteArray("/v1/models"));
    QCOMPARE(requests[0].header("Authorization"), QByteArray("Bearer sk-canary"));
}

void TestModelCatalog::whatIsWrongIsSaidInASentence_data()
{
    QTest::addColumn<QUrl>("endpoint");
    QTest::addColumn<QByteArray>("key");
    QTest::newRow("nobody listens")
        << QUrl(u"http://127.0.0.1:%1/v1"_s.arg(unusedPort())) << QByteArray();
    QTest::newRow("no address") << QUrl() << QByteArray();
    QTest::newRow("a file") << QUrl(u"file:///etc/passwd"_s) << QByteArray();
    QTest::newRow("no host of that name") << QUrl(u"http://nowhere.invalid/v1"_s) << QByteArray();
    QTest::newRow("a key with a line break")
        << QUrl(u"http://127.0.0.1:1/v1"_s) << QByteArray("sk-a\r\nX-Evil: 1");
}

void TestModelCatalog::whatIsWrongIsSaidInASentence()
{
    QFETCH(const QUrl, endpoint);
    QFETCH(const QByteArray, key);
    const auto models = catalog();
    QSignalSpy tested(models.get(), &ModelCatalog::tested);
    models->test(profileFor(endpoint), Secret(key));
    QTRY_COMPARE_WITH_TIMEOUT(tested.size(), 1, 30'000);
    const QString problem = tested[0][2].toString();
    QVERIFY(!problem.isEmpty());
    QVERIFY2(problem.contains(u'.') && !problem.contains(u"sk-a"_s), qPrintable(problem));
    QCOMPARE(tested[0][1].toStringList(), QStringList());
}

void TestModelCatalog::aServerThatRefusesTheKeyIsAProblem()
{
    // behaviours: 283
    ModelServer server(
        statusReply(401, R"({"error": {"message": "Incorrect API key: sk-canary"}})"));
    const auto models = catalog();
    QSignalSpy tested(models.get(), &ModelCatalog::tested);
    models->test(profileFor(endpointOf(server)), Secret("sk-canary"));
    QTRY_COMPARE(tested.size(), 1);
    QVERIFY(!tested[0][2].toString().isEmpty());
    QVERIFY2(!tested[0][2].toString().contains(u"canary"_s), qPrintable(tested[0][2].toString()));
}

void TestModelCatalog::aStoppedTestEndsOnceAndClosesTheConnection()
{
    ModelServer server(silentReply());
    const auto models = catalog();
    QSignalSpy tested(models.get(), &ModelCatalog::tested);
    models->test(profileFor(endpointOf(server)), {});
    QVERIFY(server.waitForRequests(1));
    models->cancelTest();
    models->cancelTest();
    QTRY_COMPARE(tested.size(), 1);
    QVERIFY(tested[0][2].toString().contains(u"stopped"_s));
    QVERIFY(server.waitForDisconnect(0));

    // Whatever the first one had still to say would come before the end of another.
    models->test(profileFor(QUrl()), {});
    QTRY_COMPARE(tested.size(), 2);
    QVERIFY(!tested[1][2].toString().contains(u"stopped"_s));
}

void TestModelCatalog::stoppingWithoutATestDoesNothing()
{
    ModelServer server(listing({u"m"_s}));
    const auto models = catalog();
    QSignalSpy tested(models.get(), &ModelCatalog::tested);
    models->cancelTest();
    models->test(profileFor(endpointOf(server)), {});
    QTRY_COMPARE(tested.size(), 1);
    models->cancelTest();
    models->test(profileFor(endpointOf(server)), {});
    QTRY_COMPARE(tested.size(), 2);
    QCOMPARE(tested[0][2].toString(), QString());
    QCOMPARE(tested[1][2].toString(), QString());
}

void TestModelCatalog::aNewTestStopsTheOneThatRuns()
{
    ModelServer silent(silentReply());
    ModelServer server(listing({u"m"_s}));
    const auto models = catalog();
    QSignalSpy tested(models.get(), &ModelCatalog::tested);
    models->test(profileFor(endpointOf(silent)), {});
    QVERIFY(silent.waitForRequests(1));
    Profile second = profileFor(endpointOf(server));
    second.id = u"q"_s;
    models->test(second, {});
    QTRY_COMPARE(tested.size(), 2);
    QCOMPARE(tested[0][0].toString(), u"p"_s);
    QVERIFY(tested[0][2].toString().contains(u"stopped"_s));
    QCOMPARE(tested[1][0].toString(), u"q"_s);
    QCOMPARE(tested[1][1].toStringList(), QStringList{u"m"_s});
    QVERIFY(silent.waitForDisconnect(0));
}

void TestModelCatalog::aKeyForAnotherOriginIsNotSent()
{
    ModelServer server(listing({u"m"_s}));
    const auto models = catalog();
    QSignalSpy tested(models.get(), &ModelCatalog::tested);
    Profile profile = profileFor(endpointOf(server));
    profile.keyOrigin = u"https://api.example.com:443"_s;
    models->test(profile, Secret("sk-canary"));
    QTRY_COMPARE(tested.size(), 1);
    QVERIFY(tested[0][2].toString().contains(u"api.example.com"_s));

    std::optional<Result<void>> written;
    m_secrets->write(u"main"_s, Secret("sk-canary"), SecretStore::Place::Memory,
                     [&](const Result<void> &result) { written = result; });
    QTRY_VERIFY(written && written->ok());
    profile.keyName = u"main"_s;
    models->test(profile, {});
    QTRY_COMPARE(tested.size(), 2);
    QVERIFY(!tested[1][2].toString().isEmpty());
    QCOMPARE(server.connectionCount(), 0);
}

void TestModelCatalog::aSavedKeyIsFetchedForTheTest()
{
    ModelServer server(listing({u"m"_s}));
    std::optional<Result<void>> written;
    m_secrets->write(u"main"_s, Secret("sk-saved"), SecretStore::Place::Memory,
                     [&](const Result<void> &result) { written = result; });
    QTRY_VERIFY(written && written->ok());
    const auto models = catalog();
    QSignalSpy tested(models.get(), &ModelCatalog::tested);
    Profile profile = profileFor(endpointOf(server));
    profile.keyName = u"main"_s;
    profile.keyOrigin = originOf(profile.endpoint);
    models->test(profile, {});
    QTRY_COMPARE(tested.size(), 1);
    QCOMPARE(tested[0][2].toString(), QString());
    QCOMPARE(server.requests()[0].header("Authorization"), QByteArray("Bearer sk-saved"));
}

void TestModelCatalog::aKeyFromTheEnvironmentIsUsed()
{
    ModelServer server(listing({u"m"_s}));
    const auto models = catalog();
    QSignalSpy tested(models.get(), &ModelCatalog::tested);
    Profile profile = profileFor(endpointOf(server));
    profile.keyVariable = u"FERMATA_TEST_KEY"_s;
    profile.keyOrigin = originOf(profile.endpoint);
    models->test(profile, {});
    QTRY_COMPARE(tested.size(), 1);
    QVERIFY(tested[0][2].toString().contains(u"FERMATA_TEST_KEY"_s));
    QCOMPARE(server.connectionCount(), 0);

    qputenv("FERMATA_TEST_KEY", "sk-environment");
    models->test(profile, {});
    QTRY_COMPARE(tested.size(), 2);
    QCOMPARE(tested[1][2].toString(), QString());
    QCOMPARE(server.requests()[0].header("Authorization"), QByteArray("Bearer sk-environment"));
}

void TestModelCatalog::theGuideAlwaysWorks()
{
    const auto models = catalog();
    QSignalSpy tested(models.get(), &ModelCatalog::tested);
    Profile guide;
    guide.kind = u"guide"_s;
    models->test(guide, {});
    QTRY_COMPARE(tested.size(), 1);
    QCOMPARE(tested[0][2].toString(), QString());
}

void TestModelCatalog::aTestFromASlotOfTestedEndsOnce()
{
    ModelServer server(listing({u"m"_s}));
    ModelServer silent(silentReply());
    const auto models = catalog();
    QStringList ends;
    connect(models.get(), &ModelCatalog::tested, this, [&](const QString &id) {
        ends.append(id);
        if (ends.size() < 3)
            models->test(profileFor(endpointOf(server)), {});
    });
    models->test(profileFor(endpointOf(silent)), {});
    QVERIFY(silent.waitForRequests(1));
    models->cancelTest();
    QTRY_COMPARE(ends.size(), 3);
}

void TestModelCatalog::destructionWhileAskingIsQuick()
{
    ModelServer silent(silentReply());
    qputenv("OLLAMA_HOST", "127.0.0.1:" + QByteArray::number(silent.port()));
    const Listener full(Listener::Backlog::Full);
    auto models = catalog();
    QSignalSpy tested(models.get(), &ModelCatalog::tested);
    QSignalSpy finished(models.get(), &ModelCatalog::discoveryFinished);
    models->discover();
    models->test(profileFor(QUrl(u"http://127.0.0.1:%1/v1"_s.arg(full.port()))), {});
    QVERIFY(silent.waitForRequests(1));
    QElapsedTimer time;
    time.start();
    models.reset();
    // It is a matter of milliseconds; without the cancel it would be the twenty seconds of the test's own limit.
    QVERIFY2(time.elapsed() < 15000, qPrintable(QString::number(time.elapsed())));
    QCoreApplication::sendPostedEvents();
    QCOMPARE(tested.size(), 0);
    QCOMPARE(finished.size(), 0);
    QVERIFY(silent.waitForDisconnect(0));
}

void TestModelCatalog::aServerOnThisMachineIsFoundWithoutCredentials()
{
    ModelServer server(listing({u"small"_s, u"large"_s}));
    qputenv("OLLAMA_HOST", "0.0.0.0:" + QByteArray::number(server.port()));
    qputenv("OPENAI_API_KEY", "sk-canary");
    const auto models = catalog();
    QList<DiscoveredServer> ours;
    connect(models.get(), &ModelCatalog::found, this, [&](const DiscoveredServer &found) {
        if (found.profile.endpoint.port() == server.port())
            ours.append(found);
    });
    QSignalSpy finished(models.get(), &ModelCatalog::discoveryFinished);
    models->discover();
    models->discover();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 10'000);
    QCOMPARE(ours.size(), 1);
    QCOMPARE(ours[0].models, QStringList({u"small"_s, u"large"_s}));
    QCOMPARE(ours[0].profile.model, u"small"_s);
    QCOMPARE(ours[0].profile.kind, u"openai"_s);
    QVERIFY(!ours[0].name.isEmpty());
    QVERIFY(isLocal(ours[0].profile.endpoint));
    QCOMPARE(ours[0].profile.endpoint.path(), u"/v1"_s);
    for (const ServedRequest &request : server.requests()) {
        QCOMPARE(request.method, QByteArray("GET"));
        QVERIFY(!request.head.contains("canary"));
        QVERIFY(request.header("Authorization").isEmpty());
    }
    models->discover();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 2, 10'000);
    QCOMPARE(ours.size(), 2);
}

void TestModelCatalog::discoveryNeverLeavesThisMachine()
{
    qputenv("OLLAMA_HOST", "192.0.2.1:11434"); // reserved for documentation: a connect would hang
    const auto models = catalog();
    QSignalSpy found(models.get(), &ModelCatalog::found);
    QSignalSpy finished(models.get(), &ModelCatalog::discoveryFinished);
    models->discover();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 10'000);
    for (const QList<QVariant> &arguments : found)
        QVERIFY(isLocal(arguments[0].value<DiscoveredServer>().profile.endpoint));
}

void TestModelCatalog::profilesComeFromTheEnvironment_data()
{
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("base");
    QTest::addColumn<QByteArray>("ollama");
    QTest::addColumn<QStringList>("endpoints");

    const QByteArray none;
    const QString openAi = u"https://api.openai.com/v1"_s;
    QTest::newRow("nothing") << none << none << none << QStringList();
    QTest::newRow("key") << QByteArray("sk-canary") << none << none << QStringList{openAi};
    QTest::newRow("key and base") << QByteArray("sk-canary")
                                  << QByteArray("https://llm.example.com/v1/") << none
                                  << QStringList{u"https://llm.example.com/v1"_s};
    QTest::newRow("base alone") << none << QByteArray("http://localhost:8080/v1") << none
                                << QStringList{u"http://localhost:8080/v1"_s};
    QTest::newRow("unusable base")
        << QByteArray("sk-canary") << QByteArray("file:///x") << none << QStringList();
    QTest::newRow("unusable key") << QByteArray("sk \n x") << none << none << QStringList();
    QTest::newRow("Ollama without a port")
        << none << none << QByteArray("localhost") << QStringList{u"http://localhost:11434/v1"_s};
    QTest::newRow("Ollama listens everywhere")
        << none << none << QByteArray("0.0.0.0") << QStringList{u"http://127.0.0.1:11434/v1"_s};
    QTest::newRow("Ollama elsewhere") << none << none << QByteArray("http://gpu.lan:9000/")
                                      << QStringList{u"http://gpu.lan:9000/v1"_s};
    QTest::newRow("both") << QByteArray("sk-canary") << none << QByteArray("127.0.0.1:11434")
                          << QStringList{openAi, u"http://127.0.0.1:11434/v1"_s};
}

void TestModelCatalog::profilesComeFromTheEnvironment()
{
    QFETCH(const QByteArray, key);
    QFETCH(const QByteArray, base);
    QFETCH(const QByteArray, ollama);
    QFETCH(const QStringList, endpoints);
    qputenv("OPENAI_API_KEY", key);
    qputenv("OPENAI_BASE_URL", base);
    qputenv("OLLAMA_HOST", ollama);
    const auto models = catalog();
    QStringList actual;
    QStringList ids;
    for (const Profile &profile : models->profilesFromEnvironment()) {
        actual.append(profile.endpoint.toString());
        ids.append(profile.id);
        QCOMPARE(profile.keyName, QString());
        QCOMPARE(mayReceiveKey(profile), !profile.keyVariable.isEmpty());
        QVERIFY(!QString(profile.name + profile.id + profile.keyVariable).contains(u"canary"_s));
    }
    QCOMPARE(actual, endpoints);
    QCOMPARE(ids.removeDuplicates(), qsizetype(0));
}

QTEST_GUILESS_MAIN(TestModelCatalog)
#include "tst_modelcatalog.moc"
