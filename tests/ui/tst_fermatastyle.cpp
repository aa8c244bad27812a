// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/fermatastyle.h"
#include "ui/widgets/textlabel.h"

#include <QApplication>
#include <QMenu>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class FermataStyleTest final : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void aMenuIsSetOffFromWhatItLiesOn();
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
