// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/bar.h"

#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/style/stylepainter.h"
#include "ui/widgets/textlabel.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>

namespace fermata {

namespace {

constexpr int LeastHeight = 40;
constexpr int TextLeft = 36;

Icon iconFor(Bar::Kind kind)
{
    switch (kind) {
    case Bar::Kind::Question:
        return Icon::Ask;
    case Bar::Kind::Notice:
        return Icon::Info;
    case Bar::Kind::Problem:
        return Icon::Cross;
    }
    return Icon::Info;
}

} // namespace

Bar::Bar(Kind kind, const QString &text, QWidget *parent)
    : QWidget(parent), m_kind(kind), m_icon(iconFor(kind)), m_content(new QWidget(this)),
      m_label(new TextLabel(text, metrics::FontStep::Control))
{
    m_label->setWordWrap(true);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    auto *layout = new QHBoxLayout(m_content);
    layout->setContentsMargins(metrics::margins(layoutDirection(), TextLeft, 5, 6, 5));
    layout->setSpacing(metrics::Space8);
    layout->addWidget(m_label, 1);
    setAccessibleName(text);
}

QPushButton *Bar::addButton(const QString &text, Action action)
{
    auto *button = new QPushButton(text);
    const auto kind = action == Action::SafeDefault ? ButtonKind::SafeDefault
        : action == Action::Quiet                   ? ButtonKind::Quiet
                                                    : ButtonKind::Normal;
    setButtonKind(button, kind, ButtonSize::Small);
    m_content->layout()->addWidget(button);
    m_content->layout()->setAlignment(button, Qt::AlignVCenter);
    return button;
}

void Bar::setText(const QString &text)
{
    m_label->setText(text);
    setAccessibleName(text);
    updateGeometry();
}

QString Bar::text() const
{
    return m_label->text();
}

void Bar::setIcon(Icon which)
{
    m_icon = which;
    update();
}

QRect Bar::frameRect() const
{
    const metrics::Column column = metrics::columnIn(width());
    return {column.left, 0, column.width, height()};
}

int Bar::heightForWidth(int width) const
{
    return std::max(LeastHeight,
                    m_content->layout()->heightForWidth(metrics::columnIn(width).width));
}

QSize Bar::sizeHint() const
{
    return {metrics::ColumnWidth, heightForWidth(metrics::ColumnWidth + 2 * metrics::ColumnMargin)};
}

void Bar::resizeEvent(QResizeEvent *)
{
    m_content->setGeometry(frameRect());
}

void Bar::paintEvent(QPaintEvent *)
{
    const Theme &theme = themeOf(this);
    QPainter painter(this);
    const QColor border = m_kind == Kind::Question ? theme.amberBorder
        : m_kind == Kind::Problem                  ? theme.redBorder
                                                   : theme.line;
    const QColor mark = m_kind == Kind::Question ? theme.amber
        : m_kind == Kind::Problem                ? theme.red
                                                 : theme.text2;
    const QRect frame = frameRect();
    stylepainter::paintFrame(&painter, frame, metrics::RadiusCard, theme.base, border);
    const QRect box(frame.left() + metrics::Space12, frame.top() + (frame.height() - 16) / 2, 16,
                    16);
    paintIcon(&painter, m_icon, QStyle::visualRect(layoutDirection(), frame, box), mark);
}

} // namespace fermata
