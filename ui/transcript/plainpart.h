// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/inlinelayout.h"
#include "ui/transcript/part.h"

#include <optional>

namespace fermata {

// Text that is shown as it is, without Markdown: what the user wrote, what a model thought, what Fermata says. A long
// text is several parts, which look like one.
class PlainPart final : public Part
{
public:
    enum class Look { Bubble, Thought, Notice };

    struct Piece
    {
        QString text;
        qsizetype sourceBegin = 0; // UTF-8
        bool isFirst = true;
        bool isLast = true;

        friend bool operator==(const Piece &, const Piece &) = default;
    };
    // Where it is cut depends only on what stands before, so that pieces stay when the text grows.
    static std::vector<Piece> pieces(const QString &text);

    PlainPart(Look look, Piece piece);

    const Piece &piece() const { return m_piece; }
    bool setPiece(Piece piece); // returns whether it is the same

    Role role() const override { return m_look == Look::Bubble ? Role::User : Role::Text; }
    int gapAbove(const Part *previous) const override;
    int length() const override { return int(m_text.text.size()); }
    QString plainText(int from, int to) const override;
    std::pair<qsizetype, qsizetype> sourceRange(int from, int to) const override;
    int positionAt(QPointF point) const override;
    void paint(QPainter *painter, const PartPaint &paint) const override;

protected:
    int estimatedHeight(const TranscriptStyle &style, int width) const override;
    int doLayout(const TranscriptStyle &style, int width) override;
    void doRelease() override { m_layout.reset(); }

private:
    void takeText();
    QPointF textOrigin() const;

    Look m_look;
    Piece m_piece;
    MarkdownText m_text;
    std::optional<InlineLayout> m_layout;
    int m_left = 0; // of the bubble
    int m_width = 0;
};

} // namespace fermata
