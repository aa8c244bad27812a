// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/theme.h"

#include <algorithm>
#include <cmath>

namespace fermata {

namespace {

Theme makeLight()
{
    Theme t;
    t.window = QColor(0xF3F5F5);
    t.base = QColor(0xFFFFFF);
    t.bubble = QColor(0xECF2F3);
    t.well = QColor(0xF6F7F8);
    t.hover = QColor(0xE8EBEC);
    t.pressed = QColor(0xDDE2E3);
    t.selection = QColor(0xD9E8EA);
    t.text = QColor(0x1B1F22);
    t.text2 = QColor(0x58626A);
    t.disabled = QColor(0x9BA3A9);
    t.line = QColor(0xDEE2E4);
    t.lineStrong = QColor(0x858E95);
    t.button = QColor(0xFFFFFF);
    t.buttonBorder = QColor(0xBCC3C8);
    t.buttonHover = QColor(0xF1F4F4);
    t.buttonPressed = QColor(0xE4E9EA);
    t.accent = QColor(0x0B6B77);
    t.accentHover = QColor(0x095A64);
    t.accentPressed = QColor(0x074A53);
    t.onAccent = QColor(0xFFFFFF);
    t.accentText = QColor(0x0A6570);
    t.ring = QColor(0x0B7A88);
    t.track = QColor(0xDCE1E3);
    t.red = QColor(0xB3261E);
    t.redBorder = QColor(0xC4554D);
    t.redHover = QColor(0xFCEFED);
    t.redPressed = QColor(0xF7DDDA);
    t.amber = QColor(0x855000);
    t.amberBorder = QColor(0xB5740F);
    t.green = QColor(0x1F7546);
    t.codeWord = QColor(0x7A3E9D);
    t.codeString = QColor(0x1F6F43);
    t.codeComment = QColor(0x5F6A72);
    t.codeNumber = QColor(0x9A4A00);
    t.codeFunction = QColor(0x0A6570);
    return t;
}

Theme makeDark()
{
    Theme t;
    t.window = QColor(0x1F2326);
    t.base = QColor(0x171A1C);
    t.bubble = QColor(0x232A2D);
    t.well = QColor(0x1E2225);
    t.hover = QColor(0x2A2F33);
    t.pressed = QColor(0x343A3F);
    t.selection = QColor(0x1F3D42);
    t.text = QColor(0xE3E7E9);
    t.text2 = QColor(0xA2ACB3);
    t.disabled = QColor(0x666F76);
    t.line = QColor(0x30363A);
    t.lineStrong = QColor(0x737D84);
    t.button = QColor(0x272C30);
    t.buttonBorder = QColor(0x4C555B);
    t.buttonHover = QColor(0x2F353A);
    t.buttonPressed = QColor(0x383F44);
    t.accent = QColor(0x127380);
    t.accentHover = QColor(0x157F8C);
    t.accentPressed = QColor(0x0F6570);
    t.onAccent = QColor(0xFFFFFF);
    t.accentText = QColor(0x66C5D1);
    t.ring = QColor(0x4FB3C0);
    t.track = QColor(0x343B40);
    t.red = QColor(0xFF9A90);
    t.redBorder = QColor(0xC8665E);
    t.redHover = QColor(0x342321);
    t.redPressed = QColor(0x472C29);
    t.amber = QColor(0xE6B455);
    t.amberBorder = QColor(0xA87C2B);
    t.green = QColor(0x74C294);
    t.codeWord = QColor(0xD3A4EC);
    t.codeString = QColor(0x8CCFA5);
    t.codeComment = QColor(0x98A2A9);
    t.codeNumber = QColor(0xEDB27A);
    t.codeFunction = QColor(0x7CCAD5);
    return t;
}

double luminance(const QColor &color)
{
    const auto linear = [](double c) {
        return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF())
        + 0.0722 * linear(color.blueF());
}

} // namespace

const Theme &lightTheme()
{
    static const Theme theme = makeLight();
    return theme;
}

const Theme &darkTheme()
{
    static const Theme theme = makeDark();
    return theme;
}

Theme themeFromPalette(const QPalette &system)
{
    const QColor base = system.color(QPalette::Base);
    const QColor text = system.color(QPalette::Text);
    const QColor accent = system.color(QPalette::Highlight);
    const QColor link = system.color(QPalette::Link);
    // What warns is told by its mark and its words; of the colours only those are kept that this theme can carry.
    Theme t = base.lightness() < 128 ? makeDark() : makeLight();
    t.window = system.color(QPalette::Window);
    t.base = base;
    t.bubble = t.well = base;
    t.hover = t.pressed = t.selection = system.color(QPalette::AlternateBase);
    if (contrastOf(t.selection, text) < 7.0)
        t.hover = t.pressed = t.selection = t.window;
    t.text = t.text2 = t.line = t.lineStrong = t.buttonBorder = text;
    t.disabled = system.color(QPalette::Disabled, QPalette::Text);
    t.button = t.buttonHover = t.buttonPressed = t.redHover = t.redPressed = t.base;
    t.accent = t.accentHover = t.accentPressed = accent;
    t.onAccent = system.color(QPalette::HighlightedText);
    t.accentText = contrastOf(link, base) >= 4.5 ? link : text;
    t.ring = contrastOf(accent, base) >= 3.0 ? accent : text;
    t.track = base;
    return t;
}

QPalette paletteOf(const Theme &theme)
{
    QPalette palette;
    palette.setColor(QPalette::Window, theme.window);
    palette.setColor(QPalette::Base, theme.base);
    palette.setColor(QPalette::AlternateBase, theme.bubble);
    palette.setColor(QPalette::WindowText, theme.text);
    palette.setColor(QPalette::Text, theme.text);
    palette.setColor(QPalette::ButtonText, theme.text);
    palette.setColor(QPalette::BrightText, theme.onAccent);
    palette.setColor(QPalette::PlaceholderText, theme.text2);
    palette.setColor(QPalette::Button, theme.button);
    palette.setColor(QPalette::Mid, theme.line);
    palette.setColor(QPalette::Dark, theme.lineStrong);
    palette.setColor(QPalette::Shadow, theme.lineStrong);
    palette.setColor(QPalette::Light, theme.base);
    palette.setColor(QPalette::Midlight, theme.line);
    palette.setColor(QPalette::Highlight, theme.accent);
    palette.setColor(QPalette::HighlightedText, theme.onAccent);
    palette.setColor(QPalette::Link, theme.accentText);
    palette.setColor(QPalette::LinkVisited, theme.accentText);
    palette.setColor(QPalette::ToolTipBase, theme.window);
    palette.setColor(QPalette::ToolTipText, theme.text);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText,
                            QPalette::PlaceholderText, QPalette::HighlightedText})
        palette.setColor(QPalette::Disabled, role, theme.disabled);
    return palette;
}

double contrastOf(const QColor &a, const QColor &b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

} // namespace fermata
