// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/codehighlight.h"

#include <QColor>
#include <QFont>
#include <QRectF>
#include <QString>

#include <vector>

class QPainter;

namespace fermata {

struct TranscriptStyle;

// Fixed-pitch text in lines of one height: code, commands, tool output. Its height is known without a layout, and only
// the lines that are seen are ever shaped, so that its length costs nothing. What cannot be seen is shown as its code.
class MonoText final
{
public:
    enum class Wrap { None, Columns };

    // Returns whether the text differs from the one before.
    bool setText(const QString &source);
    void setSpans(std::vector<CodeSpan> spans) { m_spans = std::move(spans); }
    void setFont(const QFont &font, qreal pitch);
    // Lines are broken at `width`, or not at all.
    void setWidth(Wrap wrap, qreal width);
    // Only lines [first, first + count) are there, as long as they are set.
    void showLines(int first, int count);

    const QString &source() const { return m_source; }
    const QString &display() const { return m_display; }
    int lineCount() const { return int(m_starts.size()); }
    qreal height() const { return m_pitch * visibleCount(); }
    qreal widest() const; // of the longest line, about
    QString sourceOf(int from, int to) const; // of positions in display()

    struct Look
    {
        QColor color;
        int selectedFrom = 0;
        int selectedTo = 0;
        int brightUntil = 0; // what stands before is painted in the text colour
    };
    void paint(QPainter *painter, QPointF origin, const QRectF &clip, const TranscriptStyle &style,
               const Look &look) const;
    int positionAt(QPointF point) const;
    QRectF cursorRect(int position) const;

private:
    int visibleCount() const;
    int lineOf(int position) const;
    int lineEnd(int line) const;
    void breakLines();

    QString m_source;
    QString m_display;
    std::vector<int> m_starts{0};
    std::vector<CodeSpan> m_spans;
    QFont m_font;
    qreal m_pitch = 18;
    qreal m_character = 8;
    int m_columns = 0; // 0: not wrapped
    int m_widest = 0; // columns
    int m_first = 0;
    int m_count = -1;
};

} // namespace fermata
