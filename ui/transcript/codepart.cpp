// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/codepart.h"

#include "ui/style/icons.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace fermata {

namespace {

using namespace Qt::StringLiterals;

constexpr int CopyWidth = 84;
constexpr int HandleHeight = 4;

QString copyWord()
{
    return QCoreApplication::translate("fermata::CodePart", "Copy");
}

} // namespace

CodePart::CodePart(MarkdownBlock block) : BlockPart(std::move(block))
{
    takeText();
}

void CodePart::takeText()
{
    m_text.setText(this->block().text.text);
}

void CodePart::blockChanged()
{
    takeText();
}

int CodePart::gapAbove(const Part *previous) const
{
    return BlockPart::gapAbove(previous);
}

QPointF CodePart::textOrigin() const
{
    return QPointF(transcript::CodePadding - m_offset, m_head + 2);
}

int CodePart::estimatedHeight(const TranscriptStyle &style, int) const
{
    return int(style.scaled(transcript::CodeHead) + 2
               + std::ceil(m_text.lineCount() * style.codePitch) + transcript::CodePadding - 2);
}

int CodePart::doLayout(const TranscriptStyle &style, int width)
{
    m_head = style.scaled(transcript::CodeHead);
    m_width = std::max(80, width - indent());
    m_text.setFont(style.code, style.codePitch);
    m_text.setSpans(highlightCode(block().language, m_text.display()));
    m_offset = std::clamp(
        m_offset, 0, std::max(0, int(m_text.widest()) + 2 * transcript::CodePadding - m_width));
    return m_head + 2 + int(std::ceil(m_text.height())) + transcript::CodePadding - 2;
}

void CodePart::doRelease()
{
    m_text.setSpans({});
}

void CodePart::paintContent(QPainter *painter, const PartPaint &paint) const
{
    const TranscriptStyle &style = paint.style;
    const Theme &theme = style.theme;
    const qreal line = metrics::hairline(style.pixelRatio);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(theme.line, line));
    painter->setBrush(theme.well);
    painter->drawRoundedRect(metrics::snapped(paint.rect, style.pixelRatio), metrics::RadiusCard,
                             metrics::RadiusCard);

    const QRectF head(paint.rect.left() + transcript::CodePadding, paint.rect.top(),
                      paint.rect.width() - 2 * transcript::CodePadding, m_head);
    painter->setFont(style.small);
    painter->setPen(theme.text2);
    painter->drawText(head.adjusted(0, 0, -CopyWidth, 0), Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetricsF(style.small)
                          .elidedText(block().language, Qt::ElideRight, head.width() - CopyWidth));
    const QFontMetricsF small(style.small);
    const qreal wordWidth = small.horizontalAdvance(copyWord());
    const QRectF button(head.right() - wordWidth - 32,
                        head.top() + (m_head - style.scaled(24)) / 2.0, wordWidth + 38,
                        style.scaled(24));
    const bool hovered = button.translated(-paint.rect.topLeft()).contains(paint.hover);
    if (hovered) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme.hover);
        painter->drawRoundedRect(button, metrics::RadiusField, metrics::RadiusField);
    }
    if (paint.focusedTarget == 0) {
        painter->setPen(QPen(theme.ring, metrics::FocusRing));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(button, metrics::RadiusField, metrics::RadiusField);
    }
    painter->setPen(hovered ? theme.text : theme.text2);
    painter->drawText(head, Qt::AlignRight | Qt::AlignVCenter, copyWord());
    paintIcon(painter, Icon::Copy,
              QRectF(head.right() - wordWidth - 20, head.center().y() - 7, 14, 14), theme.text2);

    painter->save();
    painter->setClipRect(paint.rect.adjusted(1, m_head, -1, -1), Qt::IntersectClip);
    MonoText::Look look;
    look.color = theme.text;
    look.selectedFrom = paint.selectedFrom;
    look.selectedTo = paint.selectedTo;
    m_text.paint(painter, paint.rect.topLeft() + textOrigin(), paint.clip, style, look);
    painter->restore();

    const qreal inner = paint.rect.width() - 2 * transcript::CodePadding;
    if (m_text.widest() > inner) {
        const qreal share = inner / m_text.widest();
        const QRectF handle(paint.rect.left() + transcript::CodePadding + m_offset * share,
                            paint.rect.bottom() - HandleHeight - 3, inner * share, HandleHeight);
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme.lineStrong);
        painter->drawRoundedRect(handle, HandleHeight / 2.0, HandleHeight / 2.0);
    }
}

int CodePart::positionAt(QPointF point) const
{
    return m_text.positionAt(point - QPointF(indent(), 0) - textOrigin());
}

std::vector<PartTarget> CodePart::targets() const
{
    PartTarget target{PartTarget::Kind::CopyCode,
                      0,
                      QCoreApplication::translate("fermata::CodePart", "Copy code"),
                      {}};
    target.rects.emplace_back(indent() + m_width - CopyWidth, 0, CopyWidth, m_head);
    return {target};
}

QRectF CodePart::endCaret() const
{
    const QRectF cursor =
        m_text.cursorRect(length()).translated(textOrigin() + QPointF(indent() + 1, 0));
    return cursor.adjusted(0, 2, 0, -2);
}

bool CodePart::scrollSideways(int delta)
{
    const int most = std::max(0, int(m_text.widest()) + 2 * transcript::CodePadding - m_width);
    const int offset = std::clamp(m_offset + delta, 0, most);
    return std::exchange(m_offset, offset) != offset;
}

} // namespace fermata
