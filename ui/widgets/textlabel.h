// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/style/metrics.h"

#include <QLabel>

namespace fermata {

// A label in one of the program's fonts and colours, which follow the theme. Always plain text.
class TextLabel final : public QLabel
{
    Q_OBJECT

public:
    enum class Tone { Text, Text2, Problem };

    TextLabel(const QString &text, metrics::FontStep step, Tone tone = Tone::Text,
              QWidget *parent = nullptr);

    void setTone(Tone tone);

protected:
    void changeEvent(QEvent *event) override;

private:
    void applyTone();

    Tone m_tone;
};

// A label of our own words with one link in them, by which linkActivated() is emitted.
class LinkLabel final : public QLabel
{
    Q_OBJECT

public:
    LinkLabel(const QString &text, const QString &linkText, metrics::FontStep step,
              QWidget *parent = nullptr);

protected:
    void changeEvent(QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;

private:
    void colorLink();

    QString m_text;
    QString m_linkText;
    QColor m_linkColor;
};

} // namespace fermata
