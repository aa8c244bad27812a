// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/channel.h"
#include "support/manualclock.h"

#include <QtTest>

#include <atomic>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

using namespace fermata;
using namespace std::chrono_literals;

namespace {

// Counts the waits that began, so that a test can act when a receiver really waits.
class WaitCountingClock final : public Clock
{
public:
    Instant now() const override { return m_clock.now(); }
    bool waitUntil(std::condition_variable &condition, std::unique_lock<std::mutex> &lock,
                   Deadline deadline) const override
    {
        ++m_waits; // under the channel's lock: who takes it later finds the receiver waiting
        return m_clock.waitUntil(condition, lock, deadline);
    }
    void awaitWaits(int count = 1) const
    {
        while (m_waits < count)
            std::this_thread::yield();
    }

private:
    SteadyClock m_clock;
    mutable std::atomic<int> m_waits = 0;
};

// Receives on another thread; end() waits for it.
class Receiver final
{
public:
    Receiver(Channel<int> &channel, const CancellationToken &token, Deadline deadline = {})
        : m_thread([this, &channel, token, deadline] { m_item = channel.receive(token, deadline); })
    {
    }
    ChannelItem<int> end()
    {
        m_thread.join();
        return m_item;
    }

private:
    ChannelItem<int> m_item{ChannelWait::TimedOut, {}};
    std::jthread m_thread;
};

} // namespace

class TestChannel final : public QObject
{
    Q_OBJECT

private slots:
    void itemsComeInTheirOrder();
    void closedChannelGivesWhatIsLeft();
    void closedChannelTakesNothing();
    void waitEndsByAnItem();
    void waitForAnItemEndsByACancel();
    void waitEndsByTheClose();
    void waitEndsAtTheDeadline();
    void waitWithADeadlineEndsByACancel();
    void waitOnAManualClockEndsWhenItIsMoved();
    void waitOnAManualClockEndsByACancel();
    void passedDeadlineStillGivesAnItemAtHand();
    void cancelledTokenIsLookedAtFirst_data();
    void cancelledTokenIsLookedAtFirst();
    void tryReceiveNeverWaits();
    void moveOnlyItemsPass();
    void itemsOfManyProducersAllArrive();
    void cancelledReceiverHandsItsBellOn();
    void receiverMayDestroyTheChannel();
    void cancelAlwaysWakes();
    void noWakeUpIsLost();
};

void TestChannel::itemsComeInTheirOrder()
{
    Channel<int> channel;
    for (int i = 0; i < 10; ++i)
        QVERIFY(channel.send(i));
    for (int i = 0; i < 10; ++i) {
        const auto item = channel.receive();
        QCOMPARE(item.end, ChannelWait::Received);
        QCOMPARE(item.value, i);
    }
}

void TestChannel::closedChannelGivesWhatIsLeft()
{
    Channel<int> channel;
    channel.send(1);
    channel.send(2);
    channel.close();
    channel.close();
    QVERIFY(channel.isClosed());
    QCOMPARE(channel.receive().value, 1);
    QCOMPARE(channel.tryReceive(), 2);
    for (int i = 0; i < 2; ++i) {
        const auto item = channel.receive();
        QCOMPARE(item.end, ChannelWait::Closed);
        QVERIFY(!item.value);
    }
}

void TestChannel::closedChannelTakesNothing()
{
    Channel<int> channel;
    channel.close();
    QVERIFY(!channel.send(1));
    QCOMPARE(channel.receive().end, ChannelWait::Closed);
}

void TestChannel::waitEndsByAnItem()
{
    const WaitCountingClock clock;
    Channel<int> channel(clock);
    Receiver receiver(channel, {});
    clock.awaitWaits();
    channel.send(5);
    const auto item = receiver.end();
    QCOMPARE(item.end, ChannelWait::Received);
    QCOMPARE(item.value, 5);
}

