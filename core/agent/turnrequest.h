// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/requestlimiter.h"
#include "agent/turnhooks.h"
#include "base/cancellation.h"
#include "base/limits.h"
#include "base/result.h"
#include "conversation/conversation.h"

#include <QHash>
#include <QString>

#include <memory>
#include <optional>
#include <stop_token>

namespace fermata {

class ModelProvider;
class ToolRegistry;
class TurnTrace;
class ApprovalPolicy;

// How a stop treats running tools: wait for the grace time, or end them at once.
enum class StopMode { Graceful, Immediate };

// Per million tokens, in the currency of the limit on the cost.
struct TokenPrices
{
    double input = 0;
    double output = 0;
};

// Everything a turn needs, as it is at its start: what changes in Settings later counts from the next turn.
struct TurnRequest
{
    Conversation conversation; // as it was, with the turn's parent as its active turn
    TurnRecord turn; // id, parent, kind and user text; without answer
    std::shared_ptr<ModelProvider> provider;
    QString model;
    QString systemPrompt;
    std::shared_ptr<const ToolRegistry> tools; // null: none
    std::shared_ptr<ApprovalPolicy> policy;
    QString workspace;
    TurnLimits limits;
    std::optional<TokenPrices>
        prices; // of the model; without them a limit on the cost cannot be enforced
    LimitValue questionLimit; // a question that nobody answers in this time is answered with stop
    QHash<QString, LimitValue> toolLimits;
    int retries = 3;
    std::shared_ptr<RequestLimiter>
        limiter; // of this provider and model, shared by its turns; null: off
    int parallelTools = 4;
    StopMode stopMode = StopMode::Graceful;
    std::chrono::milliseconds toolGrace = std::chrono::seconds(2);
    CancellationToken parent; // of an outer turn: cause Parent
    CancellationToken external; // any-of with Stop and the limits: cause External
    std::stop_token externalStop;
    TurnHooks hooks; // who watches and who decides
    std::shared_ptr<TurnTrace> trace; // filled if it is given; one for each turn
    // What is to be undone if the turn is cancelled; null: one with the default limits. One for each turn.
    std::shared_ptr<CleanupStack> cleanup;
};

// What a program has set is checked, not corrected: an InvalidArgument error names the option that cannot be: fewer than
// one tool at a time, a negative grace time, a time limit that is not above zero or longer than 24 h, a mode that does
// not exist.
Result<void> checkTurnOptions(const TurnRequest &request);

constexpr int MostParallelTools = 64;

} // namespace fermata
