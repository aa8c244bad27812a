// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/blockpart.h"
#include "ui/transcript/inlinelayout.h"

#include <optional>

namespace fermata {

// A paragraph, a heading, an item of a list, or a rule.
class TextPart final : public BlockPart
{
public:
    using BlockPart::BlockPart;

    int length() const override { return int(block().text.text.size()); }
    QString plainText(int from, int to) const override;
    QString positionText() const override { return block().text.text; }
    int positionAt(QPointF point) const override;
    std::vector<PartTarget> targets() const override;
    QString linkAddress(int index) const override;
    QString linkLabel(int index) const override;
    QRectF endCaret() const override;

protected:
    int estimatedHeight(const TranscriptStyle &style, int width) const override;
    int doLayout(const TranscriptStyle &style, int width) override;
    void doRelease() override { m_layout.reset(); }
    void paintContent(QPainter *painter, const PartPaint &paint) const override;
    int markerMiddle(const TranscriptStyle &style) const override;
    qsizetype sourceOf(int position) const override;

private:
    std::optional<InlineLayout> m_layout;
};

} // namespace fermata
