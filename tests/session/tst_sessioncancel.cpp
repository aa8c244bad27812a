// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/agentthreads.h"
#include "agent/requestlimiter.h"
#include "base/cancelrequest.h"
#include "session/cancelrequesthandler.h"
#include "session/conversationlibrary.h"
#include "session/conversationsession.h"
#include "session/sessionservices.h"
#include "settings/settingsfile.h"
#include "support/enumcomparison.h"
#include "support/manualclock.h"
#include "tool/toolregistry.h"
#include "turnsupport/scriptedprovider.h"
#include "turnsupport/turnfixture.h"

#include <QJsonDocument>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

// Several conversations, the programs that want their turns cancelled, and what a turn keeps of its start.
class tst_SessionCancel : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void anIdleStopDoesNothing();
    void aBusyRefusalLeavesTheLastErrorAlone();
    void aTurnGoesOnWhileAnotherConversationIsOpened();
    void aTurnKeepsTheSettingsOfItsStart();
    void aQuestionWithoutAnAskerIsNeverAllowed();
    void aProgramCancelsATurn();
    void requestsForOtherTurnsAreRefusedAndCounted();
    void requestsBeyondTheLimitAreRefusedAndStopIsNot();
    void aStopForAClosedConversationIsSilent();
    void aRequestGetsAReplyAndANotificationNone_data();
    void aRequestGetsAReplyAndANotificationNone();
    void aRequestThatIsTooLargeIsNotRead();
    void aProfilesRequestLimitHoldsForAllConversations();

private:
    void provide(std::vector<Script> scripts);
    CancelRequest requestFor(const TurnId &turn) const;

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<SettingsFile> m_settings;
    std::unique_ptr<AgentThreads> m_agents;
    std::shared_ptr<SessionServices> m_services;
    std::unique_ptr<ConversationLibrary> m_library;
    std::shared_ptr<ScriptedProvider> m_provider;
    std::shared_ptr<ToolRegistry> m_tools;
    ManualClock m_clock;
};

void tst_SessionCancel::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_settings = std::make_unique<SettingsFile>(m_folder->filePath(u"settings.json"_s));
    m_agents = std::make_unique<AgentThreads>(
        [](const CancellationToken &) { return std::make_unique<MemoryJournal>(); });
    m_tools = std::make_shared<ToolRegistry>();
    m_services = std::make_shared<SessionServices>();
    m_services->databasePath = m_folder->filePath(u"conversations.db"_s);
    m_services->settings = m_settings.get();
    m_services->agents = m_agents.get();
    m_services->tools = m_tools;
    m_services->workspaceRoot = m_folder->path();
    m_services->clock = &m_clock;
    m_services->requestLimiters = std::make_shared<RequestLimiters>();
    m_library = std::make_unique<ConversationLibrary>(m_services);
}

void tst_SessionCancel::cleanup()
{
    m_library.reset();
    QVERIFY(m_agents->waitForAll(std::chrono::seconds(20)));
    m_services.reset();
    m_agents.reset();
}

void tst_SessionCancel::provide(std::vector<Script> scripts)
{
    m_provider = std::make_shared<ScriptedProvider>(std::move(scripts), steadyClock());
    m_services->findProvider =
        [provider = m_provider](const Profile *, const SessionServices::ProviderFound &found) {
            found(std::shared_ptr<ModelProvider>(provider));
        };
}

CancelRequest tst_SessionCancel::requestFor(const TurnId &turn) const
{
    return {turn.toString(), {CancellationCause::External, u"the build has ended"_s, u"ci"_s, {}}};
}

// behaviours: 23, 24
void tst_SessionCancel::anIdleStopDoesNothing()
{
    provide({answer(u"Hi"_s)});
    ConversationSession *session = m_library->createConversation();
    QSignalSpy requested(session, &ConversationSession::stopRequested);
    QSignalSpy finished(session, &ConversationSession::turnFinished);
    QSignalSpy refused(session, &ConversationSession::refused);
    session->stop();
    session->stop(CancellationCause::WindowClosed);
    QCOMPARE(requested.size() + finished.size() + refused.size(), 0);
    QVERIFY(session->conversation().turns.empty());
    QVERIFY(m_provider->requests().empty());
    session->send(u"Hello"_s);
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(session->conversation().turns.back().outcome->status, TurnStatus::Completed);
    QCOMPARE(session->conversation().turns.back().answerText(), u"Hi"_s);
}

