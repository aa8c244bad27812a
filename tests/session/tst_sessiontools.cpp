// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/storejournal.h"
#include "io/iothread.h"
#include "provider/chathistory.h"
#include "sessionfixture.h"
#include "store/conversationstore.h"
#include "support/chathistorycheck.h"
#include "support/enumcomparison.h"
#include "support/processes.h"
#include "tool/builtin/builtintools.h"
#include "tool/sandbox.h"

#include <QDir>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 60000; // milliseconds; far more than anything here takes

// A sanitizer keeps what was freed for a while.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr qint64 LittleKilobytes = 400 * 1024;
#else
constexpr qint64 LittleKilobytes = 20 * 1024;
#endif

QString json(const QJsonObject &arguments)
{
    return QString::fromUtf8(QJsonDocument(arguments).toJson(QJsonDocument::Compact));
}

Script writes(const QString &path, const QString &content)
{
    return sent() + toolCall(u"write_file"_s, json({{u"path"_s, path}, {u"content"_s, content}}))
        + done();
}

std::vector<ToolCallBlock> callsOf(const TurnRecord &turn)
{
    std::vector<ToolCallBlock> calls;
    for (const AssistantMessage &message : turn.answer) {
        for (const ContentBlock &block : message.blocks) {
            if (const auto *call = std::get_if<ToolCallBlock>(&block))
                calls.push_back(*call);
        }
    }
    return calls;
}

// What the model is told of the results of its calls.
QStringList resultsIn(const ModelRequest &request)
{
    QStringList results;
    for (const HistoryMessage &message : request.history) {
        for (const HistoryBlock &block : message.blocks) {
            if (const auto *result = std::get_if<HistoryResult>(&block))
                results << result->text;
        }
    }
    return results;
}

// The application's journal on a disk that can be full.
class DiskJournal final : public TurnJournal
{
public:
    DiskJournal(const QString &path, std::shared_ptr<const std::atomic<bool>> isFull)
        : m_journal(path), m_isFull(std::move(isFull))
    {
    }

    Result<void> begin(const Conversation &conversation, const TurnRecord &turn) override
    {
        return *m_isFull ? full() : m_journal.begin(conversation, turn);
    }
    Result<void> checkpoint(const TurnRecord &turn) override
    {
        return *m_isFull ? full() : m_journal.checkpoint(turn);
    }
    Result<void> saveCall(const TurnRecord &turn, const ToolCallBlock &call) override
    {
        return *m_isFull ? full() : m_journal.saveCall(turn, call);
    }
    Result<void> finish(const TurnRecord &turn) override
    {
        return *m_isFull ? full() : m_journal.finish(turn);
    }

private:
    static Result<void> full() { return Error(ErrorCode::Storage, u"The disk is full."_s); }

    StoreJournal m_journal;
    const std::shared_ptr<const std::atomic<bool>> m_isFull;
};

} // namespace

// Sessions with the built-in tools, real agent threads and a real database.
class tst_SessionTools : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void aChangeIsUndoneStoredAndToldToTheModel();
    void anUndoAfterARestartUsesWhatWasStored();
    void aFileChangedSinceIsLeftAsItIs();
    void whatCannotBeUndoneSaysSo();
    void aMessageSentDuringAnUndoTellsOfIt();
    void anUndoThatCannotBeSavedIsSavedLater();
    void aLateSaveLeavesTheLaterTurnTheLast();
    void fiveToolsStoppedInTheThirdGiveTwoResultsOneInterruptedAndTwoNotRun();

    void aFloodOfOutputTakesLittleMemoryOnItsWholeWay();

