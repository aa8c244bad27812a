// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/boundedcall.h"
#include "support/enumcomparison.h"
#include "support/logrecorder.h"

#include <QtTest>

#include <atomic>
#include <memory>
#include <stdexcept>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

Deadline soonEnough()
{
    return steadyClock().now() + 20s;
}

} // namespace

class TestBoundedCall final : public QObject
{
    Q_OBJECT

private slots:
    void givesWhatTheFunctionReturns();
    void whatItThrowsIsAFault();
    void aCancellationStaysOne();
    void itHearsOfItsParentsCancel();
    void whatIsLeftBehindHearsOfItAndHoldsNobody();
    void destroyingItLeavesBehindWhatHasNotEnded();
};

void TestBoundedCall::givesWhatTheFunctionReturns()
{
    const auto captured = std::make_shared<int>(7);
    BoundedCall<int> call(
        u"call"_s,
        [captured](const CancellationToken &token) -> Result<int> {
            return token.isCancelled() ? 0 : *captured;
        },
        steadyClock());
    const auto result = call.waitUntil(soonEnough());
    QVERIFY(result && result->ok());
    QCOMPARE(**result, 7);
    QCOMPARE(captured.use_count(), 1L); // gone before its end is told
}

void TestBoundedCall::whatItThrowsIsAFault()
{
    BoundedCall<void> call(
        u"call"_s,
        [](const CancellationToken &) -> Result<void> { throw std::runtime_error("broken"); },
        steadyClock());
    const auto result = call.waitUntil(soonEnough());
    QVERIFY(result && result->isFault());
    QCOMPARE(result->error().message, u"The call threw"_s);
    QCOMPARE(result->error().detail, u"broken"_s);

    BoundedCall<void> number(
        u"call"_s, [](const CancellationToken &) -> Result<void> { throw 7; }, steadyClock());
    const auto other = number.waitUntil(soonEnough());
    QVERIFY(other && other->isFault());
}

void TestBoundedCall::aCancellationStaysOne()
{
    BoundedCall<void> call(
        u"call"_s,
        [](const CancellationToken &) -> Result<void> {
            throw CancellationError(TurnPhase::Cleanup);
        },
        steadyClock());
    const auto result = call.waitUntil(soonEnough());
    QVERIFY(result && result->isCancelled());
}

void TestBoundedCall::itHearsOfItsParentsCancel()
{
    const CancellationSource parent;
    BoundedCall<int> call(
        u"call"_s,
        [](const CancellationToken &token) -> Result<int> {
            Channel<int> nothing;
            (void)nothing.receive(token, soonEnough());
            return int(token.cause().value_or(CancellationCause::Parent));
        },
        steadyClock(), parent.token());
    QVERIFY(!call.waitUntil(steadyClock().now()));
    parent.cancel(CancellationCause::User);
    const auto result = call.waitUntil(soonEnough());
    QVERIFY(result && result->ok());
    QCOMPARE(CancellationCause(**result), CancellationCause::User);
}

void TestBoundedCall::whatIsLeftBehindHearsOfItAndHoldsNobody()
{
    const LogRecorder log;
    const auto heard = std::make_shared<std::atomic<bool>>(false);
    const auto release = std::make_shared<Channel<int>>();
    BoundedCall<void> call(
        u"slow call"_s,
        [heard, release](const CancellationToken &token) -> Result<void> {
            Channel<int> nothing;
            (void)nothing.receive(token, soonEnough());
            *heard = token.isCancelled();
            (void)release->receive();
            return {};
        },
        steadyClock());
    QVERIFY(!call.leave());
    QTRY_VERIFY(heard->load());
    release->close();
    QTRY_COMPARE(LogRecorder::lines().filter(u"the slow call ended late"_s).size(), 1);
    QTRY_COMPARE(heard.use_count(), 1L);
}

void TestBoundedCall::destroyingItLeavesBehindWhatHasNotEnded()
{
    const LogRecorder log;
    const auto release = std::make_shared<Channel<int>>();
    {
        const BoundedCall<void> call(
            u"deaf call"_s,
            [release](const CancellationToken &) -> Result<void> {
                (void)release->receive({}, soonEnough());
                return {};
            },
            steadyClock());
    } // who waited for it would wait for the release
    release->close();
    QTRY_COMPARE(LogRecorder::lines().filter(u"the deaf call ended late"_s).size(), 1);
}

QTEST_GUILESS_MAIN(TestBoundedCall)
#include "tst_boundedcall.moc"
