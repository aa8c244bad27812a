// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/composer/composer.h"
#include "ui/composer/messageedit.h"
#include "ui/style/fermatastyle.h"
#include "ui/text/quotation.h"

#include <QApplication>
#include <QClipboard>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QPushButton>
#include <QShortcut>
#include <QSignalSpy>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

void press(QWidget *widget, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier,
           bool isRepeat = false)
{
    QKeyEvent event(QEvent::KeyPress, key, modifiers, u"\r"_s, isRepeat);
    QApplication::sendEvent(widget, &event);
}

void compose(QWidget *widget, const QString &preedit, const QString &commit = {})
{
    QInputMethodEvent event(preedit, {});
    event.setCommitString(commit);
    QApplication::sendEvent(widget, &event);
}

} // namespace

class ComposerTest final : public QObject
{
    Q_OBJECT

private slots:
    // behaviours: 287
    void oldTextComesBackAsAQuotation_data()
    {
        QTest::addColumn<QString>("old");
        QTest::addColumn<QString>("quotation");
        QTest::newRow("line") << u"Delete everything."_s << u"> Delete everything.\n\n"_s;
        QTest::newRow("lines") << u"one\n\ntwo\n"_s << u"> one\n>\n> two\n\n"_s;
        QTest::newRow("hidden ends of lines") << u"a\r\nb\rc\u2028d\u2029e\u0085f\u000Bg"_s
                                              << u"> a\n> b\n> c\n> d\n> e\n> f\n> g\n\n"_s;
        QTest::newRow("quoted") << u"> said before"_s << u"> > said before\n\n"_s;
        QTest::newRow("nothing") << u" \n\n"_s << QString();
    }
    // behaviours: 287
    void oldTextComesBackAsAQuotation()
    {
        QFETCH(QString, old);
        QFETCH(QString, quotation);
        QCOMPARE(asQuotation(old), quotation);
        Composer composer;
        composer.insertQuotation(old);
        QCOMPARE(composer.text(), quotation);
        // In the middle of a line it begins one of its own.
        composer.setText(u"About this:"_s);
        composer.insertQuotation(old);
        QCOMPARE(composer.text(),
                 quotation.isEmpty() ? u"About this:"_s : u"About this:\n"_s + quotation);
    }
    void initTestCase();
    void init();
    void cleanup();

    void enterSendsAndKeepsTheTextUntilItIsTaken();
    void enterOfTheNumberPadSendsToo();
    void shiftEnterBreaksTheLine();
    void heldEnterSendsNothing();
    void withTheOtherSettingCtrlEnterSends();
    void enterDuringACompositionDoesNothing();
    void enterThatEndsACompositionDoesNothing();
    void escDuringACompositionStopsNothing();
    void whiteSpaceIsNotSent();
    void stopAndSendKeepTheirPlaces_data();
    void stopAndSendKeepTheirPlaces();
    void stopCanBePressedUntilItForces();
    void draftCanBeSentAfterThisAnswer();
    void growsToEightLinesAndThenScrolls();
    void pasteIsPlainText();
    void controlsHaveTheirNames();
    void clickOnAButtonLeavesTheFocusInTheMessage();
    void keysOfTheWindowPassTheMessage();

private:
    std::unique_ptr<Composer> m_composer;
    std::unique_ptr<QSignalSpy> m_sent;
};

void ComposerTest::initTestCase()
{
    QApplication::setStyle(new FermataStyle(lightTheme()));
}

void ComposerTest::init()
{
    m_composer = std::make_unique<Composer>();
    m_composer->resize(760, m_composer->height());
    m_composer->setPlaceholder(u"Message m"_s);
    m_composer->show();
    m_sent = std::make_unique<QSignalSpy>(m_composer.get(), &Composer::sendRequested);
}

void ComposerTest::cleanup()
{
    m_sent.reset();
    m_composer.reset();
}

void ComposerTest::enterSendsAndKeepsTheTextUntilItIsTaken()
{
    m_composer->setText(u"hello"_s);
    press(m_composer->edit(), Qt::Key_Return);
    QCOMPARE(m_sent->size(), 1);
    QCOMPARE(m_sent->at(0).at(0).toString(), u"hello"_s);
    QCOMPARE(m_composer->text(), u"hello"_s);
}

