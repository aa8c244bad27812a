// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turnbudget.h"
#include "support/enumcomparison.h"
#include "turnfixture.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

Script used(qint64 input, qint64 output)
{
    return {ModelEvent(UsageReported{{input, output, false}})};
}

// A message that calls a tool, and cost so many tokens.
Script toolRound(qint64 input, qint64 output, const QString &arguments = u"{}"_s)
{
    return sent() + toolCall(u"look"_s, arguments) + used(input, output) + done();
}

// The rounds of a model that never ends by itself; the arguments differ, so that it does not turn in a circle.
std::vector<Script> endless(qint64 input, qint64 output)
{
    std::vector<Script> scripts;
    for (int i = 0; i < 60; ++i)
        scripts.push_back(toolRound(input, output, u"{\"n\":%1}"_s.arg(i)));
    return scripts;
}

struct BudgetFixture : TurnFixture
{
    BudgetFixture()
        : TurnFixture(Time::Still),
          look(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)))
    {
        tool(look);
    }

    // Counts what the turn tells of its budgets, and answers its questions.
    TurnOutcome runAnswering(bool goOn)
    {
        onEvent = [this, goOn](const TurnEvent &event) {
            if (const auto *reached = std::get_if<BudgetReached>(&event))
                budgets.push_back(*reached);
            else if (const auto *notice = std::get_if<NoticeAdded>(&event))
                notices << notice->text;
            else if (const auto *asked = std::get_if<QuestionAsked>(&event)) {
                questions.push_back(asked->question);
                control->answerQuestion(goOn);
            }
        };
        return run();
    }

    std::shared_ptr<ScriptedTool> look;
    std::vector<BudgetReached> budgets;
    std::vector<TurnQuestion> questions;
    QStringList notices;
};

} // namespace

class tst_TurnBudgets : public QObject
{
    Q_OBJECT

private slots:
    void oneIterationIsRunWholeBeforeTheCapEndsIt();
    void tokensEndTheTurnAtTheNextLoopTop_data();
    void tokensEndTheTurnAtTheNextLoopTop();
    void costEndsTheTurnAndBothAmountsAreNamed();
    void withoutAPriceTheLimitOnTheCostIsSaidToBeNone();
    void aFinalAnswerWins();
    void capsAreJudgedInTheirOrder();
    void eachTurnCountsFromZero();
    void onlyNumbersAboveZeroAreTaken_data();
    void onlyNumbersAboveZeroAreTaken();
    void aRefusedBudgetSendsNothing();
    void theInstructionOfTheAnswerIsSent();
    void noAnswerMeansStop();
    void aSecondClickDoesNotAnswerTheNextQuestion();
    void goingOnCountsForThisTurnOnly();
    void repeatedCallsAreAskedFor_data();
    void repeatedCallsAreAskedFor();
    void whoWentOnIsAskedAfterThreeMore();
    void theInstructionAgainstACircleIsSent();
    void cutCallsAreToBeRepeatedThreeTimesAtMost();
    void whatWasRefusedUnreadIsNotCounted();
    void triesOfOneIterationAreOneIteration();
    void theNoticeOfALimitIsNoAnswer();
    void failedAndCancelledRequestsAreCounted();
};

// behaviours: 250, 257, 258
void tst_TurnBudgets::oneIterationIsRunWholeBeforeTheCapEndsIt()
{
    BudgetFixture fixture;
    fixture.request.limits.modelCalls = 1;
    fixture.script(endless(10, 5));
    const TurnOutcome outcome = fixture.runAnswering(false);
    QCOMPARE(outcome.status, TurnStatus::LimitReached);
    QCOMPARE(outcome.stopReason, StopReason::Limit);
    QCOMPARE(outcome.reason->cause, CancellationCause::IterationLimit);
    QCOMPARE(outcome.iterations, 1);
    QCOMPARE(outcome.tools.finished, 1);
    QCOMPARE(fixture.look->entered(), 1);
    QCOMPARE(fixture.questions.size(), size_t(1));
    QCOMPARE(fixture.questions.front().kind, TurnQuestion::Kind::IterationLimit);
    QCOMPARE(fixture.questions.front().count, 1);
    QCOMPARE(fixture.budgets.size(), size_t(1));
    QCOMPARE(fixture.budgets.front().cause, CancellationCause::IterationLimit);
    QCOMPARE(fixture.budgets.front().iterations, 1);
    QCOMPARE(fixture.budgets.front().usage.total(), qint64(15));
}

