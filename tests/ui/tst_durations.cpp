// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/durations.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

class DurationsTest final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void measuredTimeHasTenthsBelowAMinute_data();
    void measuredTimeHasTenthsBelowAMinute();
    void whatIsOverIsNeverNothing();
    void wholeSecondsAreRounded();
    void limitIsNamedExactly_data();
    void limitIsNamedExactly();
    void countdownCountsTheSecondThatHasBegun_data();
    void countdownCountsTheSecondThatHasBegun();
    void clockDoesNotRunAhead();
    void tokensHaveASingular();
    void bytesAreReadable();
};

void DurationsTest::measuredTimeHasTenthsBelowAMinute_data()
{
    QTest::addColumn<int>("ms");
    QTest::addColumn<QString>("text");
    QTest::newRow("zero") << 0 << u"0.0 s"_s;
    QTest::newRow("tenths") << 800 << u"0.8 s"_s;
    QTest::newRow("rounded") << 12'449 << u"12.4 s"_s;
    QTest::newRow("almost a minute") << 59'940 << u"59.9 s"_s;
    QTest::newRow("rounds to a minute") << 59'960 << u"1 min 0 s"_s;
    QTest::newRow("minutes") << 252'000 << u"4 min 12 s"_s;
    QTest::newRow("hours") << 3'780'000 << u"1 h 3 min"_s;
    QTest::newRow("never negative") << -5'000 << u"0.0 s"_s;
}

void DurationsTest::measuredTimeHasTenthsBelowAMinute()
{
    QFETCH(int, ms);
    QTEST(elapsedText(milliseconds(ms)), "text");
}

void DurationsTest::whatIsOverIsNeverNothing()
{
    QCOMPARE(spentText(milliseconds(0)), u"0 ms"_s);
    QCOMPARE(spentText(milliseconds(49)), u"49 ms"_s);
    QCOMPARE(spentText(milliseconds(50)), u"0.1 s"_s);
    QCOMPARE(spentText(milliseconds(12'449)), u"12.4 s"_s);
    QCOMPARE(spentText(milliseconds(-5)), u"0 ms"_s);
}

void DurationsTest::wholeSecondsAreRounded()
{
    QCOMPARE(roundedText(milliseconds(8'400)), u"8 s"_s);
    QCOMPARE(roundedText(milliseconds(8'500)), u"9 s"_s);
    QCOMPARE(roundedText(milliseconds(206'000)), u"3 min 26 s"_s);
}

void DurationsTest::limitIsNamedExactly_data()
{
    QTest::addColumn<int>("ms");
    QTest::addColumn<QString>("text");
    QTest::newRow("seconds") << 15'000 << u"15 s"_s;
    QTest::newRow("no whole minutes") << 90'000 << u"90 s"_s;
    QTest::newRow("minutes") << 120'000 << u"2 min"_s;
    QTest::newRow("an hour is 60 minutes") << 3'600'000 << u"60 min"_s;
    QTest::newRow("90 minutes") << 5'400'000 << u"90 min"_s;
    QTest::newRow("hours") << 7'200'000 << u"2 h"_s;
    QTest::newRow("part of a second") << 1'500 << u"1.5 s"_s;
}

void DurationsTest::limitIsNamedExactly()
{
    QFETCH(int, ms);
    QTEST(limitValueText(milliseconds(ms)), "text");
}

void DurationsTest::countdownCountsTheSecondThatHasBegun_data()
{
    QTest::addColumn<int>("ms");
    QTest::addColumn<QString>("text");
    QTest::newRow("whole") << 48'000 << u"0:48"_s;
    QTest::newRow("begun") << 47'001 << u"0:48"_s;
    QTest::newRow("last moment") << 1 << u"0:01"_s;
    QTest::newRow("over") << 0 << u"0:00"_s;
    QTest::newRow("long over") << -900 << u"0:00"_s;
    QTest::newRow("minutes") << 500'000 << u"8:20"_s;
    QTest::newRow("hours") << 3'903'000 << u"1:05:03"_s;
}

void DurationsTest::countdownCountsTheSecondThatHasBegun()
{
    QFETCH(int, ms);
    QTEST(countdownText(milliseconds(ms)), "text");
}

void DurationsTest::clockDoesNotRunAhead()
{
    QCOMPARE(clockText(milliseconds(11'999)), u"0:11"_s);
}

void DurationsTest::tokensHaveASingular()
{
    QCOMPARE(tokensText(1), u"1 token"_s);
    QCOMPARE(tokensText(348), u"348 tokens"_s);
}

void DurationsTest::bytesAreReadable()
{
    QCOMPARE(bytesText(1), u"1 byte"_s);
    QCOMPARE(bytesText(512), u"512 bytes"_s);
    QCOMPARE(bytesText(2048), u"2 KB"_s);
    QCOMPARE(bytesText(1'468'006), u"1.4 MB"_s);
}

QTEST_GUILESS_MAIN(DurationsTest)
#include "tst_durations.moc"