private:
    QString file(const QString &name) const
    {
        return QDir(m_fixture->services->workspaceRoot).filePath(m_id.toString() + u'/' + name);
    }
    QByteArray get(const QString &name) const
    {
        QFile content(file(name));
        return content.open(QIODevice::ReadOnly) ? content.readAll() : QByteArray("<none>");
    }
    void put(const QString &name, const QByteArray &content) const
    {
        QVERIFY(QDir().mkpath(QFileInfo(file(name)).path()));
        QFile written(file(name));
        QVERIFY(written.open(QIODevice::WriteOnly));
        written.write(content);
    }
    Conversation stored() const
    {
        return *(*ConversationStore::open(m_fixture->path(u"fermata.db"_s)))->load(m_id);
    }
    // A conversation in which the model has written a file, with the user's leave.
    std::unique_ptr<ConversationSession> sessionAfter(std::vector<Script> scripts);

    std::unique_ptr<IoThread> m_io;
    std::unique_ptr<SessionFixture> m_fixture;
    ConversationId m_id;
    const std::shared_ptr<std::atomic<bool>> m_diskIsFull = std::make_shared<std::atomic<bool>>();
};

void tst_SessionTools::init()
{
    m_fixture = std::make_unique<SessionFixture>([this](const QString &folder) {
        return [path = folder + u"/fermata.db"_s, full = m_diskIsFull](const CancellationToken &) {
            return std::make_unique<DiskJournal>(path, full);
        };
    });
    m_io = std::make_unique<IoThread>();
    addBuiltInTools(*m_fixture->tools,
                    {m_io.get(), std::make_shared<Sandbox>(*m_io),
                     ProtectedPaths({}, QDir::homePath()), nullptr});
    Settings settings = m_fixture->settings->settings();
    settings.toolPermissions.insert(u"write_file"_s, ToolPermission::Allow);
    QVERIFY(m_fixture->settings->save(settings).ok());
}

void tst_SessionTools::cleanup()
{
    m_fixture.reset();
    m_io.reset();
}

std::unique_ptr<ConversationSession> tst_SessionTools::sessionAfter(std::vector<Script> scripts)
{
    m_fixture->provide(std::move(scripts));
    Conversation conversation = SessionFixture::blank();
    m_id = conversation.id;
    auto session = std::make_unique<ConversationSession>(conversation, m_fixture->services);
    return session;
}

void tst_SessionTools::aChangeIsUndoneStoredAndToldToTheModel()
{
    auto session =
        sessionAfter({writes(u"new.txt"_s, u"made"_s), answer(u"Done."_s), answer(u"I see."_s)});
    QSignalSpy finished(session.get(), &ConversationSession::turnFinished);
    QSignalSpy undone(session.get(), &ConversationSession::undone);
    QSignalSpy applied(session.get(), &ConversationSession::eventsApplied);
    session->send(u"Make it"_s);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, Patience);
    QCOMPARE(get(u"new.txt"_s), "made");
    const ToolCallBlock call = callsOf(session->conversation().turns[0]).at(0);
    QVERIFY(call.slot.canBeUndone());

    applied.clear();
    session->undo(call.id);
    QTRY_COMPARE_WITH_TIMEOUT(undone.size(), 1, Patience);
    QCOMPARE(undone[0][1].toString(), QString());
    QVERIFY(!QFile::exists(file(u"new.txt"_s))); // it was not there before
    QCOMPARE(applied.size(), 1);
    const auto batch = applied[0][0].value<TurnEventBatch>();
    QCOMPARE(describe(batch.events.at(0)), u"ToolUndone"_s);
    const ToolSlot slot = session->conversation().turns[0].findCall(call.id)->slot;
    QVERIFY(slot.undoneAt.isValid());
    QVERIFY(!slot.canBeUndone());
    QCOMPARE(stored().turns[0].findCall(call.id)->slot.undoneAt.toMSecsSinceEpoch(),
             slot.undoneAt.toMSecsSinceEpoch());
    QCOMPARE(stored().turns[0].answerText(), u"Done."_s);

    session->send(u"And now?"_s);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 2, Patience);
    const ModelRequest request = m_fixture->provider->requests().back();
    QVERIFY(validateHistory(request.history).empty());
    QVERIFY2(resultsIn(request).at(0).contains(u"user has taken the effect of this call back"_s),
             qUtf8Printable(resultsIn(request).at(0)));
    // Again: there is nothing left to undo.
    session->undo(call.id);
    QCOMPARE(undone.size(), 2);
    QVERIFY(!undone[1][1].toString().isEmpty());
}