void tst_TurnBudgets::tokensEndTheTurnAtTheNextLoopTop_data()
{
    QTest::addColumn<bool>("total");
    QTest::addColumn<qint64>("cap");
    QTest::addColumn<int>("iterations");
    QTest::addColumn<QString>("named");
    // Each iteration takes 100 and gives 10.
    QTest::newRow("total, equal counts")
        << true << qint64(220) << 2 << u"220 of 220 tokens in all"_s;
    QTest::newRow("total, passed") << true << qint64(221) << 3 << u"330 of 221 tokens in all"_s;
    QTest::newRow("output, equal counts")
        << false << qint64(20) << 2 << u"20 of 20 output tokens"_s;
    QTest::newRow("output, passed") << false << qint64(21) << 3 << u"30 of 21 output tokens"_s;
}

// behaviours: 251, 257
void tst_TurnBudgets::tokensEndTheTurnAtTheNextLoopTop()
{
    QFETCH(bool, total);
    QFETCH(qint64, cap);
    QFETCH(int, iterations);
    QFETCH(QString, named);
    BudgetFixture fixture;
    (total ? fixture.request.limits.totalTokens : fixture.request.limits.outputTokens) = cap;
    fixture.script(endless(100, 10));
    const TurnOutcome outcome = fixture.runAnswering(true);
    QCOMPARE(outcome.status, TurnStatus::LimitReached);
    QCOMPARE(outcome.reason->cause, CancellationCause::TokenBudget);
    QCOMPARE(outcome.reason->text, named);
    QCOMPARE(outcome.iterations, iterations);
    QCOMPARE(fixture.look->entered(), iterations);
    QCOMPARE(fixture.budgets.size(), size_t(1));
    QCOMPARE(fixture.budgets.front().usage, outcome.usage);
    QVERIFY(!fixture.budgets.front().cost);
}

// behaviours: 252, 257
void tst_TurnBudgets::costEndsTheTurnAndBothAmountsAreNamed()
{
    BudgetFixture fixture;
    fixture.request.limits.cost = 0.5;
    fixture.request.prices = TokenPrices{2, 8};
    fixture.script(endless(100'000, 12'500)); // 0.3 each
    const TurnOutcome outcome = fixture.runAnswering(true);
    QCOMPARE(outcome.status, TurnStatus::LimitReached);
    QCOMPARE(outcome.reason->cause, CancellationCause::CostBudget);
    QCOMPARE(outcome.reason->text, u"cost 0.6 of 0.5"_s);
    QCOMPARE(outcome.iterations, 2);
    QCOMPARE(fixture.budgets.size(), size_t(1));
    QVERIFY(std::abs(*fixture.budgets.front().cost - 0.6) < 1e-9);
    QVERIFY(fixture.notices.isEmpty());
}

// behaviours: 252
void tst_TurnBudgets::withoutAPriceTheLimitOnTheCostIsSaidToBeNone()
{
    BudgetFixture fixture;
    fixture.request.model = u"some-model"_s;
    fixture.request.limits.cost = 1e-9;
    fixture.script({toolRound(1000, 1000), answer(u"Done."_s)});
    const TurnOutcome outcome = fixture.runAnswering(true);
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(outcome.text, u"Done."_s);
    QCOMPARE(fixture.notices.size(), 1);
    QVERIFY(fixture.notices.front().contains(u"some-model"_s));
    QVERIFY(fixture.notices.front().contains(u"cannot be enforced"_s));
    QVERIFY(fixture.budgets.empty());
}

// behaviours: 253
void tst_TurnBudgets::aFinalAnswerWins()
{
    BudgetFixture fixture;
    fixture.request.limits.modelCalls = 1;
    fixture.request.limits.totalTokens = 1;
    fixture.request.limits.outputTokens = 1;
    fixture.request.limits.cost = 0.000001;
    fixture.request.prices = TokenPrices{1, 1};
    fixture.script({sent() + text(u"Done."_s) + used(1000, 1000) + done()});
    const TurnOutcome outcome = fixture.runAnswering(false);
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QVERIFY(outcome.isAnswer());
    QVERIFY(fixture.questions.empty());
    QVERIFY(fixture.budgets.empty());
}

