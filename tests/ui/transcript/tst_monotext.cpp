// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/monotext.h"

#include "ui/style/metrics.h"

#include <QElapsedTimer>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class TestMonoText : public QObject
{
    Q_OBJECT

private slots:
    void longLinesAreBrokenAndLoseNothing()
    {
        MonoText text;
        text.setFont(metrics::fixedFont(metrics::FixedStep::Output), 18);
        text.setText(u"0123456789"_s.repeated(10) + u"\n\nend"_s);
        QCOMPARE(text.lineCount(), 3);
        text.setWidth(MonoText::Wrap::Columns, 100);
        QVERIFY(text.lineCount() > 5);
        QCOMPARE(text.height(), text.lineCount() * 18.0);
        QCOMPARE(text.sourceOf(0, int(text.display().size())), text.source());
    }

    void whatIsTakenAlongIsTheSource()
    {
        MonoText text;
        text.setText(u"a\u202Eb\u200Bc"_s);
        QCOMPARE(text.display(), u"a‹U+202E›b‹U+200B›c"_s);
        QCOMPARE(text.sourceOf(0, int(text.display().size())), text.source());
        QCOMPARE(text.sourceOf(int(text.display().indexOf(u'b')), int(text.display().size())),
                 u"b\u200Bc"_s);
    }

    void aPointLeadsToItsCharacter()
    {
        MonoText text;
        text.setFont(metrics::fixedFont(metrics::FixedStep::Code), 20);
        text.setText(u"first\nsecond\nthird"_s);
        const QRectF cursor = text.cursorRect(8); // behind "se"
        QCOMPARE(text.positionAt(cursor.center()), 8);
        QCOMPARE(text.positionAt(QPointF(-5, -5)), 0);
        QCOMPARE(text.positionAt(QPointF(5000, 5000)), 18);
    }

    void aMegabyteIsNotLaidOut()
    {
        QElapsedTimer time;
        time.start();
        MonoText text;
        text.setFont(metrics::fixedFont(metrics::FixedStep::Code), 20);
        text.setText(u"a line of code that has some length;\n"_s.repeated(28'000));
        text.setWidth(MonoText::Wrap::Columns, 700);
        qInfo("1 MB in lines: %lld ms", time.elapsed());
        QVERIFY(text.lineCount() > 28'000);
    }
};

QTEST_MAIN(TestMonoText)
#include "tst_monotext.moc"
