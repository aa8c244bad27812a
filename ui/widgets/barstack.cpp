// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/barstack.h"

#include "ui/style/metrics.h"
#include "ui/widgets/bar.h"

#include <QApplication>
#include <QVBoxLayout>

#include <algorithm>

namespace fermata {

BarStack::BarStack(QWidget *parent) : QWidget(parent), m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(0, metrics::Space8, 0, 0);
    m_layout->setSpacing(metrics::Space8);
    hide();
}

void BarStack::show(Purpose purpose, Bar *bar)
{
    remove(purpose);
    m_bars.insert(purpose, bar);
    rearrange();
}

void BarStack::remove(Purpose purpose)
{
    Bar *bar = m_bars.take(purpose);
    if (!bar)
        return;
    m_layout->removeWidget(bar);
    const bool hadFocus = bar->isAncestorOf(QApplication::focusWidget());
    bar->hide();
    // It may be the bar whose button was just pressed.
    bar->deleteLater();
    rearrange();
    if (hadFocus)
        emit focusReleased();
}

void BarStack::rearrange()
{
    // In the order of their purposes: what asks stands nearest to the message field.
    for (Bar *bar : std::as_const(m_bars))
        m_layout->removeWidget(bar);
    QList<Purpose> purposes = m_bars.keys();
    std::sort(purposes.begin(), purposes.end());
    for (const Purpose purpose : std::as_const(purposes)) {
        m_layout->addWidget(m_bars.value(purpose));
        m_bars.value(purpose)->show();
    }
    setVisible(!m_bars.isEmpty());
}

} // namespace fermata