// behaviours: 254
void tst_TurnBudgets::capsAreJudgedInTheirOrder()
{
    const QStringList expected{u"1 model calls"_s, u"20 of 20 tokens in all"_s,
                               u"10 of 10 output tokens"_s, u"cost 1 of 1"_s};
    for (int first = 0; first < expected.size(); ++first) {
        BudgetFixture fixture;
        TurnLimits &limits = fixture.request.limits;
        limits.modelCalls = first <= 0 ? 1 : 50;
        if (first <= 1)
            limits.totalTokens = 20;
        if (first <= 2)
            limits.outputTokens = 10;
        limits.cost = 1;
        fixture.request.prices = TokenPrices{0, 100'000};
        fixture.script(endless(10, 10));
        const TurnOutcome outcome = fixture.runAnswering(false);
        QCOMPARE(outcome.status, TurnStatus::LimitReached);
        QCOMPARE(outcome.reason->text, expected.at(first));
        QCOMPARE(fixture.budgets.size(), size_t(1));
    }
}

// behaviours: 255
void tst_TurnBudgets::eachTurnCountsFromZero()
{
    BudgetFixture fixture;
    fixture.request.limits.totalTokens = 30;
    fixture.request.limits.modelCalls = 3;
    for (int i = 0; i < 3; ++i) {
        fixture.nextTurn();
        fixture.script({toolRound(10, 5), answer(u"Done."_s)}); // 15, and 15 would be too much
        const TurnOutcome outcome = fixture.runAnswering(false);
        QCOMPARE(outcome.status, TurnStatus::Completed);
        QCOMPARE(outcome.iterations, 2);
    }
    QVERIFY(fixture.questions.empty());
}

void tst_TurnBudgets::onlyNumbersAboveZeroAreTaken_data()
{
    QTest::addColumn<TurnLimits>("limits");
    QTest::addColumn<TokenPrices>("prices");
    QTest::addColumn<bool>("taken");
    const auto add = [](const char *name, auto change, bool taken = false) {
        TurnLimits limits;
        TokenPrices prices{1, 1};
        change(limits, prices);
        QTest::newRow(name) << limits << prices << taken;
    };
    const double NaN = std::numeric_limits<double>::quiet_NaN();
    const double Infinity = std::numeric_limits<double>::infinity();
    add(
        "defaults", [](auto &, auto &) {}, true);
    add(
        "all set",
        [](auto &limits, auto &) {
            limits.modelCalls = 1;
            limits.totalTokens = limits.outputTokens = 1;
            limits.cost = 0.01;
        },
        true);
    add(
        "none set", [](auto &limits, auto &) { limits.modelCalls.reset(); }, true);
    add(
        "a model that costs nothing",
        [](auto &, auto &prices) {
            prices = {0, 0};
        },
        true);
    add("no model calls", [](auto &limits, auto &) { limits.modelCalls = 0; });
    add("model calls below zero", [](auto &limits, auto &) { limits.modelCalls = -1; });
    add("no tokens", [](auto &limits, auto &) { limits.totalTokens = 0; });
    add("tokens below zero", [](auto &limits, auto &) { limits.totalTokens = -5; });
    add("no output", [](auto &limits, auto &) { limits.outputTokens = 0; });
    add("output below zero", [](auto &limits, auto &) { limits.outputTokens = -5; });
    add("no cost", [](auto &limits, auto &) { limits.cost = 0.0; });
    add("cost below zero", [](auto &limits, auto &) { limits.cost = -0.1; });
    add("cost that is no number", [=](auto &limits, auto &) { limits.cost = NaN; });
    add("endless cost", [=](auto &limits, auto &) { limits.cost = Infinity; });
    add("price below zero", [](auto &, auto &prices) { prices.input = -1; });
    add("price that is no number", [=](auto &, auto &prices) { prices.output = NaN; });
    add("endless price", [=](auto &, auto &prices) { prices.output = Infinity; });
}

// behaviours: 256
void tst_TurnBudgets::onlyNumbersAboveZeroAreTaken()
{
    QFETCH(TurnLimits, limits);
    QFETCH(TokenPrices, prices);
    QFETCH(bool, taken);
    const auto checked = checkBudgets(limits, prices);
    QCOMPARE(checked.ok(), taken);
    if (!taken)
        QCOMPARE(checked.error().code, ErrorCode::InvalidArgument);
}

// behaviours: 256
void tst_TurnBudgets::aRefusedBudgetSendsNothing()
{
    BudgetFixture fixture;
    fixture.request.limits.totalTokens = 0;
    const TurnOutcome outcome = fixture.runAnswering(true);
    QCOMPARE(outcome.status, TurnStatus::Failed);
    QCOMPARE(outcome.error->code, ErrorCode::InvalidArgument);
    QCOMPARE(outcome.phase, TurnPhase::Initialization);
    QVERIFY(fixture.provider->requests().empty());
    QVERIFY(!outcome.sent);
}

// behaviours: 258
void tst_TurnBudgets::theInstructionOfTheAnswerIsSent()
{
    BudgetFixture fixture;
    fixture.request.limits.modelCalls = 1;
    fixture.script({toolRound(1, 1), answer(u"In short: done."_s)});
    fixture.onEvent = [&](const TurnEvent &event) {
        if (std::holds_alternative<QuestionAsked>(event))
            fixture.control->answerQuestion(true, u"Come to an end."_s);
    };
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    const History history = fixture.provider->requests().at(1).history;
    QVERIFY(validateHistory(history).empty());
    QCOMPARE(history.back().role, HistoryRole::User);
    QCOMPARE(std::get<TextBlock>(history.back().blocks.front()).text, u"Come to an end."_s);
    QCOMPARE(history.at(history.size() - 2).role, HistoryRole::Tool);
    QCOMPARE(fixture.record().answer.back().instruction, u"Come to an end."_s);
    QCOMPARE(fixture.journal.saved->answer.back().instruction, u"Come to an end."_s);
}

// behaviours: 258
void tst_TurnBudgets::noAnswerMeansStop()
{
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.request.limits.modelCalls = 1;
    fixture.request.questionLimit = std::chrono::minutes(10);
    fixture.tool(std::make_shared<ScriptedTool>(u"look"_s, returns(u"seen"_s)));
    fixture.script(endless(1, 1));
    fixture.onEvent = [&](const TurnEvent &event) {
        if (std::holds_alternative<QuestionAsked>(event))
            fixture.manualClock.advance(std::chrono::minutes(10));
        else if (std::holds_alternative<QuestionClosed>(event))
            fixture.control->answerQuestion(true); // too late
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::LimitReached);
    QCOMPARE(outcome.iterations, 1);
    QCOMPARE(fixture.count(u"QuestionClosed"_s), 1);
    QCOMPARE(fixture.control->lateCalls(), 1);
}

// behaviours: 258
void tst_TurnBudgets::aSecondClickDoesNotAnswerTheNextQuestion()
{
    BudgetFixture fixture;
    fixture.request.limits.modelCalls = 1;
    fixture.script(endless(1, 1));
    int questions = 0;
    fixture.onEvent = [&](const TurnEvent &event) {
        if (!std::holds_alternative<QuestionAsked>(event))
            return;
        if (++questions == 1) {
            fixture.control->answerQuestion(true);
            fixture.control->answerQuestion(true);
        } else {
            fixture.control->answerQuestion(false);
        }
    };
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(questions, 2);
    QCOMPARE(outcome.iterations, 2);
    QCOMPARE(outcome.status, TurnStatus::LimitReached);
}

// behaviours: 259
void tst_TurnBudgets::goingOnCountsForThisTurnOnly()
{
    BudgetFixture fixture;
    fixture.request.limits.modelCalls = 2;
    fixture.script(
        {toolRound(1, 1, u"{\"n\":1}"_s), toolRound(1, 1, u"{\"n\":2}"_s), answer(u"Done."_s)});
    QCOMPARE(fixture.runAnswering(true).iterations, 3);
    QCOMPARE(fixture.questions.size(), size_t(1));

    fixture.nextTurn();
    fixture.script(endless(1, 1));
    const TurnOutcome outcome = fixture.runAnswering(false);
    QCOMPARE(outcome.iterations, 2);
    QCOMPARE(fixture.questions.back().count, 2);
}

void tst_TurnBudgets::repeatedCallsAreAskedFor_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<bool>("asked");
    const QString a = u"{\"path\":\"a\",\"line\":1}"_s;
    const QString sameInAnotherOrder = u"{ \"line\" : 1, \"path\" : \"a\" }"_s;
    const QString b = u"{\"path\":\"b\"}"_s;
    const QString c = u"{\"path\":\"c\"}"_s;
    QTest::newRow("three times the same") << QStringList{a, sameInAnotherOrder, a} << true;
    QTest::newRow("twice") << QStringList{a, a, b} << false;
    QTest::newRow("two that alternate") << QStringList{a, b, a, b, sameInAnotherOrder, b} << true;
    QTest::newRow("three in turn") << QStringList{a, b, c, a, b, c} << false;
    QTest::newRow("not in a row") << QStringList{a, a, b, a, a} << false;
}

