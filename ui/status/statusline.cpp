// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/status/statusline.h"

#include "base/visibletext.h"
#include "ui/status/busyarc.h"
#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/widgets/readonlytext.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPainter>
#include <QPushButton>
#include <QStyle>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int BarWidth = 64;
constexpr int BarHeight = 4;
constexpr int MarkSize = 16;

// A text that is read as a whole, and not a group of controls.
class StatusLineAccessible final : public QAccessibleWidget, public ReadOnlyText
{
public:
    explicit StatusLineAccessible(StatusLine *line)
        : QAccessibleWidget(line, QAccessible::StaticText)
    {
    }

    QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Value ? shownText() : QAccessibleWidget::text(kind);
    }
    QString text(int from, int to) const override { return ReadOnlyText::text(from, to); }
    QString shownText() const override
    {
        return static_cast<StatusLine *>(widget())->text().spoken();
    }
    QRect shownRect() const override { return rect(); }
    void *interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::TextInterface ? static_cast<QAccessibleTextInterface *>(this)
                                                  : QAccessibleWidget::interface_cast(type);
    }
};

QAccessibleInterface *makeAccessible(const QString &, QObject *object)
{
    auto *line = qobject_cast<StatusLine *>(object);
    return line ? new StatusLineAccessible(line) : nullptr;
}

void installAccessible()
{
    [[maybe_unused]] static const bool isInstalled = [] {
        QAccessible::installFactory(makeAccessible);
        return true;
    }();
}

} // namespace

// What fits, and how wide each field is: with all digits as "0", so that running figures do not jiggle.
struct StatusLine::Layout
{
    QStringList facts;
    std::vector<qreal> widths; // of the facts
    bool showsBar = false;
    int limitRight = 0; // the right end of the words about the limit
    int barLeft = 0;
};

