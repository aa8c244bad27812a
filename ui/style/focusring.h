// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFocusFrame>
#include <QObject>
#include <QPointer>

namespace fermata {

// Shows the focus of the keyboard: a frame around the control that has it, outside of it. A click shows none. It
// watches the widgets it was given; the frame itself is painted by the style (CE_FocusFrame).
class FocusRing final : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;
    ~FocusRing() override;

    void watch(QWidget *widget);
    void unwatch(QWidget *widget);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void show(QWidget *widget);
    void hide();

    QPointer<QFocusFrame> m_frame;
};

} // namespace fermata
