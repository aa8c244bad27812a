// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/contentblock.h"

#include "conversation/enumnames.h"

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr EnumNames<ToolState, 10> ToolStateNames{{
    {ToolState::Waiting, "Waiting"_L1},
    {ToolState::Asking, "Asking"_L1},
    {ToolState::Running, "Running"_L1},
    {ToolState::Finished, "Finished"_L1},
    {ToolState::Failed, "Failed"_L1},
    {ToolState::Denied, "Denied"_L1},
    {ToolState::Interrupted, "Interrupted"_L1},
    {ToolState::TimedOut, "TimedOut"_L1},
    {ToolState::NotRun, "NotRun"_L1},
    {ToolState::StillRunning, "StillRunning"_L1},
}};

bool endedByItself(ToolState state)
{
    return state == ToolState::Finished || state == ToolState::Failed;
}

// For slots to which nobody gave a note: of old files, imports, and calls that a request meets before they ended.
QString defaultNote(ToolState state)
{
    switch (state) {
    case ToolState::Waiting:
    case ToolState::Asking:
    case ToolState::NotRun:
        return u"Not run: the turn ended before this call was started."_s;
    case ToolState::Denied:
        return u"Not run: this call was denied."_s;
    case ToolState::Running:
    case ToolState::Interrupted:
        return u"Interrupted: this call was cut while it ran. It may or may not have taken effect; "
               "check before repeating."_s;
    case ToolState::TimedOut:
        return u"Interrupted: this call timed out. It may or may not have taken effect; check "
               "before repeating."_s;
    case ToolState::StillRunning:
        return u"Interrupted: this call did not end when it was stopped and may still be running. "
               "It may or may not have taken effect; check before repeating."_s;
    case ToolState::Finished:
    case ToolState::Failed:
        return {};
    }
    Q_UNREACHABLE();
}

} // namespace

QString toString(ToolState state)
{
    return nameOf(ToolStateNames, state);
}

std::optional<ToolState> toolStateFromString(QStringView name)
{
    return valueOf(ToolStateNames, name);
}

bool isFinal(ToolState state)
{
    return state != ToolState::Waiting && state != ToolState::Asking && state != ToolState::Running;
}

bool wasStarted(ToolState state)
{
    switch (state) {
    case ToolState::Running:
    case ToolState::Finished:
    case ToolState::Failed:
    case ToolState::Interrupted:
    case ToolState::TimedOut:
    case ToolState::StillRunning:
        return true;
    case ToolState::Waiting:
    case ToolState::Asking:
    case ToolState::Denied:
    case ToolState::NotRun:
        return false;
    }
    Q_UNREACHABLE();
}

QString resultText(const ToolSlot &slot)
{
    const QString note = slot.note.isEmpty() ? defaultNote(slot.state) : slot.note;
    QStringList parts;
    if (!note.isEmpty())
        parts << note;
    if (!note.isEmpty() && !slot.output.isEmpty())
        parts << (endedByItself(slot.state) ? u"Output:"_s : u"Output so far:"_s) + u'\n'
                + slot.output;
    else if (note.isEmpty())
        parts << slot.output;
    if (slot.undoneAt.isValid())
        parts << u"Undone: the user has taken the effect of this call back since. What it changed "
                 u"is as "
                 "it was before the call."_s;
    return parts.join(u"\n\n"_s);
}

} // namespace fermata