// behaviours: 260
void tst_TurnBudgets::repeatedCallsAreAskedFor()
{
    QFETCH(QStringList, arguments);
    QFETCH(bool, asked);
    std::vector<Script> scripts;
    for (const QString &text : arguments)
        scripts.push_back(toolRound(1, 1, text));
    scripts.push_back(answer(u"Done."_s));
    for (const bool goOn : {true, false}) {
        BudgetFixture fixture;
        fixture.script(scripts);
        const TurnOutcome outcome = fixture.runAnswering(goOn);
        QCOMPARE(fixture.questions.size(), size_t(asked ? 1 : 0));
        QCOMPARE(outcome.status, TurnStatus::Completed);
        if (asked && !goOn) {
            QCOMPARE(fixture.questions.front().kind, TurnQuestion::Kind::RepeatedCalls);
            QCOMPARE(outcome.stopReason, StopReason::LoopDetected);
            QVERIFY(!outcome.isAnswer());
            QCOMPARE(fixture.look->entered(), int(arguments.size()) - 1);
            QVERIFY(fixture.calls().back().slot.note.startsWith(u"Not run:"_s));
        } else {
            QCOMPARE(outcome.stopReason, StopReason::EndTurn);
            QCOMPARE(fixture.look->entered(), int(arguments.size()));
        }
    }
}

