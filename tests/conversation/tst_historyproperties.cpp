// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/history.h"
#include "conversation/serialization.h"

#include "conversationgenerators.h"

#include <QSet>
#include <QTest>

#include <rapidcheck.h>

#include <algorithm>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// The texts of all results that were really given.
QStringList realResults(const History &history)
{
    QStringList texts;
    for (const HistoryMessage &message : history) {
        for (const HistoryBlock &block : message.blocks) {
            if (const auto *result = std::get_if<HistoryResult>(&block)) {
                if (result->text.startsWith(u"result "_s))
                    texts += result->text;
            }
        }
    }
    return texts;
}

QStringList userTexts(const History &history)
{
    QStringList texts;
    for (const HistoryMessage &message : history) {
        for (const HistoryBlock &block : message.blocks) {
            const auto *text = std::get_if<TextBlock>(&block);
            if (text && message.role == HistoryRole::User)
                texts += text->text;
        }
    }
    return texts;
}

TurnRecord foldedTurn()
{
    TurnRecord record;
    for (const TurnEvent &event : arbitrary::events())
        apply(record, event);
    return record;
}

// A valid history, changed in some places as old files, imports and faults would change it.
History mutated(History history)
{
    const int changes = arbitrary::number(1, 4);
    for (int i = 0; i < changes && !history.empty(); ++i) {
        const auto at = arbitrary::number(0, int(history.size()) - 1);
        switch (arbitrary::number(0, 4)) {
        case 0:
            history.erase(history.begin() + at);
            break;
        case 1:
            history.insert(history.begin() + at, HistoryMessage(history[size_t(at)]));
            break;
        case 2:
            std::swap(history[size_t(at)],
                      history[size_t(arbitrary::number(0, int(history.size()) - 1))]);
            break;
        case 3:
            if (!history[size_t(at)].blocks.empty())
                history[size_t(at)].blocks.erase(history[size_t(at)].blocks.begin());
            break;
        default:
            history.resize(size_t(at));
        }
    }
    return history;
}

} // namespace

class TestHistoryProperties final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { arbitrary::useCases(2000); }

    void repairMakesAnyHistoryValidAndIsIdempotent()
    {
        // behaviours: 179, 180
        QVERIFY(rc::check("repair(any) is valid, repair(repair(x)) is repair(x)", [] {
            const History broken = arbitrary::brokenHistory();
            const History once = repairHistory(broken);
            RC_ASSERT(validateHistory(once).empty());
            RC_ASSERT(repairHistory(once) == once);
        }));
    }
    void repairChangesNothingThatIsValid()
    {
        // behaviours: 179
        QVERIFY(rc::check("repair(valid) is identity", [] {
            const History history = repairHistory(arbitrary::brokenHistory());
            RC_ASSERT(repairHistory(history) == history);
        }));
    }
    void repairNeitherInventsNorRepeatsResults()
    {
        QVERIFY(rc::check("real results stay real", [] {
            const History broken = arbitrary::brokenHistory();
            const QStringList before = realResults(broken);
            const QStringList after = realResults(repairHistory(broken));
            const QSet<QString> given(before.begin(), before.end());
            const QSet<QString> kept(after.begin(), after.end());
            RC_ASSERT(kept.size() == after.size());
            RC_ASSERT(given.contains(kept));
        }));
    }
    void everyConversationBuildsAValidHistory()
    {
        // behaviours: 176, 187, 195
        QVERIFY(rc::check("every branch is valid, and the store is not changed", [] {
            Conversation conversation = arbitrary::conversation();
            const QByteArray before = toJsonLines(conversation);
            for (const TurnRecord &turn : conversation.turns) {
                conversation.activeTurn = turn.id;
                const History history = buildHistory(conversation.activePath());
                RC_ASSERT(validateHistory(history).empty());
            }
            if (!conversation.turns.empty())
                conversation.activeTurn = conversationFromJsonLines(before).value().activeTurn;
            RC_ASSERT(toJsonLines(conversation) == before);
        }));
    }
    void aTurnCutAtAnyEventBuildsAValidHistory()
    {
        // behaviours: 176
        QVERIFY(rc::check("cut anywhere", [] {
            std::vector<TurnRecord> turns{foldedTurn(), foldedTurn()};
            turns[1].kind = arbitrary::chance(50) ? TurnKind::Continuation : TurnKind::Message;
            const History history = buildHistory({&turns[0], &turns[1]});
            RC_ASSERT(validateHistory(history).empty());
        }));
    }
    void messagesOfTheUserSurviveEveryRepair()
    {
        QVERIFY(rc::check("user texts are kept", [] {
            const Conversation conversation = arbitrary::conversation();
            const History broken = mutated(buildHistory(conversation.activePath()));
            const History repaired = repairHistory(broken);
            RC_ASSERT(validateHistory(repaired).empty());
            RC_ASSERT(userTexts(repaired) == userTexts(broken));
        }));
    }
};

QTEST_APPLESS_MAIN(TestHistoryProperties)
#include "tst_historyproperties.moc"
