// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/turnevent.h"
#include "ui/style/icons.h"

#include <QString>
#include <QStringList>

#include <chrono>
#include <optional>
#include <vector>

namespace fermata {

// What a turn is at, as the status line needs it.
struct TurnProgress
{
    StageChanged stage;
    bool isStopping = false;
    bool isForced = false; // stopped for the second time
    std::chrono::milliseconds elapsed{0};
    qint64 tokens = 0; // of the answer so far
    double tokensPerSecond = 0.0; // lately; 0: not shown
    std::chrono::milliseconds silence{0}; // since the last event
    std::optional<RetryScheduled> retry;
    std::vector<RunningLimit> limits;
    Instant now{};
};

// One state of the status line, in words.
struct StatusText
{
    bool isTurning = false; // the arc; else the mark
    Mark mark = Mark::None;
    QString stage; // bold: "Running tool 3 of 5"
    QString elapsed; // each empty: not shown
    QString tokens;
    QString rate;
    QString hint; // instead of them: "press Esc again to force"
    QString reason; // why there is another try

    QString limit; // "Silence limit in 1:58"
    std::optional<Limit> which; // that "Extend" gives more time
    double share = 1.0; // of the limit that is left, 0 to 1
    bool isUrgent = false; // the last fifth
    QString idle; // without a turn, the only text

    // The whole line as one sentence, for assistive technology.
    QString spoken() const;
    // The same without what changes each second: it changes when there is something to announce.
    QString announcement() const;
};

QString stageText(const StageChanged &stage);
StatusText statusText(const TurnProgress &progress);
// Without a running turn; after one that has ended early it says how to go on.
StatusText idleStatusText(const TurnRecord *lastTurn);

// The limit that ends first; nothing if none runs.
std::optional<RunningLimit> nearestLimit(const std::vector<RunningLimit> &limits);
// A turn that can be continued: it has ended, and not by itself.
bool endedEarly(const TurnRecord &turn);

// Nothing came for so long: the status line says so.
constexpr std::chrono::seconds NoticeableSilence{120};

} // namespace fermata
