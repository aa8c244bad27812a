// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/icons.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array Names{
    "",      "search",        "plus",         "gear",       "more",    "attach", "send",
    "stop",  "chevron-right", "chevron-down", "chevron-up", "copy",    "check",  "retry",
    "edit",  "delete",        "continue",     "clock",      "cross",   "ask",    "denied",
    "down",  "right",         "info",         "server",     "plug",    "model",  "clock",
    "tools", "appearance",    "keyboard",     "data",       "sidebar",
};
static_assert(Names.size() == std::size_t(Icon::Sidebar) + 1);

QString nameOf(Icon which)
{
    return QString::fromLatin1(Names[std::size_t(which)]);
}

QByteArray svgOf(Icon which, const QColor &color)
{
    QFile file(u":/icons/"_s + nameOf(which) + u".svg"_s);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return file.readAll().replace("#000000", color.name().toLatin1());
}

QPixmap rendered(Icon which, const QSize &pixels, const QColor &color)
{
    const QString key = u"fermata-icon/%1/%2x%3/%4"_s.arg(int(which))
                            .arg(pixels.width())
                            .arg(pixels.height())
                            .arg(color.rgba(), 0, 16);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap))
        return pixmap;
    pixmap = QPixmap(pixels);
    pixmap.fill(Qt::transparent);
    QSvgRenderer renderer(svgOf(which, color));
    QPainter painter(&pixmap);
    painter.setOpacity(color.alphaF());
    renderer.render(&painter, QRectF(QPointF(), QSizeF(pixels)));
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

class SvgIconEngine final : public QIconEngine
{
public:
    SvgIconEngine(Icon which, std::optional<QColor> color)
        : m_which(which), m_color(std::move(color))
    {
    }

    Icon which() const { return m_which; }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        paintIcon(painter, m_which, rect, colorFor(mode));
    }
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State) override
    {
        return rendered(m_which, size, colorFor(mode));
    }
    QPixmap scaledPixmap(const QSize &size, QIcon::Mode mode, QIcon::State state, qreal) override
    {
        return pixmap(size, mode, state);
    }
    QIconEngine *clone() const override { return new SvgIconEngine(m_which, m_color); }
    QString iconName() override { return u"fermata-"_s + QString::number(int(m_which)); }

private:
    QColor colorFor(QIcon::Mode mode) const
    {
        const QPalette palette = QApplication::palette();
        if (mode == QIcon::Disabled)
            return palette.color(QPalette::Disabled, QPalette::Text);
        return m_color.value_or(palette.color(QPalette::PlaceholderText));
    }

    Icon m_which;
    std::optional<QColor> m_color;
};

QPointF middleOf(const QRectF &rect)
{
    // On a whole pixel of the device, so that small shapes have sharp edges.
    return {qRound(rect.center().x() * 2) / 2.0, qRound(rect.center().y() * 2) / 2.0};
}

QRectF around(const QPointF &middle, qreal size)
{
    return {middle.x() - size / 2, middle.y() - size / 2, size, size};
}

void paintShape(QPainter *painter, Mark mark, const QPointF &middle, const Theme &theme)
{
    painter->setPen(Qt::NoPen);
    switch (mark) {
    case Mark::Running:
        painter->setBrush(theme.accentText);
        painter->drawEllipse(around(middle, 8));
        break;
    case Mark::Asking: {
        painter->setBrush(theme.amberBorder);
        QPainterPath diamond;
        diamond.moveTo(middle.x(), middle.y() - 5);
        diamond.lineTo(middle.x() + 5, middle.y());
        diamond.lineTo(middle.x(), middle.y() + 5);
        diamond.lineTo(middle.x() - 5, middle.y());
        diamond.closeSubpath();
        painter->drawPath(diamond);
        break;
    }
    case Mark::Stopped:
        painter->setBrush(theme.text2);
        painter->drawRoundedRect(around(middle, 8), 1.5, 1.5);
        break;
    case Mark::Waiting:
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(theme.text2, 1.5));
        painter->drawEllipse(around(middle, 9));
        break;
    default:
        break;
    }
}

} // namespace

QIcon icon(Icon which)
{
    return QIcon(new SvgIconEngine(which, std::nullopt));
}

QIcon icon(Icon which, const QColor &color)
{
    return QIcon(new SvgIconEngine(which, color));
}

Icon iconOf(const QIcon &icon)
{
    const QString name = icon.name();
    if (!name.startsWith("fermata-"_L1))
        return Icon::None;
    bool ok = false;
    const int which = name.mid(8).toInt(&ok);
    return ok && which >= 0 && which < int(Names.size()) ? Icon(which) : Icon::None;
}

void paintIcon(QPainter *painter, Icon which, const QRectF &rect, const QColor &color)
{
    if (which == Icon::None || rect.isEmpty())
        return;
    const qreal ratio = painter->device() ? painter->device()->devicePixelRatioF() : 1.0;
    QPixmap pixmap = rendered(which, (rect.size() * ratio).toSize(), color);
    pixmap.setDevicePixelRatio(ratio);
    const QPointF corner(std::round(rect.left() * ratio) / ratio,
                         std::round(rect.top() * ratio) / ratio);
    painter->drawPixmap(corner, pixmap);
}

void paintMark(QPainter *painter, Mark mark, MarkPlace place, const QRectF &box, const Theme &theme)
{
    const QPointF middle = middleOf(box);
    // The list is read at a glance, line by line: its clock and cross are as small as its discs.
    const qreal size = place == MarkPlace::List ? 12 : 16;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    switch (mark) {
    case Mark::None:
        break;
    case Mark::Asking:
        if (place == MarkPlace::List)
            paintShape(painter, mark, middle, theme);
        else
            paintIcon(painter, Icon::Ask, around(middle, 16), theme.amber);
        break;
    case Mark::Limit:
        paintIcon(painter, Icon::Clock, around(middle, size), theme.amber);
        break;
    case Mark::Failed:
        paintIcon(painter, Icon::Cross, around(middle, size), theme.red);
        break;
    case Mark::Finished:
        paintIcon(painter, Icon::Check, around(middle, 16),
                  place == MarkPlace::Tool ? theme.green : theme.text2);
        break;
    case Mark::Denied:
        paintIcon(painter, Icon::Denied, around(middle, 16), theme.text2);
        break;
    case Mark::Running:
    case Mark::Stopped:
    case Mark::Waiting:
        paintShape(painter, mark, middle, theme);
        break;
    }
    painter->restore();
}

} // namespace fermata
