// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cancellation.h"

#include <QtTest>

#include <atomic>
#include <barrier>
#include <memory>
#include <thread>
#include <vector>

using namespace fermata;
using namespace Qt::StringLiterals;

class TestCancellationLinks final : public QObject
{
    Q_OBJECT

private slots:
    void childIsCancelledWithItsParentsReason();
    void cancellingTheChildLeavesTheParentAlone();
    void childOfACancelledParentIsBornCancelled();
    void linkMaySayItsOwnCause();
    void grandchildIsReachedThroughADroppedParent();
    void firstOfSeveralParentsGivesTheReason();
    void ownCancelBeforeAParentsIsKept();
    void standardStopTokenCancelsAsExternal();
    void stopRequestedBeforeTheLinkCountsAtOnce();
    void ownCancelLeavesTheExternalTokenAlone();
    void goneChildLeavesNothingOnItsParent();
    void callbackOfTheParentMayDestroyTheChild();
    void parentCancelAgainstDestroyedChildRaces();
    void parentCancelAgainstLinkingRaces();
    void parentsCancelledAtOnceRaces();
};

void TestCancellationLinks::childIsCancelledWithItsParentsReason()
{
    // behaviours: 21
    const CancellationSource parent;
    const CancellationSource child = parent.linkedChild();
    int runs = 0;
    const Registration registration = child.token().onCancelled([&] { ++runs; });
    QVERIFY(!child.token().isCancelled());
    parent.cancel({CancellationCause::TurnLimit, u"slow"_s, u"timer"_s, {}});
    QVERIFY(child.token().isCancelled());
    QCOMPARE(child.token().reason(), parent.token().reason());
    QCOMPARE(runs, 1);
    QVERIFY(!child.cancel(CancellationCause::User));
}

void TestCancellationLinks::cancellingTheChildLeavesTheParentAlone()
{
    // behaviours: 21
    const CancellationSource parent;
    const CancellationSource child = parent.linkedChild();
    const CancellationSource sibling = parent.linkedChild();
    child.cancel(CancellationCause::ToolLimit, u"2 min"_s);
    QVERIFY(!parent.token().isCancelled());
    QVERIFY(!sibling.token().isCancelled());
    parent.cancel(CancellationCause::User);
    QVERIFY(child.token().cause() == CancellationCause::ToolLimit);
    QCOMPARE(child.token().reason()->text, u"2 min"_s);
    QVERIFY(sibling.token().cause() == CancellationCause::User);
}

void TestCancellationLinks::childOfACancelledParentIsBornCancelled()
{
    const CancellationSource parent;
    parent.cancel(CancellationCause::User, u"before"_s);
    const CancellationSource child = parent.linkedChild();
    QCOMPARE(child.token().reason(), parent.token().reason());
}

void TestCancellationLinks::linkMaySayItsOwnCause()
{
    const CancellationSource parent;
    const CancellationSource child;
    child.linkTo(parent.token(), CancellationCause::Parent);
    parent.cancel(CancellationCause::User, u"why"_s);
    QVERIFY(child.token().cause() == CancellationCause::Parent);
    QCOMPARE(child.token().reason()->text, u"why"_s);
    QVERIFY(parent.token().cause() == CancellationCause::User);
}

void TestCancellationLinks::grandchildIsReachedThroughADroppedParent()
{
    const CancellationSource grandparent;
    const CancellationSource grandchild = grandparent.linkedChild().linkedChild();
    grandparent.cancel(CancellationCause::ApplicationQuit);
    QVERIFY(grandchild.token().cause() == CancellationCause::ApplicationQuit);
}

void TestCancellationLinks::firstOfSeveralParentsGivesTheReason()
{
    const CancellationSource parent;
    const CancellationSource external;
    const CancellationSource limit;
    const CancellationSource any;
    for (const CancellationSource &source : {parent, external, limit})
        any.linkTo(source.token());
    limit.cancel(CancellationCause::TurnLimit, u"1 s"_s);
    parent.cancel(CancellationCause::User, u"later"_s);
    QVERIFY(any.token().cause() == CancellationCause::TurnLimit);
    QCOMPARE(any.token().reason()->text, u"1 s"_s);
    QVERIFY(!external.token().isCancelled());
}

void TestCancellationLinks::ownCancelBeforeAParentsIsKept()
{
    const CancellationSource parent;
    const CancellationSource any;
    any.linkTo(parent.token());
    any.cancel(CancellationCause::User, u"mine"_s);
    parent.cancel(CancellationCause::External, u"theirs"_s);
    QCOMPARE(any.token().reason()->text, u"mine"_s);
}

