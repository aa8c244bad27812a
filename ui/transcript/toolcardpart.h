// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/contentblock.h"
#include "ui/transcript/monotext.h"
#include "ui/transcript/part.h"

#include <memory>
#include <vector>

namespace fermata {

// Consecutive tool calls in one card, a row for each. A row that runs or was cut is open and shows the exact arguments
// and the end of the output.
class ToolCardPart final : public Part
{
public:
    ToolCardPart();
    ~ToolCardPart() override;

    // Takes over the calls; only rows that differ are laid out anew.
    void setCalls(const std::vector<const ToolCallBlock *> &calls);
    // Opens what is closed and closes what is open; "Show all" shows the whole output of an open row.
    void toggle(int row);
    void showAll(int row);

    struct StopPlace {
        CallId call;
        QString title;
        QRectF rect; // from the part's origin
    };
    // Where a `Stop tool` button belongs.
    std::vector<StopPlace> stopPlaces() const;
    bool hasRunningRow() const;
    // The rows whose time goes on, from the part's origin.
    std::vector<QRectF> runningRects() const;

    Role role() const override { return Role::Card; }
    int gapAbove(const Part *previous) const override;
    int length() const override;
    QString plainText(int from, int to) const override;
    int positionAt(QPointF point) const override;
    void paint(QPainter *painter, const PartPaint &paint) const override;
    std::vector<PartTarget> targets() const override;

protected:
    int estimatedHeight(const TranscriptStyle &style, int width) const override;
    int doLayout(const TranscriptStyle &style, int width) override;
    void doRelease() override { }

private:
    struct Row;

    bool isOpen(const Row &row) const;
    int stopWidth() const { return m_stopWidth; }
    void layOutRow(Row &row, const TranscriptStyle &style, int width);
    void paintRow(QPainter *painter, const PartPaint &paint, const Row &row) const;
    void paintWell(QPainter *painter, const PartPaint &paint, const Row &row) const;

    std::vector<std::unique_ptr<Row>> m_rows;
    int m_width = 0;
    int m_stopWidth = 0;
};

} // namespace fermata
