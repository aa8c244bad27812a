// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"
#include "support/enumcomparison.h"
#include "support/modelserver.h"
#include "support/processes.h"

#include <QFile>
#include <QProcess>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// What is saved of the answer while the program writes it. Reads only: to open the store would settle what runs.
QString savedDraft(const QString &home)
{
    const QString path = home + u"/conversations.db"_s;
    if (!QFile::exists(path))
        return {};
    QString draft;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(u"QSQLITE"_s, u"draft"_s);
        database.setDatabaseName(path);
        database.setConnectOptions(u"QSQLITE_OPEN_READONLY"_s);
        if (database.open()) {
            QSqlQuery query(database);
            query.setForwardOnly(true);
            if (query.exec(u"SELECT text || coalesce((SELECT group_concat(text, '') FROM segments"
                           " WHERE block = number), '') FROM blocks ORDER BY number"_s)) {
                while (query.next())
                    draft += query.value(0).toString();
            }
        }
    }
    QSqlDatabase::removeDatabase(u"draft"_s);
    return draft;
}

} // namespace

// The end of the whole program while a turn runs.
class tst_Quit : public QObject
{
    Q_OBJECT

private slots:
    void aSignalQuitsAndKeepsTheTurn_data();
    void aSignalQuitsAndKeepsTheTurn();
    void aQuitEndsChildrenThatIgnoreSignals();
};

void tst_Quit::aSignalQuitsAndKeepsTheTurn_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGINT") << SIGINT;
}

// behaviours: 40, 164
void tst_Quit::aSignalQuitsAndKeepsTheTurn()
{
    QFETCH(int, signal);
    ChatAnswer answer;
    answer.tokens = {u"Half "_s, u"an "_s, u"answer"_s};
    answer.then = ReplyEnding::Stall;
    ModelServer server(toReply(answer));
    const QTemporaryDir folder;
    const QString home = folder.path();
    {
        Program program(home,
                        {u"--provider"_s, u"openai"_s, u"--endpoint"_s,
                         server.url(u"/v1"_s).toString(), u"--model"_s, u"test-model"_s,
                         u"--send"_s, u"Hello"_s});
        QVERIFY(program.hasStarted());
        // The draft is on the disk before anything is said of an end.
        QTRY_VERIFY_WITH_TIMEOUT(savedDraft(home).endsWith(u"Half an answer"_s), LongTimeMs);
        const auto took = program.end(signal);
        QVERIFY(took);
        QVERIFY(program.exitedWith(0));
        qInfo("the program ended %lld ms after the signal", static_cast<long long>(*took));
        QVERIFY2(*took < 10'000,
                 qPrintable(QString::number(*took))); // 2 s, on a machine that has time
    }
    QVERIFY(server.waitForDisconnect(0));
    const auto turn = newestTurn(home);
    QVERIFY(turn && turn->outcome);
    QCOMPARE(turn->outcome->status, TurnStatus::Stopped);
    QCOMPARE(turn->outcome->reason->cause, CancellationCause::ApplicationQuit);
    QCOMPARE(turn->answerText(), u"Half an answer"_s);
    QVERIFY(turn->outcome->partial);

    // The next start takes it as it is: stopped, and nothing of it runs or is sent again.
    Program next(home, {});
    QVERIFY(next.hasStarted());
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(home + u"/conversations.db-wal"_s), LongTimeMs);
    QVERIFY(next.end(signal));
    QVERIFY(next.exitedWith(0));
    const auto again = newestTurn(home);
    QVERIFY(again && again->outcome);
    QVERIFY(!again->cutByCrash);
    QCOMPARE(again->outcome->reason->cause, CancellationCause::ApplicationQuit);
    QCOMPARE(again->answerText(), u"Half an answer"_s);
    QCOMPARE(server.requests().size(), size_t(1));
}

// behaviours: 40
void tst_Quit::aQuitEndsChildrenThatIgnoreSignals()
{
    if (QProcess::execute(u"bwrap"_s,
                          {u"--ro-bind"_s, u"/"_s, u"/"_s, u"--unshare-pid"_s, u"--proc"_s,
                           u"/proc"_s, u"/bin/true"_s})
        != 0)
        QSKIP("bubblewrap does not work here, and without it a command is asked for");
    const QString number = uniqueNumber();
    ChatAnswer answer;
    answer.toolCalls = {
        {u"run_command"_s,
         {{u"command"_s,
           u"trap '' TERM INT HUP; (trap '' TERM; sleep %1) & while :; do sleep %1; done"_s.replace(
               u"%1"_s, number)}},
         u"call_1"_s}};
    ModelServer server(toReply(answer));
    const QTemporaryDir folder;
    const QString home = folder.path();
    {
        QFile settings(home + u"/settings.json"_s);
        QVERIFY(settings.open(QIODevice::WriteOnly));
        settings.write(R"({"toolPermissions": {"run_command": "allow"}})");
    }
    Program program(home,
                    {u"--provider"_s, u"openai"_s, u"--endpoint"_s, server.url(u"/v1"_s).toString(),
                     u"--model"_s, u"test-model"_s, u"--send"_s, u"Hello"_s});
    QVERIFY(program.hasStarted());
    // The command, its child and what holds them.
    QTRY_VERIFY_WITH_TIMEOUT(aliveWith(number) >= 3, LongTimeMs);
    const auto took = program.end(SIGTERM);
    QVERIFY(took);
    QVERIFY(program.exitedWith(0));
    qInfo("the program ended %lld ms after the signal", static_cast<long long>(*took));
    QVERIFY2(*took < 15'000, qPrintable(QString::number(*took))); // 5 s, on a machine that has time
    QTRY_COMPARE_WITH_TIMEOUT(aliveWith(number), 0, LongTimeMs);
    const auto turn = newestTurn(home);
    QVERIFY(turn && turn->outcome);
    QCOMPARE(turn->outcome->status, TurnStatus::Stopped);
    QCOMPARE(turn->outcome->reason->cause, CancellationCause::ApplicationQuit);
    QCOMPARE(turn->outcome->tools.interrupted, 1);
    QCOMPARE(server.requests().size(), size_t(1));
}

QTEST_GUILESS_MAIN(tst_Quit)
#include "tst_quit.moc"
