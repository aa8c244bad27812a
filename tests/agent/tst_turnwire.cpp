// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/iothread.h"
#include "provider/chatcompletionsprovider.h"
#include "support/enumcomparison.h"
#include "support/modelserver.h"
#include "turnfixture.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

// Whole turns over real sockets: what ends a turn closes its connection, whatever it was.
class tst_TurnWire : public QObject
{
    Q_OBJECT

private slots:
    void whateverEndsTheTurnClosesTheConnection_data();
    void whateverEndsTheTurnClosesTheConnection();
    void aLateAnswerIsNotRead();
};

namespace {

enum class Ending { Stop, External, Parent, StopToken, FirstTokenLimit, SilenceLimit, TurnLimit };

ModelServerScript always(const Reply &reply)
{
    ModelServerScript script;
    script.replies = {reply};
    return script;
}

Reply stalling(const QStringList &tokens)
{
    ChatAnswer answer;
    answer.tokens = tokens;
    answer.then = ReplyEnding::Stall;
    return toReply(answer);
}

} // namespace

void tst_TurnWire::whateverEndsTheTurnClosesTheConnection_data()
{
    QTest::addColumn<int>("ending");
    QTest::addColumn<CancellationCause>("cause");
    QTest::newRow("stop") << int(Ending::Stop) << CancellationCause::User;
    QTest::newRow("external token") << int(Ending::External) << CancellationCause::External;
    QTest::newRow("parent") << int(Ending::Parent) << CancellationCause::Parent;
    QTest::newRow("std::stop_token") << int(Ending::StopToken) << CancellationCause::External;
    QTest::newRow("first token limit")
        << int(Ending::FirstTokenLimit) << CancellationCause::FirstTokenLimit;
    QTest::newRow("silence limit") << int(Ending::SilenceLimit) << CancellationCause::SilenceLimit;
    QTest::newRow("turn limit") << int(Ending::TurnLimit) << CancellationCause::TurnLimit;
}

// behaviours: 51, 159, 166, 172
void tst_TurnWire::whateverEndsTheTurnClosesTheConnection()
{
    QFETCH(int, ending);
    QFETCH(CancellationCause, cause);
    const bool isSilent = Ending(ending) == Ending::FirstTokenLimit;
    ModelServer server(always(isSilent ? silentReply() : stalling({u"Half "_s, u"an answer"_s})));
    IoThread io;
    TurnFixture fixture(TurnFixture::Time::Real);
    fixture.request.model = u"test-model"_s;
    fixture.request.provider =
        std::make_shared<ChatCompletionsProvider>(io, server.url(u"/v1"_s), Secret());
    CancellationSource external;
    CancellationSource parent;
    std::stop_source standard;
    fixture.request.external = external.token();
    fixture.request.parent = parent.token();
    fixture.request.externalStop = standard.get_token();
    if (Ending(ending) == Ending::FirstTokenLimit)
        fixture.request.limits.firstToken = fixture.request.limits.localFirstToken = 100ms;
    if (Ending(ending) == Ending::SilenceLimit)
        fixture.request.limits.silence = 100ms;
    if (Ending(ending) == Ending::TurnLimit)
        fixture.request.limits.turn = 300ms;
    fixture.onEvent = [&](const TurnEvent &event) {
        if (!std::holds_alternative<TextAppended>(event))
            return;
        if (Ending(ending) == Ending::Stop)
            fixture.stop();
        else if (Ending(ending) == Ending::External)
            external.cancel(CancellationCause::External, u"outside"_s);
        else if (Ending(ending) == Ending::Parent)
            parent.cancel(CancellationCause::User);
        else if (Ending(ending) == Ending::StopToken)
            standard.request_stop();
    };
    const TurnOutcome outcome = fixture.run();
    QVERIFY(outcome.isCancelled());
    QCOMPARE(outcome.reason->cause, cause);
    QCOMPARE(outcome.status, isTimeLimit(cause) ? TurnStatus::TimedOut : TurnStatus::Stopped);
    // The provider and its thread still live: it is the turn's end that closed it.
    QVERIFY(server.waitForDisconnect(0));
    QCOMPARE(server.connectionCount(), 1);
    QCOMPARE(outcome.text.isEmpty(), isSilent);
}

// behaviours: 53
void tst_TurnWire::aLateAnswerIsNotRead()
{
    ChatAnswer late;
    late.toolCalls = {{u"write"_s, {}, u"call_1"_s}};
    Reply reply = toReply(late);
    reply.steps.insert(reply.steps.begin(), WaitForRelease{});
    ModelServer server(always(reply));
    IoThread io;
    TurnFixture fixture(TurnFixture::Time::Real);
    auto tool = std::make_shared<ScriptedTool>(u"write"_s, returns({}));
    fixture.tool(tool);
    fixture.request.model = u"test-model"_s;
    fixture.request.provider =
        std::make_shared<ChatCompletionsProvider>(io, server.url(u"/v1"_s), Secret());
    fixture.onEvent = [&](const TurnEvent &event) {
        const auto *stage = std::get_if<StageChanged>(&event);
        if (stage && stage->stage == TurnStage::WaitingForFirstToken) {
            QVERIFY(server.waitForRequests(1));
            fixture.stop();
            server.release();
        }
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QVERIFY(fixture.calls().empty());
    QCOMPARE(tool->entered(), 0);
    QVERIFY(server.waitForDisconnect(0));
    QCOMPARE(server.requests().size(), size_t(1));
}

QTEST_GUILESS_MAIN(tst_TurnWire)
#include "tst_turnwire.moc"