void tst_SessionTools::anUndoAfterARestartUsesWhatWasStored()
{
    auto session = sessionAfter({writes(u"notes.txt"_s, u"after"_s), answer(u"Done."_s)});
    put(u"notes.txt"_s, "before");
    {
        QSignalSpy finished(session.get(), &ConversationSession::turnFinished);
        session->send(u"Change it"_s);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, Patience);
    }
    QCOMPARE(get(u"notes.txt"_s), "after");
    session = std::make_unique<ConversationSession>(stored(), m_fixture->services);
    QSignalSpy undone(session.get(), &ConversationSession::undone);
    session->undo(callsOf(session->conversation().turns[0]).at(0).id);
    QTRY_COMPARE_WITH_TIMEOUT(undone.size(), 1, Patience);
    QCOMPARE(undone[0][1].toString(), QString());
    QCOMPARE(get(u"notes.txt"_s), "before");
    QVERIFY(callsOf(stored().turns[0]).at(0).slot.undoneAt.isValid());
}

void tst_SessionTools::aFileChangedSinceIsLeftAsItIs()
{
    auto session = sessionAfter({writes(u"notes.txt"_s, u"by the model"_s), answer(u"Done."_s)});
    QSignalSpy finished(session.get(), &ConversationSession::turnFinished);
    session->send(u"Write"_s);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, Patience);
    put(u"notes.txt"_s, "by the user");
    QSignalSpy undone(session.get(), &ConversationSession::undone);
    const CallId call = callsOf(session->conversation().turns[0]).at(0).id;
    session->undo(call);
    QTRY_COMPARE_WITH_TIMEOUT(undone.size(), 1, Patience);
    QVERIFY2(undone[0][1].toString().contains(u"changed since"_s),
             qUtf8Printable(undone[0][1].toString()));
    QCOMPARE(get(u"notes.txt"_s), "by the user");
    QVERIFY(session->conversation().turns[0].findCall(call)->slot.canBeUndone());
    QVERIFY(!stored().turns[0].findCall(call)->slot.undoneAt.isValid());
}

void tst_SessionTools::whatCannotBeUndoneSaysSo()
{
    auto session =
        sessionAfter({sent() + toolCall(u"list_directory"_s) + done(), answer(u"Empty."_s)});
    QSignalSpy finished(session.get(), &ConversationSession::turnFinished);
    QSignalSpy undone(session.get(), &ConversationSession::undone);
    session->send(u"Look"_s);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, Patience);
    session->undo(callsOf(session->conversation().turns[0]).at(0).id);
    QCOMPARE(undone.size(), 1);
    QVERIFY(!undone[0][1].toString().isEmpty());
    session->undo(CallId(u"of another conversation"_s));
    QCOMPARE(undone.size(), 1);
}

void tst_SessionTools::aMessageSentDuringAnUndoTellsOfIt()
{
    auto session =
        sessionAfter({writes(u"new.txt"_s, u"made"_s), answer(u"Done."_s), answer(u"I see."_s)});
    QSignalSpy finished(session.get(), &ConversationSession::turnFinished);
    session->send(u"Make it"_s);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, Patience);
    const TurnId turn = session->conversation().activeTurn;
    session->undo(callsOf(session->conversation().turns[0]).at(0).id);
    QVERIFY(!session->retryTurn(turn)); // refused, and not begun with what is not true any more
    session->send(u"And now?"_s);
    QCOMPARE(session->pendingMessage(), u"And now?"_s);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 2, Patience);
    QVERIFY(resultsIn(m_fixture->provider->requests().back()).at(0).contains(u"Undone: "_s));
}

