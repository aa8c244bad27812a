// SPDX-License-Identifier: GPL-3.0-or-later
// What holds in every turn, whatever the model, the tools, the user and the disk do and whenever it is stopped.
#include "plannedturn.h"

#include "conversationgenerators/conversationgenerators.h"
#include "support/processes.h"

#include <QLoggingCategory>
#include <QTest>

#include <rapidcheck.h>

#include <algorithm>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int Cases = 2000;
#else
constexpr int Cases = 20'000;
#endif

constexpr ToolState FinalStates[] = {ToolState::Finished,    ToolState::Failed,   ToolState::Denied,
                                     ToolState::Interrupted, ToolState::TimedOut, ToolState::NotRun,
                                     ToolState::StillRunning};

} // namespace

class tst_TurnProperties : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void everyTurnEndsOnceAndKeepsWhatItDid();
};

void tst_TurnProperties::initTestCase()
{
    // A turn logs its faults, and here there are many.
    QLoggingCategory::setFilterRules(u"fermata.*=false"_s);
    arbitrary::useCases(Cases);
}

// behaviours: 27, 69, 70, 71, 80, 83, 87, 92, 130, 131, 132, 140, 141, 176, 197, 200, 228, 243
void tst_TurnProperties::everyTurnEndsOnceAndKeepsWhatItDid()
{
    PatientClock clock;
    const int threadsBefore = ownThreads();
    const int descriptorsBefore = openDescriptors();
    QMap<QString, int> reached; // in how many cases
    int cases = 0;
    QVERIFY(rc::check("a turn ends once, keeps what it did, and starts nothing after a stop", [&] {
        const turnplan::PlannedTurn plan = turnplan::draw();
        PlannedTurn turn(plan, clock);
        turn.run();
        for (const ToolState state : FinalStates)
            reached[u"a call "_s + toString(state)] += turn.calls(state) > 0;
        reached[u"the user was asked"_s] += turn.hasAsked();
        reached[u"a request was repeated"_s] += turn.hasRetried();
        reached[u"hooks were asked"_s] += plan.hasHooks;
        ++reached[u"the turn "_s + toString(turn.status())];
        ++cases;
        const QStringList faults = turn.faults->all();
        if (!faults.isEmpty()) {
            RC_LOG() << plan.describe().toStdString();
            RC_FAIL(faults.join(u"; "_s).toStdString());
        }
    }));
    for (auto it = reached.cbegin(); it != reached.cend(); ++it)
        qInfo("%6.2f %% %s", 100.0 * it.value() / cases, qUtf8Printable(it.key()));
    if (cases >= 1000) // plans that do not get everywhere prove nothing
        QCOMPARE(reached.size(), qsizetype(std::size(FinalStates) + 3 + 5));
    QVERIFY(std::ranges::none_of(reached, [&](int count) { return cases >= 1000 && count == 0; }));
    QTRY_COMPARE(ownThreads(), threadsBefore);
    QCOMPARE(openDescriptors(), descriptorsBefore);
    QCOMPARE(ownChildren(), 0);
}

int main(int argc, char *argv[])
{
    // A million turns take longer than Qt lets a test function run; in the suite ctest has an eye on it.
    qputenv("QTEST_FUNCTION_TIMEOUT", "43200000");
    QCoreApplication application(argc, argv);
    tst_TurnProperties test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_turnproperties.moc"
