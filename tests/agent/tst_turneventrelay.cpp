// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turneventrelay.h"

#include <QTest>

#include <memory>
#include <thread>

using namespace fermata;
using namespace Qt::StringLiterals;

class tst_TurnEventRelay : public QObject
{
    Q_OBJECT

private slots:
    void eventsArriveInOrderAndMerged();
    void nothingComesAfterTheEnd();
    void aRelayThatIsGoneDropsWhatComes();
};

void tst_TurnEventRelay::eventsArriveInOrderAndMerged()
{
    TurnRecord record;
    record.id = TurnId::create();
    QString text;
    int events = 0;
    bool finished = false;
    TurnEventRelay relay(record.id, [&](const TurnEventBatch &batch) {
        QCOMPARE(batch.turn, record.id);
        for (const TurnEvent &event : batch.events) {
            ++events;
            if (const auto *appended = std::get_if<TextAppended>(&event))
                text += appended->text;
            finished = finished || std::holds_alternative<TurnFinished>(event);
        }
    });
    QString expected;
    std::thread agent([&, sender = relay.sender()]() mutable {
        for (int i = 0; i < 5000; ++i) {
            const QString piece = QString::number(i) + u' ';
            expected += piece;
            sender.send(TextAppended{piece});
        }
        sender.send(TurnFinished{});
    });
    agent.join();
    QTRY_VERIFY(finished);
    QCOMPARE(text, expected);
    QVERIFY(events < 100); // nobody looked while they came, so they are few
}

// behaviours: 35
void tst_TurnEventRelay::nothingComesAfterTheEnd()
{
    QStringList told;
    TurnEventRelay relay(TurnId::create(), [&](const TurnEventBatch &batch) {
        for (const TurnEvent &event : batch.events)
            told << describe(event);
    });
    auto sender = relay.sender();
    sender.send(TextAppended{u"whole"_s});
    TurnOutcome outcome;
    sender.send(TurnFinished{outcome});
    const CallId call = CallId::create();
    sender.send(TextAppended{u"late"_s});
    sender.send(ToolOutputAppended{call, u"late"_s});
    sender.send(ToolStateChanged{call, {}});
    sender.send(ApprovalAsked{});
    sender.send(TurnFinished{outcome});
    QTRY_COMPARE(told.size(), 2);
    QCOMPARE(sender.lateEvents(), 5);
    QCoreApplication::processEvents();
    QCOMPARE(told.size(), 2);
    QVERIFY(told.constLast().startsWith(u"TurnFinished"_s));
}

// behaviours: 35, 67
void tst_TurnEventRelay::aRelayThatIsGoneDropsWhatComes()
{
    int batches = 0;
    auto relay = std::make_unique<TurnEventRelay>(TurnId::create(),
                                                  [&](const TurnEventBatch &) { ++batches; });
    auto sender = relay->sender();
    sender.send(TextAppended{u"queued"_s});
    relay.reset();
    for (int i = 0; i < 50; ++i)
        sender.send(TextAppended{u"more"_s});
    QCoreApplication::processEvents();
    QCOMPARE(batches, 0);
}

QTEST_GUILESS_MAIN(tst_TurnEventRelay)
#include "tst_turneventrelay.moc"
