// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAccessible>

namespace fermata {

// The text interface of something that only shows its text: no caret, no selection, no attributes.
class ReadOnlyText : public QAccessibleTextInterface
{
public:
    virtual QString shownText() const = 0;
    virtual QRect shownRect() const = 0;

    void selection(int, int *from, int *to) const override { *from = *to = 0; }
    int selectionCount() const override { return 0; }
    void addSelection(int, int) override { }
    void removeSelection(int) override { }
    void setSelection(int, int, int) override { }
    int cursorPosition() const override { return 0; }
    void setCursorPosition(int) override { }
    QString text(int from, int to) const override { return shownText().mid(from, to - from); }
    int characterCount() const override { return int(shownText().size()); }
    QRect characterRect(int) const override { return shownRect(); }
    int offsetAtPoint(const QPoint &) const override { return 0; }
    void scrollToSubstring(int, int) override { }
    QString attributes(int, int *from, int *to) const override
    {
        *from = 0;
        *to = characterCount();
        return {};
    }
};

} // namespace fermata
