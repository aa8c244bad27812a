// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/requestlimiter.h"
#include "support/manualclock.h"

#include <QTest>

#include <limits>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class tst_RequestLimiter : public QObject
{
    Q_OBJECT

private slots:
    void withinTheBurstNothingWaits();
    void unusedTimeIsNotSavedBeyondTheBurst();
    void aPlaceThatIsGivenBackIsFree();
    void scopesAreIndependent();
    void offMeansNoLimiter();
    void wrongSettingsAreRefused_data();
    void wrongSettingsAreRefused();
};

// behaviours: 281
void tst_RequestLimiter::withinTheBurstNothingWaits()
{
    ManualClock clock;
    RequestLimiter limiter({60, 3}, clock);
    const Instant start = clock.now();
    for (int i = 0; i < 3; ++i)
        QCOMPARE(limiter.reserve(), start);
    QCOMPARE(limiter.reserve(), start + 1s);
    QCOMPARE(limiter.reserve(), start + 2s);
    clock.advance(3s);
    QCOMPARE(limiter.reserve(), start + 3s);
    QCOMPARE(limiter.reserve(), start + 4s);
}

// behaviours: 281
void tst_RequestLimiter::unusedTimeIsNotSavedBeyondTheBurst()
{
    ManualClock clock;
    RequestLimiter limiter({60, 2}, clock);
    clock.advance(1h);
    const Instant now = clock.now();
    QCOMPARE(limiter.reserve(), now);
    QCOMPARE(limiter.reserve(), now);
    QCOMPARE(limiter.reserve(), now + 1s);
}

// behaviours: 281
void tst_RequestLimiter::aPlaceThatIsGivenBackIsFree()
{
    ManualClock clock;
    RequestLimiter limiter({60, 1}, clock);
    const Instant start = clock.now();
    QCOMPARE(limiter.reserve(), start);
    QCOMPARE(limiter.reserve(), start + 1s);
    limiter.giveBack();
    QCOMPARE(limiter.reserve(), start + 1s);
}

// behaviours: 281
void tst_RequestLimiter::scopesAreIndependent()
{
    ManualClock clock;
    RequestLimiters limiters(clock);
    const RequestRate rate{1, 1};
    const Instant start = clock.now();
    const auto first = limiters.limiter(u"a"_s, u"small"_s, rate);
    QCOMPARE(limiters.limiter(u"a"_s, u"small"_s, rate), first);
    QCOMPARE(first->reserve(), start);
    QVERIFY(first->reserve() > start);
    QCOMPARE(limiters.limiter(u"a"_s, u"large"_s, rate)->reserve(), start);
    QCOMPARE(limiters.limiter(u"b"_s, u"small"_s, rate)->reserve(), start);
    // Another rate for the same scope counts from then on.
    QCOMPARE(limiters.limiter(u"a"_s, u"small"_s, {2, 1})->reserve(), start);
}

// behaviours: 281
void tst_RequestLimiter::offMeansNoLimiter()
{
    RequestLimiters limiters;
    QVERIFY(!limiters.limiter(u"a"_s, u"small"_s, {}));
    QVERIFY(checkRequestRate({}).ok());
}

void tst_RequestLimiter::wrongSettingsAreRefused_data()
{
    QTest::addColumn<double>("perMinute");
    QTest::addColumn<int>("burst");
    QTest::newRow("negative") << -1.0 << 1;
    QTest::newRow("no number") << std::numeric_limits<double>::quiet_NaN() << 1;
    QTest::newRow("infinite") << std::numeric_limits<double>::infinity() << 1;
    QTest::newRow("next to nothing") << 1e-9 << 1;
    QTest::newRow("no burst") << 1.0 << 0;
    QTest::newRow("negative burst") << 1.0 << -3;
    QTest::newRow("huge burst") << 1.0 << 1'000'000;
}

// behaviours: 281
void tst_RequestLimiter::wrongSettingsAreRefused()
{
    QFETCH(double, perMinute);
    QFETCH(int, burst);
    const auto checked = checkRequestRate({perMinute, burst});
    QVERIFY(!checked.ok());
    QCOMPARE(int(checked.error().code), int(ErrorCode::InvalidArgument));
    RequestLimiters limiters;
    QVERIFY(!limiters.limiter(u"a"_s, u"small"_s, {perMinute, burst}));
}

QTEST_GUILESS_MAIN(tst_RequestLimiter)
#include "tst_requestlimiter.moc"
