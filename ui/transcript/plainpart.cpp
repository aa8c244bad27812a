// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/plainpart.h"

#include "ui/style/icons.h"
#include "ui/transcript/displaytext.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace fermata {

namespace {

constexpr qsizetype PieceLength = 4096;
constexpr int ThoughtIndent = 16;

int bubbleMost(int width)
{
    return std::min(transcript::BubbleWidth, int(width * transcript::BubbleShare));
}

} // namespace

std::vector<PlainPart::Piece> PlainPart::pieces(const QString &text)
{
    std::vector<Piece> pieces;
    qsizetype from = 0;
    qsizetype utf8 = 0;
    do {
        qsizetype to = text.size();
        if (to - from > PieceLength) {
            to = from + PieceLength;
            const qsizetype line = text.lastIndexOf(u'\n', to - 1);
            const qsizetype space = text.lastIndexOf(u' ', to - 1);
            if (line > from + PieceLength / 2)
                to = line + 1;
            else if (space > from + PieceLength / 2)
                to = space + 1;
            else if (text[to].isLowSurrogate())
                ++to;
        }
        Piece piece;
        piece.text = text.mid(from, to - from);
        piece.sourceBegin = utf8;
        piece.isFirst = from == 0;
        piece.isLast = to >= text.size();
        utf8 += piece.text.toUtf8().size();
        pieces.push_back(std::move(piece));
        from = to;
    } while (from < text.size());
    return pieces;
}

PlainPart::PlainPart(Look look, Piece piece) : m_look(look), m_piece(std::move(piece))
{
    takeText();
}

void PlainPart::takeText()
{
    m_text.text = withoutControls(m_piece.text);
    if (!m_piece.isLast && m_text.text.endsWith(u'\n'))
        m_text.text.chop(1);
    m_text.text.replace(u'\n', QChar::LineSeparator);
}

bool PlainPart::setPiece(Piece piece)
{
    if (piece == m_piece)
        return true;
    m_piece = std::move(piece);
    takeText();
    m_layout.reset();
    setChanged();
    return false;
}

int PlainPart::gapAbove(const Part *previous) const
{
    if (!previous || !m_piece.isFirst)
        return 0;
    return m_look == Look::Thought ? metrics::Space4 : transcript::ParagraphGap;
}

int PlainPart::estimatedHeight(const TranscriptStyle &style, int width) const
{
    const int room = m_look == Look::Bubble ? bubbleMost(width) - 2 * transcript::BubblePaddingX
                                            : width - transcript::MarkColumn;
    const qreal perLine = std::max(1.0, room / style.readingCharacter);
    const qreal lines = std::ceil(std::max(1.0, m_text.text.size() / perLine))
        + qreal(m_text.text.count(QChar::LineSeparator));
    return int(lines * style.readingPitch)
        + (m_look == Look::Bubble ? 2 * transcript::BubblePaddingY : 0);
}

int PlainPart::doLayout(const TranscriptStyle &style, int width)
{
    if (m_look == Look::Bubble) {
        const int most = bubbleMost(width) - 2 * transcript::BubblePaddingX;
        const InlineLook look{style.reading, style.theme.text, style.readingPitch};
        m_layout.emplace(m_text, look, style, most);
        const bool whole = m_piece.isFirst && m_piece.isLast;
        const int inner = whole ? std::min(most, int(std::ceil(m_layout->naturalWidth()))) : most;
        // Laid out again at its own width, so that text from right to left stays inside.
        if (inner < most)
            m_layout.emplace(m_text, look, style, inner);
        m_width = inner + 2 * transcript::BubblePaddingX;
        m_left = width - m_width;
        int height = int(std::ceil(m_layout->height()));
        height += m_piece.isFirst ? transcript::BubblePaddingY : 0;
        height += m_piece.isLast ? transcript::BubblePaddingY : 0;
        return height;
    }
    m_left = m_look == Look::Thought ? ThoughtIndent : transcript::MarkColumn;
    m_width = std::max(40, width - m_left);
    m_layout.emplace(m_text, InlineLook{style.control, style.theme.text2, style.controlPitch},
                     style, m_width);
    return int(std::ceil(m_layout->height()));
}

QPointF PlainPart::textOrigin() const
{
    if (m_look != Look::Bubble)
        return QPointF(m_left, 0);
    return QPointF(m_left + transcript::BubblePaddingX,
                   m_piece.isFirst ? transcript::BubblePaddingY : 0);
}

void PlainPart::paint(QPainter *painter, const PartPaint &paint) const
{
    if (!m_layout)
        return;
    const TranscriptStyle &style = paint.style;
    painter->setRenderHint(QPainter::Antialiasing);
    if (m_look == Look::Bubble) {
        QRectF band = paint.rect;
        band.setLeft(band.left() + m_left);
        QRectF bubble = band;
        if (!m_piece.isFirst)
            bubble.setTop(bubble.top() - 2 * metrics::RadiusBubble);
        if (!m_piece.isLast)
            bubble.setBottom(bubble.bottom() + 2 * metrics::RadiusBubble);
        painter->save();
        painter->setClipRect(band, Qt::IntersectClip);
        painter->setPen(Qt::NoPen);
        painter->setBrush(style.theme.bubble);
        painter->drawRoundedRect(bubble, metrics::RadiusBubble, metrics::RadiusBubble);
        painter->restore();
    } else if (m_look == Look::Thought) {
        painter->fillRect(QRectF(paint.rect.left() + 4, paint.rect.top(), 1, paint.rect.height()),
                          style.theme.line);
    } else {
        const qreal middle = paint.rect.top() + style.controlPitch / 2;
        paintIcon(painter, Icon::Info, QRectF(paint.rect.left(), middle - 8, 16, 16),
                  style.theme.text2);
    }
    m_layout->paint(painter, paint.rect.topLeft() + textOrigin(), paint.clip, style,
                    paint.selectedFrom, paint.selectedTo);
}

QString PlainPart::plainText(int from, int to) const
{
    QString text = m_text.text.mid(from, to - from);
    text.replace(QChar::LineSeparator, u'\n');
    if (!m_piece.isLast && to >= length() && m_piece.text.endsWith(u'\n'))
        text += u'\n';
    return text;
}

std::pair<qsizetype, qsizetype> PlainPart::sourceRange(int from, int to) const
{
    if (m_look != Look::Bubble)
        return {-1, -1};
    const qsizetype end = m_piece.sourceBegin + m_piece.text.toUtf8().size();
    const bool exact = m_text.text.size() + 1 >= m_piece.text.size(); // nothing was left out
    const auto offset = [this](int position) {
        return m_piece.sourceBegin + m_piece.text.left(position).toUtf8().size();
    };
    return {exact && from > 0 ? offset(from) : m_piece.sourceBegin,
            exact && to < length() ? offset(to) : end};
}

int PlainPart::positionAt(QPointF point) const
{
    return m_layout ? m_layout->positionAt(point - textOrigin()) : 0;
}

} // namespace fermata
