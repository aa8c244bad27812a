// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>

namespace fermata {

// The field that searches the conversations: its icon stands in the sidebar's column. Esc empties it and gives the
// focus back, and reaches nobody else then.
class SearchField final : public QLineEdit
{
    Q_OBJECT

public:
    explicit SearchField(QWidget *parent = nullptr);

signals:
    void left(); // by Esc
    void downRequested(); // to the first result

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
};

} // namespace fermata
