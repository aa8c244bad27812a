// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "conversation/turnoutcome.h"

#include <QString>
#include <QStringList>

#include <optional>

// The words a turn puts into the slots of its calls. They are read by models and by people, and are not translated:
// they are part of the history.
namespace fermata::turntext {

// "stopped by the user", "the whole turn limit of 30 min was reached", ...
QString becauseOf(const CancellationReason &reason, const std::optional<LimitInfo> &limit);
QString skippedByUser();

QString notRun(const QString &why); // "Not run: <why>."
QString interrupted(const QString &why,
                    Duration after); // "Interrupted: ... may or may not have taken effect ..."
QString toolTimedOut(const QString &tool, std::chrono::milliseconds limit);
QString limitBeforeStart(std::chrono::milliseconds limit); // for notRun()
QString stillRunning(const QString &tool);
QString deniedByUser();
QString deniedBefore();
QString deniedByLimit(std::chrono::milliseconds limit);
QString deniedBySettings(const QString &tool);
QString unknownTool(const QString &name, const QStringList &known);
QString cutByTokenLimit();
QString triedAgain();
QString vetoed(const QString &policy); // what a veto without a text says
QString policyFailed(const QString &policy);

// For the log: how a turn ended, without what was said in it.
QString endLine(const TurnOutcome &outcome);
QString costUnenforceable(const QString &model);

// "30 s", "2 min", "1 h 30 min"
QString durationText(std::chrono::milliseconds duration);
QString limitName(Limit limit); // "connect", "first token", "silence", "whole turn", "tool call"

} // namespace fermata::turntext
