// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/style/icons.h"

#include <QWidget>

class QPushButton;

namespace fermata {

class TextLabel;

// One line above the message field that says something or asks something, and never takes the focus by itself. In the
// width of the text column.
class Bar final : public QWidget
{
    Q_OBJECT

public:
    enum class Kind { Question, Notice, Problem };

    Bar(Kind kind, const QString &text, QWidget *parent = nullptr);

    // At the right, in the order they are added.
    enum class Action { Normal, SafeDefault, Quiet };
    QPushButton *addButton(const QString &text, Action action);
    void setText(const QString &text);
    QString text() const;
    void setIcon(Icon which);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    QRect frameRect() const;

    Kind m_kind;
    Icon m_icon;
    QWidget *m_content;
    TextLabel *m_label;
};

} // namespace fermata
