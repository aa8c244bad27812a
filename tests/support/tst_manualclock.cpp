// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/manualclock.h"

#include "base/channel.h"

#include <QTest>

#include <thread>

using namespace fermata;
using namespace std::chrono_literals;

class TestManualClock : public QObject
{
    Q_OBJECT

private slots:
    void standsStillUntilItIsAdvanced();
    void advancingEndsAWait();
    void anItemEndsAWait();
    void automaticJumpsToTheDeadline();
};

void TestManualClock::standsStillUntilItIsAdvanced()
{
    ManualClock clock;
    const Instant begin = clock.now();
    QVERIFY(clock.now() == begin);
    clock.advance(5s);
    QVERIFY(clock.now() == begin + 5s);
}

void TestManualClock::advancingEndsAWait()
{
    ManualClock clock;
    Channel<int> channel(clock);
    const Deadline deadline = clock.now() + 1h;
    std::thread other([&clock] {
        clock.advance(59min);
        clock.advance(1min);
    });
    const auto item = channel.receive({}, deadline);
    other.join();
    QVERIFY(item.end == ChannelWait::TimedOut);
}

void TestManualClock::anItemEndsAWait()
{
    ManualClock clock;
    Channel<int> channel(clock);
    std::thread other([&channel] { channel.send(7); });
    const auto item = channel.receive({}, clock.now() + 1h);
    other.join();
    QVERIFY(item.end == ChannelWait::Received);
    QCOMPARE(*item.value, 7);
}

void TestManualClock::automaticJumpsToTheDeadline()
{
    ManualClock clock(ManualClock::Mode::Automatic);
    Channel<int> channel(clock);
    const Instant begin = clock.now();
    QVERIFY(channel.receive({}, begin + 24h).end == ChannelWait::TimedOut);
    QVERIFY(clock.now() == begin + 24h);
    QVERIFY(channel.receive({}, begin).end == ChannelWait::TimedOut);
    QVERIFY(clock.now() == begin + 24h);
}

QTEST_GUILESS_MAIN(TestManualClock)
#include "tst_manualclock.moc"
