// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/settingsfile.h"
#include "ui/style/appearance.h"
#include "ui/style/fermatastyle.h"
#include "ui/style/systemappearance.h"

#include <QApplication>
#include <QTemporaryDir>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

QPalette paletteWithWindow(const QColor &colour)
{
    QPalette palette;
    palette.setColor(QPalette::Window, colour);
    return palette;
}

} // namespace

class SystemAppearanceTest final : public QObject
{
    Q_OBJECT

private slots:
    void portalSaysWhatIsWanted_data();
    void portalSaysWhatIsWanted();
    void otherSettingsChangeNothing();
    void withoutAPortalTheStartPaletteDecides();
    void portalWinsOverTheStartPalette();
    void settingWinsOverTheSystem();
    void reducedMotionReachesTheStyle();
};

void SystemAppearanceTest::portalSaysWhatIsWanted_data()
{
    QTest::addColumn<uint>("value");
    QTest::addColumn<bool>("dark");
    QTest::newRow("no preference") << 0u << false;
    QTest::newRow("dark") << 1u << true;
    QTest::newRow("light") << 2u << false;
    QTest::newRow("unknown") << 7u << false;
}

void SystemAppearanceTest::portalSaysWhatIsWanted()
{
    QFETCH(uint, value);
    QFETCH(bool, dark);
    DesktopWishes wishes;
    takeSetting(wishes, u"org.freedesktop.appearance"_s, u"color-scheme"_s, value);
    QCOMPARE(wishes.dark, std::optional(dark));
}

void SystemAppearanceTest::otherSettingsChangeNothing()
{
    DesktopWishes wishes;
    takeSetting(wishes, u"org.kde.kdeglobals"_s, u"color-scheme"_s, 1u);
    takeSetting(wishes, u"org.freedesktop.appearance"_s, u"accent-color"_s, 1u);
    QCOMPARE(wishes, DesktopWishes());
    takeSetting(wishes, u"org.freedesktop.appearance"_s, u"contrast"_s, 1u);
    QVERIFY(wishes.highContrast);
    takeSetting(wishes, u"org.gnome.desktop.interface"_s, u"enable-animations"_s, false);
    QVERIFY(wishes.reducedMotion);
}

void SystemAppearanceTest::withoutAPortalTheStartPaletteDecides()
{
    QVERIFY(SystemAppearance(paletteWithWindow(QColor(0x202020))).isDark());
    QVERIFY(!SystemAppearance(paletteWithWindow(QColor(0xF0F0F0))).isDark());
}

void SystemAppearanceTest::portalWinsOverTheStartPalette()
{
    SystemAppearance system(paletteWithWindow(QColor(0xF0F0F0)));
    int changes = 0;
    connect(&system, &SystemAppearance::changed, this, [&changes] { ++changes; });
    const auto say = [&system](uint scheme) {
        QMetaObject::invokeMethod(
            &system, "takeChange", Q_ARG(QString, u"org.freedesktop.appearance"_s),
            Q_ARG(QString, u"color-scheme"_s), Q_ARG(QDBusVariant, QDBusVariant(scheme)));
    };
    say(1);
    QVERIFY(system.isDark());
    QCOMPARE(changes, 1);
    say(1);
    QCOMPARE(changes, 1);
    say(2);
    QVERIFY(!system.isDark());
    QCOMPARE(changes, 2);
}

void SystemAppearanceTest::settingWinsOverTheSystem()
{
    QTemporaryDir folder;
    SettingsFile file(folder.filePath(u"settings.json"_s));
    auto *style = new FermataStyle(lightTheme());
    QApplication::setStyle(style);
    SystemAppearance system(paletteWithWindow(QColor(0x202020)));
    const Appearance appearance(style, &system, &file);
    QCOMPARE(style->theme(), darkTheme());
    QCOMPARE(QApplication::palette().color(QPalette::Base), darkTheme().base);

    Settings settings = file.settings();
    settings.colorScheme = ColorScheme::Light;
    QVERIFY(file.save(settings).ok());
    QCOMPARE(style->theme(), lightTheme());
    QCOMPARE(QApplication::palette().color(QPalette::Base), lightTheme().base);
}

void SystemAppearanceTest::reducedMotionReachesTheStyle()
{
    QTemporaryDir folder;
    SettingsFile file(folder.filePath(u"settings.json"_s));
    auto *style = new FermataStyle(lightTheme());
    QApplication::setStyle(style);
    SystemAppearance system(paletteWithWindow(QColor(0xF0F0F0)));
    const Appearance appearance(style, &system, &file);
    QVERIFY(style->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, nullptr, nullptr) > 0);
    Settings settings = file.settings();
    settings.reducedMotion = true;
    QVERIFY(file.save(settings).ok());
    QCOMPARE(style->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, nullptr, nullptr), 0);
}

QTEST_MAIN(SystemAppearanceTest)
#include "tst_systemappearance.moc"
