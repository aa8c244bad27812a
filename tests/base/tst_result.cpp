// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/result.h"

#include <QtTest>

#include <memory>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

Result<int> half(int number)
{
    if (number < 0)
        return CancellationError(TurnPhase::Execution);
    if (number % 2 != 0)
        return Error(ErrorCode::InvalidArgument, u"odd"_s);
    return number / 2;
}

} // namespace

class TestResult final : public QObject
{
    Q_OBJECT

private slots:
    void hasExactlyOneOfThreeEnds_data();
    void hasExactlyOneOfThreeEnds();
    void voidResultHasTheSameEnds();
    void wrappedCancellationIsNoFault();
    void cancellationErrorHasTheCodeCancelled();
    void valueCanBeMovedOut();
    void errorTravelsToAnotherResultType();
};

void TestResult::hasExactlyOneOfThreeEnds_data()
{
    QTest::addColumn<int>("number");
    QTest::addColumn<bool>("ok");
    QTest::addColumn<bool>("cancelled");
    QTest::addColumn<bool>("fault");
    QTest::newRow("value") << 4 << true << false << false;
    QTest::newRow("cancelled") << -1 << false << true << false;
    QTest::newRow("fault") << 3 << false << false << true;
}

void TestResult::hasExactlyOneOfThreeEnds()
{
    QFETCH(int, number);
    const Result<int> result = half(number);
    QTEST(result.ok(), "ok");
    QTEST(bool(result), "ok");
    QTEST(result.isCancelled(), "cancelled");
    QTEST(result.isFault(), "fault");
    if (result)
        QCOMPARE(*result, 2);
}

void TestResult::voidResultHasTheSameEnds()
{
    const Result<void> good;
    QVERIFY(good.ok() && !good.isCancelled() && !good.isFault());
    const Result<void> cancelled = CancellationError(TurnPhase::Cleanup);
    QVERIFY(!cancelled.ok() && cancelled.isCancelled() && !cancelled.isFault());
    const Result<void> fault = Error(ErrorCode::Io, u"disk"_s);
    QVERIFY(!fault.ok() && !fault.isCancelled() && fault.isFault());
    QCOMPARE(fault.error().message, u"disk"_s);
}

void TestResult::wrappedCancellationIsNoFault()
{
    const Error wrapped = half(-1).error().wrappedIn(ErrorCode::ServerError, u"outer"_s);
    const Result<int> result = wrapped;
    QVERIFY(result.isCancelled());
    QVERIFY(!result.isFault());
    QVERIFY(result.error().code == ErrorCode::ServerError);
}

void TestResult::cancellationErrorHasTheCodeCancelled()
{
    const Result<int> result = half(-1);
    QVERIFY(result.error().code == ErrorCode::Cancelled);
    QVERIFY(result.error().cancellation);
    QCOMPARE(result.error().message, result.error().cancellation->message());
}

void TestResult::valueCanBeMovedOut()
{
    Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
    QCOMPARE(**result, 7);
    const std::unique_ptr<int> taken = *std::move(result);
    QCOMPARE(*taken, 7);

    Result<QString> text = u"text"_s;
    text->append(u'!');
    QCOMPARE(text.value(), u"text!"_s);
}

void TestResult::errorTravelsToAnotherResultType()
{
    const auto outer = [](int number) -> Result<QString> {
        const Result<int> inner = half(number);
        if (!inner)
            return inner.error();
        return QString::number(*inner);
    };
    QCOMPARE(outer(8).value(), u"4"_s);
    QVERIFY(outer(-1).isCancelled());
    QVERIFY(outer(1).error().code == ErrorCode::InvalidArgument);
}

QTEST_APPLESS_MAIN(TestResult)
#include "tst_result.moc"
