// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>

#include <chrono>
#include <optional>

namespace fermata {

// A time limit of a turn. Tool ends only one tool call; the others end the turn.
enum class Limit { Connect, FirstToken, Silence, Turn, Tool };

// Nothing means never.
using LimitValue = std::optional<std::chrono::milliseconds>;

// What one turn may take. A turn copies them when it starts; a later change counts from the next
// turn. A time is above zero and at most 24 h; Settings offer none below 1 s.
struct TurnLimits
{
    LimitValue connect =
        std::chrono::seconds(15); // until the connection is made and the request is sent
    LimitValue firstToken = std::chrono::minutes(5); // from then until something of the answer came
    LimitValue localFirstToken = std::chrono::minutes(30); // the same for a server on this machine
    LimitValue silence = std::chrono::minutes(2); // between two bytes of an answer that has begun
    LimitValue turn; // from start to end, without the waits for the user
    LimitValue tool = std::chrono::minutes(2); // one tool call
    LimitValue approval; // until a question about a tool call counts as denied
    std::optional<int> modelCalls = 50; // then the user is asked
    std::optional<qint64> totalTokens; // budgets of one turn
    std::optional<qint64> outputTokens;
    std::optional<double> cost;

    friend bool operator==(const TurnLimits &, const TurnLimits &) = default;
};

constexpr std::chrono::milliseconds ShortestLimit = std::chrono::seconds(1);
constexpr std::chrono::milliseconds LongestLimit = std::chrono::hours(24);
constexpr int MostModelCalls = 200;
constexpr double FewestRequestsPerMinute = 0.01;
constexpr double MostRequestsPerMinute = 60'000;
constexpr int LargestRequestBurst = 1000;

} // namespace fermata
