// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/ratelimiter.h"
#include "support/manualclock.h"

#include <QtTest>

#include <atomic>
#include <thread>
#include <vector>

using namespace fermata;
using namespace std::chrono_literals;

class TestRateLimiter final : public QObject
{
    Q_OBJECT

private slots:
    void surplusIsRefusedAndCounted();
    void noSpanOfTheWindowHoldsMore();
    void refusalsTakeNothingFromLaterOnes();
    void scopesAreIndependent();
    void manyThreadsGetNoMoreThanTheLimit();
};

void TestRateLimiter::surplusIsRefusedAndCounted()
{
    const ManualClock clock;
    RateLimiter limiter(10, 1s, clock);
    for (int i = 0; i < 10; ++i)
        QVERIFY(limiter.tryAcquire());
    for (int i = 0; i < 5; ++i)
        QVERIFY(!limiter.tryAcquire());
    QCOMPARE(limiter.refused(), 5u);
}

void TestRateLimiter::noSpanOfTheWindowHoldsMore()
{
    // Bursts at the edge of a fixed window would pass twice as many.
    ManualClock clock;
    RateLimiter limiter(10, 1s, clock);
    clock.advance(900ms);
    for (int i = 0; i < 10; ++i)
        QVERIFY(limiter.tryAcquire());
    clock.advance(999ms);
    QVERIFY(!limiter.tryAcquire());
    clock.advance(1ms);
    for (int i = 0; i < 10; ++i)
        QVERIFY(limiter.tryAcquire());
    QVERIFY(!limiter.tryAcquire());
}

void TestRateLimiter::refusalsTakeNothingFromLaterOnes()
{
    ManualClock clock;
    RateLimiter limiter(1, 1s, clock);
    QVERIFY(limiter.tryAcquire());
    for (int i = 0; i < 99; ++i) {
        clock.advance(10ms);
        QVERIFY(!limiter.tryAcquire());
    }
    clock.advance(10ms);
    QVERIFY(limiter.tryAcquire());
    QCOMPARE(limiter.refused(), 99u);
}

void TestRateLimiter::scopesAreIndependent()
{
    const ManualClock clock;
    RateLimiter first(1, 1s, clock);
    RateLimiter second(1, 1s, clock);
    QVERIFY(first.tryAcquire());
    QVERIFY(!first.tryAcquire());
    QVERIFY(second.tryAcquire());
    QCOMPARE(second.refused(), 0u);
}

void TestRateLimiter::manyThreadsGetNoMoreThanTheLimit()
{
    const ManualClock clock;
    RateLimiter limiter(100, 1s, clock);
    std::atomic<int> acquired = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i) {
            threads.emplace_back([&] {
                for (int k = 0; k < 100; ++k)
                    acquired += limiter.tryAcquire() ? 1 : 0;
            });
        }
    }
    QCOMPARE(acquired.load(), 100);
    QCOMPARE(limiter.refused(), 700u);
}

QTEST_APPLESS_MAIN(TestRateLimiter)
#include "tst_ratelimiter.moc"
