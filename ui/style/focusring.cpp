// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/focusring.h"

#include <QEvent>
#include <QFocusEvent>
#include <QWidget>

namespace fermata {

FocusRing::~FocusRing()
{
    delete m_frame;
}

void FocusRing::watch(QWidget *widget)
{
    widget->installEventFilter(this);
}

void FocusRing::unwatch(QWidget *widget)
{
    widget->removeEventFilter(this);
}

bool FocusRing::eventFilter(QObject *watched, QEvent *event)
{
    auto *widget = static_cast<QWidget *>(watched);
    switch (event->type()) {
    case QEvent::FocusIn: {
        const auto reason = static_cast<QFocusEvent *>(event)->reason();
        // A window that comes back shows what it showed before.
        if (reason == Qt::ActiveWindowFocusReason || reason == Qt::PopupFocusReason)
            break;
        if (reason == Qt::MouseFocusReason)
            hide();
        else
            show(widget);
        break;
    }
    case QEvent::FocusOut: {
        const auto reason = static_cast<QFocusEvent *>(event)->reason();
        if (reason != Qt::ActiveWindowFocusReason && reason != Qt::PopupFocusReason)
            hide();
        break;
    }
    case QEvent::MouseButtonPress:
    case QEvent::Hide:
    case QEvent::EnabledChange:
        if (m_frame && m_frame->widget() == widget)
            hide();
        break;
    default:
        break;
    }
    return QObject::eventFilter(watched, event);
}

void FocusRing::show(QWidget *widget)
{
    if (!m_frame)
        m_frame = new QFocusFrame;
    m_frame->setWidget(widget);
}

void FocusRing::hide()
{
    if (m_frame)
        m_frame->setWidget(nullptr);
}

} // namespace fermata