void TestChannel::waitForAnItemEndsByACancel()
{
    const CancellationSource source;
    const WaitCountingClock clock;
    Channel<int> channel(clock);
    Receiver receiver(channel, source.token());
    clock.awaitWaits();
    source.cancel(CancellationCause::User);
    const auto item = receiver.end();
    QCOMPARE(item.end, ChannelWait::Cancelled);
    QVERIFY(!item.value);
}

void TestChannel::waitEndsByTheClose()
{
    const WaitCountingClock clock;
    Channel<int> channel(clock);
    const CancellationSource source;
    Receiver first(channel, {});
    Receiver second(channel, source.token(), steadyClock().now() + 24h);
    clock.awaitWaits();
    channel.close();
    QCOMPARE(first.end().end, ChannelWait::Closed);
    QCOMPARE(second.end().end, ChannelWait::Closed);
}

void TestChannel::waitEndsAtTheDeadline()
{
    Channel<int> channel;
    const Instant deadline = steadyClock().now() + 5ms;
    const auto item = channel.receive({}, deadline);
    QCOMPARE(item.end, ChannelWait::TimedOut);
    QVERIFY(!item.value);
    QVERIFY(steadyClock().now() >= deadline);
}

void TestChannel::waitWithADeadlineEndsByACancel()
{
    const CancellationSource source;
    const WaitCountingClock clock;
    Channel<int> channel(clock);
    Receiver receiver(channel, source.token(), clock.now() + 24h);
    clock.awaitWaits();
    source.cancel(CancellationCause::TurnLimit);
    QCOMPARE(receiver.end().end, ChannelWait::Cancelled);
}

void TestChannel::waitOnAManualClockEndsWhenItIsMoved()
{
    ManualClock clock;
    Channel<int> channel(clock);
    Receiver receiver(channel, {}, clock.now() + 1h);
    clock.advance(59min);
    channel.send(1);
    QCOMPARE(receiver.end().end, ChannelWait::Received);
    Receiver late(channel, {}, clock.now() + 1h);
    clock.advance(1h);
    QCOMPARE(late.end().end, ChannelWait::TimedOut);
}

void TestChannel::waitOnAManualClockEndsByACancel()
{
    const CancellationSource source;
    const ManualClock clock;
    Channel<int> channel(clock);
    Receiver receiver(channel, source.token(), clock.now() + 1h);
    source.cancel(CancellationCause::User);
    QCOMPARE(receiver.end().end, ChannelWait::Cancelled);
}

void TestChannel::passedDeadlineStillGivesAnItemAtHand()
{
    const ManualClock clock;
    Channel<int> channel(clock);
    channel.send(1);
    QCOMPARE(channel.receive({}, clock.now() - 1h).end, ChannelWait::Received);
    QCOMPARE(channel.receive({}, clock.now()).end, ChannelWait::TimedOut);
}

void TestChannel::cancelledTokenIsLookedAtFirst_data()
{
    QTest::addColumn<bool>("withItem");
    QTest::addColumn<bool>("closed");
    QTest::addColumn<bool>("passed");
    QTest::newRow("nothing else") << false << false << false;
    QTest::newRow("before an item") << true << false << false;
    QTest::newRow("before the close") << false << true << false;
    QTest::newRow("before the deadline") << false << false << true;
    QTest::newRow("before all") << true << true << true;
}

void TestChannel::cancelledTokenIsLookedAtFirst()
{
    QFETCH(bool, withItem);
    QFETCH(bool, closed);
    QFETCH(bool, passed);
    const CancellationSource source;
    source.cancel(CancellationCause::User);
    Channel<int> channel;
    if (withItem)
        channel.send(9);
    if (closed)
        channel.close();
    const Deadline deadline = passed ? Deadline(steadyClock().now() - 1h) : Deadline();
    QCOMPARE(channel.receive(source.token(), deadline).end, ChannelWait::Cancelled);
    QCOMPARE(channel.tryReceive(), withItem ? std::optional(9) : std::nullopt);
}