// behaviours: 31
void tst_SessionCancel::aBusyRefusalLeavesTheLastErrorAlone()
{
    provide({Script{Fail{Error(ErrorCode::ModelNotFound, u"There is no such model."_s), {}}},
             sent() + text(u"part"_s) + Script{Hang{}}});
    ConversationSession *session = m_library->createConversation();
    QSignalSpy finished(session, &ConversationSession::turnFinished);
    QSignalSpy refused(session, &ConversationSession::refused);
    session->send(u"one"_s);
    QTRY_COMPARE(finished.size(), 1);
    const TurnRecord failed = session->conversation().turns.back();
    session->send(u"two"_s);
    QTRY_COMPARE(session->stage(), TurnStage::Writing);
    const TurnId running = *session->runningTurn();
    QVERIFY(!session->retryTurn(failed.id));
    QVERIFY(!session->continueTurn(failed.id));
    QVERIFY(!session->editTurn(failed.id, u"three"_s));
    QCOMPARE(refused.size(), 3);
    const auto error = session->conversation().find(failed.id)->outcome->error;
    QCOMPARE(error->code, failed.outcome->error->code);
    QCOMPARE(error->message, failed.outcome->error->message);
    QCOMPARE(session->conversation().turns.size(), size_t(2));
    QCOMPARE(session->runningTurn(), std::optional(running));
    QVERIFY(!session->isStopping());
    session->stop();
    QTRY_COMPARE(finished.size(), 2);
}

// behaviours: 20, 38
void tst_SessionCancel::aTurnGoesOnWhileAnotherConversationIsOpened()
{
    auto gate = std::make_shared<Gate>();
    provide({sent() + text(u"In the "_s) + Script{Call{[gate] { (void)gate->wait(); }}}
                 + text(u"background."_s) + done(),
             sent() + text(u"other"_s) + Script{Hang{}}});
    ConversationSession *first = m_library->createConversation();
    QSignalSpy finished(first, &ConversationSession::turnFinished);
    first->send(u"one"_s);
    QTRY_COMPARE(first->stage(), TurnStage::Writing);

    ConversationSession *second = m_library->createConversation();
    m_library->close(first->conversation().id); // out of sight; what runs stays
    QCOMPARE(m_library->session(first->conversation().id), first);
    second->send(u"two"_s);
    QTRY_COMPARE(second->stage(), TurnStage::Writing);
    QCOMPARE(m_library->runningTurns(), 2);
    QSignalSpy secondFinished(second, &ConversationSession::turnFinished);
    second->stop();
    QTRY_COMPARE(secondFinished.size(), 1);
    QVERIFY(first->isRunning());
    gate->open();
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(first->conversation().turns.back().outcome->status, TurnStatus::Completed);
    QCOMPARE(first->conversation().turns.back().answerText(), u"In the background."_s);
}

// behaviours: 39
void tst_SessionCancel::aTurnKeepsTheSettingsOfItsStart()
{
    Profile profile;
    profile.id = u"p"_s;
    profile.endpoint = QUrl(u"http://localhost:1/v1"_s);
    profile.model = u"small"_s;
    Settings settings;
    settings.profiles = {profile};
    settings.currentProfile = profile.id;
    settings.limits.tool = 2min;
    QVERIFY(m_settings->save(settings).ok());

    auto inTool = std::make_shared<Gate>();
    auto release = std::make_shared<Gate>();
    m_tools->add(std::make_shared<ScriptedTool>(
        u"look"_s, [=](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
            inTool->open();
            (void)release->wait();
            return ToolResult{u"seen"_s, false, {}, {}};
        }));
    provide({sent() + toolCall(u"look"_s) + done(), answer(u"Done."_s)});
    const auto oldProvider = m_provider;
    ConversationSession *session = m_library->createConversation();
    QSignalSpy finished(session, &ConversationSession::turnFinished);
    session->send(u"one"_s);
    QVERIFY(inTool->wait());

    settings.profiles.front().model = u"large"_s;
    settings.limits.tool = 7min;
    QVERIFY(m_settings->save(settings).ok());
    provide({answer(u"Hi"_s)}); // another key makes another provider
    const auto limits = session->limits();
    const auto tool = std::ranges::find(limits, Limit::Tool, &RunningLimit::limit);
    QVERIFY(tool != limits.end());
    QCOMPARE(tool->value, std::chrono::milliseconds(2min));
    release->open();
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(oldProvider->requests().size(), size_t(2));
    QCOMPARE(oldProvider->requests().at(1).model, u"small"_s);
    QVERIFY(m_provider->requests().empty());

    session->send(u"two"_s);
    QTRY_COMPARE(finished.size(), 2);
    QCOMPARE(m_provider->requests().front().model, u"large"_s);
    QCOMPARE(session->conversation().turns.back().model, u"large"_s);
    QCOMPARE(oldProvider->requests().size(), size_t(2));
}

