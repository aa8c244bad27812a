// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/fermatastyle.h"

#include <QApplication>
#include <QFocusEvent>
#include <QFocusFrame>
#include <QHBoxLayout>
#include <QPushButton>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

void giveFocus(QWidget *widget, Qt::FocusReason reason)
{
    QFocusEvent event(QEvent::FocusIn, reason);
    QApplication::sendEvent(widget, &event);
}

const QFocusFrame *ringIn(const QWidget &window)
{
    const auto frames = window.findChildren<QFocusFrame *>();
    for (const QFocusFrame *frame : frames) {
        if (frame->widget() && frame->isVisible())
            return frame;
    }
    return nullptr;
}

} // namespace

class FocusRingTest final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QApplication::setStyle(new FermataStyle(lightTheme())); }
    void keyboardShowsTheRingOutsideTheControl();
    void clickShowsNone();
    void ringGoesWithTheFocus();
    void ringGoesWhenTheControlIsDisabled();
};

void FocusRingTest::keyboardShowsTheRingOutsideTheControl()
{
    QWidget window;
    auto *button = new QPushButton(u"Deny"_s);
    auto *layout = new QHBoxLayout(&window);
    layout->addWidget(button);
    window.show();
    giveFocus(button, Qt::TabFocusReason);
    const QFocusFrame *ring = ringIn(window);
    QVERIFY(ring);
    QCOMPARE(ring->geometry(), button->geometry().adjusted(-4, -4, 4, 4));
}

void FocusRingTest::clickShowsNone()
{
    QWidget window;
    auto *button = new QPushButton(u"Deny"_s, &window);
    button->move(20, 20);
    window.show();
    giveFocus(button, Qt::MouseFocusReason);
    QVERIFY(!ringIn(window));
}

void FocusRingTest::ringGoesWithTheFocus()
{
    QWidget window;
    auto *button = new QPushButton(u"Deny"_s, &window);
    window.show();
    giveFocus(button, Qt::TabFocusReason);
    QFocusEvent out(QEvent::FocusOut, Qt::TabFocusReason);
    QApplication::sendEvent(button, &out);
    QVERIFY(!ringIn(window));
}

void FocusRingTest::ringGoesWhenTheControlIsDisabled()
{
    QWidget window;
    auto *button = new QPushButton(u"Stop"_s, &window);
    window.show();
    giveFocus(button, Qt::TabFocusReason);
    button->setEnabled(false);
    QVERIFY(!ringIn(window));
}

QTEST_MAIN(FocusRingTest)
#include "tst_focusring.moc"
