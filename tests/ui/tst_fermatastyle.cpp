// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/fermatastyle.h"
#include "ui/widgets/textlabel.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QMenu>
#include <QTest>
#include <QToolButton>

using namespace fermata;
using namespace Qt::StringLiterals;

class FermataStyleTest final : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void aMenuIsSetOffFromWhatItLiesOn();
    void theListOfAComboBoxIsSetOffFromWhatItLiesOn();
    void aForeignIconIsShown();
    void aLinkHasTheColourOfTheThemeThatIsShown();

private:
    FermataStyle *m_style = nullptr; // the application's
};

void FermataStyleTest::init()
{
    m_style = new FermataStyle(lightTheme());
    QApplication::setStyle(m_style);
}

void FermataStyleTest::aMenuIsSetOffFromWhatItLiesOn()
{
    QMenu menu;
    menu.addAction(u"Always"_s);
    const QImage picture = menu.grab().toImage();
    const int middle = picture.height() / 2;
    QCOMPARE(picture.pixelColor(0, middle), lightTheme().buttonBorder);
    QCOMPARE(picture.pixelColor(picture.width() - 1, middle), lightTheme().buttonBorder);
    QCOMPARE(picture.pixelColor(2, middle), lightTheme().base);
}

void FermataStyleTest::theListOfAComboBoxIsSetOffFromWhatItLiesOn()
{
    QComboBox box;
    box.addItems({u"one"_s, u"two"_s, u"three"_s});
    box.show();
    box.showPopup();
    const QImage picture = box.view()->window()->grab().toImage();
    QCOMPARE(picture.pixelColor(0, picture.height() / 2), lightTheme().buttonBorder);
    QCOMPARE(picture.pixelColor(picture.width() / 2, picture.height() - 1),
             lightTheme().buttonBorder);
}

void FermataStyleTest::aForeignIconIsShown()
{
    QPixmap red(16, 16);
    red.fill(Qt::red);
    QToolButton button;
    button.setIcon(red);
    button.resize(32, 32);
    QCOMPARE(button.grab().toImage().pixelColor(16, 16), QColor(Qt::red));
}

void FermataStyleTest::aLinkHasTheColourOfTheThemeThatIsShown()
{
    LinkLabel label(u"Per"_s, u"tool"_s, metrics::FontStep::Control);
    label.ensurePolished();
    m_style->setTheme(darkTheme());
    QCoreApplication::sendPostedEvents();
    QVERIFY2(label.text().contains(darkTheme().accentText.name()), qPrintable(label.text()));
    m_style->setTheme(lightTheme());
    QCoreApplication::sendPostedEvents();
    QVERIFY2(label.text().contains(lightTheme().accentText.name()), qPrintable(label.text()));
}

QTEST_MAIN(FermataStyleTest)
#include "tst_fermatastyle.moc"
