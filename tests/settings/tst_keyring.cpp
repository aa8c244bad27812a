// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/keyring.h"
#include "settings/secretstore.h"

#include <QDBusConnection>
#include <QDBusConnectionInterface>
#include <QDBusMessage>
#include <QDBusVirtualObject>
#include <QElapsedTimer>
#include <QFile>
#include <QMetaMethod>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <optional>

using namespace fermata;
using namespace Qt::StringLiterals;
using Place = SecretStore::Place;

namespace {

const QString SecretsName = u"org.freedesktop.secrets"_s;

// A keyring that takes every call and never answers, like one that waits for its own dialog.
class SilentService final : public QDBusVirtualObject
{
public:
    QString introspect(const QString &) const override { return {}; }
    bool handleMessage(const QDBusMessage &, const QDBusConnection &) override
    {
        ++calls;
        return true;
    }
    int calls = 0;
};

QStringList functionsOf(const QObject &test)
{
    QStringList names;
    const QMetaObject *type = test.metaObject();
    for (int index = type->methodOffset(); index < type->methodCount(); ++index) {
        const QMetaMethod method = type->method(index);
        if (method.name() != "initTestCase" && method.name() != "cleanup")
            names.append(QString::fromLatin1(method.name()));
    }
    return names;
}

} // namespace

// Each function on a bus and with a home of its own: libsecret keeps its session with a daemon for as long as the process
// lives. main() starts this program again for each one below dbus-run-session.
class TestKeyring final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void aSilentKeyringIsAnErrorInFiveSeconds();
    void aKeyIsKeptInTheKeyringAndNowhereElse();
    void aKeyMovesFromTheFileIntoTheKeyring();
    void removingAKeyTakesItOutOfTheKeyring();
    void aLockedKeyringIsAnErrorAndNothingIsWritten();

private:
    void startDaemon(const QStringList &arguments);

    QTemporaryDir m_home;
    std::unique_ptr<QProcess> m_daemon;
};

void TestKeyring::initTestCase()
{
    QVERIFY(m_home.isValid());
    qputenv("HOME", QFile::encodeName(m_home.path()));
    qputenv("XDG_DATA_HOME", QFile::encodeName(m_home.filePath(u"data"_s)));
    qputenv("XDG_CONFIG_HOME", QFile::encodeName(m_home.filePath(u"config"_s)));
    qputenv("XDG_CACHE_HOME", QFile::encodeName(m_home.filePath(u"cache"_s)));
    qputenv("XDG_RUNTIME_DIR", QFile::encodeName(m_home.path()));
    qputenv("XDG_CURRENT_DESKTOP", "GNOME");
    QVERIFY(QDBusConnection::sessionBus().isConnected());
}

