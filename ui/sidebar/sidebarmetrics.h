// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The one column that icons and marks stand in, and the one that all text of the sidebar begins at; inside a row.
namespace fermata::sidebar {

constexpr int Padding = 12; // of the sidebar
constexpr int IconLeft = 9; // 21 from the edge of the window
constexpr int TextLeft = 33; // 45 from it
constexpr int RightInset = 9; // of the time or shortcut
constexpr int TextGap = 12; // between title and time

} // namespace fermata::sidebar
