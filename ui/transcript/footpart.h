// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/text/foottext.h"
#include "ui/transcript/inlinelayout.h"
#include "ui/transcript/part.h"

#include <optional>

namespace fermata {

// The end of an answer: how its turn ended, what its tools came to, which version it is, and below that the room for
// the actions, which are buttons of their own.
class FootPart final : public Part
{
public:
    struct Version
    {
        int number = 1;
        int count = 1;

        friend bool operator==(const Version &, const Version &) = default;
    };
    enum class Actions { Hidden, Shown };

    void set(const FootText &text, Version version, Actions actions);
    const FootText &text() const { return m_text; }

    Role role() const override { return Role::Foot; }
    int gapAbove(const Part *) const override { return metrics::Space12; }
    int length() const override { return 0; }
    void paint(QPainter *painter, const PartPaint &paint) const override;
    std::vector<PartTarget> targets() const override;
    bool hasActions() const { return m_actions == Actions::Shown; }
    // Where the buttons are laid; for an older answer the end of the foot line.
    QRectF actionsRect() const { return m_actionsRect; }
    qreal lineHeight() const { return m_lineHeight; }
    qreal versionWidth() const { return m_versionRect.width(); }

protected:
    int estimatedHeight(const TranscriptStyle &style, int width) const override;
    int doLayout(const TranscriptStyle &style, int width) override;
    void doRelease() override;

private:
    QString versionText() const;
    void paintVersion(QPainter *painter, const PartPaint &paint) const;

    FootText m_text;
    Version m_version;
    Actions m_actions = Actions::Hidden;
    std::optional<InlineLayout> m_line;
    std::optional<InlineLayout> m_ledger;
    QRectF m_linkRect;
    QRectF m_versionRect;
    QRectF m_actionsRect;
    qreal m_lineHeight = 20;
};

} // namespace fermata