// behaviours: 76
void tst_SessionCancel::aQuestionWithoutAnAskerIsNeverAllowed()
{
    auto tool = std::make_shared<ScriptedTool>(u"delete"_s, returns({}), ToolAccess::Writes, true);
    m_tools->add(tool);
    provide({sent() + toolCall(u"delete"_s) + done(), answer(u"Done."_s)});
    Conversation blank;
    blank.id = ConversationId::create();
    auto session = std::make_unique<ConversationSession>(blank, m_services);
    session->send(u"one"_s);
    QTRY_VERIFY(session->openApproval());
    session.reset();
    QVERIFY(m_agents->waitForAll(std::chrono::seconds(20)));
    QCOMPARE(tool->entered(), 0);
    QCOMPARE(m_provider->requests().size(), size_t(1));
}

// behaviours: 114, 174
void tst_SessionCancel::aProgramCancelsATurn()
{
    provide({sent() + text(u"part"_s) + Script{Hang{}}});
    ConversationSession *session = m_library->createConversation();
    QSignalSpy finished(session, &ConversationSession::turnFinished);
    QSignalSpy requested(session, &ConversationSession::stopRequested);
    session->send(u"one"_s);
    QTRY_COMPARE(session->stage(), TurnStage::Writing);
    const TurnId turn = *session->runningTurn();
    const ConversationId id = session->conversation().id;
    QCOMPARE(m_library->cancelTurn(id, requestFor(turn)), CancelReply::Cancelled);
    QVERIFY(session->isStopping()); // in the same moment
    QCOMPARE(requested.size(), 1);
    QCOMPARE(m_library->cancelTurn(id, requestFor(turn)), CancelReply::NothingToCancel);
    QTRY_COMPARE(finished.size(), 1);
    const TurnOutcome outcome = *session->conversation().turns.back().outcome;
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.reason->cause, CancellationCause::External);
    QCOMPARE(outcome.reason->text, u"the build has ended"_s);
    QCOMPARE(outcome.reason->source, u"ci"_s);
    QCOMPARE(m_library->cancelTurn(id, requestFor(turn)), CancelReply::NothingToCancel);
}

// behaviours: 25, 114, 174
void tst_SessionCancel::requestsForOtherTurnsAreRefusedAndCounted()
{
    provide({answer(u"Hi"_s), sent() + text(u"part"_s) + Script{Hang{}}});
    ConversationSession *session = m_library->createConversation();
    QSignalSpy finished(session, &ConversationSession::turnFinished);
    session->send(u"one"_s);
    QTRY_COMPARE(finished.size(), 1);
    const TurnId old = session->conversation().turns.back().id;
    session->send(u"two"_s);
    QTRY_COMPARE(session->stage(), TurnStage::Writing);
    const TurnId running = *session->runningTurn();

    const ConversationId id = session->conversation().id;
    QCOMPARE(m_library->cancelTurn(id, requestFor(old)), CancelReply::NothingToCancel);
    QCOMPARE(m_library->cancelTurn(id, requestFor(TurnId::create())), CancelReply::UnknownTurn);
    QCOMPARE(session->staleStops(), 2);

    const ConversationId other = m_library->createConversation()->conversation().id;
    QCOMPARE(m_library->cancelTurn(other, requestFor(running)), CancelReply::OtherConversation);
    QCOMPARE(m_library->cancelTurn(other, requestFor(old)), CancelReply::OtherConversation);
    QCOMPARE(m_library->cancelTurn(ConversationId::create(), requestFor(running)),
             CancelReply::UnknownTurn);
    QVERIFY(session->isRunning());
    QVERIFY(!session->isStopping());
    session->stop();
    QTRY_COMPARE(finished.size(), 2);
}

