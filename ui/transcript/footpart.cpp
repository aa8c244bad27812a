// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/footpart.h"

#include "ui/transcript/displaytext.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace fermata {

namespace {

constexpr int LedgerPitch = 22;
constexpr int VersionArrow = 24;

QColor toneColor(FootText::Tone tone, const Theme &theme)
{
    switch (tone) {
    case FootText::Tone::Limit:
        return theme.amber;
    case FootText::Tone::Failure:
        return theme.red;
    case FootText::Tone::Neutral:
        break;
    }
    return theme.text2;
}

MarkdownText unformatted(const QString &text)
{
    MarkdownText plain;
    plain.text = withoutControls(text);
    return plain;
}

} // namespace

void FootPart::set(const FootText &text, Version version, Actions actions)
{
    if (text.line == m_text.line && text.ledger == m_text.ledger && version == m_version
        && actions == m_actions && text.linkText == m_text.linkText)
        return;
    m_text = text;
    m_version = version;
    m_actions = actions;
    doRelease();
    setChanged();
}

QString FootPart::versionText() const
{
    return m_version.count > 1 ? QCoreApplication::translate("fermata::FootPart", "%1 of %2")
                                     .arg(m_version.number)
                                     .arg(m_version.count)
                               : QString();
}

int FootPart::estimatedHeight(const TranscriptStyle &style, int) const
{
    int height = int(style.controlPitch);
    if (!m_text.ledger.isEmpty())
        height += style.scaled(LedgerPitch);
    if (m_actions == Actions::Shown)
        height += metrics::Space12 + metrics::ButtonHeight;
    return height;
}

int FootPart::doLayout(const TranscriptStyle &style, int width)
{
    const QFontMetricsF metrics(style.control);
    const QString version = versionText();
    const qreal versionWidth = version.isEmpty()
        ? 0
        : 2 * VersionArrow + std::ceil(metrics.horizontalAdvance(version)) + 8;
    m_versionRect = QRectF(width - versionWidth, (style.controlPitch - 24) / 2, versionWidth, 24);
    const qreal room = std::max(80.0, width - transcript::MarkColumn - versionWidth);
    m_line.emplace(
        unformatted(withFactsWhole(m_text.line)),
        InlineLook{style.control, toneColor(m_text.tone, style.theme), style.controlPitch}, style,
        room);
    m_lineHeight = m_line->height();
    qreal y = m_lineHeight;
    m_linkRect = {};
    if (!m_text.linkText.isEmpty()) {
        const qreal linkWidth = std::ceil(metrics.horizontalAdvance(m_text.linkText));
        const qreal end = m_line->cursorX(int(m_text.line.size()));
        const QRectF lastLine = m_line->lineRect(int(m_text.line.size()));
        const bool fits = end + metrics::Space12 + linkWidth <= room;
        if (!fits)
            y += style.controlPitch;
        m_linkRect = QRectF(transcript::MarkColumn + (fits ? end + metrics::Space12 : 0),
                            fits ? lastLine.center().y() - style.controlPitch / 2 : m_lineHeight,
                            linkWidth, style.controlPitch);
    }
    m_ledger.reset();
    if (!m_text.ledger.isEmpty()) {
        m_ledger.emplace(
            unformatted(withFactsWhole(m_text.ledger)),
            InlineLook{style.control, style.theme.text2, qreal(style.scaled(LedgerPitch))}, style,
            width - transcript::MarkColumn);
        y += m_ledger->height();
    }
    if (m_actions == Actions::Shown) {
        y = std::ceil(y) + metrics::Space12;
        m_actionsRect = QRectF(0, y, width, metrics::ButtonHeight);
        y += metrics::ButtonHeight;
    } else {
        m_actionsRect = QRectF(0, (style.controlPitch - metrics::SmallButtonHeight) / 2,
                               width - versionWidth, metrics::SmallButtonHeight);
    }
    return int(std::ceil(y));
}

void FootPart::doRelease()
{
    m_line.reset();
    m_ledger.reset();
}

void FootPart::paintVersion(QPainter *painter, const PartPaint &paint) const
{
    const Theme &theme = paint.style.theme;
    const QRectF rect = m_versionRect.translated(paint.rect.topLeft());
    const QRectF back(rect.left(), rect.top(), VersionArrow, rect.height());
    const QRectF forth(rect.right() - VersionArrow, rect.top(), VersionArrow, rect.height());
    const auto arrow = [&](const QRectF &box, bool possible, qreal direction) {
        if (possible && box.contains(paint.hover + paint.rect.topLeft())) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(theme.hover);
            painter->drawRoundedRect(box, metrics::RadiusField, metrics::RadiusField);
        }
        const QPointF c = box.center();
        painter->setPen(QPen(possible ? theme.text2 : theme.disabled, 1.5, Qt::SolidLine,
                             Qt::RoundCap, Qt::RoundJoin));
        painter->drawPolyline(
            QPolygonF({c + QPointF(2 * direction, -4), c + QPointF(-2 * direction, 0),
                       c + QPointF(2 * direction, 4)}));
    };
    painter->setRenderHint(QPainter::Antialiasing);
    arrow(back, m_version.number > 1, 1);
    arrow(forth, m_version.number < m_version.count, -1);
    painter->setFont(paint.style.control);
    painter->setPen(theme.text2);
    painter->drawText(rect, Qt::AlignCenter, versionText());
}

void FootPart::paint(QPainter *painter, const PartPaint &paint) const
{
    if (!m_line)
        return;
    const TranscriptStyle &style = paint.style;
    const qreal middle = paint.rect.top() + style.controlPitch / 2;
    painter->setRenderHint(QPainter::Antialiasing);
    paintMark(painter, m_text.mark, MarkPlace::Line, QRectF(paint.rect.left(), middle - 8, 16, 16),
              style.theme);
    const QPointF origin = paint.rect.topLeft() + QPointF(transcript::MarkColumn, 0);
    m_line->paint(painter, origin, paint.clip, style);
    qreal ledgerTop = m_lineHeight;
    if (!m_linkRect.isEmpty()) {
        QFont font = style.control;
        font.setUnderline(true);
        painter->setFont(font);
        painter->setPen(style.theme.accentText);
        painter->drawText(m_linkRect.translated(paint.rect.topLeft()),
                          Qt::AlignLeft | Qt::AlignVCenter, m_text.linkText);
        ledgerTop = std::max(ledgerTop, m_linkRect.bottom());
    }
    if (m_ledger)
        m_ledger->paint(painter, origin + QPointF(0, ledgerTop), paint.clip, style);
    if (m_version.count > 1)
        paintVersion(painter, paint);
    paintFocus(painter, paint);
}

std::vector<PartTarget> FootPart::targets() const
{
    const auto tr = [](const char *text) {
        return QCoreApplication::translate("fermata::FootPart", text);
    };
    std::vector<PartTarget> targets;
    if (!m_linkRect.isEmpty())
        targets.push_back({PartTarget::Kind::FootLink, 0, m_text.linkText, {m_linkRect}});
    if (m_version.number > 1) {
        targets.push_back({PartTarget::Kind::PreviousVersion,
                           0,
                           tr("Previous version"),
                           {QRectF(m_versionRect.left(), m_versionRect.top(), VersionArrow,
                                   m_versionRect.height())}});
    }
    if (m_version.number < m_version.count) {
        targets.push_back({PartTarget::Kind::NextVersion,
                           0,
                           tr("Next version"),
                           {QRectF(m_versionRect.right() - VersionArrow, m_versionRect.top(),
                                   VersionArrow, m_versionRect.height())}});
    }
    return targets;
}

} // namespace fermata
