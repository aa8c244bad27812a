// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace fermata {

// A rounded border around rows, with hairlines between them. Rows that are hidden leave no line.
class Card final : public QWidget
{
    Q_OBJECT

public:
    explicit Card(QWidget *parent = nullptr);

    void addRow(QWidget *row);
    void insertRow(int index, QWidget *row);
    // The first row gets the colour of the window, as the head of a table.
    void setHeadRow(QWidget *head);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QVBoxLayout *m_rows;
    QWidget *m_head = nullptr;
};

} // namespace fermata