// behaviours: 277
void tst_SessionCancel::requestsBeyondTheLimitAreRefusedAndStopIsNot()
{
    provide({sent() + text(u"part"_s) + Script{Hang{}}});
    ConversationSession *session = m_library->createConversation();
    QSignalSpy finished(session, &ConversationSession::turnFinished);
    session->send(u"one"_s);
    QTRY_COMPARE(session->stage(), TurnStage::Writing);
    const TurnId turn = *session->runningTurn();
    for (int i = 0; i < 10; ++i)
        QCOMPARE(session->cancelTurn(requestFor(TurnId::create())), CancelReply::UnknownTurn);
    QCOMPARE(session->cancelTurn(requestFor(turn)), CancelReply::TooMany);
    QCOMPARE(session->cancelTurn(requestFor(turn)), CancelReply::TooMany);
    QVERIFY(!session->isStopping());
    // Each conversation has its own count, and each second a new one.
    ConversationSession *other = m_library->createConversation();
    QCOMPARE(other->cancelTurn(requestFor(TurnId::create())), CancelReply::UnknownTurn);
    m_clock.advance(1s);
    for (int i = 0; i < 10; ++i)
        QCOMPARE(session->cancelTurn(requestFor(TurnId::create())), CancelReply::UnknownTurn);
    QCOMPARE(session->cancelTurn(requestFor(turn)), CancelReply::TooMany);

    session->stop(); // the button
    QVERIFY(session->isStopping());
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(session->conversation().turns.back().outcome->reason->cause, CancellationCause::User);

    session->send(u"two"_s);
    QTRY_COMPARE(session->stage(), TurnStage::Writing);
    QCOMPARE(session->cancelTurn(requestFor(*session->runningTurn())), CancelReply::TooMany);
    QSignalSpy idle(m_library.get(), &ConversationLibrary::allIdle);
    m_library->stopAll(CancellationCause::ApplicationQuit);
    QTRY_COMPARE(idle.size(), 1);
}

// behaviours: 36, 174
void tst_SessionCancel::aStopForAClosedConversationIsSilent()
{
    provide({answer(u"Hi"_s)});
    ConversationSession *session = m_library->createConversation();
    QSignalSpy finished(session, &ConversationSession::turnFinished);
    session->send(u"one"_s);
    QTRY_COMPARE(finished.size(), 1);
    const ConversationId id = session->conversation().id;
    const TurnId turn = session->conversation().turns.back().id;
    m_library->close(id);
    QVERIFY(!m_library->session(id));
    QSignalSpy failed(m_library.get(), &ConversationLibrary::failed);
    QCOMPARE(m_library->cancelTurn(id, requestFor(turn)), CancelReply::UnknownTurn);
    const QByteArray json = QJsonDocument(QJsonObject{{u"turnId"_s, turn.toString()}}).toJson();
    QVERIFY(!handleCancelRequest(*m_library, id, json, u"ci"_s));
    QCOMPARE(failed.size(), 0);
}

void tst_SessionCancel::aRequestGetsAReplyAndANotificationNone_data()
{
    QTest::addColumn<QByteArray>("request");
    QTest::addColumn<QString>("code"); // empty: it is carried out
    const auto row = [](const char *name, const QByteArray &members, const QString &code) {
        QTest::newRow(name) << members << code;
    };
    row("right", R"("turnId":"$TURN")", {});
    row("with a reason", R"("turnId":"$TURN","cause":"external","reason":"done")", {});
    row("unknown turn", R"("turnId":"nobody")", u"unknownTurn"_s);
    row("no id", R"("reason":"x")", u"invalidRequest"_s);
    row("empty id", R"("turnId":"")", u"invalidRequest"_s);
    row("wrong type", R"("turnId":7)", u"invalidRequest"_s);
    row("null", R"("turnId":null)", u"invalidRequest"_s);
    row("list", R"("turnId":["$TURN"])", u"invalidRequest"_s);
    row("unknown cause", R"("turnId":"$TURN","cause":"whim")", u"invalidRequest"_s);
    row("cause of a person", R"("turnId":"$TURN","cause":"user")", u"invalidRequest"_s);
    row("wrong reason", R"("turnId":"$TURN","reason":{})", u"invalidRequest"_s);
}

