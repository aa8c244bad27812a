// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/style/theme.h"

#include <QApplication>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class ThemeTest final : public QObject
{
    Q_OBJECT

private slots:
    void textCanBeRead_data();
    void textCanBeRead();
    void shapesCanBeSeen_data();
    void shapesCanBeSeen();
    void paletteCarriesTheTokens();
    void disabledTextIsDisabledInEveryRole();
    void highContrastKeepsTheSystemsColours();
    void contrastIsCountedAsWcagDoes();
    void fontsAreStepsFromTheSystems();
    void hairlinesAreWholeDevicePixels_data();
    void hairlinesAreWholeDevicePixels();
    void columnIsCentredAndKeepsItsMargins();
    void runningFiguresKeepTheirPlace();
};

namespace {

struct Named
{
    const char *name;
    QColor Theme::*colour;
};

constexpr Named Texts[] = {
    {"text", &Theme::text}, {"text2", &Theme::text2}, {"accentText", &Theme::accentText},
    {"red", &Theme::red},   {"amber", &Theme::amber}, {"green", &Theme::green}};
constexpr Named Grounds[] = {{"base", &Theme::base}, {"window", &Theme::window}};
constexpr Named CodeTexts[] = {{"word", &Theme::codeWord},         {"string", &Theme::codeString},
                               {"comment", &Theme::codeComment},   {"number", &Theme::codeNumber},
                               {"function", &Theme::codeFunction}, {"text", &Theme::text}};
constexpr Named Shapes[] = {{"lineStrong", &Theme::lineStrong},
                            {"ring", &Theme::ring},
                            {"amberBorder", &Theme::amberBorder},
                            {"redBorder", &Theme::redBorder}};

void addRow(const char *theme, const char *upper, const char *ground, const QColor &a,
            const QColor &b, double least)
{
    QTest::addRow("%s: %s on %s", theme, upper, ground) << a << b << least;
}

template <typename Add>
void forBothThemes(Add add)
{
    add("light", lightTheme());
    add("dark", darkTheme());
}

} // namespace

void ThemeTest::textCanBeRead_data()
{
    QTest::addColumn<QColor>("text");
    QTest::addColumn<QColor>("ground");
    QTest::addColumn<double>("least");
    forBothThemes([](const char *name, const Theme &t) {
        for (const Named &text : Texts) {
            for (const Named &ground : Grounds)
                addRow(name, text.name, ground.name, t.*text.colour, t.*ground.colour, 4.5);
        }
        for (const Named &text : CodeTexts)
            addRow(name, text.name, "well", t.*text.colour, t.well, 4.5);
        addRow(name, "text", "selection", t.text, t.selection, 4.5);
        addRow(name, "text", "bubble", t.text, t.bubble, 4.5);
        addRow(name, "text", "hover", t.text, t.hover, 4.5);
        addRow(name, "text", "pressed", t.text, t.pressed, 4.5);
        addRow(name, "text", "button", t.text, t.button, 4.5);
        addRow(name, "text", "button pressed", t.text, t.buttonPressed, 4.5);
        addRow(name, "accentText", "button pressed", t.accentText, t.buttonPressed, 4.5);
        addRow(name, "onAccent", "accent", t.onAccent, t.accent, 4.5);
        addRow(name, "onAccent", "accent hover", t.onAccent, t.accentHover, 4.5);
        addRow(name, "onAccent", "accent pressed", t.onAccent, t.accentPressed, 4.5);
        addRow(name, "red", "red hover", t.red, t.redHover, 4.5);
        addRow(name, "red", "red pressed", t.red, t.redPressed, 4.5);
    });
}

void ThemeTest::textCanBeRead()
{
    QFETCH(QColor, text);
    QFETCH(QColor, ground);
    QFETCH(double, least);
    QVERIFY2(contrastOf(text, ground) >= least,
             qPrintable(QString::number(contrastOf(text, ground), 'f', 2)));
}

void ThemeTest::shapesCanBeSeen_data()
{
    QTest::addColumn<QColor>("text");
    QTest::addColumn<QColor>("ground");
    QTest::addColumn<double>("least");
    forBothThemes([](const char *name, const Theme &t) {
        for (const Named &shape : Shapes)
            addRow(name, shape.name, "base", t.*shape.colour, t.base, 3.0);
        addRow(name, "lineStrong", "window", t.lineStrong, t.window, 3.0);
        addRow(name, "ring", "window", t.ring, t.window, 3.0);
    });
}

void ThemeTest::shapesCanBeSeen()
{
    textCanBeRead();
}

void ThemeTest::paletteCarriesTheTokens()
{
    const Theme &theme = darkTheme();
    const QPalette palette = paletteOf(theme);
    QCOMPARE(palette.color(QPalette::Window), theme.window);
    QCOMPARE(palette.color(QPalette::Base), theme.base);
    QCOMPARE(palette.color(QPalette::AlternateBase), theme.bubble);
    QCOMPARE(palette.color(QPalette::PlaceholderText), theme.text2);
    QCOMPARE(palette.color(QPalette::Highlight), theme.accent);
    QCOMPARE(palette.color(QPalette::LinkVisited), theme.accentText);
    QCOMPARE(palette.color(QPalette::ToolTipBase), theme.window);
}

