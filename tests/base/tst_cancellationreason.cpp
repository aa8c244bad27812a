// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cancellationreason.h"

#include <QtTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class TestCancellationReason final : public QObject
{
    Q_OBJECT

private slots:
    void causeNamesNeverChange_data();
    void causeNamesNeverChange();
    void unknownNamesAreNoCause();
    void onlyTimeLimitsAreTimeLimits();
    void textIsCleaned_data();
    void textIsCleaned();
    void textIsCutByCharactersAndNotWithinOne();
};

void TestCancellationReason::causeNamesNeverChange_data()
{
    QTest::addColumn<CancellationCause>("cause");
    QTest::addColumn<QString>("name");
    const std::pair<CancellationCause, const char *> released[] = {
        {CancellationCause::User, "user"},
        {CancellationCause::Superseded, "superseded"},
        {CancellationCause::WindowClosed, "windowClosed"},
        {CancellationCause::ApplicationQuit, "applicationQuit"},
        {CancellationCause::ConnectLimit, "connectLimit"},
        {CancellationCause::FirstTokenLimit, "firstTokenLimit"},
        {CancellationCause::SilenceLimit, "silenceLimit"},
        {CancellationCause::TurnLimit, "turnLimit"},
        {CancellationCause::ToolLimit, "toolLimit"},
        {CancellationCause::IterationLimit, "iterationLimit"},
        {CancellationCause::TokenBudget, "tokenBudget"},
        {CancellationCause::CostBudget, "costBudget"},
        {CancellationCause::External, "external"},
        {CancellationCause::Parent, "parent"},
    };
    for (const auto &[cause, name] : released)
        QTest::newRow(name) << cause << QString::fromLatin1(name);
}

void TestCancellationReason::causeNamesNeverChange()
{
    QFETCH(CancellationCause, cause);
    QFETCH(QString, name);
    QCOMPARE(toString(cause), name);
    QVERIFY(cancellationCauseFromString(name) == cause);
}

void TestCancellationReason::unknownNamesAreNoCause()
{
    for (const QString &name : {QString(), u"User"_s, u"timeout"_s, u"user "_s, u"0"_s})
        QVERIFY(!cancellationCauseFromString(name));
}

void TestCancellationReason::onlyTimeLimitsAreTimeLimits()
{
    const QList<CancellationCause> limits{
        CancellationCause::ConnectLimit, CancellationCause::FirstTokenLimit,
        CancellationCause::SilenceLimit, CancellationCause::TurnLimit,
        CancellationCause::ToolLimit,
    };
    for (int value = 0; value <= int(CancellationCause::Parent); ++value) {
        const auto cause = CancellationCause(value);
        QCOMPARE(isTimeLimit(cause), limits.contains(cause));
    }
}

void TestCancellationReason::textIsCleaned_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("clean");
    QTest::newRow("empty") << QString() << QString();
    QTest::newRow("plain") << u"Enough, \u00e9\u4e2d\U0001F600"_s
                           << u"Enough, \u00e9\u4e2d\U0001F600"_s;
    QTest::newRow("line breaks") << u" one\r\ntwo\tthree\u2028four\n"_s << u"one  two three four"_s;
    QTest::newRow("control") << u"a\u0000b\u001b[31mc\u007fd\u009be"_s << u"ab[31mcde"_s;
    QTest::newRow("bidi") << u"a\u202Eb\u2066c\u2069d\u200Fe\u061Cf"_s << u"abcdef"_s;
    QTest::newRow("markup stays text") << u"<b>&amp;</b>"_s << u"<b>&amp;</b>"_s;
    const QChar lone[] = {u'a', QChar(0xD800), u'b', QChar(0xDC00)};
    QTest::newRow("lone surrogates") << QString(lone, 4) << u"a\uFFFDb\uFFFD"_s;
    QTest::newRow("no character") << u"a\uFFFEb\uFDD0c"_s << u"abc"_s;
    QTest::newRow("only control") << QString(300, QChar(7)) << QString();
    QTest::newRow("long") << QString(1000000, u'x') << QString(200, u'x');
    QTest::newRow("spaces first") << QString(300, u'\n') + u"text"_s << u"text"_s;
}

void TestCancellationReason::textIsCleaned()
{
    // behaviours: 278
    QFETCH(QString, text);
    QFETCH(QString, clean);
    QCOMPARE(sanitizedReasonText(text), clean);
    QCOMPARE(sanitizedReasonText(clean), clean);
}

void TestCancellationReason::textIsCutByCharactersAndNotWithinOne()
{
    // behaviours: 278
    const QString clean = sanitizedReasonText(u"\U0001F600"_s.repeated(201));
    QCOMPARE(clean, u"\U0001F600"_s.repeated(200));
    QVERIFY(clean.isValidUtf16());
}

QTEST_APPLESS_MAIN(TestCancellationReason)
#include "tst_cancellationreason.moc"
