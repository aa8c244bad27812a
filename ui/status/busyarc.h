// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBasicTimer>
#include <QWidget>

namespace fermata {

// The arc that turns while a turn runs: one round per second in 12 steps, repainting itself alone. With reduced motion
// it stands still.
class BusyArc final : public QWidget
{
    Q_OBJECT

public:
    explicit BusyArc(QWidget *parent = nullptr);

protected:
    void paintEvent(QPaintEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    void timerEvent(QTimerEvent *event) override;

private:
    QBasicTimer m_timer;
    int m_step = 0;
};

} // namespace fermata