void ThemeTest::disabledTextIsDisabledInEveryRole()
{
    const QPalette palette = paletteOf(lightTheme());
    for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
        QCOMPARE(palette.color(QPalette::Disabled, role), lightTheme().disabled);
}

void ThemeTest::highContrastKeepsTheSystemsColours()
{
    QPalette system;
    system.setColor(QPalette::Window, Qt::black);
    system.setColor(QPalette::Base, Qt::black);
    system.setColor(QPalette::AlternateBase, Qt::black);
    system.setColor(QPalette::Text, Qt::white);
    system.setColor(QPalette::Highlight, QColor(0x1aebff));
    system.setColor(QPalette::HighlightedText, Qt::black);
    system.setColor(QPalette::Link, QColor(0xffff00));
    const Theme theme = themeFromPalette(system);
    QCOMPARE(theme.base, QColor(Qt::black));
    QCOMPARE(theme.text, QColor(Qt::white));
    QCOMPARE(theme.accent, QColor(0x1aebff));
    QVERIFY(theme.isDark());
    QVERIFY(contrastOf(theme.text2, theme.window) >= 7.0);
    QVERIFY(contrastOf(theme.text, theme.selection) >= 7.0);
    QVERIFY(contrastOf(theme.line, theme.base) >= 7.0);
}

void ThemeTest::contrastIsCountedAsWcagDoes()
{
    QCOMPARE(qRound(contrastOf(Qt::black, Qt::white) * 100), 2100);
    QCOMPARE(qRound(contrastOf(Qt::white, Qt::white) * 100), 100);
    QCOMPARE(qRound(contrastOf(QColor(0x767676), Qt::white) * 100), 454);
}

void ThemeTest::fontsAreStepsFromTheSystems()
{
    using namespace metrics;
    QFont system = QApplication::font();
    system.setPointSizeF(10);
    QApplication::setFont(system);
    QCOMPARE(font(FontStep::Small).pointSizeF(), 9.0);
    QCOMPARE(font(FontStep::Reading).pointSizeF(), 11.0);
    QCOMPARE(font(FontStep::Welcome).pointSizeF(), 17.0);
    QVERIFY(font(FontStep::H1).bold());
    QVERIFY(!font(FontStep::Reading).bold());
    QCOMPARE(font(FontStep::Reading, 2.0).pointSizeF(), 22.0);
    QCOMPARE(fixedFont(FixedStep::Output).pointSizeF(), 9.5);
    system.setPixelSize(20); // some systems give pixels
    QApplication::setFont(system);
    QVERIFY(font(FontStep::Small).pointSizeF() > 0);
    QVERIFY(font(FontStep::Small).pointSizeF() < font(FontStep::Control).pointSizeF());
}

void ThemeTest::hairlinesAreWholeDevicePixels_data()
{
    QTest::addColumn<double>("ratio");
    QTest::addColumn<double>("devicePixels");
    QTest::newRow("100 %") << 1.0 << 1.0;
    QTest::newRow("125 %") << 1.25 << 1.0;
    QTest::newRow("150 %") << 1.5 << 2.0;
    QTest::newRow("200 %") << 2.0 << 2.0;
    QTest::newRow("400 %") << 4.0 << 4.0;
}

void ThemeTest::hairlinesAreWholeDevicePixels()
{
    QFETCH(double, ratio);
    QFETCH(double, devicePixels);
    QVERIFY(qFuzzyCompare(metrics::hairline(ratio) * ratio, devicePixels));
    const QRectF rect = metrics::snapped(QRectF(10.3, 20.7, 100, 50), ratio);
    // The outer edge of the pen lies on a device pixel.
    const double edge = (rect.left() - metrics::hairline(ratio) / 2) * ratio;
    QVERIFY(std::abs(edge - std::round(edge)) < 1e-9);
}

void ThemeTest::columnIsCentredAndKeepsItsMargins()
{
    QCOMPARE(metrics::columnIn(1016).left, 140);
    QCOMPARE(metrics::columnIn(1016).width, 736);
    QCOMPARE(metrics::columnIn(400).left, 24);
    QCOMPARE(metrics::columnIn(400).width, 352);
    QVERIFY(metrics::columnIn(10).width > 0);
}

void ThemeTest::runningFiguresKeepTheirPlace()
{
    const QFont font = metrics::font(metrics::FontStep::Control);
    QCOMPARE(metrics::steadyWidth(font, u"1:11"_s), metrics::steadyWidth(font, u"8:48"_s));
}

QTEST_MAIN(ThemeTest)
#include "tst_theme.moc"
