// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/style/theme.h"

#include <QIcon>
#include <QRectF>

class QPainter;

namespace fermata {

enum class Icon {
    None,
    Search,
    Plus,
    Gear,
    More,
    Attach,
    Send,
    Stop,
    ChevronRight,
    ChevronDown,
    ChevronUp,
    Copy,
    Check,
    Retry,
    Edit,
    Delete,
    Continue,
    Clock,
    Cross,
    Ask,
    Denied,
    Down,
    Right,
    Info,
    Server,
    Plug,
    Model,
    Limits,
    Tools,
    Appearance,
    Keyboard,
    Data,
    Sidebar,
};

// Drawn from its SVG for each device pixel ratio. Without a colour it follows the application's palette (text2, and
// disabled), also after the theme has changed.
QIcon icon(Icon which);
QIcon icon(Icon which, const QColor &color);
// The icon that was made by icon(), or None: what a style needs to draw it in the colour of its own label.
Icon iconOf(const QIcon &icon);
void paintIcon(QPainter *painter, Icon which, const QRectF &rect, const QColor &color);

// The marks of conversations, tool calls, foot lines and the status line: each has its own shape and colour.
enum class Mark { None, Running, Asking, Stopped, Limit, Failed, Finished, Waiting, Denied };
// Where it stands: in the list the marks are small, and asking is a diamond; elsewhere it is the ask icon. The check
// of a finished call is green, that of a foot line text2.
enum class MarkPlace { List, Tool, Line };

// `box` is the 16 px box of the mark; the mark is in its middle.
void paintMark(QPainter *painter, Mark mark, MarkPlace place, const QRectF &box,
               const Theme &theme);

} // namespace fermata
