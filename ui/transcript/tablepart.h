// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/blockpart.h"
#include "ui/transcript/inlinelayout.h"

namespace fermata {

// A table, or some rows of a long one: hairlines between the rows, the head on the ground of the window. A table that is
// wider than the column at its narrowest scrolls inside.
class TablePart final : public BlockPart
{
public:
    using BlockPart::BlockPart;

    int length() const override;
    QString plainText(int from, int to) const override;
    int positionAt(QPointF point) const override;
    std::vector<PartTarget> targets() const override;
    QString linkAddress(int index) const override;
    QString linkLabel(int index) const override;
    bool scrollSideways(int delta) override;
    int sidewaysOffset() const override { return m_offset; }

protected:
    int estimatedHeight(const TranscriptStyle &style, int width) const override;
    int doLayout(const TranscriptStyle &style, int width) override;
    void doRelease() override { m_rows.clear(); }
    void paintContent(QPainter *painter, const PartPaint &paint) const override;
    qsizetype sourceOf(int position) const override;

private:
    struct Cell
    {
        InlineLayout layout;
        int begin; // position of its first character in the part
        qreal x;
    };
    struct Row
    {
        std::vector<Cell> cells;
        qreal top = 0;
        qreal height = 0;
    };

    std::vector<int> columnWidths(const TranscriptStyle &style, int width) const;
    const MarkdownText *textAt(int position, int *begin) const;
    void paintFrame(QPainter *painter, const PartPaint &paint, qreal tableWidth) const;

    std::vector<Row> m_rows;
    int m_tableWidth = 0;
    int m_width = 0;
    int m_offset = 0;
};

} // namespace fermata
