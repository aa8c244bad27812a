// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/style/icons.h"

#include <QAbstractButton>

class QPushButton;

namespace fermata {

// A row of a card that is a button as a whole: words, and an arrow at the right.
class PromptRow final : public QAbstractButton
{
    Q_OBJECT

public:
    explicit PromptRow(const QString &text, QWidget *parent = nullptr);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
};

// A row of a card that offers something: icon, two lines of words, and a button.
class OfferRow final : public QWidget
{
    Q_OBJECT

public:
    OfferRow(Icon which, const QString &title, const QString &detail, const QString &action,
             QWidget *parent = nullptr);

signals:
    void accepted();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Icon m_icon;
};

} // namespace fermata