// behaviours: 260
void tst_TurnBudgets::whoWentOnIsAskedAfterThreeMore()
{
    for (const int rounds : {3, 5, 6}) {
        BudgetFixture fixture;
        std::vector<Script> scripts(size_t(rounds), toolRound(1, 1));
        scripts.push_back(answer(u"Done."_s));
        fixture.script(scripts);
        QCOMPARE(fixture.runAnswering(true).status, TurnStatus::Completed);
        QCOMPARE(fixture.questions.size(), size_t(rounds / 3));
        QCOMPARE(fixture.look->entered(), rounds);
    }
}

// behaviours: 258, 260
void tst_TurnBudgets::theInstructionAgainstACircleIsSent()
{
    BudgetFixture fixture;
    std::vector<Script> scripts(3, toolRound(1, 1));
    scripts.push_back(answer(u"Done."_s));
    fixture.script(scripts);
    fixture.onEvent = [&](const TurnEvent &event) {
        if (std::holds_alternative<QuestionAsked>(event))
            fixture.control->answerQuestion(true, u"Look elsewhere."_s);
    };
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    const History history = fixture.provider->requests().at(3).history;
    QVERIFY(validateHistory(history).empty());
    QCOMPARE(history.back().role, HistoryRole::User);
    QCOMPARE(std::get<TextBlock>(history.back().blocks.front()).text, u"Look elsewhere."_s);
}

// behaviours: 261
void tst_TurnBudgets::cutCallsAreToBeRepeatedThreeTimesAtMost()
{
    const Script cut = sent() + toolCall(u"look"_s, u"{\"pa"_s) + done(StopReason::MaxTokens);
    BudgetFixture fixture;
    fixture.script({cut, cut, toolRound(1, 1), cut, cut, cut, answer(u"never asked for"_s)});
    const TurnOutcome outcome = fixture.runAnswering(true);
    QCOMPARE(outcome.stopReason, StopReason::MaxTokens);
    QCOMPARE(outcome.iterations, 6); // the whole message between them began the count anew
    QCOMPARE(fixture.look->entered(), 1);
    int cutCalls = 0;
    for (const ToolCallBlock &call : fixture.calls())
        cutCalls += call.slot.note.contains(u"Repeat the call"_s);
    QCOMPARE(cutCalls, 5);
}