void tst_SessionTools::anUndoThatCannotBeSavedIsSavedLater()
{
    auto session = sessionAfter({writes(u"new.txt"_s, u"made"_s), answer(u"Done."_s)});
    QSignalSpy finished(session.get(), &ConversationSession::turnFinished);
    QSignalSpy undone(session.get(), &ConversationSession::undone);
    session->send(u"Make it"_s);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, Patience);
    const CallId call = callsOf(session->conversation().turns[0]).at(0).id;
    *m_diskIsFull = true;
    session->undo(call);
    QTRY_COMPARE_WITH_TIMEOUT(undone.size(), 1, Patience);
    QVERIFY(session->saveHasFailed());
    QVERIFY(undone[0][1].toString().contains(u"could not be saved"_s));
    QVERIFY(session->conversation().turns[0].findCall(call)->slot.undoneAt.isValid());
    QVERIFY(!stored().turns[0].findCall(call)->slot.undoneAt.isValid());
    *m_diskIsFull = false;
    QTRY_VERIFY_WITH_TIMEOUT(!session->saveHasFailed(), Patience);
    QVERIFY(stored().turns[0].findCall(call)->slot.undoneAt.isValid());
}

void tst_SessionTools::aLateSaveLeavesTheLaterTurnTheLast()
{
    auto session =
        sessionAfter({writes(u"new.txt"_s, u"made"_s), answer(u"Done."_s), answer(u"Later."_s)});
    QSignalSpy finished(session.get(), &ConversationSession::turnFinished);
    QSignalSpy undone(session.get(), &ConversationSession::undone);
    session->send(u"Make it"_s);
    QTRY_COMPARE(finished.size(), 1);
    session->send(u"And then?"_s);
    QTRY_COMPARE(finished.size(), 2);
    QVERIFY(!session->hasUnsaved());
    const CallId call = callsOf(session->conversation().turns[0]).at(0).id;
    *m_diskIsFull = true;
    session->undo(call);
    QTRY_COMPARE(undone.size(), 1);
    QVERIFY(session->hasUnsaved());
    *m_diskIsFull = false;
    QTRY_VERIFY_WITH_TIMEOUT(!session->hasUnsaved(), 60000);
    QVERIFY(stored().turns[0].findCall(call)->slot.undoneAt.isValid());
    QCOMPARE(stored().activeTurn, session->conversation().turns[1].id);
}

