// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/displaytext.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class TestDisplayText : public QObject
{
    Q_OBJECT

private slots:
    void exactTextShowsWhatCannotBeSeen_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shown");
        QTest::newRow("plain") << u"ls -l ~/ä\n\tx"_s << u"ls -l ~/ä\n\tx"_s;
        QTest::newRow("override") << QString(u"a\u202Eb"_s) << u"a‹U+202E›b"_s;
        QTest::newRow("isolate") << QString(u"\u2066"_s) << u"‹U+2066›"_s;
        QTest::newRow("zero width") << QString(u"rm\u200B -rf"_s) << u"rm‹U+200B› -rf"_s;
        QTest::newRow("joiner") << QString(u"a\u200Db"_s) << u"a‹U+200D›b"_s;
        QTest::newRow("nul") << QString(u'a') + QChar(0) << u"a‹U+0000›"_s;
        QTest::newRow("escape") << QString(u"\x1b[2J"_s) << u"‹U+001B›[2J"_s;
        QTest::newRow("return") << u"echo safe\rrm"_s << u"echo safe‹U+000D›rm"_s;
        QTest::newRow("tag") << QString::fromUcs4(U"\U000E0041") << u"‹U+E0041›"_s;
        QTest::newRow("line separator") << QString(u"a\u2028b"_s) << u"a‹U+2028›b"_s;
        QTest::newRow("lone half") << QString(QChar(0xd800)) + u'x' << QString(QChar(0xd800)) + u'x';
    }
    void exactTextShowsWhatCannotBeSeen()
    {
        QFETCH(QString, text);
        QFETCH(QString, shown);
        QCOMPARE(withControlsNamed(text), shown);
        QCOMPARE(withControlsNamed(shown), shown);
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
