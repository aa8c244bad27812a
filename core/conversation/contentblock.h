// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/ids.h"

#include <QDateTime>
#include <QJsonObject>
#include <QString>

#include <chrono>
#include <optional>
#include <variant>

namespace fermata {

struct TextBlock
{
    QString text;

    friend bool operator==(const TextBlock &, const TextBlock &) = default;
};

// What a model thought before it answered. A block that was cut (not complete) is shown and never sent.
struct ThinkingBlock
{
    QString text;
    QString signature; // opaque; sent back exactly as it came, to the provider it came from
    bool complete = false;
    std::chrono::milliseconds duration{0};

    friend bool operator==(const ThinkingBlock &, const ThinkingBlock &) = default;
};

enum class ToolState {
    Waiting, // not started yet
    Asking, // waits for the user's decision
    Running, // started; recorded before the tool ran
    Finished, // ended by itself, with a result
    Failed, // ended by itself, with an error as its result
    Denied, // by the user or a policy; never started
    Interrupted, // started and cut; may or may not have taken effect
    TimedOut, // started and ended by its own limit
    NotRun, // never started
    StillRunning, // started, did not end within its grace time; its late result is dropped
};

QString toString(ToolState state);
std::optional<ToolState> toolStateFromString(QStringView name);
// True for the states that no longer change.
bool isFinal(ToolState state);
bool wasStarted(ToolState state);

// The place for the one result of one tool call. It is made together with the call, so a call without a result
// cannot exist.
struct ToolSlot
{
    ToolState state = ToolState::Waiting;
    QString output; // what the tool gave, head and tail of what was long; live while it runs
    QString note; // what Fermata says of it: the synthetic result of a call that gave none
    std::optional<int> exitStatus;
    QDateTime startedAt; // UTC, for display
    std::chrono::milliseconds duration{0};
    // What the tool needs to take its effect back; opaque to all but the tool, empty if it cannot. It stays on this
    // machine: it is stored, and is in no export.
    QJsonObject undo;
    QDateTime undoneAt; // UTC; when the user took the effect back

    bool isError() const { return state != ToolState::Finished; }
    bool canBeUndone() const { return !undo.isEmpty() && !undoneAt.isValid(); }

    friend bool operator==(const ToolSlot &, const ToolSlot &) = default;
};

// A complete tool call: a call whose block the model did not finish never becomes one.
struct ToolCallBlock
{
    CallId id;
    QString wireId; // as the model gave it; may be empty
    QString name; // as the registry knows it
    QString arguments; // JSON text exactly as it came; may be invalid
    QJsonObject extras; // provider's own fields that must go back with the call
    ToolSlot slot;

    friend bool operator==(const ToolCallBlock &, const ToolCallBlock &) = default;
};

// A block of a kind this version does not know, kept and sent back unchanged to the provider it came from.
struct UnknownBlock
{
    QJsonObject raw;

    friend bool operator==(const UnknownBlock &, const UnknownBlock &) = default;
};

using ContentBlock = std::variant<TextBlock, ThinkingBlock, ToolCallBlock, UnknownBlock>;

// The text that stands for a slot in the next request: the note, the output if there is one, and that it was undone.
QString resultText(const ToolSlot &slot);

} // namespace fermata
