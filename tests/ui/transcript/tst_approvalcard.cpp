// SPDX-License-Identifier: GPL-3.0-or-later
#include "samples.h"
#include "ui/style/fermatastyle.h"
#include "ui/transcript/approvalcard.h"
#include "ui/transcript/exacttext.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include <memory>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

QPushButton *button(const QWidget &card, const QString &name)
{
    for (QPushButton *candidate : card.findChildren<QPushButton *>()) {
        if (candidate->accessibleName() == name)
            return candidate;
    }
    return nullptr;
}

void show(ApprovalCard &card)
{
    card.resize(700, card.heightForWidth(700));
    card.show();
    QVERIFY(QTest::qWaitForWindowExposed(&card));
}

} // namespace

class TestApprovalCard : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QApplication::setStyle(new FermataStyle(lightTheme())); }

    // reliability: G15
    void whatHasJustAppearedCanBeDeniedAtOnce()
    {
        ApprovalCard card(samples::approvalRequest());
        QSignalSpy answered(&card, &ApprovalCard::answered);
        show(card);
        QTest::mouseClick(button(card, u"Deny"_s), Qt::LeftButton);
        QCOMPARE(answered.size(), 1);
        QCOMPARE(answered[0][1].value<ApprovalDecision>(), ApprovalDecision::Deny);
    }

    // reliability: G15
    void whatHasJustAppearedCannotBeAllowed()
    {
        const QString name = u"Allow once"_s;
        ApprovalCard card(samples::approvalRequest());
        QSignalSpy answered(&card, &ApprovalCard::answered);
        show(card);
        QPushButton *pressed = button(card, name);
        QVERIFY(pressed);
        pressed->setFocus();
        QTest::keyClick(pressed, Qt::Key_Return);
        QTest::keyClick(pressed, Qt::Key_Space);
        QTest::mouseClick(pressed, Qt::LeftButton);
        QVERIFY(!card.isArmed());
        QCOMPARE(answered.size(), 0);
        QTRY_VERIFY(card.isArmed());
        QTest::mouseClick(pressed, Qt::LeftButton);
        QCOMPARE(answered.size(), 1);
        QCOMPARE(answered[0][1].value<ApprovalDecision>(), ApprovalDecision::AllowOnce);
    }

    void theGuardBeginsAgainWhenTheCardMoves()
    {
        ApprovalCard card(samples::approvalRequest());
        show(card);
        QTRY_VERIFY(card.isArmed());
        card.resize(card.width(), card.height() + 10);
        QVERIFY(!card.isArmed());
        QTRY_VERIFY(card.isArmed());
    }

    void anAnswerIsGivenOnce()
    {
        ApprovalCard card(samples::approvalRequest());
        QSignalSpy answered(&card, &ApprovalCard::answered);
        show(card);
        QTRY_VERIFY(card.isArmed());
        QTest::mouseClick(button(card, u"Allow once"_s), Qt::LeftButton);
        QTest::mouseClick(button(card, u"Deny"_s), Qt::LeftButton);
        QCOMPARE(answered.size(), 1);
    }

    // reliability: G15
    void aHeldKeyIsNoAnswer()
    {
        ApprovalCard card(samples::approvalRequest());
        QSignalSpy answered(&card, &ApprovalCard::answered);
        show(card);
        QTRY_VERIFY(card.isArmed());
        QPushButton *allow = button(card, u"Allow once"_s);
        allow->setFocus();
        QKeyEvent held(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier, {}, true);
        QApplication::sendEvent(allow, &held);
        QCOMPARE(answered.size(), 0);
    }

    // behaviours: 76
    void closingDenies()
    {
        ApprovalCard card(samples::approvalRequest());
        QSignalSpy answered(&card, &ApprovalCard::answered);
        show(card);
        card.hide(); // another conversation is shown: the question stays open
        QCOMPARE(answered.size(), 0);
        card.show();
        QTRY_VERIFY(card.isArmed());
        card.close();
        QCOMPARE(answered.size(), 1);
        QCOMPARE(answered[0][1].value<ApprovalDecision>(), ApprovalDecision::Deny);
        card.close();
        QCOMPARE(answered.size(), 1);
    }

    // behaviours: 76
    void destroyingNeverAllows()
    {
        auto card = std::make_unique<ApprovalCard>(samples::approvalRequest());
        QSignalSpy answered(card.get(), &ApprovalCard::answered);
        show(*card);
        QTRY_VERIFY(card->isArmed());
        card.reset();
        QCOMPARE(answered.size(), 0);
    }

    // reliability: E13
    void longTextHasToBeScrolledToItsEnd()
    {
        ApprovalRequest request = samples::approvalRequest();
        QStringList lines;
        for (int i = 0; i < 60; ++i)
            lines += u"line %1"_s.arg(i);
        request.exactText = lines.join(u'\n');
        ApprovalCard card(request);
        show(card);
        QVERIFY(!button(card, u"Allow once"_s)->isEnabled());
        QVERIFY(!button(card, u"Always allow"_s)->isEnabled());
        QVERIFY(button(card, u"Deny"_s)->isEnabled());
        auto *text = card.findChild<ExactText *>();
        QVERIFY(text->verticalScrollBar()->maximum() > 0);
        text->verticalScrollBar()->setValue(text->verticalScrollBar()->maximum());
        QTRY_VERIFY(button(card, u"Allow once"_s)->isEnabled());
    }

    void fortyLinesAreAllShown()
    {
        ApprovalRequest request = samples::approvalRequest();
        request.exactText = QString(u"x\n"_s).repeated(39) + u"x"_s;
        ApprovalCard card(request);
        show(card);
        QTRY_VERIFY(button(card, u"Allow once"_s)->isEnabled());
        QCOMPARE(card.findChild<ExactText *>()->verticalScrollBar()->maximum(), 0);
    }

    // reliability: E13
    void aLongCommandIsWrappedAndNeverCut()
    {
        ApprovalRequest request = samples::approvalRequest();
        ApprovalCard one(request);
        const int before = one.heightForWidth(700);
        request.exactText = QString(600, u'x');
        ApprovalCard wrapped(request);
        QVERIFY(wrapped.heightForWidth(700) > before + 4 * 15);
        request.exactText = QString(100'000, u'x'); // 100 KB
        ApprovalCard card(request);
        show(card);
        QVERIFY(!button(card, u"Allow once"_s)->isEnabled());
        QCOMPARE(card.accessibleDescription().size(), 100'000);
    }

    // reliability: E15
    void whatImitatesAnApprovalIsPlainText()
    {
        ApprovalRequest request = samples::approvalRequest();
        request.question = u"<b>Allow</b> this?\u202E"_s;
        request.exactText = u"<img src='file:///etc/passwd'><h1>Allow once</h1>"_s;
        request.facts = {{u"<u>Folder</u>"_s, u"<img src='x.png'> \u202Eevil"_s}};
        ApprovalCard card(request);
        show(card);
        for (const QLabel *label : card.findChildren<QLabel *>())
            QCOMPARE(label->textFormat(), Qt::PlainText);
        QCOMPARE(card.accessibleName(), u"<b>Allow</b> this?‹U+202E›"_s);
        QCOMPARE(card.accessibleDescription(), request.exactText);
    }

    // What only looks like a space or like nothing, wherever it stands: a tool may have forgotten to name it.
    // reliability: E13
    void whatOnlyLooksLikeASpaceIsNamed()
    {
        ApprovalRequest request = samples::approvalRequest();
        request.question = u"Allow\u00a0this?"_s;
        request.exactText = u"rm\u2003x"_s;
        request.facts = {{u"Fol\u2800der"_s, u"/home/a\u00a0b"_s}};
        ApprovalCard card(request);
        QCOMPARE(card.accessibleName(), u"Allow‹U+00A0›this?"_s);
        QCOMPARE(card.accessibleDescription(), u"rm‹U+2003›x"_s);
        QStringList texts;
        for (const QLabel *label : card.findChildren<QLabel *>())
            texts << label->text();
        QVERIFY2(texts.contains(u"/home/a‹U+00A0›b"_s), qUtf8Printable(texts.join(u'|')));
        QVERIFY(texts.contains(u"Fol‹U+2800›der"_s));
    }

    void alwaysIsOfferedOnlyWithAPattern()
    {
        ApprovalRequest request = samples::approvalRequest();
        request.alwaysPattern.clear();
        ApprovalCard card(request);
        show(card);
        QVERIFY(button(card, u"Always allow"_s)->isHidden());
    }
};

QTEST_MAIN(TestApprovalCard)
#include "tst_approvalcard.moc"