StatusLine::StatusLine(QWidget *parent)
    : QWidget(parent), m_arc(new BusyArc(this)),
      m_extend(new QPushButton(tr("Extend +5 min"), this)),
      m_showQuestion(new QPushButton(tr("Show question"), this))
{
    installAccessible();
    setAccessibleName(tr("Turn status"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setButtonKind(m_extend, ButtonKind::Normal, ButtonSize::Small);
    m_extend->setAccessibleName(tr("Extend limit"));
    m_extend->setToolTip(tr("Give this turn 5 minutes more"));
    setButtonKind(m_showQuestion, ButtonKind::Normal, ButtonSize::Small);
    m_arc->hide();
    m_extend->hide();
    m_showQuestion->hide();
    connect(m_extend, &QPushButton::clicked, this, [this] {
        if (m_text.which)
            emit extendRequested(*m_text.which);
    });
    connect(m_showQuestion, &QPushButton::clicked, this, &StatusLine::showQuestionRequested);
}

void StatusLine::setText(const StatusText &text)
{
    const QString before = m_text.announcement();
    m_text = text;
    m_arc->setVisible(text.isTurning);
    m_extend->setVisible(text.which.has_value());
    setAccessibleDescription(text.spoken());
    // In words of the server, which a tool tip would take for markup.
    setToolTip(text.reason.isEmpty()
                   ? QString()
                   : u"<qt>%1</qt>"_s.arg(withControlsNamed(text.reason).toHtmlEscaped()));
    placeChildren();
    update();
    if (text.announcement() != before)
        announce(before);
}

void StatusLine::setQuestionHidden(bool isHidden)
{
    m_showQuestion->setVisible(isHidden);
    placeChildren();
    update();
}

QSize StatusLine::sizeHint() const
{
    return {metrics::ColumnWidth, metrics::StatusHeight};
}

QRect StatusLine::columnRect() const
{
    const metrics::Column column = metrics::columnIn(width());
    return {column.left, 0, column.width, height()};
}

StatusLine::Layout StatusLine::layoutFor(const QRect &column) const
{
    Layout layout;
    for (const QString &fact :
         {m_text.hint, m_text.reason, m_text.elapsed, m_text.tokens, m_text.rate}) {
        if (!fact.isEmpty())
            layout.facts << fact;
    }
    const QFont plain = metrics::font(metrics::FontStep::Control);
    const QFont bold = metrics::font(metrics::FontStep::ControlBold);
    int right = column.right() + 1;
    if (m_showQuestion->isVisibleTo(this))
        right -= m_showQuestion->sizeHint().width() + metrics::Space12;
    else if (m_extend->isVisibleTo(this))
        right -= m_extend->sizeHint().width() + metrics::Space12;

    const qreal separator = metrics::steadyWidth(plain, u" · "_s);
    const auto widthOfFacts = [&] {
        qreal width = 0;
        for (const QString &fact : layout.facts)
            width += metrics::steadyWidth(plain, fact) + separator;
        return width;
    };
    const bool saysLimit = !m_text.limit.isEmpty() && !m_showQuestion->isVisibleTo(this);
    const qreal limitWidth = saysLimit ? metrics::steadyWidth(plain, m_text.limit) : 0;
    const qreal left = column.left() + MarkSize + metrics::Space8
        + QFontMetricsF(bold).horizontalAdvance(m_text.stage) + metrics::Space8;
    layout.showsBar = saysLimit && m_text.which;
    const auto fits = [&] {
        const qreal bar = layout.showsBar ? BarWidth + metrics::Space8 : 0;
        return left + widthOfFacts() + metrics::Space12 + limitWidth + bar <= right;
    };
    // Too narrow: the rate or the reason goes first, then the tokens, then the bar.
    for (const QString &less : {m_text.reason, m_text.rate, m_text.tokens}) {
        if (!fits() && !less.isEmpty())
            layout.facts.removeOne(less);
    }
    if (!fits())
        layout.showsBar = false;

    for (const QString &fact : layout.facts)
        layout.widths.push_back(metrics::steadyWidth(plain, fact));
    layout.barLeft = right - BarWidth;
    layout.limitRight = layout.showsBar ? layout.barLeft - metrics::Space8 : right;
    return layout;
}

void StatusLine::placeChildren()
{
    const QRect column = columnRect();
    const auto place = [&](QWidget *child, const QRect &rect) {
        child->setGeometry(QStyle::visualRect(layoutDirection(), this->rect(), rect));
    };
    place(m_arc, QRect(column.left(), (height() - MarkSize) / 2, MarkSize, MarkSize));
    for (QPushButton *button : {m_extend, m_showQuestion}) {
        const QSize size = button->sizeHint();
        place(button,
              QRect(column.right() + 1 - size.width(), (height() - size.height()) / 2, size.width(),
                    size.height()));
    }
}

void StatusLine::resizeEvent(QResizeEvent *)
{
    placeChildren();
}

void StatusLine::paintEvent(QPaintEvent *)
{
    const Theme &theme = themeOf(this);
    const QRect column = columnRect();
    QPainter painter(this);
    const auto visual = [&](const QRectF &r) {
        return layoutDirection() == Qt::LeftToRight
            ? r
            : QRectF(width() - r.right(), r.top(), r.width(), r.height());
    };
    const auto align = QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft) | Qt::AlignVCenter;
    const auto alignEnd =
        QStyle::visualAlignment(layoutDirection(), Qt::AlignRight) | Qt::AlignVCenter;
    const QFont plain = metrics::font(metrics::FontStep::Control);
    if (!m_text.idle.isEmpty()) {
        painter.setFont(plain);
        painter.setPen(theme.text2);
        painter.drawText(visual(column), int(align), m_text.idle);
        return;
    }
    if (m_text.stage.isEmpty())
        return;

    if (!m_text.isTurning)
        paintMark(&painter, m_text.mark, MarkPlace::Line,
                  visual(QRectF(column.left(), (height() - MarkSize) / 2.0, MarkSize, MarkSize)),
                  theme);
    const QFont bold = metrics::font(metrics::FontStep::ControlBold);
    const Layout layout = layoutFor(column);
    qreal x = column.left() + MarkSize + metrics::Space8;
    const qreal stageWidth = QFontMetricsF(bold).horizontalAdvance(m_text.stage) + 1;
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(visual(QRectF(x, 0, stageWidth, height())), int(align), m_text.stage);
    x += stageWidth + metrics::Space8;

    painter.setFont(plain);
    painter.setPen(theme.text2);
    const qreal separator = metrics::steadyWidth(plain, u" · "_s);
    for (qsizetype i = 0; i < layout.facts.size(); ++i) {
        if (i > 0) {
            painter.drawText(visual(QRectF(x, 0, separator, height())), Qt::AlignCenter, u"·"_s);
            x += separator;
        }
        const qreal width = layout.widths[std::size_t(i)] + 1;
        painter.drawText(visual(QRectF(x, 0, width, height())), int(align), layout.facts[i]);
        x += width;
    }

    if (m_text.limit.isEmpty() || m_showQuestion->isVisibleTo(this))
        return;
    painter.setPen(m_text.isUrgent ? theme.amber : theme.text2);
    painter.drawText(visual(QRectF(x, 0, layout.limitRight - x, height())), int(alignEnd),
                     m_text.limit);
    if (!layout.showsBar)
        return;
    const QRectF track(layout.barLeft, (height() - BarHeight) / 2.0, BarWidth, BarHeight);
    QRectF bar = track;
    bar.setWidth(std::max<qreal>(BarHeight, BarWidth * m_text.share));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.track);
    painter.drawRoundedRect(visual(track), BarHeight / 2.0, BarHeight / 2.0);
    painter.setBrush(m_text.isUrgent ? theme.amber : theme.accentText);
    painter.drawRoundedRect(visual(bar), BarHeight / 2.0, BarHeight / 2.0);
}

void StatusLine::announce(const QString &before)
{
    if (!QAccessible::isActive() || m_text.announcement() == before)
        return;
    QAccessibleEvent description(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&description);
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

} // namespace fermata
