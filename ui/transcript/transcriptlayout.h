// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/rowcontent.h"
#include "ui/transcript/rowheights.h"
#include "ui/transcript/transcriptstyle.h"

#include <functional>
#include <memory>
#include <vector>

namespace fermata {

class TranscriptModel;

// A place in the text.
struct TextPosition
{
    int row = -1;
    int part = 0;
    int offset = 0;

    bool isNull() const { return row < 0; }
    friend auto operator<=>(const TextPosition &, const TextPosition &) = default;
};

// Where everything stands. Only messages that are near what is seen have parts, and only parts that are seen are laid
// out; the rest is an estimate that becomes exact when it is scrolled to. What is looked at does not move meanwhile:
// that is what the anchor is for. Coordinates are those of the whole transcript.
class TranscriptLayout final
{
public:
    explicit TranscriptLayout(const TranscriptModel &model);
    ~TranscriptLayout();

    // What is around a row that is not in its turn.
    std::function<RowSituation(int)> situation;

    void setStyle(const TranscriptStyle &style);
    const TranscriptStyle &style() const { return m_style; }
    void setWidth(int width);
    int width() const { return m_width; }

    void reset();
    void appendRows(int last);
    // The content of the row has changed; nothing happens if it was never seen.
    void updateRow(int row);

    int rowCount() const { return m_heights.count(); }
    int totalHeight() const;
    int rowTop(int row) const; // of its content
    int rowHeight(int row) const; // of its content
    int rowAt(int y) const; // -1: there are none

    // A part and how far above it the top of the view is.
    struct Anchor
    {
        int row = -1;
        int part = -1;
        int offset = 0;
    };
    Anchor anchorAt(int y);
    int positionOf(const Anchor &anchor) const;
    // Lays out what is seen if the top of the view is at the anchor, and `above` pixels more over it. Returns where the
    // anchor has come to be.
    int settle(const Anchor &anchor, int above, int viewHeight);
    // The same with the end of the transcript at the lower edge. Returns the top of the view.
    int settleAtEnd(int viewHeight);

    // The content of a row, made if it is not there.
    RowContent &content(int row);
    RowContent *existingContent(int row) const;
    QRect partRect(int row, int part) const;
    TextPosition positionAt(QPoint point);

    struct Seen
    {
        int row = 0;
        int part = 0;
        Part *object = nullptr;
        QRect rect;
    };
    // The parts between two heights, in order.
    std::vector<Seen> seen(int top, int bottom);
    // Forgets what is far from the view, if there is much of it.
    void trim(int top, int bottom);

private:
    struct Row
    {
        std::unique_ptr<RowContent> content;
        std::vector<int> knownHeights; // of its parts, if the content was forgotten
    };

    int gapAbove(int row) const;
    int estimate(int row) const;
    bool layOutRange(int top, int bottom);
    void fill(int row);
    void takeHeight(int row);

    const TranscriptModel &m_model;
    TranscriptStyle m_style;
    int m_width = 736;
    std::vector<Row> m_rows;
    RowHeights m_heights;
    int m_filled = 0; // rows with content
};

} // namespace fermata
