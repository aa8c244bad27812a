// SPDX-License-Identifier: GPL-3.0-or-later
#include "recordinghooks.h"
#include "support/enumcomparison.h"
#include "turnfixture.h"

#include <QJsonArray>
#include <QTest>

#include <mutex>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// A tool that fails as often as it is told to, and keeps the arguments it was called with.
class FailingTool
{
public:
    explicit FailingTool(int failures) : m_failures(failures) { }

    ScriptedTool::Body body()
    {
        return [this](const QJsonObject &arguments, ToolContext &) -> Result<ToolResult> {
            const std::lock_guard lock(m_mutex);
            m_arguments << arguments.value("n"_L1).toInt();
            if (int(m_arguments.size()) <= m_failures)
                return Error(ErrorCode::Io, u"it broke"_s);
            return ToolResult{u"worked"_s, false, {}, {}};
        };
    }
    QList<int> arguments() const
    {
        const std::lock_guard lock(m_mutex);
        return m_arguments;
    }

private:
    const int m_failures;
    mutable std::mutex m_mutex;
    QList<int> m_arguments;
};

struct ToolPolicyFixture : TurnFixture
{
    ToolPolicyFixture() : TurnFixture(Time::Still)
    {
        request.hooks.addPolicy(policy);
        onEvent = [this](const TurnEvent &event) {
            if (const auto *asked = std::get_if<ApprovalAsked>(&event)) {
                questions << asked->request.tool + u' ' + asked->request.exactText;
                control->answerApproval(asked->request.call, decision, asked->request.fingerprint);
            }
        };
    }

    std::shared_ptr<ScriptedTool> add(const QString &name, ScriptedTool::Body body,
                                      bool asks = false)
    {
        auto added =
            std::make_shared<ScriptedTool>(name, std::move(body), ToolAccess::Writes, asks);
        tool(added);
        return added;
    }

    HookLog log;
    std::shared_ptr<ScriptedPolicy> policy = std::make_shared<ScriptedPolicy>(u"p"_s, log);
    ApprovalDecision decision = ApprovalDecision::AllowOnce;
    QStringList questions;
};

AfterToolDecision onceMore(std::optional<QJsonObject> arguments = std::nullopt)
{
    return {true, std::move(arguments)};
}

QJsonObject numbered(int n)
{
    return {{u"n"_s, n}};
}

} // namespace

class tst_TurnToolPolicies : public QObject
{
    Q_OBJECT

private slots:
    void aVetoOnOneToolLeavesTheOthers();
    void aVetoWinsOverAReplacement();
    void aReplacementRunsInItsPlaceWithItsOwnPermission();
    void changedArgumentsAreWhatIsAskedForAndRun();
    void argumentsOfAPolicyAreChecked();
    void aRetriedToolLeavesItsSiblingsAlone();
    void aRetryGoesThroughItsHooksAgain();
    void changedArgumentsOfARetryAreAskedForAgain();
    void retriesOfAToolAreBounded();
    void aResultIsNeverRetried();
    void aRetryOfACancelledCallIsIgnored_data();
    void aRetryOfACancelledCallIsIgnored();
    void aSkippedToolLeavesItsSiblingsAndTheTurn();
    void aDeniedCallHasItsEnd();
};