void TestCancellationLinks::standardStopTokenCancelsAsExternal()
{
    std::stop_source external;
    const CancellationSource source;
    source.linkTo(external.get_token(), u"asked from outside"_s);
    const CancellationSource silent;
    silent.linkTo(external.get_token());
    QVERIFY(!source.token().isCancelled());
    external.request_stop();
    QVERIFY(source.token().cause() == CancellationCause::External);
    QCOMPARE(source.token().reason()->text, u"asked from outside"_s);
    QVERIFY(silent.token().cause() == CancellationCause::External);
    QVERIFY(silent.token().reason()->text.isEmpty());
}

void TestCancellationLinks::stopRequestedBeforeTheLinkCountsAtOnce()
{
    std::stop_source external;
    external.request_stop();
    const CancellationSource source;
    source.linkTo(external.get_token());
    QVERIFY(source.token().cause() == CancellationCause::External);

    const CancellationSource unlinked;
    unlinked.linkTo(std::stop_token());
    QVERIFY(!unlinked.token().isCancelled());
}

void TestCancellationLinks::ownCancelLeavesTheExternalTokenAlone()
{
    std::stop_source external;
    const CancellationSource source;
    source.linkTo(external.get_token());
    source.cancel(CancellationCause::User);
    QVERIFY(!external.stop_requested());
}

void TestCancellationLinks::goneChildLeavesNothingOnItsParent()
{
    const CancellationSource parent;
    std::stop_source external;
    // What the child's callback holds goes with the child, not with its long-lived parents.
    const auto held = std::make_shared<int>(0);
    for (int i = 0; i < 100; ++i) {
        const CancellationSource child = parent.linkedChild();
        child.linkTo(external.get_token());
        const Registration registration = child.token().onCancelled([held] { ++*held; });
        QCOMPARE(held.use_count(), 2);
    }
    QCOMPARE(held.use_count(), 1);
    parent.cancel(CancellationCause::User);
    external.request_stop();
    QCOMPARE(*held, 0);
}

void TestCancellationLinks::callbackOfTheParentMayDestroyTheChild()
{
    const CancellationSource parent;
    auto child = std::make_unique<CancellationSource>(parent.linkedChild());
    Registration registration;
    registration = child->token().onCancelled([&] {
        child.reset(); // from within the link that cancels it
        registration.release();
    });
    QVERIFY(parent.cancel(CancellationCause::User));
    QVERIFY(!child);
}

void TestCancellationLinks::parentCancelAgainstDestroyedChildRaces()
{
    for (int round = 0; round < 1000; ++round) {
        const CancellationSource parent;
        std::stop_source external;
        auto child = std::make_unique<CancellationSource>(parent.linkedChild());
        child->linkTo(external.get_token());
        std::barrier start(3);
        const std::jthread canceller([&] {
            start.arrive_and_wait();
            parent.cancel(CancellationCause::User);
        });
        const std::jthread outside([&] {
            start.arrive_and_wait();
            external.request_stop();
        });
        start.arrive_and_wait();
        for (int i = 0; i < round % 16; ++i)
            std::this_thread::yield();
        child.reset();
    }
}

void TestCancellationLinks::parentCancelAgainstLinkingRaces()
{
    for (int round = 0; round < 1000; ++round) {
        const CancellationSource parent;
        const CancellationSource child;
        {
            std::barrier start(2);
            const std::jthread canceller([&] {
                start.arrive_and_wait();
                parent.cancel(CancellationCause::User, u"x"_s);
            });
            start.arrive_and_wait();
            child.linkTo(parent.token());
        }
        QCOMPARE(child.token().reason(), parent.token().reason());
        QVERIFY(child.token().cause() == CancellationCause::User);
    }
}

void TestCancellationLinks::parentsCancelledAtOnceRaces()
{
    for (int round = 0; round < 500; ++round) {
        std::vector<CancellationSource> parents(4);
        const CancellationSource any;
        std::atomic<int> runs = 0;
        for (const CancellationSource &parent : parents)
            any.linkTo(parent.token());
        const Registration registration = any.token().onCancelled([&] { ++runs; });
        {
            std::barrier start(4);
            std::vector<std::jthread> threads;
            for (int i = 0; i < 4; ++i) {
                threads.emplace_back([&, i] {
                    start.arrive_and_wait();
                    parents[i].cancel(CancellationCause::External, QString::number(i));
                });
            }
        }
        QCOMPARE(runs.load(), 1);
        const int first = any.token().reason()->text.toInt();
        QCOMPARE(any.token().reason(), parents[first].token().reason());
    }
}

QTEST_APPLESS_MAIN(TestCancellationLinks)
#include "tst_cancellationlinks.moc"
