// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QPushButton;
class QToolButton;

namespace fermata {

class MessageEdit;

// Where a message is written, with Stop and Send. Both buttons are always there and always in the same place. What is
// written survives everything but being sent.
class Composer final : public QFrame
{
    Q_OBJECT

public:
    // What the composer is used for at the moment. Stopping: the flag is set; Forced: for the second time.
    enum class State { Idle, Running, Stopping, Forced };

    explicit Composer(QWidget *parent = nullptr);

    void setState(State state);
    State state() const { return m_state; }
    void setPlaceholder(const QString &whenIdle);
    // The button that chooses the model; the menu is the owner's.
    QToolButton *modelButton() const { return m_model; }
    QPushButton *stopButton() const { return m_stop; }
    QPushButton *sendButton() const { return m_send; }
    MessageEdit *edit() const { return m_edit; }

    QString text() const;
    bool isEmpty() const; // but for white space
    void setText(const QString &text);
    void insertText(const QString &text);
    // Old text as a quotation, on lines of its own.
    void insertQuotation(const QString &text);
    void clear();
    void setModelText(const QString &text);

signals:
    // The text to send; the composer keeps it until clear().
    void sendRequested(const QString &text);
    void attachRequested();
    void textChanged();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;

private:
    void send();
    void updateButtons();
    void updateLayout();
    void place();

    MessageEdit *m_edit;
    QToolButton *m_attach;
    QToolButton *m_model;
    QPushButton *m_stop;
    QPushButton *m_send;
    QString m_placeholder;
    State m_state = State::Idle;
};

} // namespace fermata
