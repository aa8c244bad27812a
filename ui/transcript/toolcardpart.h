// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/contentblock.h"
#include "ui/transcript/monotext.h"
#include "ui/transcript/part.h"

#include <memory>
#include <optional>
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

    struct ButtonPlace
    {
        enum class Kind { StopTool, Undo };

        Kind kind = Kind::StopTool;
        CallId call;
        QString title; // of the row: what the button is about
        QRectF rect; // from the part's origin
    };
    // Where the rows' buttons belong: Stop tool on one that runs, Undo on one whose effect can be taken back.
    std::vector<ButtonPlace> buttonPlaces() const;
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
    std::optional<ButtonPlace> buttonPlace(const Row &row) const;
    void layOutRow(Row &row, const TranscriptStyle &style, int width);
    void paintRow(QPainter *painter, const PartPaint &paint, const Row &row) const;
    void paintWell(QPainter *painter, const PartPaint &paint, const Row &row) const;

    std::vector<std::unique_ptr<Row>> m_rows;
    int m_width = 0;
    int m_stopWidth = 0; // of its buttons
    int m_undoWidth = 0;
};

} // namespace fermata
