// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/conversation.h"
#include "ui/style/icons.h"

#include <QString>

#include <optional>

namespace fermata {

// The foot of a turn that has ended: how it ended, when, after how long, with how much, and what the tools came to.
struct FootText
{
    enum class Tone { Neutral, Limit, Failure };
    enum class Link { None, ChangeLimit, Details };

    Mark mark = Mark::None;
    Tone tone = Tone::Neutral;
    QString
        line; // "Stopped by you · 14:02:11 · after 12.4 s · 348 tokens · server idle after 0.3 s"
    QString ledger; // "Tools: 2 finished, 1 stopped after 4.1 s, 2 not started"; empty: no line
    Link link = Link::None;
    QString linkText; // "Change limit…", "Details"
    std::optional<Limit> limit; // that the link goes to
    QString details; // what "Details" shows: plain text

    bool isEmpty() const { return line.isEmpty(); }
};

// Empty for a turn that still runs. Times of the day are in the local time zone.
FootText footText(const TurnRecord &turn);

// The ledger on its own; empty if no tool was called. So many of the finished ones have failed, and so many of those that
// were not run were denied.
QString ledgerText(const ToolLedger &ledger, int failed = 0, int denied = 0);

// "Continued at 13:48:41": the seam between a cut answer and what follows it.
QString seamText(const TurnRecord &continuation);

} // namespace fermata
