// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/markdownblock.h"

#include <QColor>
#include <QFont>
#include <QPointF>
#include <QRectF>

#include <memory>
#include <vector>

class QPainter;
class QTextLayout;

namespace fermata {

struct TranscriptStyle;

// The colours and the type that a text without runs of its own is painted in.
struct InlineLook
{
    QFont font;
    QColor color;
    qreal pitch = 22; // least distance of two lines
    Qt::Alignment alignment = Qt::AlignLeft;
};

// A run of text in lines: a paragraph, a heading, a cell. It is built from text and formats alone, so there is nothing
// in it that could name a file or an address to be opened.
class InlineLayout final
{
public:
    InlineLayout(const MarkdownText &text, const InlineLook &look, const TranscriptStyle &style,
                 qreal width);
    ~InlineLayout();
    InlineLayout(InlineLayout &&) noexcept;
    InlineLayout &operator=(InlineLayout &&) noexcept;

    qreal height() const { return m_height; }
    qreal naturalWidth() const { return m_naturalWidth; }
    int firstLineMiddle() const;
    QRectF lineRect(int position) const; // of the line that holds it
    qreal cursorX(int position) const;

    // Paints at `origin`; [selectedFrom, selectedTo) is shown as selected.
    void paint(QPainter *painter, QPointF origin, const QRectF &clip, const TranscriptStyle &style,
               int selectedFrom = 0, int selectedTo = 0) const;
    // The position that is nearest to a point.
    int positionAt(QPointF point) const;
    // The link below a point, or -1.
    int linkAt(QPointF point) const;
    std::vector<QRectF> linkRects(int link) const;

private:
    std::vector<QRectF> runRects(const MarkdownRun &run) const;

    std::unique_ptr<QTextLayout> m_layout;
    std::vector<MarkdownRun> m_boxes; // runs with a ground of their own, air included
    std::vector<MarkdownRun> m_linkRuns;
    qreal m_height = 0;
    qreal m_naturalWidth = 0;
};

} // namespace fermata
