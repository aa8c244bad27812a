// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/result.h"
#include "conversation/conversation.h"

#include <QString>

#include <variant>
#include <vector>

namespace fermata {

// A call and its result as they go over a wire.
struct HistoryCall
{
    QString id;
    QString name;
    QString arguments; // JSON text
    QJsonObject extras;

    friend bool operator==(const HistoryCall &, const HistoryCall &) = default;
};
struct HistoryResult
{
    QString callId;
    QString text;
    bool isError = false;

    friend bool operator==(const HistoryResult &, const HistoryResult &) = default;
};

using HistoryBlock =
    std::variant<TextBlock, ThinkingBlock, HistoryCall, HistoryResult, UnknownBlock>;

enum class HistoryRole { User, Assistant, Tool };

struct HistoryMessage
{
    HistoryRole role = HistoryRole::User;
    std::vector<HistoryBlock> blocks;
    QJsonObject extras;
    QString provider; // who made an assistant message: extras and signatures go back to nobody else

    friend bool operator==(const HistoryMessage &, const HistoryMessage &) = default;
};

// What the model is told, oldest first. A Tool message holds the results of the assistant message before it.
using History = std::vector<HistoryMessage>;

struct HistoryProblem
{
    enum class Kind {
        MissingResult,
        OrphanResult,
        DuplicateResult,
        MisplacedResult,
        DuplicateCallId,
        EmptyMessage, // nothing in it but thinking; also a text block without text
        EmptyId, // a call without an id or a name, a result without an id
        WrongRole, // a block that its role cannot hold
        UnfinishedThinking,
        InvalidText, // not valid Unicode
    };

    Kind kind;
    int message = 0; // index

    friend bool operator==(const HistoryProblem &, const HistoryProblem &) = default;
};

// What every provider refuses: each call is followed directly by exactly one result, ids are unique within their
// message, no message is empty. Empty means valid. What only one dialect refuses is that provider's to shape.
std::vector<HistoryProblem> validateHistory(const History &history);

// A valid history with all that can be kept. Missing results are added directly after their message, misplaced ones
// moved there, orphans and empty messages left out; real results are never replaced. Pure, and idempotent:
// repairing a valid history changes nothing.
History repairHistory(History history);

// The history that the turns of a branch come to: partial answers as what they are, one result for each call, turns
// that were never sent left out. Never changes what is stored. Valid by construction; repairHistory() still runs
// before a request, because imports and old files pass here, too.
History buildHistory(const std::vector<const TurnRecord *> &path);
// Both at once, given up soon after the token is cancelled: a long history takes its time.
Result<History> buildRepairedHistory(const std::vector<const TurnRecord *> &path,
                                     const CancellationToken &token);

} // namespace fermata