// behaviours: 136
void tst_TurnToolPolicies::aVetoOnOneToolLeavesTheOthers()
{
    ToolPolicyFixture fixture;
    const auto look = fixture.add(u"look"_s, returns(u"seen"_s));
    const auto wipe = fixture.add(u"wipe"_s, returns(u"gone"_s));
    fixture.policy->onBeforeTool = [](const ToolCallInfo &call, const HookContext &) {
        BeforeToolDecision decision;
        if (call.tool == u"wipe")
            decision.veto = u"Nothing is deleted here."_s;
        return decision;
    };
    fixture.script(
        {sent() + toolCall(u"look"_s) + toolCall(u"wipe"_s) + toolCall(u"look"_s) + done(),
         answer(u"Done."_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(look->entered(), 2);
    QCOMPARE(wipe->entered(), 0);
    const auto calls = fixture.calls();
    QCOMPARE(calls.at(1).slot.state, ToolState::Denied);
    QCOMPARE(calls.at(1).slot.note, u"Not run: Nothing is deleted here."_s);
    QCOMPARE(calls.at(0).slot.output, u"seen"_s);
    QCOMPARE(calls.at(2).slot.output, u"seen"_s);
    QCOMPARE(fixture.log.count(u"p afterTool wipe Denied"_s), 1);
}

// behaviours: 137
void tst_TurnToolPolicies::aVetoWinsOverAReplacement()
{
    ToolPolicyFixture fixture;
    const auto look = fixture.add(u"look"_s, returns(u"seen"_s));
    const auto other = std::make_shared<ScriptedTool>(u"other"_s, returns(u"other"_s));
    fixture.policy->onBeforeTool = [&](const auto &...) {
        BeforeToolDecision decision;
        decision.veto = QString();
        decision.replacement = other;
        return decision;
    };
    fixture.script({sent() + toolCall(u"look"_s) + done(), answer(u"Done."_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(look->entered(), 0);
    QCOMPARE(other->entered(), 0);
    QCOMPARE(fixture.calls().front().slot.state, ToolState::Denied);
    QCOMPARE(fixture.calls().front().slot.note, u"Not run: The rule \"p\" does not allow it."_s);
}

// behaviours: 137
void tst_TurnToolPolicies::aReplacementRunsInItsPlaceWithItsOwnPermission()
{
    ToolPolicyFixture fixture;
    const auto look = fixture.add(u"look"_s, returns(u"seen"_s));
    const auto other = std::make_shared<ScriptedTool>(u"other"_s, returns(u"from the other"_s),
                                                      ToolAccess::Writes, true);
    fixture.policy->onBeforeTool = [&](const auto &...) {
        BeforeToolDecision decision;
        decision.replacement = other;
        return decision;
    };
    fixture.script({sent() + toolCall(u"look"_s, u"{\"n\":1}"_s) + done(), answer(u"Done."_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(look->entered(), 0);
    QCOMPARE(other->entered(), 1);
    QCOMPARE(fixture.questions, QStringList(u"other {\"n\":1}"_s));
    QCOMPARE(fixture.calls().front().slot.output, u"from the other"_s);
}

// behaviours: 129
void tst_TurnToolPolicies::changedArgumentsAreWhatIsAskedForAndRun()
{
    ToolPolicyFixture fixture;
    FailingTool counting(0);
    fixture.add(u"count"_s, counting.body(), true);
    const auto second = std::make_shared<ScriptedPolicy>(u"second"_s, fixture.log);
    fixture.request.hooks.addPolicy(second, 1);
    fixture.policy->onBeforeTool = [](const auto &...) {
        BeforeToolDecision decision;
        decision.arguments = numbered(2);
        return decision;
    };
    int seenBySecond = 0;
    second->onBeforeTool = [&](const ToolCallInfo &call, const HookContext &) {
        seenBySecond = call.arguments.value("n"_L1).toInt();
        return BeforeToolDecision();
    };
    fixture.script({sent() + toolCall(u"count"_s, u"{\"n\":1}"_s) + done(), answer(u"Done."_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(seenBySecond, 2);
    QCOMPARE(fixture.questions, QStringList(u"count {\"n\":2}"_s));
    QCOMPARE(counting.arguments(), QList<int>{2});
}

// behaviours: 129
void tst_TurnToolPolicies::argumentsOfAPolicyAreChecked()
{
    ToolPolicyFixture fixture;
    const auto strict = std::make_shared<ScriptedTool>(u"strict"_s, returns({}));
    strict->setParameters(
        {{u"type"_s, u"object"_s},
         {u"required"_s, QJsonArray{u"path"_s}},
         {u"properties"_s, QJsonObject{{u"path"_s, QJsonObject{{u"type"_s, u"string"_s}}}}}});
    fixture.tool(strict);
    fixture.policy->onBeforeTool = [](const auto &...) {
        BeforeToolDecision decision;
        decision.arguments = numbered(2);
        return decision;
    };
    fixture.script(
        {sent() + toolCall(u"strict"_s, u"{\"path\":\"a\"}"_s) + done(), answer(u"Done."_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(strict->entered(), 0);
    QCOMPARE(fixture.calls().front().slot.state, ToolState::Failed);
}

// behaviours: 85
void tst_TurnToolPolicies::aRetriedToolLeavesItsSiblingsAlone()
{
    ToolPolicyFixture fixture;
    FailingTool failing(1);
    const auto before = fixture.add(u"before"_s, returns(u"b"_s));
    const auto flaky = fixture.add(u"flaky"_s, failing.body());
    const auto after = fixture.add(u"after"_s, returns(u"a"_s));
    fixture.policy->onAfterTool = [](const auto &...) { return onceMore(); };
    fixture.script(
        {sent() + toolCall(u"before"_s) + toolCall(u"flaky"_s) + toolCall(u"after"_s) + done(),
         answer(u"Done."_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(before->entered(), 1);
    QCOMPARE(flaky->entered(), 2);
    QCOMPARE(after->entered(), 1);
    QCOMPARE(outcome.tools.finished, 3);
    QCOMPARE(fixture.calls().at(1).slot.state, ToolState::Finished);
    QCOMPARE(fixture.calls().at(1).slot.output, u"worked"_s);
    QCOMPARE(fixture.provider->requests().size(), size_t(2));
}

// behaviours: 129
void tst_TurnToolPolicies::aRetryGoesThroughItsHooksAgain()
{
    ToolPolicyFixture fixture;
    FailingTool failing(1);
    fixture.add(u"flaky"_s, failing.body(), true);
    fixture.policy->onAfterTool = [](const auto &...) { return onceMore(); };
    fixture.script({sent() + toolCall(u"flaky"_s, u"{\"n\":1}"_s) + done(), answer(u"Done."_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(fixture.log.lines().filter(u"Tool "_s),
             QStringList({u"p beforeTool flaky 1"_s, u"p afterTool flaky Failed"_s,
                          u"p beforeTool flaky 2"_s, u"p afterTool flaky Finished"_s}));
    QCOMPARE(fixture.questions.size(), 1); // exactly this was allowed
    QCOMPARE(failing.arguments(), QList<int>({1, 1}));
    QCOMPARE(fixture.log.lines().filter(u"Tools"_s).size(), 2);
}

// behaviours: 129
void tst_TurnToolPolicies::changedArgumentsOfARetryAreAskedForAgain()
{
    ToolPolicyFixture fixture;
    FailingTool failing(1);
    fixture.add(u"flaky"_s, failing.body(), true);
    fixture.policy->onAfterTool = [](const auto &...) { return onceMore(numbered(2)); };
    fixture.script({sent() + toolCall(u"flaky"_s, u"{\"n\":1}"_s) + done(), answer(u"Done."_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(fixture.questions, QStringList({u"flaky {\"n\":1}"_s, u"flaky {\"n\":2}"_s}));
    QCOMPARE(failing.arguments(), QList<int>({1, 2}));
}

// behaviours: 85, 129
void tst_TurnToolPolicies::retriesOfAToolAreBounded()
{
    ToolPolicyFixture fixture;
    FailingTool failing(100);
    fixture.add(u"flaky"_s, failing.body());
    fixture.policy->onAfterTool = [](const auto &...) { return onceMore(); };
    fixture.script({sent() + toolCall(u"flaky"_s) + done(), answer(u"It is broken."_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(failing.arguments().size(), TurnPolicy::MostToolAttempts);
    QCOMPARE(fixture.calls().front().slot.state, ToolState::Failed);
    QCOMPARE(fixture.calls().front().slot.note, u"it broke"_s);
}

// behaviours: 129
void tst_TurnToolPolicies::aResultIsNeverRetried()
{
    ToolPolicyFixture fixture;
    const auto look = fixture.add(u"look"_s, returns(u"seen"_s));
    QStringList savedBefore;
    fixture.policy->onAfterTool = [&](const ToolCallInfo &, const ToolSlot &) {
        savedBefore = fixture.journal.log;
        return onceMore();
    };
    fixture.script({sent() + toolCall(u"look"_s) + done(), answer(u"Done."_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(look->entered(), 1);
    QCOMPARE(fixture.calls().front().slot.output, u"seen"_s);
    QVERIFY(savedBefore.contains(u"call Finished"_s)); // before anybody is asked about it
}

void tst_TurnToolPolicies::aRetryOfACancelledCallIsIgnored_data()
{
    QTest::addColumn<bool>("turn");
    QTest::newRow("the turn is stopped") << true;
    QTest::newRow("the tool is skipped") << false;
}

// behaviours: 88, 126
void tst_TurnToolPolicies::aRetryOfACancelledCallIsIgnored()
{
    QFETCH(bool, turn);
    ToolPolicyFixture fixture;
    const auto tool = fixture.add(
        u"long"_s, [&](const QJsonObject &, ToolContext &context) -> Result<ToolResult> {
            if (turn)
                fixture.control->stop({CancellationCause::User, {}, {}, {}});
            else
                fixture.control->stopTool(fixture.calls().front().id);
            Channel<int> nothing;
            (void)nothing.receive(context.token());
            return Error(ErrorCode::Io, u"broken off"_s);
        });
    fixture.policy->onAfterTool = [](const auto &...) { return onceMore(); };
    fixture.script({sent() + toolCall(u"long"_s) + done(), answer(u"Done."_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, turn ? TurnStatus::Stopped : TurnStatus::Completed);
    QCOMPARE(tool->entered(), 1);
    QCOMPARE(fixture.log.lines().filter(u"p afterTool "_s).size(), 1);
}

// behaviours: 88
void tst_TurnToolPolicies::aSkippedToolLeavesItsSiblingsAndTheTurn()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    auto skipped = std::make_shared<Gate>();
    fixture.tool(std::make_shared<ScriptedTool>(
        u"long"_s,
        [&](const QJsonObject &arguments, ToolContext &context) {
            context.reportOutput("half of it\n");
            fixture.control->stopTool(fixture.calls().front().id);
            return waitsForStop()(arguments, context);
        },
        ToolAccess::ReadOnly));
    bool siblingHeard = true;
    fixture.tool(std::make_shared<ScriptedTool>(
        u"sibling"_s,
        [&, skipped](const QJsonObject &, ToolContext &context) -> Result<ToolResult> {
            (void)skipped->wait();
            siblingHeard = context.token().isCancelled();
            return ToolResult{u"seen"_s, false, {}, {}};
        },
        ToolAccess::ReadOnly));
    fixture.onEvent = [&](const TurnEvent &event) {
        const auto *changed = std::get_if<ToolStateChanged>(&event);
        if (changed && changed->slot.state == ToolState::Interrupted)
            skipped->open();
    };
    fixture.script(
        {sent() + toolCall(u"long"_s) + toolCall(u"sibling"_s) + done(), answer(u"Done."_s)});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QVERIFY(!outcome.stopRequested);
    const ToolSlot slot = fixture.slot(u"long"_s);
    QCOMPARE(slot.state, ToolState::Interrupted);
    QVERIFY2(slot.note.startsWith(u"Interrupted: skipped by the user after "_s),
             qPrintable(slot.note));
    QVERIFY(slot.note.contains(u"may or may not have taken effect"_s));
    QVERIFY(slot.output.contains(u"half of it"_s));
    QVERIFY(!siblingHeard);
    QCOMPARE(fixture.slot(u"sibling"_s).output, u"seen"_s);
    QCOMPARE(fixture.provider->requests().size(), size_t(2));
}

// behaviours: 77, 134
void tst_TurnToolPolicies::aDeniedCallHasItsEnd()
{
    ToolPolicyFixture fixture;
    const auto wipe = fixture.add(u"wipe"_s, returns({}), true);
    fixture.decision = ApprovalDecision::Deny;
    fixture.script({sent() + toolCall(u"wipe"_s) + done(), answer(u"Done."_s)});
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(wipe->entered(), 0);
    QCOMPARE(fixture.log.count(u"p afterTool wipe Denied"_s), 1);
}

QTEST_GUILESS_MAIN(tst_TurnToolPolicies)
#include "tst_turntoolpolicies.moc"
