// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/status/busyarc.h"

#include "ui/style/fermatastyle.h"

#include <QPainter>
#include <QTimerEvent>

namespace fermata {

namespace {
constexpr int Steps = 12;
constexpr int StepTime = 1000 / Steps;
} // namespace

BusyArc::BusyArc(QWidget *parent) : QWidget(parent)
{
    setFixedSize(16, 16);
    setAttribute(Qt::WA_TransparentForMouseEvents);
}

void BusyArc::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(themeOf(this).accentText, 1.5, Qt::SolidLine, Qt::RoundCap));
    constexpr int FullCircle = 360 * 16;
    const int start = FullCircle / 4 - m_step * FullCircle / Steps;
    painter.drawArc(QRectF(2.75, 2.75, 10.5, 10.5), start, -FullCircle * 3 / 4);
}

void BusyArc::showEvent(QShowEvent *)
{
    if (style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0)
        m_timer.start(StepTime, this);
}

void BusyArc::hideEvent(QHideEvent *)
{
    m_timer.stop();
}

void BusyArc::timerEvent(QTimerEvent *event)
{
    if (event->timerId() != m_timer.timerId())
        return;
    m_step = (m_step + 1) % Steps;
    update();
}

} // namespace fermata
