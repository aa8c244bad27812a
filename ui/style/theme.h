// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPalette>

namespace fermata {

// Every colour of the window, by the name of what it is for. A value with two instances; colours are written nowhere
// else. What QPalette has a role for is in paletteOf(), too.
struct Theme
{
    QColor window;
    QColor base;
    QColor bubble;
    QColor well;
    QColor hover;
    QColor pressed;
    QColor selection;
    QColor text;
    QColor text2;
    QColor disabled;
    QColor line;
    QColor lineStrong;
    QColor button;
    QColor buttonBorder;
    QColor buttonHover;
    QColor buttonPressed;
    QColor accent;
    QColor accentHover;
    QColor accentPressed;
    QColor onAccent;
    QColor accentText;
    QColor ring;
    QColor track;
    QColor red;
    QColor redBorder;
    QColor redHover;
    QColor redPressed;
    QColor amber;
    QColor amberBorder;
    QColor green;
    QColor codeWord;
    QColor codeString;
    QColor codeComment;
    QColor codeNumber;
    QColor codeFunction;

    bool isDark() const { return base.lightness() < 128; }
    friend bool operator==(const Theme &, const Theme &) = default;
};

const Theme &lightTheme();
const Theme &darkTheme();
// The colours of a high-contrast system palette in the places of ours.
Theme themeFromPalette(const QPalette &system);

QPalette paletteOf(const Theme &theme);

// The contrast of two opaque colours as WCAG 2 counts it, 1 to 21.
double contrastOf(const QColor &a, const QColor &b);

} // namespace fermata
