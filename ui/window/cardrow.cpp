// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/cardrow.h"

#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/style/stylepainter.h"
#include "ui/widgets/textlabel.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace fermata {

namespace {
constexpr int PromptHeight = 43; // and a hairline
constexpr int OfferHeight = 55;
constexpr int OfferTextLeft = 44;
} // namespace

PromptRow::PromptRow(const QString &text, QWidget *parent) : QAbstractButton(parent)
{
    setText(text);
    setAccessibleName(text);
    setFocusPolicy(Qt::TabFocus);
    setFont(metrics::font(metrics::FontStep::Control));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize PromptRow::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(text()) + 4 * metrics::Space16,
            std::max(PromptHeight, fontMetrics().height() + metrics::Space16)};
}

void PromptRow::paintEvent(QPaintEvent *)
{
    const Theme &theme = themeOf(this);
    QPainter painter(this);
    const QColor ground = isDown() ? theme.pressed : underMouse() ? theme.hover : QColor();
    stylepainter::paintFrame(&painter, rect(), metrics::RadiusField, ground, {});
    const auto visual = [this](const QRect &r) {
        return QStyle::visualRect(layoutDirection(), rect(), r);
    };
    const QRect arrow(width() - metrics::Space12 - metrics::IconSize,
                      (height() - metrics::IconSize) / 2, metrics::IconSize, metrics::IconSize);
    paintIcon(&painter, Icon::Right, visual(arrow), theme.text2);
    painter.setFont(font());
    painter.setPen(theme.text);
    const QRect words(metrics::Space16, 0, arrow.left() - metrics::Space24, height());
    painter.drawText(
        visual(words),
        int(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft | Qt::AlignVCenter)), text());
}

OfferRow::OfferRow(Icon which, const QString &title, const QString &detail, const QString &action,
                   QWidget *parent)
    : QWidget(parent), m_icon(which)
{
    setMinimumHeight(OfferHeight);
    auto *words = new QVBoxLayout;
    words->setSpacing(0);
    words->addStretch();
    words->addWidget(new TextLabel(title, metrics::FontStep::Control));
    words->addWidget(new TextLabel(detail, metrics::FontStep::Small, TextLabel::Tone::Text2));
    words->addStretch();
    auto *button = new QPushButton(action);
    setButtonKind(button, ButtonKind::Normal);
    connect(button, &QPushButton::clicked, this, &OfferRow::accepted);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(metrics::margins(layoutDirection(), OfferTextLeft, metrics::Space8,
                                                metrics::Space12, metrics::Space8));
    layout->setSpacing(metrics::Space12);
    layout->addLayout(words, 1);
    layout->addWidget(button);
}

void OfferRow::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const QRect box(metrics::Space16, (height() - metrics::IconSize) / 2, metrics::IconSize,
                    metrics::IconSize);
    paintIcon(&painter, m_icon, QStyle::visualRect(layoutDirection(), rect(), box),
              themeOf(this).text2);
}

} // namespace fermata