void TestChannel::tryReceiveNeverWaits()
{
    Channel<int> channel;
    QVERIFY(!channel.tryReceive());
    channel.send(3);
    QCOMPARE(channel.tryReceive(), 3);
    QVERIFY(!channel.tryReceive());
}

void TestChannel::moveOnlyItemsPass()
{
    Channel<std::unique_ptr<int>> channel;
    channel.send(std::make_unique<int>(4));
    auto item = channel.receive();
    QCOMPARE(**item.value, 4);
}

void TestChannel::itemsOfManyProducersAllArrive()
{
    constexpr int Producers = 8;
    constexpr int Each = 2500;
    Channel<std::pair<int, int>> channel;
    std::vector<std::jthread> threads;
    for (int producer = 0; producer < Producers; ++producer) {
        threads.emplace_back([&channel, producer] {
            for (int i = 0; i < Each; ++i)
                channel.send({producer, i});
        });
    }
    std::vector<int> next(Producers, 0);
    for (int i = 0; i < Producers * Each; ++i) {
        const auto item = channel.receive();
        QCOMPARE(item.end, ChannelWait::Received);
        const auto [producer, number] = *item.value;
        QCOMPARE(number, next[producer]++); // each producer's items stay in order
    }
    QVERIFY(!channel.tryReceive());
}

void TestChannel::cancelledReceiverHandsItsBellOn()
{
    // Of two receivers, the one that waits longer gets the bell of an item; its token is cancelled
    // just then, but its own callback has not run yet, so nothing else wakes the other one.
    for (int round = 0; round < 200; ++round) {
        const CancellationSource source;
        const WaitCountingClock clock;
        Channel<int> channel(clock);
        Receiver doomed(channel, source.token());
        clock.awaitWaits(1);
        const Instant deadline = clock.now() + 20s;
        Receiver other(channel, {}, deadline);
        clock.awaitWaits(2);
        std::latch cancelling(1);
        std::latch go(1);
        const Registration before = source.token().onCancelled([&] {
            cancelling.count_down();
            go.wait();
        });
        const std::jthread canceller([&] { source.cancel(CancellationCause::User); });
        cancelling.wait();
        channel.send(round);
        const auto item = other.end();
        const bool inTime =
            !clock.hasPassed(deadline); // at the deadline it would find the item by itself
        go.count_down();
        QCOMPARE(doomed.end().end, ChannelWait::Cancelled);
        QCOMPARE(item.end, ChannelWait::Received);
        QCOMPARE(item.value, round);
        QVERIFY(inTime);
    }
}

void TestChannel::receiverMayDestroyTheChannel()
{
    for (int round = 0; round < 2000; ++round) {
        auto channel = std::make_unique<Channel<int>>();
        const std::jthread sender([raw = channel.get()] { raw->send(1); });
        QCOMPARE(channel->receive().value, 1);
        channel.reset();
    }
}

void TestChannel::cancelAlwaysWakes()
{
    // From a cancel before the wait to one deep in it.
    for (int round = 0; round < 2000; ++round) {
        const CancellationSource source;
        Channel<int> channel;
        Receiver receiver(channel, source.token());
        for (int i = 0; i < round % 32; ++i)
            std::this_thread::yield();
        source.cancel(CancellationCause::User);
        QCOMPARE(receiver.end().end, ChannelWait::Cancelled);
    }
}

void TestChannel::noWakeUpIsLost()
{
    // Each round needs the other's item: one lost wake-up, and both wait for ever.
    constexpr int Rounds = 20000;
    const CancellationSource source;
    Channel<int> there;
    Channel<int> back;
    std::jthread echo([&, token = source.token()] {
        for (auto item = there.receive(token); item.value; item = there.receive(token))
            back.send(*item.value);
    });
    for (int i = 0; i < Rounds; ++i) {
        there.send(i);
        const auto item = back.receive(source.token(), steadyClock().now() + 60s);
        QCOMPARE(item.end, ChannelWait::Received);
        QCOMPARE(item.value, i);
    }
    there.close();
}

QTEST_APPLESS_MAIN(TestChannel)
#include "tst_channel.moc"