void TestKeyring::startDaemon(const QStringList &arguments)
{
    m_daemon = std::make_unique<QProcess>();
    m_daemon->setProcessChannelMode(QProcess::MergedChannels);
    m_daemon->start(u"gnome-keyring-daemon"_s,
                    QStringList{u"--foreground"_s, u"--components=secrets"_s} + arguments);
    QVERIFY2(m_daemon->waitForStarted(), "gnome-keyring-daemon is needed");
    m_daemon->write("test\n");
    m_daemon->closeWriteChannel();
    QTRY_VERIFY_WITH_TIMEOUT(
        QDBusConnection::sessionBus().interface()->isServiceRegistered(SecretsName).value(),
        10'000);
}

void TestKeyring::cleanup()
{
    if (!m_daemon)
        return;
    m_daemon->kill();
    QVERIFY(m_daemon->waitForFinished());
    m_daemon.reset();
    QTRY_VERIFY(
        !QDBusConnection::sessionBus().interface()->isServiceRegistered(SecretsName).value());
}

void TestKeyring::aSilentKeyringIsAnErrorInFiveSeconds()
{
    QDBusConnection service =
        QDBusConnection::connectToBus(QDBusConnection::SessionBus, u"silent"_s);
    SilentService silent;
    QVERIFY(service.registerVirtualObject(u"/"_s, &silent, QDBusConnection::SubPath));
    QVERIFY(service.registerService(SecretsName));
    const QString file = m_home.filePath(u"silent.json"_s);
    {
        SecretStore store(file);
        std::optional<Result<void>> written;
        std::optional<Result<Secret>> found;
        int answers = 0;
        QElapsedTimer time;
        time.start();
        store.write(u"main"_s, Secret("sk-canary"), Place::Keyring,
                    [&](const Result<void> &result) {
                        ++answers;
                        written = result;
                    });
        store.read(u"main"_s, [&](const Result<Secret> &result) {
            ++answers;
            found = result;
        });
        QTRY_COMPARE_WITH_TIMEOUT(answers, 2, 15'000);
        QVERIFY2(time.elapsed() < 8000, qPrintable(QString::number(time.elapsed())));
        QVERIFY(silent.calls > 0);
        QVERIFY(written->error().code == ErrorCode::TimedOut);
        QVERIFY(found->error().code == ErrorCode::TimedOut);
        QVERIFY(!QFile::exists(file));
    }
    QVERIFY(service.unregisterService(SecretsName));
    QDBusConnection::disconnectFromBus(u"silent"_s);
}

void TestKeyring::aKeyIsKeptInTheKeyringAndNowhereElse()
{
    startDaemon({u"--unlock"_s});
    const QString file = m_home.filePath(u"keys.json"_s);
    {
        SecretStore store(file);
        std::optional<Result<void>> written;
        store.write(u"main"_s, Secret("sk-canary"), Place::Keyring,
                    [&](const Result<void> &result) { written = result; });
        QTRY_VERIFY_WITH_TIMEOUT(written.has_value(), 7000);
        QVERIFY2(written->ok(), written->ok() ? "" : qPrintable(written->error().message));
    }
    QVERIFY(!QFile::exists(file));

    SecretStore store(file);
    std::optional<Result<Secret>> found;
    std::optional<Result<Secret>> other;
    store.read(u"main"_s, [&](const Result<Secret> &result) { found = result; });
    store.read(u"other"_s, [&](const Result<Secret> &result) { other = result; });
    QTRY_VERIFY_WITH_TIMEOUT(found && other, 7000);
    QVERIFY(found->ok());
    QCOMPARE(found->value().reveal(), QByteArray("sk-canary"));
    QVERIFY(other->error().code == ErrorCode::NotFound);
}

void TestKeyring::aKeyMovesFromTheFileIntoTheKeyring()
{
    startDaemon({u"--unlock"_s});
    const QString file = m_home.filePath(u"moved.json"_s);
    SecretStore store(file);
    std::optional<Result<void>> answer;
    const auto keep = [&](const Result<void> &result) { answer = result; };
    store.write(u"moved"_s, Secret("sk-old"), Place::File, keep);
    QTRY_VERIFY(answer && answer->ok());
    answer.reset();
    store.write(u"moved"_s, Secret("sk-new"), Place::Keyring, keep);
    QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 7000);
    QVERIFY2(answer->ok(),
             answer->ok() ? "" : qPrintable(answer->error().message + answer->error().detail));

    QFile stored(file);
    QVERIFY(stored.open(QIODevice::ReadOnly));
    QVERIFY(!stored.readAll().contains("sk-"));
    std::optional<Result<Secret>> found;
    store.read(u"moved"_s, [&](const Result<Secret> &result) { found = result; });
    QTRY_VERIFY_WITH_TIMEOUT(found.has_value(), 7000);
    QCOMPARE(found->value().reveal(), QByteArray("sk-new"));
}

void TestKeyring::removingAKeyTakesItOutOfTheKeyring()
{
    startDaemon({u"--unlock"_s});
    SecretStore store(m_home.filePath(u"none.json"_s));
    std::optional<Result<void>> answer;
    const auto keep = [&](const Result<void> &result) { answer = result; };
    store.write(u"gone"_s, Secret("sk-gone"), Place::Keyring, keep);
    QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 7000);
    QVERIFY(answer->ok());
    for (int round = 0; round < 2; ++round) { // what is not there counts as removed
        answer.reset();
        store.remove(u"gone"_s, keep);
        QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 7000);
        QVERIFY2(answer->ok(), answer->ok() ? "" : qPrintable(answer->error().message));
    }
    std::optional<Result<Secret>> found;
    store.read(u"gone"_s, [&](const Result<Secret> &result) { found = result; });
    QTRY_VERIFY_WITH_TIMEOUT(found.has_value(), 7000);
    QVERIFY(found->error().code == ErrorCode::NotFound);
}

void TestKeyring::aLockedKeyringIsAnErrorAndNothingIsWritten()
{
    startDaemon({});
    const QString file = m_home.filePath(u"locked.json"_s);
    SecretStore store(file);
    std::optional<Result<void>> written;
    QElapsedTimer time;
    time.start();
    store.write(u"locked"_s, Secret("sk-locked"), Place::Keyring,
                [&](const Result<void> &result) { written = result; });
    QTRY_VERIFY_WITH_TIMEOUT(written.has_value(), 10'000);
    QVERIFY(time.elapsed() < 8000);
    QVERIFY(written->isFault());
    QVERIFY(!QFile::exists(file));
}

int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    TestKeyring test;
    if (qEnvironmentVariableIsSet("FERMATA_PRIVATE_BUS"))
        return QTest::qExec(&test, argc, argv);

    qputenv("FERMATA_PRIVATE_BUS", "1");
    int failures = 0;
    for (const QString &function : functionsOf(test)) {
        const int result = QProcess::execute(
            u"dbus-run-session"_s, {u"--"_s, QCoreApplication::applicationFilePath(), function});
        if (result == -2)
            qFatal("dbus-run-session is needed");
        failures += result == 0 ? 0 : 1;
    }
    return failures;
}
#include "tst_keyring.moc"
