// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/conversation.h"

#include <QDate>
#include <QLocale>
#include <QString>

#include <chrono>
#include <optional>
#include <vector>

namespace fermata {

// One row of the list: a group of dates, or a conversation.
struct ConversationRow
{
    QString group; // not empty: the row is the head of a group
    ConversationSummary summary;
    std::optional<std::chrono::milliseconds> runningFor;
    QString when; // at the right: "11:05", "Tue", "29", "0:11", "asks"

    bool isGroup() const { return !group.isEmpty(); }
    friend bool operator==(const ConversationRow &, const ConversationRow &) = default;
};

// "Today", "Yesterday", "Previous 7 days", then by month: "October", "October 2024".
QString dateGroup(const QDate &day, const QDate &today, const QLocale &locale);
// What stands at the right of a conversation that is at rest.
QString rowTime(const QDateTime &local, const QDate &today, const QLocale &locale);

// A conversation that runs, by its session.
struct RunningConversation
{
    ConversationId id;
    std::chrono::milliseconds elapsed{0};
    bool asks = false;
};

// Shows in `row` that its conversation runs.
void showRunning(ConversationRow &row, const RunningConversation &running);

// The rows of the list, newest first, under the heads of their groups.
std::vector<ConversationRow> conversationRows(const std::vector<ConversationSummary> &summaries,
                                              const std::vector<RunningConversation> &running,
                                              const QDate &today, const QLocale &locale);

} // namespace fermata
