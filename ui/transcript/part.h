// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/transcriptstyle.h"

#include <QPointF>
#include <QRectF>
#include <QString>

#include <vector>

class QPainter;

namespace fermata {

// What can be clicked, or reached by the keyboard, in a part.
struct PartTarget
{
    enum class Kind { Link, CopyCode, Fold, FootLink, PreviousVersion, NextVersion };

    Kind kind = Kind::Link;
    int index = 0;
    QString name; // for assistive technology
    std::vector<QRectF> rects; // from the part's origin

    bool contains(QPointF point) const;
};

// How a part is to be painted. Everything in the coordinates of the painter.
struct PartPaint
{
    const TranscriptStyle &style;
    QRectF rect; // of the part
    QRectF clip;
    int selectedFrom = 0;
    int selectedTo = 0;
    QPointF hover{-1, -1};
    int focusedTarget = -1; // index into targets()
};

// A stretch of the transcript that is laid out and painted by itself. Its height is an estimate until it has been laid
// out; release() forgets the layout and keeps the height. Positions count the characters of its text.
class Part
{
public:
    enum class Role { Text, Card, User, Thought, Seam, Foot, Place };

    virtual ~Part();

    int height() const { return m_height; }
    bool isLaidOut() const { return m_laidOut; }
    bool isExact() const { return m_exact; } // the height is that of a layout at the present width
    void layOut(const TranscriptStyle &style, int width);
    void release();
    // The width or the style is another one: what was laid out no longer holds.
    void invalidate(const TranscriptStyle &style, int width);
    void setKnownHeight(int height);

    virtual Role role() const = 0;
    virtual int gapAbove(const Part *previous) const;
    virtual int length() const { return 0; }
    virtual QString plainText(int from, int to) const;
    // The text that positions count in: with what only the eye needs.
    virtual QString positionText() const { return plainText(0, length()); }
    // The range of the message's source that [from, to) comes from, as UTF-8 offsets; nothing: {-1, -1}.
    virtual std::pair<qsizetype, qsizetype> sourceRange(int from, int to) const;
    virtual int positionAt(QPointF point) const;
    virtual void paint(QPainter *painter, const PartPaint &paint) const = 0;
    virtual std::vector<PartTarget> targets() const { return {}; }
    virtual QString linkAddress(int) const { return {}; }
    virtual QString linkLabel(int) const { return {}; }
    // Where text that is being written ends.
    virtual QRectF endCaret() const { return {}; }
    // Moves what is wider than the column. Returns whether anything moved.
    virtual bool scrollSideways(int) { return false; }
    virtual int sidewaysOffset() const { return 0; }

protected:
    virtual int estimatedHeight(const TranscriptStyle &style, int width) const = 0;
    virtual int doLayout(const TranscriptStyle &style, int width) = 0;
    virtual void doRelease() = 0;
    void setChanged() { m_exact = m_laidOut = false; }
    // The ring around the focused target; `inset` is what paint.rect begins behind the part.
    void paintFocus(QPainter *painter, const PartPaint &paint, QPointF inset = {}) const;

private:
    int m_height = 0;
    bool m_laidOut = false;
    bool m_exact = false;
};

} // namespace fermata