void ComposerTest::enterOfTheNumberPadSendsToo()
{
    m_composer->setText(u"hello"_s);
    press(m_composer->edit(), Qt::Key_Enter, Qt::KeypadModifier);
    QCOMPARE(m_sent->size(), 1);
}

void ComposerTest::shiftEnterBreaksTheLine()
{
    m_composer->setText(u"one"_s);
    press(m_composer->edit(), Qt::Key_Return, Qt::ShiftModifier);
    m_composer->insertText(u"two"_s);
    QCOMPARE(m_sent->size(), 0);
    QCOMPARE(m_composer->text(), u"one\ntwo"_s);
}

void ComposerTest::heldEnterSendsNothing()
{
    m_composer->setText(u"hello"_s);
    press(m_composer->edit(), Qt::Key_Return, Qt::NoModifier, true);
    QCOMPARE(m_sent->size(), 0);
    QCOMPARE(m_composer->text(), u"hello"_s);
}

void ComposerTest::withTheOtherSettingCtrlEnterSends()
{
    m_composer->edit()->setSendKey(MessageEdit::SendKey::CtrlEnter);
    m_composer->setText(u"one"_s);
    press(m_composer->edit(), Qt::Key_Return);
    QCOMPARE(m_sent->size(), 0);
    QCOMPARE(m_composer->text(), u"one\n"_s);
    press(m_composer->edit(), Qt::Key_Return, Qt::ControlModifier);
    QCOMPARE(m_sent->size(), 1);
}

void ComposerTest::enterDuringACompositionDoesNothing()
{
    m_composer->setText(u"a"_s);
    compose(m_composer->edit(), u"にほ"_s);
    QVERIFY(m_composer->edit()->isComposing());
    press(m_composer->edit(), Qt::Key_Return);
    QCOMPARE(m_sent->size(), 0);
    QVERIFY(!m_composer->text().contains(u'\n'));
}

void ComposerTest::enterThatEndsACompositionDoesNothing()
{
    compose(m_composer->edit(), u"にほ"_s);
    compose(m_composer->edit(), {}, u"日本"_s);
    press(m_composer->edit(), Qt::Key_Return); // in the same turn of the event loop
    QCOMPARE(m_sent->size(), 0);
    QCOMPARE(m_composer->text(), u"日本"_s);
    QCoreApplication::sendPostedEvents();
    press(m_composer->edit(), Qt::Key_Return);
    QCOMPARE(m_sent->size(), 1);
}

void ComposerTest::escDuringACompositionStopsNothing()
{
    QKeyEvent outside(QEvent::ShortcutOverride, Qt::Key_Escape, Qt::NoModifier);
    outside.ignore();
    QApplication::sendEvent(m_composer->edit(), &outside);
    QVERIFY(!outside.isAccepted());
    compose(m_composer->edit(), u"に"_s);
    QKeyEvent inside(QEvent::ShortcutOverride, Qt::Key_Escape, Qt::NoModifier);
    inside.ignore();
    QApplication::sendEvent(m_composer->edit(), &inside);
    QVERIFY(inside.isAccepted());
}

void ComposerTest::whiteSpaceIsNotSent()
{
    m_composer->setText(u" \n\t "_s);
    QVERIFY(!m_composer->sendButton()->isEnabled());
    press(m_composer->edit(), Qt::Key_Return);
    QCOMPARE(m_sent->size(), 0);
}

void ComposerTest::stopAndSendKeepTheirPlaces_data()
{
    QTest::addColumn<Composer::State>("state");
    QTest::addColumn<QString>("text");
    QTest::newRow("idle, empty") << Composer::State::Idle << QString();
    QTest::newRow("idle, text") << Composer::State::Idle << u"text"_s;
    QTest::newRow("running") << Composer::State::Running << QString();
    QTest::newRow("running, text") << Composer::State::Running << u"text"_s;
    QTest::newRow("stopping") << Composer::State::Stopping << QString();
    QTest::newRow("forced") << Composer::State::Forced << QString();
}