// behaviours: 264
void tst_TurnBudgets::whatWasRefusedUnreadIsNotCounted()
{
    TurnFixture fixture;
    fixture.request.retries = 1;
    const Script refused =
        sent() + Script{Fail{Error(ErrorCode::RateLimited, u"busy"_s), {true, {}}}};
    fixture.script({refused, sent() + text(u"Here."_s) + used(20, 2) + done()});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Completed);
    QCOMPARE(outcome.usage.total(), qint64(22));
    QVERIFY(!outcome.usage.estimated);
}

// behaviours: 127, 262
void tst_TurnBudgets::triesOfOneIterationAreOneIteration()
{
    TurnFixture fixture;
    fixture.request.retries = 2;
    fixture.request.limits.modelCalls = 1;
    const Script busy{Fail{Error(ErrorCode::ServerError, u"busy"_s), {true, {}}}};
    for (int i = 0; i < 2; ++i) { // each turn has all its tries
        fixture.nextTurn();
        fixture.script({busy, busy, answer(u"at last"_s)});
        const TurnOutcome outcome = fixture.run();
        QCOMPARE(outcome.status, TurnStatus::Completed);
        QCOMPARE(outcome.iterations, 1);
        QCOMPARE(fixture.provider->requests().size(), size_t(3));
    }
    QCOMPARE(fixture.count(u"QuestionAsked"_s), 0);
}

// behaviours: 263
void tst_TurnBudgets::theNoticeOfALimitIsNoAnswer()
{
    BudgetFixture fixture;
    fixture.request.limits.outputTokens = 1;
    fixture.script({sent() + text(u"Let me look."_s) + toolCall(u"look"_s) + used(1, 1) + done()});
    const TurnOutcome outcome = fixture.runAnswering(true);
    QCOMPARE(outcome.status, TurnStatus::LimitReached);
    QVERIFY(!outcome.isAnswer());
    QVERIFY(outcome.partial);
    QVERIFY(!outcome.reason->text.isEmpty());
    QCOMPARE(outcome.text, u"Let me look."_s); // what the model said, and nothing of the limit
    QCOMPARE(fixture.journal.saved->answerText(), u"Let me look."_s);
    QCOMPARE(fixture.journal.saved->outcome->reason->text, outcome.reason->text);
}

// behaviours: 264
void tst_TurnBudgets::failedAndCancelledRequestsAreCounted()
{
    TurnFixture fixture;
    fixture.request.retries = 1;
    const Script paidFault =
        sent() + used(100, 7) + Script{Fail{Error(ErrorCode::ServerError, u"broke"_s), {true, {}}}};
    const Script stopped = sent() + used(50, 3) + Script{Call{[&] {
                               fixture.control->stop({CancellationCause::User, {}, {}, {}});
                           }}}
        + done();
    fixture.script({paidFault, stopped});
    const TurnOutcome outcome = fixture.run();
    QCOMPARE(outcome.status, TurnStatus::Stopped);
    QCOMPARE(outcome.usage.input, qint64(150));
    QCOMPARE(outcome.usage.output, qint64(10));
    QVERIFY(!outcome.usage.estimated);

    TurnFixture failing;
    failing.script({paidFault});
    QCOMPARE(failing.run().usage.total(), qint64(107));

    // What the server had begun to answer was paid for, whether or not it said so.
    TurnFixture silent;
    silent.script({sent() + text(u"12345678"_s)
                   + Script{Fail{Error(ErrorCode::ServerError, u"broke"_s), {}}}});
    const TokenUsage estimated = silent.run().usage;
    QVERIFY(estimated.estimated);
    QCOMPARE(estimated.output, qint64(2));
    QVERIFY(estimated.input > 0);
}

QTEST_GUILESS_MAIN(tst_TurnBudgets)
#include "tst_turnbudgets.moc"
