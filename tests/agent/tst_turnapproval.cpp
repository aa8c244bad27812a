// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/enumcomparison.h"
#include "turnfixture.h"

#include <QJsonDocument>
#include <QTest>

#include <thread>

using namespace fermata;
using namespace Qt::StringLiterals;

// What may run: the questions of a turn and what their answers allow.
class tst_TurnApproval : public QObject
{
    Q_OBJECT

private slots:
    void afterTwentyFiveCallsWithoutAQuestionTheNextOneAsks();
    void callsThatNeverAskAreNotCounted();
    void whatRunsIsWhatWasShown();
    void alwaysCountsForTheRestOfTheTurn();
    void anAllowedToolAsksForANewPlaceOnce();
    void aDeniedCallIsNotAskedAgainInTheSameMessage();
    void aStopEndsAQuestionWithoutAnAnswer_data();
    void aStopEndsAQuestionWithoutAnAnswer();
};

// reliability: E17
void tst_TurnApproval::afterTwentyFiveCallsWithoutAQuestionTheNextOneAsks()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    auto tool =
        std::make_shared<ScriptedTool>(u"make"_s, returns(u"ok"_s), ToolAccess::Writes, true);
    fixture.tool(tool);
    fixture.request.policy = std::make_shared<ApprovalPolicy>(
        QHash<QString, ToolPermission>{{u"make"_s, ToolPermission::Allow}},
        std::vector<AllowRule>{});
    Script calls = sent();
    for (int i = 0; i < 50; ++i)
        calls = calls + toolCall(u"make"_s, u"{\"number\":%1}"_s.arg(i));
    fixture.script({calls + done(), answer(u"Done."_s)});
    std::vector<int> asked;
    fixture.onEvent = [&](const TurnEvent &event) {
        if (const auto *question = std::get_if<ApprovalAsked>(&event)) {
            asked.push_back(tool->entered());
            fixture.control->answerApproval(question->request.call, ApprovalDecision::AllowOnce,
                                            question->request.fingerprint);
        }
    };
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(tool->entered(), 50);
    QCOMPARE(asked, std::vector<int>{25}); // the answer begins the count anew
}

// What asks nobody by default does not use up that patience.
void tst_TurnApproval::callsThatNeverAskAreNotCounted()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)));
    auto make =
        std::make_shared<ScriptedTool>(u"make"_s, returns(u"ok"_s), ToolAccess::Writes, true);
    fixture.tool(make);
    fixture.request.policy = std::make_shared<ApprovalPolicy>(
        QHash<QString, ToolPermission>{{u"make"_s, ToolPermission::Allow}},
        std::vector<AllowRule>{});
    Script calls = sent();
    for (int i = 0; i < 2 * ToolPhase::MostRunWithoutAsking; ++i)
        calls = calls + toolCall(u"look"_s, u"{\"number\":%1}"_s.arg(i));
    fixture.script({calls + toolCall(u"make"_s) + done(), answer(u"Done."_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(make->entered(), 1);
    QCOMPARE(fixture.count(u"ApprovalAsked"_s), 0);
}

// What is executed is byte for byte what was shown.
// reliability: E14
void tst_TurnApproval::whatRunsIsWhatWasShown()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    QString ran;
    QByteArray allowed;
    auto tool = std::make_shared<ScriptedTool>(
        u"make"_s,
        [&](const QJsonObject &arguments, ToolContext &context) -> Result<ToolResult> {
            ran = QString::fromUtf8(QJsonDocument(arguments).toJson(QJsonDocument::Compact));
            allowed = context.approvedFingerprint();
            return ToolResult{u"ok"_s, false, {}, {}};
        },
        ToolAccess::Writes, true);
    fixture.tool(tool);
    fixture.script({sent() + toolCall(u"make"_s, u"{\"a\" : \"1\\u202e\", \"b\":2}"_s) + done(),
                    answer(u"Done."_s)});
    ApprovalRequest shown;
    fixture.onEvent = [&](const TurnEvent &event) {
        if (const auto *question = std::get_if<ApprovalAsked>(&event)) {
            shown = question->request;
            // An answer to something else does not count.
            fixture.control->answerApproval(shown.call, ApprovalDecision::AllowOnce, "other");
            fixture.control->answerApproval(shown.call, ApprovalDecision::AllowOnce,
                                            shown.fingerprint);
        }
    };
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(tool->entered(), 1);
    QCOMPARE(ran, shown.exactText);
    QCOMPARE(allowed, shown.fingerprint);
}

// The rule is the settings' from the next turn on: who revokes it there is asked again, in this conversation, too.
void tst_TurnApproval::alwaysCountsForTheRestOfTheTurn()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    auto tool =
        std::make_shared<ScriptedTool>(u"make"_s, returns(u"ok"_s), ToolAccess::Writes, true);
    tool->offerPattern(u"make it"_s);
    fixture.tool(tool);
    const auto policy = std::make_shared<ApprovalPolicy>();
    fixture.request.policy = policy;
    fixture.script(
        {sent() + toolCall(u"make"_s) + toolCall(u"make"_s) + done(), answer(u"Done."_s)});
    fixture.onEvent = [&](const TurnEvent &event) {
        if (const auto *question = std::get_if<ApprovalAsked>(&event))
            fixture.control->answerApproval(question->request.call, ApprovalDecision::AllowAlways,
                                            question->request.fingerprint);
    };
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(tool->entered(), 2);
    QCOMPARE(fixture.count(u"ApprovalAsked"_s), 1);
    QVERIFY(policy->conversationRules().empty());
}