// behaviours: 174, 280
void tst_SessionCancel::aRequestGetsAReplyAndANotificationNone()
{
    QFETCH(QByteArray, request);
    QFETCH(QString, code);
    provide({sent() + text(u"part"_s) + Script{Hang{}}});
    for (const bool wantsReply : {true, false}) {
        ConversationSession *session = m_library->createConversation();
        QSignalSpy finished(session, &ConversationSession::turnFinished);
        session->send(u"one"_s);
        QTRY_COMPARE(session->stage(), TurnStage::Writing);
        QByteArray json = request;
        json.replace("$TURN", session->runningTurn()->toString().toUtf8());
        json = wantsReply ? R"({"id":"r1",)" + json + '}' : '{' + json + '}';
        const auto reply =
            handleCancelRequest(*m_library, session->conversation().id, json, u"ci"_s);
        QCOMPARE(session->isStopping(), code.isEmpty());
        QCOMPARE(reply.has_value(), wantsReply);
        if (wantsReply) {
            QCOMPARE(reply->value("id"_L1).toString(), u"r1"_s);
            QCOMPARE(reply->value("result"_L1).toString(),
                     code.isEmpty() ? u"cancelled"_s : QString());
            const QJsonObject error = reply->value("error"_L1).toObject();
            QCOMPARE(error.value("code"_L1).toString(), code);
            QCOMPARE(error.value("message"_L1).toString().isEmpty(), code.isEmpty());
        }
        session->stop();
        QTRY_COMPARE(finished.size(), 1);
        QCOMPARE(session->conversation().turns.back().outcome->reason->cause,
                 code.isEmpty() ? CancellationCause::External : CancellationCause::User);
    }
}

// behaviours: 280
void tst_SessionCancel::aRequestThatIsTooLargeIsNotRead()
{
    provide({sent() + text(u"part"_s) + Script{Hang{}}});
    ConversationSession *session = m_library->createConversation();
    QSignalSpy finished(session, &ConversationSession::turnFinished);
    session->send(u"one"_s);
    QTRY_COMPARE(session->stage(), TurnStage::Writing);
    QJsonObject json{{u"id"_s, u"r1"_s}, {u"turnId"_s, session->runningTurn()->toString()}};
    const ConversationId id = session->conversation().id;
    const auto handled = [&](qsizetype padding) {
        json[u"reason"_s] = QString(padding, u'x');
        const QByteArray bytes = QJsonDocument(json).toJson(QJsonDocument::Compact);
        return handleCancelRequest(*m_library, id, bytes, u"ci"_s);
    };
    QVERIFY(!handled(MostCancelRequestBytes)); // with an id, and no reply all the same
    QVERIFY(!session->isStopping());
    QVERIFY(handled(MostCancelRequestBytes / 2));
    QVERIFY(session->isStopping());
    QTRY_COMPARE(finished.size(), 1);
}

// behaviours: 281
void tst_SessionCancel::aProfilesRequestLimitHoldsForAllConversations()
{
    Profile profile;
    profile.id = u"p"_s;
    profile.endpoint = QUrl(u"http://localhost:1/v1"_s);
    profile.model = u"small"_s;
    profile.requestsPerMinute = 1;
    Settings settings;
    settings.profiles = {profile};
    settings.currentProfile = profile.id;
    QVERIFY(m_settings->save(settings).ok());
    provide({answer(u"Hi"_s)});
    ConversationSession *first = m_library->createConversation();
    ConversationSession *second = m_library->createConversation();
    QSignalSpy firstFinished(first, &ConversationSession::turnFinished);
    QSignalSpy secondFinished(second, &ConversationSession::turnFinished);
    first->send(u"one"_s);
    QTRY_COMPARE(firstFinished.size(), 1);
    second->send(u"two"_s);
    QTRY_COMPARE(second->stage(), TurnStage::RequestLimit);
    QCOMPARE(m_provider->requests().size(), size_t(1));
    second->stop();
    QTRY_COMPARE(secondFinished.size(), 1);
    QCOMPARE(m_provider->requests().size(), size_t(1));
    QVERIFY(!second->conversation().turns.back().outcome->sent);
}

QTEST_GUILESS_MAIN(tst_SessionCancel)
#include "tst_sessioncancel.moc"
