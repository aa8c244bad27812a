// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/icons.h"

#include <QFile>
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

int paintedPixels(const QImage &image)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            count += qAlpha(image.pixel(x, y)) > 0;
    }
    return count;
}

} // namespace

class IconsTest final : public QObject
{
    Q_OBJECT

private slots:
    void everyIconIsDrawn();
    void iconHasTheColourItIsGiven();
    void iconIsDrawnForTheDevice();
    void iconIsKnownAgain();
    void marksDifferInShape();
    void signOfTheProgramIsDrawn();
};

void IconsTest::everyIconIsDrawn()
{
    for (int i = int(Icon::None) + 1; i <= int(Icon::Sidebar); ++i) {
        const QImage image = icon(Icon(i), Qt::black).pixmap(16, 16).toImage();
        QVERIFY2(paintedPixels(image) > 4, qPrintable(QString::number(i)));
    }
}

void IconsTest::iconHasTheColourItIsGiven()
{
    const QImage image = icon(Icon::Stop, QColor(0xB3261E)).pixmap(16, 16).toImage();
    QCOMPARE(image.pixelColor(8, 8), QColor(0xB3261E));
}

void IconsTest::iconIsDrawnForTheDevice()
{
    const QPixmap pixmap = icon(Icon::Gear).pixmap(QSize(16, 16), 2.0);
    QCOMPARE(pixmap.size(), QSize(32, 32));
    QCOMPARE(pixmap.devicePixelRatio(), 2.0);
}

void IconsTest::iconIsKnownAgain()
{
    QCOMPARE(iconOf(icon(Icon::Retry)), Icon::Retry);
    QCOMPARE(iconOf(QIcon()), Icon::None);
}

void IconsTest::marksDifferInShape()
{
    // Without colour: a state is never told by colour alone.
    Theme theme = lightTheme();
    theme.accentText = theme.amber = theme.amberBorder = theme.text2 = theme.red = theme.green =
        Qt::black;
    QList<QImage> seen;
    for (const Mark mark : {Mark::Running, Mark::Asking, Mark::Stopped, Mark::Limit, Mark::Failed,
                            Mark::Finished, Mark::Waiting, Mark::Denied}) {
        QImage image(16, 16, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::white);
        QPainter painter(&image);
        paintMark(&painter, mark, MarkPlace::List, QRectF(0, 0, 16, 16), theme);
        painter.end();
        QVERIFY(!seen.contains(image));
        seen << image;
    }
}

void IconsTest::signOfTheProgramIsDrawn()
{
    for (const QString &name : {u":/fermata.svg"_s, u":/fermata-symbolic.svg"_s}) {
        QSvgRenderer renderer(name);
        QVERIFY2(renderer.isValid(), qPrintable(name));
    }
}

QTEST_MAIN(IconsTest)
#include "tst_icons.moc"
