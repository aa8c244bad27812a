// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>

#include <optional>

namespace fermata {

// What cancelled something. A closed set: people and programs decide by it, never by words.
enum class CancellationCause {
    User,
    Superseded,
    WindowClosed,
    ApplicationQuit,
    ConnectLimit,
    FirstTokenLimit,
    SilenceLimit,
    TurnLimit,
    ToolLimit, // only on the child source of one tool call
    IterationLimit,
    TokenBudget,
    CostBudget,
    External,
    Parent,
};

// The name used in the database, in JSON and in logs. It never changes once released.
QString toString(CancellationCause cause);
std::optional<CancellationCause> cancellationCauseFromString(QStringView name);

// True for the limits that end a turn by time: the turn is then TimedOut and not Stopped.
bool isTimeLimit(CancellationCause cause);

// The first reason given to a source is kept for good. A value: copies are independent.
struct CancellationReason
{
    CancellationCause cause = CancellationCause::User;
    QString text; // optional, for people; see sanitizedReasonText()
    QString source; // optional: who asked, for example the name of a tool
    QDateTime time; // UTC; set by CancellationSource::cancel() if it is null

    friend bool operator==(const CancellationReason &, const CancellationReason &) = default;
};

// At most 200 characters of valid text without control or bidirectional formatting characters.
QString sanitizedReasonText(const QString &text);

} // namespace fermata