void ComposerTest::stopAndSendKeepTheirPlaces()
{
    QFETCH(Composer::State, state);
    QFETCH(QString, text);
    m_composer->setText(text);
    m_composer->setState(state);
    const QRect send = m_composer->sendButton()->geometry();
    const QRect stop = m_composer->stopButton()->geometry();
    QVERIFY(m_composer->sendButton()->isVisible());
    QVERIFY(m_composer->stopButton()->isVisible());
    QCOMPARE(send.size(), QSize(92, 32));
    QCOMPARE(stop.size(), QSize(92, 32));
    QCOMPARE(send.right() + 1, m_composer->width() - 12);
    QCOMPARE(stop.right() + 1 + 12, send.left());
    QCOMPARE(stop.top(), send.top());
    QCOMPARE(m_composer->stopButton()->text(), u"Stop"_s);
    QCOMPARE(m_composer->sendButton()->text(), u"Send"_s);
}

void ComposerTest::stopCanBePressedUntilItForces()
{
    QVERIFY(!m_composer->stopButton()->isEnabled());
    m_composer->setState(Composer::State::Running);
    QVERIFY(m_composer->stopButton()->isEnabled());
    m_composer->setState(Composer::State::Stopping);
    QVERIFY(m_composer->stopButton()->isEnabled());
    m_composer->setState(Composer::State::Forced);
    QVERIFY(!m_composer->stopButton()->isEnabled());
    QVERIFY(!m_composer->stopButton()->toolTip().isEmpty());
}

void ComposerTest::draftCanBeSentAfterThisAnswer()
{
    // behaviours: 29
    m_composer->setState(Composer::State::Stopping);
    QCOMPARE(m_composer->edit()->placeholderText(),
             u"Write the next message. It is sent after this answer."_s);
    m_composer->setText(u"next"_s);
    QVERIFY(m_composer->sendButton()->isEnabled());
    QCOMPARE(m_composer->sendButton()->toolTip(), u"Send after this answer (Enter)"_s);
    m_composer->setState(Composer::State::Idle);
    QCOMPARE(m_composer->text(), u"next"_s);
    QCOMPARE(m_composer->edit()->placeholderText(), u"Message m"_s);
}

void ComposerTest::growsToEightLinesAndThenScrolls()
{
    const int one = m_composer->height();
    m_composer->setText(u"1\n2\n3"_s);
    const int three = m_composer->height();
    QVERIFY(three > one);
    m_composer->setText(u"1\n2\n3\n4\n5\n6\n7\n8"_s);
    const int eight = m_composer->height();
    m_composer->setText(u"1\n2\n3\n4\n5\n6\n7\n8\n9\n10"_s);
    QCOMPARE(m_composer->height(), eight);
    m_composer->clear();
    QCOMPARE(m_composer->height(), one);
}

void ComposerTest::pasteIsPlainText()
{
    auto *mime = new QMimeData;
    mime->setHtml(u"<b>x</b><img src=\"file:///dev/zero\">"_s);
    mime->setText(u"x\u2028y"_s);
    QApplication::clipboard()->setMimeData(mime);
    m_composer->edit()->paste();
    QCOMPARE(m_composer->text(), u"x\ny"_s);
}

void ComposerTest::controlsHaveTheirNames()
{
    QCOMPARE(m_composer->edit()->accessibleName(), u"Message"_s);
    QCOMPARE(m_composer->stopButton()->accessibleName(), u"Stop"_s);
    QCOMPARE(m_composer->sendButton()->accessibleName(), u"Send"_s);
}

void ComposerTest::clickOnAButtonLeavesTheFocusInTheMessage()
{
    QVERIFY(!(m_composer->stopButton()->focusPolicy() & Qt::ClickFocus));
    QVERIFY(!(m_composer->sendButton()->focusPolicy() & Qt::ClickFocus));
    QVERIFY(m_composer->stopButton()->focusPolicy() & Qt::TabFocus);
}

void ComposerTest::keysOfTheWindowPassTheMessage()
{
    // In a text field of its own, Ctrl+K would delete to the end of the line.
    m_composer->setText(u"one two"_s);
    m_composer->edit()->moveCursor(QTextCursor::Start);
    int searches = 0;
    auto *shortcut = new QShortcut(QKeySequence(u"Ctrl+K"_s), m_composer.get());
    connect(shortcut, &QShortcut::activated, this, [&searches] { ++searches; });
    m_composer->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_composer.get()));
    m_composer->edit()->setFocus();
    QTest::keyClick(m_composer->edit(), Qt::Key_K, Qt::ControlModifier);
    QCOMPARE(searches, 1);
    QCOMPARE(m_composer->text(), u"one two"_s);
}

QTEST_MAIN(ComposerTest)
#include "tst_composer.moc"
