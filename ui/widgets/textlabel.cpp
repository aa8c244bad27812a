// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/textlabel.h"

#include "ui/style/fermatastyle.h"

#include <QEvent>
#include <QFocusEvent>

namespace fermata {

using namespace Qt::StringLiterals;

TextLabel::TextLabel(const QString &text, metrics::FontStep step, Tone tone, QWidget *parent)
    : QLabel(text, parent), m_tone(tone)
{
    setTextFormat(Qt::PlainText);
    setFont(metrics::font(step));
    applyTone();
}

void TextLabel::setTone(Tone tone)
{
    if (m_tone == tone)
        return;
    m_tone = tone;
    applyTone();
}

void TextLabel::changeEvent(QEvent *event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_tone == Tone::Problem
        && palette().color(QPalette::WindowText) != themeOf(this).red)
        applyTone();
}

void TextLabel::applyTone()
{
    if (m_tone == Tone::Problem) {
        QPalette own = palette();
        own.setColor(QPalette::WindowText, themeOf(this).red);
        setPalette(own);
        setForegroundRole(QPalette::WindowText);
        return;
    }
    setPalette(QPalette());
    setForegroundRole(m_tone == Tone::Text2 ? QPalette::PlaceholderText : QPalette::WindowText);
}

LinkLabel::LinkLabel(const QString &text, const QString &linkText, metrics::FontStep step,
                     QWidget *parent)
    : QLabel(parent), m_text(text), m_linkText(linkText)
{
    setFont(metrics::font(step));
    setForegroundRole(QPalette::PlaceholderText);
    setTextFormat(Qt::RichText);
    setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    colorLink();
}

// A document keeps the colour that its links had when it was made.
void LinkLabel::colorLink()
{
    m_linkColor = palette().color(QPalette::Link);
    setText(u"%1 <a href=\"#\" style=\"color:%2\">%3</a>"_s.arg(
        m_text.toHtmlEscaped(), m_linkColor.name(), m_linkText.toHtmlEscaped()));
}

void LinkLabel::changeEvent(QEvent *event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && palette().color(QPalette::Link) != m_linkColor)
        colorLink();
}

// A label takes the focus without its link, which would need a second Tab.
void LinkLabel::focusInEvent(QFocusEvent *event)
{
    QLabel::focusInEvent(event);
    if (event->reason() != Qt::MouseFocusReason)
        focusNextPrevChild(event->reason() != Qt::BacktabFocusReason);
}

} // namespace fermata
