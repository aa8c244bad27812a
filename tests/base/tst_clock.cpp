// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/clock.h"

#include <QtTest>

#include <thread>

using namespace fermata;
using namespace std::chrono_literals;

class TestClock final : public QObject
{
    Q_OBJECT

private slots:
    void earlierTakesNothingForNever();
    void deadlineHasPassedFromItsInstantOn();
    void steadyClockNeverGoesBack();
    void waitEndsAtTheDeadline();
    void waitUntilAPassedDeadlineEndsAtOnce();
    void waitEndsByANotification_data();
    void waitEndsByANotification();
};

void TestClock::earlierTakesNothingForNever()
{
    const Instant now = steadyClock().now();
    QCOMPARE(earlier({}, {}), Deadline());
    QCOMPARE(earlier(now, {}), Deadline(now));
    QCOMPARE(earlier({}, now), Deadline(now));
    QCOMPARE(earlier(now, now + 1ns), Deadline(now));
    QCOMPARE(earlier(now + 1ns, now), Deadline(now));
}

void TestClock::deadlineHasPassedFromItsInstantOn()
{
    const Clock &clock = steadyClock();
    QVERIFY(clock.hasPassed(clock.now()));
    QVERIFY(!clock.hasPassed(clock.now() + 1h));
    QVERIFY(!clock.hasPassed({}));
    QVERIFY(!clock.hasPassed(Instant::max()));
}

void TestClock::steadyClockNeverGoesBack()
{
    Instant last = steadyClock().now();
    for (int i = 0; i < 10000; ++i) {
        const Instant now = steadyClock().now();
        QVERIFY(now >= last);
        last = now;
    }
}

void TestClock::waitEndsAtTheDeadline()
{
    std::mutex mutex;
    std::condition_variable condition;
    std::unique_lock lock(mutex);
    const Instant deadline = steadyClock().now() + 5ms;
    while (steadyClock().waitUntil(condition, lock, deadline)) { }
    QVERIFY(steadyClock().now() >= deadline);
    QVERIFY(lock.owns_lock());
}

void TestClock::waitUntilAPassedDeadlineEndsAtOnce()
{
    std::mutex mutex;
    std::condition_variable condition;
    std::unique_lock lock(mutex);
    QVERIFY(!steadyClock().waitUntil(condition, lock, steadyClock().now() - 1h));
    QVERIFY(lock.owns_lock());
}

void TestClock::waitEndsByANotification_data()
{
    QTest::addColumn<bool>("hasDeadline");
    QTest::newRow("no deadline") << false;
    QTest::newRow("a far deadline") << true;
}

void TestClock::waitEndsByANotification()
{
    QFETCH(bool, hasDeadline);
    const Deadline deadline =
        hasDeadline ? Deadline(steadyClock().now() + 24h) : Deadline(std::nullopt);
    std::mutex mutex;
    std::condition_variable condition;
    bool ready = false;
    std::unique_lock lock(mutex);
    const std::jthread notifier([&] {
        const std::lock_guard guard(mutex);
        ready = true;
        condition.notify_one();
    });
    while (!ready)
        QVERIFY(steadyClock().waitUntil(condition, lock, deadline));
    lock.unlock();
}

QTEST_APPLESS_MAIN(TestClock)
#include "tst_clock.moc"
