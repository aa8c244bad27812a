// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/style/icons.h"

#include <QAbstractButton>

namespace fermata {

// A flat row of the sidebar that is pressed: icon, word, and its shortcut at the right.
class SidebarButton final : public QAbstractButton
{
    Q_OBJECT

public:
    SidebarButton(Icon which, const QString &text, const QKeySequence &shortcut,
                  QWidget *parent = nullptr);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Icon m_icon;
    QString m_keys;
};

} // namespace fermata
