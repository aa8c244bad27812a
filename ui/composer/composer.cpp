// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/composer/composer.h"

#include "ui/composer/messageedit.h"
#include "ui/style/fermatastyle.h"
#include "ui/style/icons.h"
#include "ui/style/metrics.h"
#include "ui/style/stylepainter.h"
#include "ui/text/quotation.h"

#include <QGuiApplication>
#include <QInputMethod>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

namespace fermata {

namespace {

constexpr int TextTop = 13; // border and padding
constexpr int TextBottom = 4;
constexpr int ToolRow = 48;
constexpr int Border = 1;
constexpr QSize ButtonSizeFixed{92, metrics::ButtonHeight};

} // namespace

Composer::Composer(QWidget *parent)
    : QFrame(parent), m_edit(new MessageEdit(this)), m_attach(new QToolButton(this)),
      m_model(new QToolButton(this)), m_stop(new QPushButton(tr("Stop"), this)),
      m_send(new QPushButton(tr("Send"), this))
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_attach->setIcon(icon(Icon::Attach));
    m_attach->setToolTip(tr("Attach a text file"));
    m_attach->setAccessibleName(tr("Attach a text file"));
    m_attach->setFocusPolicy(Qt::TabFocus);
    m_model->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_model->setPopupMode(QToolButton::InstantPopup);
    m_model->setFocusPolicy(Qt::TabFocus);
    m_model->setFont(metrics::font(metrics::FontStep::Control));
    m_model->setAccessibleName(tr("Model"));
    m_model->setToolTip(tr("Which model answers"));

    setButtonKind(m_stop, ButtonKind::Stop);
    m_stop->setIcon(icon(Icon::Stop));
    m_stop->setAccessibleName(tr("Stop"));
    setButtonKind(m_send, ButtonKind::Main);
    m_send->setIcon(icon(Icon::Send));
    m_send->setAccessibleName(tr("Send"));
    // By mouse they leave the focus where it is: in the message.
    m_stop->setFocusPolicy(Qt::TabFocus);
    m_send->setFocusPolicy(Qt::TabFocus);

    setFocusProxy(m_edit);
    setTabOrder(m_edit, m_attach);
    setTabOrder(m_attach, m_model);
    setTabOrder(m_model, m_stop);
    setTabOrder(m_stop, m_send);

    connect(m_edit, &MessageEdit::sendRequested, this, &Composer::send);
    connect(m_edit, &MessageEdit::heightChanged, this, &Composer::updateLayout);
    connect(m_edit, &MessageEdit::focusChanged, this, qOverload<>(&Composer::update));
    connect(m_edit, &QPlainTextEdit::textChanged, this, [this] {
        updateButtons();
        emit textChanged();
    });
    connect(m_send, &QPushButton::clicked, this, &Composer::send);
    connect(m_attach, &QToolButton::clicked, this, &Composer::attachRequested);
    updateButtons();
    updateLayout();
}

void Composer::setState(State state)
{
    m_state = state;
    updateButtons();
}

void Composer::setPlaceholder(const QString &whenIdle)
{
    m_placeholder = whenIdle;
    updateButtons();
}

void Composer::setModelText(const QString &text)
{
    m_model->setText(text);
    place();
}

QString Composer::text() const
{
    return m_edit->toPlainText();
}

bool Composer::isEmpty() const
{
    return text().trimmed().isEmpty();
}

void Composer::setText(const QString &text)
{
    // A change of the text under an input method would be undone by its next commit.
    if (m_edit->isComposing())
        QGuiApplication::inputMethod()->reset();
    m_edit->setPlainText(text);
    m_edit->moveCursor(QTextCursor::End);
}

void Composer::insertText(const QString &text)
{
    m_edit->textCursor().insertText(text);
    m_edit->ensureCursorVisible();
}

void Composer::insertQuotation(const QString &text)
{
    const QString quotation = asQuotation(text);
    if (quotation.isEmpty())
        return;
    const bool beginsLine = m_edit->textCursor().atBlockStart();
    insertText(beginsLine ? quotation : u'\n' + quotation);
}

void Composer::clear()
{
    m_edit->clear();
}

void Composer::send()
{
    QGuiApplication::inputMethod()->commit();
    if (!isEmpty())
        emit sendRequested(text());
}

void Composer::updateButtons()
{
    const bool runs = m_state != State::Idle;
    m_stop->setEnabled(runs && m_state != State::Forced);
    m_stop->setToolTip(!runs                            ? tr("Nothing is running")
                           : m_state == State::Forced   ? tr("It is being forced to end")
                           : m_state == State::Stopping ? tr("Force it to end (Esc)")
                                                        : tr("Stop (Esc)"));
    m_send->setEnabled(!isEmpty());
    m_send->setToolTip(isEmpty()  ? tr("Write a message first")
                           : runs ? tr("Send after this answer (Enter)")
                                  : tr("Send (Enter)"));
    m_edit->setPlaceholderText(runs ? tr("Write the next message. It is sent after this answer.")
                                    : m_placeholder);
    m_edit->viewport()
        ->update(); // Qt repaints only when the words come or go, not when they change
}

void Composer::updateLayout()
{
    setFixedHeight(TextTop + m_edit->heightForText() + TextBottom + ToolRow + Border);
    place();
}

void Composer::resizeEvent(QResizeEvent *)
{
    place();
}

void Composer::place()
{
    const auto put = [this](QWidget *child, const QRect &rect) {
        child->setGeometry(QStyle::visualRect(layoutDirection(), this->rect(), rect));
    };
    const int padding = metrics::ComposerOverhang;
    put(m_edit, QRect(padding, TextTop, width() - 2 * padding, m_edit->heightForText()));

    const int top = height() - Border - ToolRow + (ToolRow - metrics::ButtonHeight) / 2;
    const int sendLeft = width() - padding - ButtonSizeFixed.width();
    const int stopLeft = sendLeft - metrics::Space12 - ButtonSizeFixed.width();
    put(m_send, QRect(QPoint(sendLeft, top), ButtonSizeFixed));
    put(m_stop, QRect(QPoint(stopLeft, top), ButtonSizeFixed));
    put(m_attach, QRect(metrics::Space4, top, metrics::ButtonHeight, metrics::ButtonHeight));
    const int modelLeft = metrics::Space4 + metrics::ButtonHeight + metrics::Space4;
    const int modelWidth =
        std::clamp(m_model->sizeHint().width(), 0, std::max(0, stopLeft - modelLeft - 8));
    put(m_model, QRect(modelLeft, top, modelWidth, metrics::ButtonHeight));
}

void Composer::mousePressEvent(QMouseEvent *event)
{
    m_edit->setFocus(Qt::MouseFocusReason);
    event->accept();
}

void Composer::paintEvent(QPaintEvent *)
{
    const Theme &theme = themeOf(this);
    QPainter painter(this);
    stylepainter::paintFrame(&painter, rect(), metrics::RadiusBubble, theme.base,
                             m_edit->hasFocus() ? theme.ring : theme.lineStrong);
}

} // namespace fermata
