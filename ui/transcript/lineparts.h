// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/part.h"

namespace fermata {

// "Thought for 3 s": folds what the model thought. The text itself is in the parts that follow.
class ThoughtPart final : public Part
{
public:
    void set(const QString &label, bool isOpen);
    bool isOpen() const { return m_open; }

    Role role() const override { return Role::Thought; }
    void paint(QPainter *painter, const PartPaint &paint) const override;
    std::vector<PartTarget> targets() const override;
    QString plainText(int, int) const override { return m_label; }

protected:
    int estimatedHeight(const TranscriptStyle &style, int width) const override;
    int doLayout(const TranscriptStyle &style, int width) override;
    void doRelease() override { }

private:
    QString m_label;
    bool m_open = false;
    qreal m_labelWidth = 0;
};

// "Continued at 13:48:41": where a cut answer was taken up.
class SeamPart final : public Part
{
public:
    explicit SeamPart(QString label) : m_label(std::move(label)) { }

    Role role() const override { return Role::Seam; }
    void paint(QPainter *painter, const PartPaint &paint) const override;

protected:
    int estimatedHeight(const TranscriptStyle &style, int width) const override;
    int doLayout(const TranscriptStyle &style, int width) override;
    void doRelease() override { }

private:
    QString m_label;
};

// The place that a widget is laid over.
class PlacePart final : public Part
{
public:
    Role role() const override { return Role::Place; }
    int gapAbove(const Part *previous) const override;
    // The height belongs to a width: the view sets both from the widget.
    void setPlaceHeight(int height);
    void paint(QPainter *, const PartPaint &) const override { }

protected:
    int estimatedHeight(const TranscriptStyle &, int) const override { return m_placeHeight; }
    int doLayout(const TranscriptStyle &, int) override { return m_placeHeight; }
    void doRelease() override { }

private:
    int m_placeHeight = 0;
};

} // namespace fermata
