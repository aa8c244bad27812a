// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/card.h"

#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/style/stylepainter.h"

#include <QPainter>
#include <QPainterPath>
#include <QVBoxLayout>

namespace fermata {

Card::Card(QWidget *parent) : QWidget(parent), m_rows(new QVBoxLayout(this))
{
    m_rows->setContentsMargins(1, 1, 1, 1);
    m_rows->setSpacing(1);
}

void Card::addRow(QWidget *row)
{
    m_rows->addWidget(row);
}

void Card::insertRow(int index, QWidget *row)
{
    m_rows->insertWidget(index, row);
}

void Card::setHeadRow(QWidget *head)
{
    m_head = head;
    m_rows->insertWidget(0, head);
}

void Card::paintEvent(QPaintEvent *)
{
    const Theme &theme = themeOf(this);
    QPainter painter(this);
    stylepainter::paintFrame(&painter, rect(), metrics::RadiusCard, theme.base, {});
    if (m_head && m_head->isVisible()) {
        painter.save();
        painter.setClipRect(0, 0, width(), m_head->geometry().bottom() + 1);
        stylepainter::paintFrame(&painter, rect(), metrics::RadiusCard, theme.window, {});
        painter.restore();
    }
    const qreal line = metrics::hairline(devicePixelRatioF());
    bool isFirst = true;
    for (int i = 0; i < m_rows->count(); ++i) {
        const QWidget *row = m_rows->itemAt(i)->widget();
        if (!row || !row->isVisible())
            continue;
        if (!isFirst)
            painter.fillRect(QRectF(0, row->y() - 1, width(), line), theme.line);
        isFirst = false;
    }
    stylepainter::paintFrame(&painter, rect(), metrics::RadiusCard, {}, theme.line);
}

} // namespace fermata
