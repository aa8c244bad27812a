// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/mailbox.h"

#include <QCoreApplication>
#include <QtTest>

#include <latch>
#include <memory>
#include <thread>
#include <vector>

using namespace fermata;

class TestMailbox final : public QObject
{
    Q_OBJECT

private slots:
    void nothingIsHandledBeforeTheEventLoop();
    void floodIsOneCall();
    void handlerRunsOnTheMailboxsThread();
    void itemPostedByTheHandlerComesInALaterCall();
    void itemsOfManyThreadsAllArriveInOrder();
    void itemsOfADestroyedMailboxAreDropped();
    void moveOnlyItemsPass();
    void contentOfItemsCrossesWithThem();
};

void TestMailbox::nothingIsHandledBeforeTheEventLoop()
{
    std::vector<int> got;
    Mailbox<int> mailbox([&](std::vector<int> items) { got = std::move(items); });
    mailbox.post(1);
    QVERIFY(got.empty());
    QTRY_COMPARE(got, std::vector<int>{1});
}

void TestMailbox::floodIsOneCall()
{
    int calls = 0;
    std::vector<int> got;
    Mailbox<int> mailbox([&](std::vector<int> items) {
        ++calls;
        got = std::move(items);
    });
    for (int i = 0; i < 1000; ++i)
        mailbox.post(i);
    QTRY_COMPARE(got.size(), 1000u);
    QCOMPARE(calls, 1);
    for (int i = 0; i < 1000; ++i)
        QCOMPARE(got[i], i);
    mailbox.post(7);
    QTRY_COMPARE(got, std::vector<int>{7});
    QCOMPARE(calls, 2);
}

void TestMailbox::handlerRunsOnTheMailboxsThread()
{
    std::thread::id handledOn;
    Mailbox<int> mailbox([&](const auto &) { handledOn = std::this_thread::get_id(); });
    std::thread poster([&] { mailbox.post(1); });
    poster.join();
    QTRY_VERIFY(handledOn != std::thread::id());
    QVERIFY(handledOn == std::this_thread::get_id());
}

void TestMailbox::itemPostedByTheHandlerComesInALaterCall()
{
    std::vector<std::vector<int>> calls;
    Mailbox<int> *self = nullptr;
    Mailbox<int> mailbox([&](std::vector<int> items) {
        if (items.front() < 3)
            self->post(items.front() + 1);
        calls.push_back(std::move(items));
    });
    self = &mailbox;
    mailbox.post(1);
    QTRY_COMPARE(calls.size(), 3u);
    QCOMPARE(calls, (std::vector<std::vector<int>>{{1}, {2}, {3}}));
}

void TestMailbox::itemsOfManyThreadsAllArriveInOrder()
{
    constexpr int Threads = 4;
    constexpr int Each = 5000;
    std::vector<int> next(Threads, 0);
    int received = 0;
    bool inOrder = true;
    Mailbox<std::pair<int, int>> mailbox([&](const auto &items) {
        for (const auto &[thread, number] : items) {
            inOrder = inOrder && number == next[thread]++;
            ++received;
        }
    });
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < Threads; ++thread) {
        threads.emplace_back([&mailbox, thread] {
            for (int i = 0; i < Each; ++i)
                mailbox.post({thread, i});
        });
    }
    QTRY_COMPARE_WITH_TIMEOUT(received, Threads * Each, 60000);
    QVERIFY(inOrder);
}

void TestMailbox::itemsOfADestroyedMailboxAreDropped()
{
    const auto held = std::make_shared<int>(0);
    bool called = false;
    {
        Mailbox<std::shared_ptr<int>> mailbox([&](const auto &) { called = true; });
        mailbox.post(held);
        QCOMPARE(held.use_count(), 2);
    }
    QCOMPARE(held.use_count(), 1);
    QCoreApplication::sendPostedEvents();
    QVERIFY(!called);
}

void TestMailbox::moveOnlyItemsPass()
{
    int got = 0;
    Mailbox<std::unique_ptr<int>> mailbox([&](const auto &items) { got = *items.front(); });
    mailbox.post(std::make_unique<int>(6));
    QTRY_COMPARE(got, 6);
}

void TestMailbox::contentOfItemsCrossesWithThem()
{
    // For ThreadSanitizer: what an item points to was written by the poster without a lock, and is
    // read here without.
    constexpr int Letters = 5000;
    int sum = 0;
    Mailbox<std::shared_ptr<QList<int>>> mailbox([&](const auto &items) {
        for (const auto &item : items)
            sum += item->constFirst();
    });
    std::jthread poster([&] {
        for (int i = 0; i < Letters; ++i) {
            auto letter = std::make_shared<QList<int>>();
            letter->append(1);
            mailbox.post(std::move(letter));
        }
    });
    QTRY_COMPARE_WITH_TIMEOUT(sum, Letters, 60000);
}

QTEST_GUILESS_MAIN(TestMailbox)
#include "tst_mailbox.moc"
