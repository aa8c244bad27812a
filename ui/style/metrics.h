// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QMargins>
#include <QRectF>

// Sizes in device-independent pixels, fonts relative to the system's.
namespace fermata::metrics {

// --- Space: nothing between these. ---
constexpr int Space4 = 4;
constexpr int Space8 = 8;
constexpr int Space12 = 12;
constexpr int Space16 = 16;
constexpr int Space24 = 24;
constexpr int Space32 = 32;

// --- Radii ---
constexpr int RadiusSmall = 4; // check box, inline code
constexpr int RadiusField = 6; // buttons, fields, rows, wells inside a card
constexpr int RadiusCard = 8; // cards, code
constexpr int RadiusBubble = 10; // composer, user message

// --- The window ---
constexpr int SidebarWidth = 264;
constexpr int SidebarLeast = 200;
constexpr int SidebarMost = 400;
constexpr int FoldWidth = 860; // narrower windows fold the sidebar away
constexpr int HeaderHeight = 48;
constexpr int StatusHeight = 40;
constexpr int RowHeight = 32;
constexpr int ColumnWidth = 736; // at most; of transcript, status line and composer text
constexpr int ColumnMargin = 24; // at least, at both sides
constexpr int ComposerOverhang = 12; // how far the composer stands out of the column at each side
constexpr int FirstStartWidth = 600;
constexpr int IconSize = 16;
constexpr int SmallIconSize = 14;
constexpr int ButtonHeight = 32;
constexpr int SmallButtonHeight = 28;
constexpr int FocusGap = 2; // between a control and its ring
constexpr int FocusRing = 2;

// The text column in a pane of this width: where it begins and how wide it is.
struct Column
{
    int left = 0;
    int width = 0;
};
Column columnIn(int paneWidth);

// Layouts do not mirror their margins: these stand at the leading and the trailing side.
QMargins margins(Qt::LayoutDirection direction, int leading, int top, int trailing, int bottom);

// --- Fonts, as steps from the system's size; all that is larger than reading is bold. ---
enum class FontStep { Small, Control, ControlBold, Title, Reading, H3, H2, H1, Welcome };
QFont font(FontStep step, qreal zoom = 1.0);
// Fixed pitch, from the system.
enum class FixedStep { Code, Output };
QFont fixedFont(FixedStep step, qreal zoom = 1.0);

// --- Line pitch, in proportion to the font's own height. ---
enum class Pitch { Control, Reading, Code, Output };
qreal linePitch(const QFont &font, Pitch pitch);

// The width of `text` with all digits as "0": running figures stay in their place.
qreal steadyWidth(const QFont &font, const QString &text);

// --- Lines ---
// The width of a hairline: one device pixel at 100 %, whole device pixels at every other.
qreal hairline(qreal devicePixelRatio);
// `rect` on whole device pixels, moved in by half a line: a pen of that width fills exactly the outermost pixels.
QRectF snapped(const QRectF &rect, qreal devicePixelRatio);
QRectF snapped(const QRectF &rect, qreal devicePixelRatio, qreal lineWidth);

} // namespace fermata::metrics
