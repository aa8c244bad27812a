// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/composer/messageedit.h"

#include "ui/style/metrics.h"

#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QTextBlock>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace fermata {

namespace {

constexpr int MostLines = 8;
// A longer paste would lay out for seconds; no model takes it as one message either.
constexpr qsizetype LongestPaste = 1'000'000;

bool isReturn(const QKeyEvent &event)
{
    return event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter;
}

} // namespace

MessageEdit::MessageEdit(QWidget *parent) : QPlainTextEdit(parent)
{
    setAccessibleName(tr("Message"));
    setFrameShape(QFrame::NoFrame);
    setFont(metrics::font(metrics::FontStep::Reading));
    document()->setDocumentMargin(0);
    setTabChangesFocus(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setInputMethodHints(Qt::ImhMultiLine);
    viewport()->setAutoFillBackground(false);
    connect(this, &QPlainTextEdit::textChanged, this, &MessageEdit::updateHeight);
    updateHeight();
}

bool MessageEdit::isComposing() const
{
    return !m_preedit.isEmpty() || !textCursor().block().layout()->preeditAreaText().isEmpty();
}

int MessageEdit::heightForText() const
{
    return m_height;
}

bool MessageEdit::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto *key = static_cast<QKeyEvent *>(event);
        // A text field would take these for itself ("delete to the end of the line"); here they are the window's.
        if (key->modifiers() == Qt::ControlModifier
            && (key->key() == Qt::Key_K || key->key() == Qt::Key_Period)) {
            event->ignore();
            return false;
        }
        // Esc belongs to the input method first, and never stops a turn by the way.
        if (key->key() == Qt::Key_Escape && isComposing()) {
            event->accept();
            return true;
        }
    }
    return QPlainTextEdit::event(event);
}

MessageEdit::ReturnKey MessageEdit::meaningOf(const QKeyEvent &event) const
{
    if (isComposing() || m_hasJustCommitted)
        return ReturnKey::Nothing;
    const auto modifiers = event.modifiers() & ~Qt::KeypadModifier;
    const auto sends = event.isAutoRepeat() ? ReturnKey::Nothing : ReturnKey::Send;
    if (modifiers == Qt::ControlModifier)
        return sends;
    if (modifiers == Qt::NoModifier)
        return m_sendKey == SendKey::Enter ? sends : ReturnKey::Break;
    if (modifiers == Qt::ShiftModifier || modifiers == Qt::AltModifier)
        return ReturnKey::Break;
    return ReturnKey::Nothing;
}

void MessageEdit::keyPressEvent(QKeyEvent *event)
{
    if (!isReturn(*event)) {
        QPlainTextEdit::keyPressEvent(event);
        return;
    }
    switch (meaningOf(*event)) {
    case ReturnKey::Send:
        emit sendRequested();
        break;
    case ReturnKey::Break:
        // The base would put a line separator for Shift+Enter, which is another character than a new line.
        textCursor().insertBlock();
        ensureCursorVisible();
        break;
    case ReturnKey::Nothing:
        break;
    }
    event->accept();
}

void MessageEdit::inputMethodEvent(QInputMethodEvent *event)
{
    const bool wasComposing = !m_preedit.isEmpty();
    m_preedit = event->preeditString();
    if (wasComposing && m_preedit.isEmpty()) {
        // Some input methods deliver the Enter that ended the composition as a key of its own, right after it.
        m_hasJustCommitted = true;
        QMetaObject::invokeMethod(
            this, [this] { m_hasJustCommitted = false; }, Qt::QueuedConnection);
    }
    QPlainTextEdit::inputMethodEvent(event);
}

void MessageEdit::focusInEvent(QFocusEvent *event)
{
    QPlainTextEdit::focusInEvent(event);
    emit focusChanged();
}

void MessageEdit::focusOutEvent(QFocusEvent *event)
{
    QPlainTextEdit::focusOutEvent(event);
    emit focusChanged();
}

void MessageEdit::resizeEvent(QResizeEvent *event)
{
    QPlainTextEdit::resizeEvent(event);
    updateHeight();
}

void MessageEdit::insertFromMimeData(const QMimeData *source)
{
    // Foreign text comes in as plain text and nothing else; line separators of other programs become line breaks.
    QString text = source->text().left(LongestPaste);
    text.replace(QChar::LineSeparator, u'\n');
    text.replace(QChar::ParagraphSeparator, u'\n');
    text.remove(QChar::Null);
    if (!text.isEmpty())
        textCursor().insertText(text);
    ensureCursorVisible();
}

void MessageEdit::updateHeight()
{
    // The document of a plain text edit measures itself in lines.
    const int lines = std::max(1, int(std::ceil(document()->size().height())));
    const qreal pitch = metrics::linePitch(font(), metrics::Pitch::Reading);
    const qreal own = fontMetrics().lineSpacing();
    const int height = int(std::ceil(pitch + (std::min(lines, MostLines) - 1) * own));
    setVerticalScrollBarPolicy(lines > MostLines ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    if (height == m_height)
        return;
    m_height = height;
    emit heightChanged();
}

} // namespace fermata
