// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/blockpart.h"
#include "ui/transcript/monotext.h"

namespace fermata {

// A block of code: a head with the language and Copy, the lines below it. Long lines scroll inside.
class CodePart final : public BlockPart
{
public:
    explicit CodePart(MarkdownBlock block);

    int gapAbove(const Part *previous) const override;
    int length() const override { return int(m_text.display().size()); }
    QString plainText(int from, int to) const override { return m_text.sourceOf(from, to); }
    QString positionText() const override { return m_text.display(); }
    int positionAt(QPointF point) const override;
    std::vector<PartTarget> targets() const override;
    QRectF endCaret() const override;
    bool scrollSideways(int delta) override;
    int sidewaysOffset() const override { return m_offset; }

protected:
    int estimatedHeight(const TranscriptStyle &style, int width) const override;
    int doLayout(const TranscriptStyle &style, int width) override;
    void doRelease() override;
    void paintContent(QPainter *painter, const PartPaint &paint) const override;
    void blockChanged() override;
    qsizetype sourceOf(int) const override { return -1; }

private:
    void takeText();
    QPointF textOrigin() const; // from the block's own corner
    int headHeight() const { return m_head; }

    MonoText m_text;
    int m_head = transcript::CodeHead;
    int m_width = 0; // of the block, in the last layout
    int m_offset = 0;
};

} // namespace fermata
