// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QWidget>

class QVBoxLayout;

namespace fermata {

class Bar;

// The bars above the message field, at most one of each purpose. Without any it takes no place.
class BarStack final : public QWidget
{
    Q_OBJECT

public:
    enum class Purpose { Notice, Damaged, SaveFailed, Undo, Editing, Pending, Question };

    explicit BarStack(QWidget *parent = nullptr);

    // Takes the bar; one with the same purpose goes.
    void show(Purpose purpose, Bar *bar);
    void remove(Purpose purpose);
    Bar *bar(Purpose purpose) const { return m_bars.value(purpose); }

signals:
    // A bar that had the focus is gone.
    void focusReleased();

private:
    void rearrange();

    QVBoxLayout *m_layout;
    QHash<Purpose, Bar *> m_bars;
};

} // namespace fermata