// behaviours: 83, 87, 110, 176
void tst_SessionTools::fiveToolsStoppedInTheThirdGiveTwoResultsOneInterruptedAndTwoNotRun()
{
    const QString number = uniqueNumber();
    const auto command = [](const QString &text) {
        return toolCall(u"run_command"_s, json({{u"command"_s, text}}));
    };
    auto session = sessionAfter(
        {sent() + text(u"Five."_s) + toolCall(u"list_directory"_s)
             + toolCall(u"write_file"_s, json({{u"path"_s, u"a"_s}, {u"content"_s, u"1"_s}}))
             + command(u"echo begun; sleep %1; echo never"_s.arg(number))
             + command(u"echo fourth"_s)
             + toolCall(u"write_file"_s, json({{u"path"_s, u"b"_s}, {u"content"_s, u"2"_s}}))
             + done(),
         answer(u"On."_s)});
    QSignalSpy finished(session.get(), &ConversationSession::turnFinished);
    session->send(u"Go"_s);
    QTRY_VERIFY_WITH_TIMEOUT(session->openApproval(), Patience);
    session->answerApproval(session->openApproval()->call, ApprovalDecision::AllowOnce);
    const auto third = [&] { return callsOf(session->conversation().turns[0]).at(2).slot; };
    QTRY_VERIFY_WITH_TIMEOUT(third().output.contains(u"begun"_s), Patience);
    QVERIFY(aliveWith(number) > 0);
    session->stop();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, Patience);

    // Shown and stored are the same.
    QCOMPARE(aliveWith(number), 0);
    for (const Conversation &conversation : {session->conversation(), stored()}) {
        const TurnRecord &turn = conversation.turns[0];
        const std::vector<ToolCallBlock> calls = callsOf(turn);
        QCOMPARE(calls.size(), size_t(5));
        QCOMPARE(calls[0].slot.state, ToolState::Finished);
        QCOMPARE(calls[0].slot.output, u"[The folder is empty]"_s);
        QCOMPARE(calls[1].slot.state, ToolState::Finished);
        QVERIFY(calls[1].slot.canBeUndone());
        QCOMPARE(calls[2].slot.state, ToolState::Interrupted);
        QCOMPARE(calls[2].slot.output, u"begun\n"_s);
        QCOMPARE(calls[3].slot.state, ToolState::NotRun);
        QCOMPARE(calls[4].slot.state, ToolState::NotRun);
        QCOMPARE(turn.outcome->status, TurnStatus::Stopped);
        const ToolLedger &ledger = turn.outcome->tools;
        QCOMPARE(ledger.finished, 2);
        QCOMPARE(ledger.interrupted, 1);
        QCOMPARE(ledger.notRun, 2);
        QCOMPARE(ledger.interruptedAfter, calls[2].slot.duration);
    }
    QCOMPARE(get(u"a"_s), "1");
    QVERIFY(!QFile::exists(file(u"b"_s)));

    session->send(u"Go on"_s);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 2, Patience);
    const ModelRequest request = m_fixture->provider->requests().back();
    QVERIFY(validateHistory(request.history).empty());
    const QStringList results = resultsIn(request);
    QCOMPARE(results.size(), 5);
    QVERIFY(results[2].startsWith(u"Interrupted: "_s) && results[2].contains(u"begun"_s));
    QVERIFY(results[3].startsWith(u"Not run: "_s));
    QVERIFY(results[4].startsWith(u"Not run: "_s));
    for (const QString &server :
         {u"openai"_s, u"azure"_s, u"openrouter"_s, u"deepseek"_s, u"groq"_s, u"mistral"_s,
          u"anthropic"_s, u"gemini"_s, u"ollama"_s, u"lmstudio"_s, u"vllm"_s, u"llama.cpp"_s,
          u"sglang"_s, u"anything else"_s}) {
        const QString violation =
            chatHistoryViolation(shapeHistory(request, ServerDialect::ofKind(server)).messages);
        QVERIFY2(violation.isEmpty(), qUtf8Printable(server + u": "_s + violation));
    }
}

// From the pipe to the database and the session's copy.
// reliability: E7
void tst_SessionTools::aFloodOfOutputTakesLittleMemoryOnItsWholeWay()
{
    const auto flood = [](int bytes) {
        const QString command =
            u"echo first; yes 'a line' | head -c %1; echo; echo last"_s.arg(bytes);
        return sent() + toolCall(u"run_command"_s, json({{u"command"_s, command}})) + done();
    };
    auto session = sessionAfter(
        {flood(1'000'000), answer(u"Warm."_s), flood(300'000'000), answer(u"Done."_s)});
    QSignalSpy finished(session.get(), &ConversationSession::turnFinished);
    qint64 before = 0;
    qint64 most = 0;
    const auto look = [&] { most = std::max(most, residentKilobytes()); };
    connect(session.get(), &ConversationSession::eventsApplied, this, look);
    for (int turn = 1; turn <= 2; ++turn) {
        before = residentKilobytes(); // what every first turn makes is there with the second
        most = before;
        session->send(u"Go"_s);
        QTRY_VERIFY_WITH_TIMEOUT(session->openApproval(), Patience);
        session->answerApproval(session->openApproval()->call, ApprovalDecision::AllowOnce);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), turn, Patience);
        look();
    }
    const QString output = callsOf(session->conversation().turns[1]).at(0).slot.output;
    QVERIFY(output.startsWith(u"first\na line\n"_s));
    QVERIFY(output.endsWith(u"\nlast\n"_s));
    QVERIFY(output.contains(u" bytes omitted]"_s));
    QVERIFY(output.size() < 70 * 1024);
    QCOMPARE(callsOf(stored().turns[1]).at(0).slot.output, output);
    QVERIFY2(most - before < LittleKilobytes, qPrintable(QString::number(most - before)));
}

QTEST_GUILESS_MAIN(tst_SessionTools)
#include "tst_sessiontools.moc"