// reliability: E31
void tst_TurnApproval::anAllowedToolAsksForANewPlaceOnce()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    const auto here =
        std::make_shared<ScriptedTool>(u"fetch"_s, returns(u"ok"_s), ToolAccess::Writes, true);
    here->reach(u"https://here"_s);
    fixture.tool(here);
    fixture.request.policy = std::make_shared<ApprovalPolicy>(
        QHash<QString, ToolPermission>{{u"fetch"_s, ToolPermission::Allow}},
        std::vector<AllowRule>{});
    fixture.script({sent() + toolCall(u"fetch"_s, u"{\"a\":1}"_s)
                        + toolCall(u"fetch"_s, u"{\"a\":2}"_s) + done(),
                    sent() + toolCall(u"fetch"_s, u"{\"a\":3}"_s) + done(), answer(u"Done."_s)});
    fixture.onEvent = [&](const TurnEvent &event) {
        if (const auto *question = std::get_if<ApprovalAsked>(&event)) {
            fixture.control->answerApproval(question->request.call, ApprovalDecision::AllowOnce,
                                            question->request.fingerprint);
        }
    };
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(here->entered(), 3);
    QCOMPARE(fixture.count(u"ApprovalAsked"_s), 1);
}

// Before, calls of one message were judged before the first of them was answered.
// behaviours: 162
void tst_TurnApproval::aDeniedCallIsNotAskedAgainInTheSameMessage()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    auto tool = std::make_shared<ScriptedTool>(u"delete"_s, returns({}), ToolAccess::Writes, true);
    fixture.tool(tool);
    const QString other = u"{\"other\":1}"_s;
    fixture.script({sent() + toolCall(u"delete"_s) + toolCall(u"delete"_s)
                        + toolCall(u"delete"_s, other) + done(),
                    answer(u"Done."_s)});
    fixture.onEvent = [&](const TurnEvent &event) {
        if (const auto *question = std::get_if<ApprovalAsked>(&event))
            fixture.control->answerApproval(question->request.call, ApprovalDecision::Deny,
                                            question->request.fingerprint);
    };
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(fixture.count(u"ApprovalAsked"_s), 2);
    QCOMPARE(tool->entered(), 0);
    for (const ToolCallBlock &call : fixture.calls())
        QCOMPARE(call.slot.state, ToolState::Denied);
}

void tst_TurnApproval::aStopEndsAQuestionWithoutAnAnswer_data()
{
    QTest::addColumn<bool>("repeated");
    QTest::newRow("iteration limit") << false;
    QTest::newRow("repeated calls") << true;
}

// behaviours: 78
void tst_TurnApproval::aStopEndsAQuestionWithoutAnAnswer()
{
    QFETCH(bool, repeated);
    TurnFixture fixture(TurnFixture::Time::Still);
    if (!repeated)
        fixture.request.limits.modelCalls = 3;
    auto tool = std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s));
    fixture.tool(tool);
    std::vector<Script> rounds;
    for (int i = 0; i < 5; ++i) {
        rounds.push_back(sent() + toolCall(u"look"_s, repeated ? u"{}"_s : u"{\"n\":%1}"_s.arg(i))
                         + done());
    }
    fixture.script(rounds);
    std::thread stopper;
    fixture.onEvent = [&](const TurnEvent &event) {
        if (std::holds_alternative<QuestionAsked>(event))
            stopper = std::thread([&] { fixture.stop(); });
    };
    const TurnOutcome outcome = fixture.run();
    stopper.join();
    QCOMPARE(outcome.status, TurnStatus::Stopped); // neither a limit nor a circle: nobody answered
    QCOMPARE(outcome.reason->cause, CancellationCause::User);
    QCOMPARE(outcome.timeToStop, std::optional(std::chrono::milliseconds(0)));
    QCOMPARE(fixture.count(u"QuestionAsked"_s), 1);
    QCOMPARE(fixture.count(u"QuestionClosed"_s), 1);
    QCOMPARE(fixture.count(u"BudgetReached"_s), 0);
    QCOMPARE(fixture.provider->requests().size(), size_t(3));
    QCOMPARE(tool->entered(), repeated ? 2 : 3);
    fixture.control->answerQuestion(true);
    QCOMPARE(fixture.control->lateCalls(), 1);
}

QTEST_GUILESS_MAIN(tst_TurnApproval)
#include "tst_turnapproval.moc"
