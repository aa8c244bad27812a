// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>

namespace fermata {

// The field a message is written in: 1 to 8 lines, then it scrolls. Enter sends and Shift+Enter breaks the line, or, by
// setting, Ctrl+Enter sends and Enter breaks. While an input method composes, and in the event-loop turn in which it
// commits, Enter does neither; nor does a key that repeats itself send.
class MessageEdit final : public QPlainTextEdit
{
    Q_OBJECT

public:
    enum class SendKey { Enter, CtrlEnter };

    explicit MessageEdit(QWidget *parent = nullptr);

    void setSendKey(SendKey key) { m_sendKey = key; }
    bool isComposing() const;
    // For as many lines as there are, 1 to 8.
    int heightForText() const;

signals:
    void sendRequested();
    void heightChanged();
    void focusChanged();

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void inputMethodEvent(QInputMethodEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void insertFromMimeData(const QMimeData *source) override;

private:
    enum class ReturnKey { Send, Break, Nothing };
    ReturnKey meaningOf(const QKeyEvent &event) const;
    void updateHeight();

    SendKey m_sendKey = SendKey::Enter;
    QString m_preedit;
    bool m_hasJustCommitted = false;
    int m_height = 0;
};

} // namespace fermata
