// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/application.h"
#include "session/conversationsession.h"
#include "store/conversationstore.h"
#include "support/enumcomparison.h"
#include "support/logrecorder.h"
#include "support/modelserver.h"
#include "ui/window/conversationpane.h"
#include "ui/window/mainwindow.h"

#include <QApplication>
#include <QLoggingCategory>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

constexpr int LongTimeMs = 30'000;

} // namespace

class tst_QuitOrder : public QObject
{
    Q_OBJECT

private slots:
    void aQuitSavesFirstAndEndsItsThreadsInOrder();
};

// behaviours: 233
void tst_QuitOrder::aQuitSavesFirstAndEndsItsThreadsInOrder()
{
    ChatAnswer answer;
    answer.tokens = QStringList{u"half"_s};
    answer.then = ReplyEnding::Stall;
    ModelServer server(toReply(answer));
    const QTemporaryDir folder;
    CommandLine line;
    line.dataDirectory = folder.path();
    line.endpoint = server.url(u"/v1"_s);
    line.model = u"model"_s;
    QLoggingCategory::setFilterRules(u"fermata.*.debug=true"_s);
    LogRecorder log;
    TurnId turn;
    {
        Application application(line);
        QVERIFY(application.start());
        MainWindow *window = application.window();
        QSignalSpy closed(window, &MainWindow::closed);
        window->sendInNewConversation(u"Go"_s);
        QTRY_VERIFY_WITH_TIMEOUT(window->pane()->session(), LongTimeMs);
        const ConversationSession *session = window->pane()->session();
        QTRY_COMPARE_WITH_TIMEOUT(session->stage(), TurnStage::Writing, LongTimeMs);
        turn = *session->runningTurn();
        LogRecorder::take();
        application.quit();
        application.quit(); // harmless
        QTRY_COMPARE_WITH_TIMEOUT(closed.size(), 1, LongTimeMs);

        // All is saved, and nothing has ended yet.
        const auto store = ConversationStore::open(folder.filePath(u"conversations.db"_s));
        QVERIFY(store.ok());
        const auto saved = (*store)->load(session->conversation().id);
        QVERIFY(saved.ok());
        const TurnRecord *record = saved->find(turn);
        QVERIFY(record && record->outcome);
        QCOMPARE(record->outcome->reason->cause, CancellationCause::ApplicationQuit);
        QCOMPARE(record->answerText(), u"half"_s);
        QVERIFY(LogRecorder::lines().filter(u"have ended"_s).isEmpty());
    }
    const QStringList lines = LogRecorder::take();
    const auto database = lines.lastIndexOf(u"a connection to the database is closed"_s);
    const auto agents = lines.indexOf(u"all agents have ended"_s);
    const auto io = lines.indexOf(u"the I/O thread has ended"_s);
    QVERIFY(database >= 0);
    QVERIFY(database < agents);
    QVERIFY(agents < io);
}

QTEST_MAIN(tst_QuitOrder)
#include "tst_quitorder.moc"
