// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/keyfield.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class KeyFieldTest final : public QObject
{
    Q_OBJECT

private slots:
    void takingTheKeyEmptiesTheField();
    void takenKeyDoesNotComeBackByUndo();
    void keyIsNotCopied();
    void assistiveTechnologyHearsNoKey();
};

void KeyFieldTest::takingTheKeyEmptiesTheField()
{
    KeyField field;
    field.setText(u"  sk-canary \n"_s);
    QCOMPARE(field.takeSecret().reveal(), QByteArray("sk-canary"));
    QVERIFY(field.text().isEmpty());
    QVERIFY(field.takeSecret().isEmpty());
}

void KeyFieldTest::takenKeyDoesNotComeBackByUndo()
{
    KeyField field;
    field.show();
    QTest::keyClicks(&field, u"sk-canary"_s);
    QCOMPARE(field.takeSecret().reveal(), QByteArray("sk-canary"));
    QTest::keyClick(&field, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(field.text().isEmpty());
    field.undo();
    QVERIFY(field.text().isEmpty());
}

void KeyFieldTest::keyIsNotCopied()
{
    QApplication::clipboard()->setText(u"before"_s);
    KeyField field;
    field.show();
    field.setText(u"sk-canary"_s);
    field.selectAll();
    QTest::keyClick(&field, Qt::Key_C, Qt::ControlModifier);
    QTest::keyClick(&field, Qt::Key_X, Qt::ControlModifier);
    field.copy();
    field.cut();
    QCOMPARE(QApplication::clipboard()->text(), u"before"_s);
}

void KeyFieldTest::assistiveTechnologyHearsNoKey()
{
    KeyField field;
    field.setText(u"sk-canary"_s);
    QAccessibleInterface *interface = QAccessible::queryAccessibleInterface(&field);
    QVERIFY(interface);
    QVERIFY(!interface->text(QAccessible::Value).contains(u"canary"));
    QAccessibleTextInterface *text = interface->textInterface();
    QVERIFY(text);
    QVERIFY(!text->text(0, text->characterCount()).contains(u"canary"));
}

QTEST_MAIN(KeyFieldTest)
#include "tst_keyfield.moc"
