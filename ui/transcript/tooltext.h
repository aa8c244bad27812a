// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/contentblock.h"
#include "ui/style/icons.h"

#include <QDateTime>
#include <QString>

namespace fermata {

// "run_command" is "Run command", "server__do_it" is "Do it (server)". The name is foreign text.
QString toolTitle(const QString &name);

// The arguments in the way a person would write them down: the command or the path alone if there is nothing else,
// else a line for each. Nothing is left out; what is not valid JSON is shown as it came. A change of a text stands there
// as lines that go and lines that come.
QString toolArguments(const QString &arguments);
bool isTextChange(const QString &arguments);

// The one line that tells most of them, for the head of a closed card.
QString toolSummary(const QString &arguments);

Mark toolMark(const ToolSlot &slot);

// "3.6 s", "stopped after 4.1 s", "limit of 30 s", "failed, exit status 2", "denied by you", "not started".
QString toolStateText(const ToolSlot &slot, const QDateTime &now);

// What must be said below the output of a call that was cut; empty for all others.
QString toolWarning(ToolState state);

} // namespace fermata
