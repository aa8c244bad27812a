// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/displaytext.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class TestDisplayText : public QObject
{
    Q_OBJECT

private slots:
    void factsStayOnOneLine()
    {
        const QString line =
            u"Look in Settings > Model · 14:02:11 · after 3 min 26 s · 348 tokens"_s;
        QString whole = line;
        whole.replace(u"Settings > Model"_s, u"Settings\u00a0>\u00a0Model"_s);
        whole.replace(u"3 min 26 s"_s, u"3\u00a0min 26\u00a0s"_s);
        whole.replace(u"348 tokens"_s, u"348\u00a0tokens"_s);
        QCOMPARE(withFactsWhole(line), whole);
    }
    void proseLosesOverridesAndKeepsJoiners()
    {
        QCOMPARE(withoutControls(u"a\u202Eb\u2066c\u200Bd\x07"_s), u"abcd"_s);
        const QString family = QString::fromUcs4(U"\U0001F468\u200D\U0001F469");
        QCOMPARE(withoutControls(family), family);
    }

    void onlySomeMarksStayOnACharacter()
    {
        const QString text = u'a' + QString(100'000, QChar(0x0301)) + u'b';
        QCOMPARE(withoutControls(text).size(), 2 + MostMarks);
    }

    void outputIsWhatATerminalLeaves_data()
    {
        QTest::addColumn<QString>("output");
        QTest::addColumn<QString>("shown");
        QTest::newRow("colours") << u"\x1b[1;31mred\x1b[0m"_s << u"red"_s;
        QTest::newRow("progress") << u"10 %\r50 %\r100 %\ndone"_s << u"100 %\ndone"_s;
        QTest::newRow("windows lines") << u"a\r\nb\r\n"_s << u"a\nb\n"_s;
        QTest::newRow("title") << u"\x1b]0;evil\x07text"_s << u"text"_s;
        QTest::newRow("cut sequence") << u"text\x1b["_s << u"text"_s;
        QTest::newRow("override") << u"a\u202Eb"_s << u"a‹U+202E›b"_s;
    }
    void outputIsWhatATerminalLeaves()
    {
        QFETCH(QString, output);
        QTEST(terminalText(output), "shown");
    }
};

QTEST_APPLESS_MAIN(TestDisplayText)
#include "tst_displaytext.moc"
