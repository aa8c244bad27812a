// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/visibletext.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class tst_VisibleText : public QObject
{
    Q_OBJECT

private slots:
    void whatCannotBeSeenIsMadeVisible_data();
    void whatCannotBeSeenIsMadeVisible();
    void nothingIsCutFromWhatTheUserIsAsked();
    void whatOnlyLooksLikeSomethingElseIsNamedWhereTheUserIsAsked();
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
        QTest::newRow("lone half")
            << QString(QChar(0xd800)) + u'x' << QString(QChar(0xd800)) + u'x';
    }
    void exactTextShowsWhatCannotBeSeen()
    {
        QFETCH(QString, text);
        QFETCH(QString, shown);
        QCOMPARE(withControlsNamed(text), shown);
        QCOMPARE(withControlsNamed(shown), shown);
    }
};

void tst_VisibleText::whatCannotBeSeenIsMadeVisible_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("visible");
    QTest::newRow("plain") << u"ls -l | wc"_s << u"ls -l | wc"_s;
    QTest::newRow("lines and tabs stay") << u"a\n\tb"_s << u"a\n\tb"_s;
    QTest::newRow("nul, return, escape")
        << u"a\u0000b\rc\u001bd"_s << u"a‹U+0000›b‹U+000D›c‹U+001B›d"_s;
    QTest::newRow("bidi") << u"a\u202eb"_s << u"a‹U+202E›b"_s;
    QTest::newRow("zero width") << u"a\u200bb\u200dc\ufeff"_s << u"a‹U+200B›b‹U+200D›c‹U+FEFF›"_s;
    QTest::newRow("tags") << u"a\U000e0041"_s << u"a‹U+E0041›"_s;
    QTest::newRow("spaces") << u"a\u00a0b\u3000c"_s << u"a‹U+00A0›b‹U+3000›c"_s;
    QTest::newRow("fillers") << u"a\u3164\u2800\u115f"_s << u"a‹U+3164›‹U+2800›‹U+115F›"_s;
    QTest::newRow("separators") << u"a\u2028b"_s << u"a‹U+2028›b"_s;
    QTest::newRow("8-bit") << u"a\u009bb"_s << u"a‹U+009B›b"_s;
    QTest::newRow("private") << u"a\ue000b"_s << u"a‹U+E000›b"_s;
    QTest::newRow("letters stay") << u"Ünïcødé 漢字 🎵"_s << u"Ünïcødé 漢字 🎵"_s;
    QTest::newRow("lone surrogate")
        << QString(QChar(0xd800)) << QString(QChar::ReplacementCharacter);
}

// reliability: E13
void tst_VisibleText::whatCannotBeSeenIsMadeVisible()
{
    QFETCH(QString, text);
    QFETCH(QString, visible);
    QCOMPARE(withControlsNamed(text, TextUse::Asked), visible);
}

// reliability: E13
void tst_VisibleText::nothingIsCutFromWhatTheUserIsAsked()
{
    const QString text = u"x\u200b"_s.repeated(100 * 1024);
    QCOMPARE(withControlsNamed(text, TextUse::Asked), u"x‹U+200B›"_s.repeated(100 * 1024));
}

void tst_VisibleText::whatOnlyLooksLikeSomethingElseIsNamedWhereTheUserIsAsked()
{
    const QString text = u"a\u00a0b\ue000"_s; // in code these are what they are
    QCOMPARE(withControlsNamed(text), text);
    QCOMPARE(withControlsNamed(text, TextUse::Asked), u"a‹U+00A0›b‹U+E000›"_s);
    const QString marks = u'a' + QString(100, QChar(0x0301));
    QVERIFY(withControlsNamed(marks, TextUse::Asked).endsWith(u"‹U+0301›"_s));
}

QTEST_APPLESS_MAIN(tst_VisibleText)
#include "tst_visibletext.moc"
