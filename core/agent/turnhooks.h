// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/cleanupstack.h"
#include "conversation/turnevent.h"
#include "provider/modelprovider.h"

#include <QJsonObject>
#include <QString>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace fermata {

class Tool;

// --- What observers and policies are told, and what policies answer. Values, complete in themselves. ---

enum class CallEnd { Succeeded, Failed, Vetoed, Cancelled };

QString toString(CallEnd end);

struct ModelCallResult
{
    CallEnd end = CallEnd::Succeeded;
    TokenUsage usage; // of this call, as far as it is known
    std::optional<Error> error; // of Failed and Cancelled
};

struct ToolCallInfo
{
    CallId id;
    QString tool;
    QJsonObject arguments; // valid against the tool's schema
    int attempt = 1;
};

// A set veto denies what was to come, with its text or, if that is empty, with a default one.
using HookVeto = std::optional<QString>;

struct BeforeToolDecision
{
    HookVeto veto; // wins over the rest
    std::shared_ptr<Tool> replacement = {}; // runs instead, with a permission of its own
    std::optional<QJsonObject> arguments = {}; // instead of those of the model; asked for as any
};

// Asked about a call that failed; ignored for one that succeeded or was cancelled.
struct AfterToolDecision
{
    bool retry = false; // at once, from the before-hooks on, at most MostToolAttempts in all
    std::optional<QJsonObject> arguments = {}; // of the retry
};

// What a policy is given with each call.
struct HookContext
{
    TurnId turn;
    int iteration = 0;
    // Cancelled with the turn, and when the hook's time is over: whoever waits in a hook waits with it.
    CancellationToken token;
    // Of the turn: for what has to be undone if it is cancelled.
    std::shared_ptr<CleanupStack> cleanup;
};

// Sees a turn and changes nothing of it. Called on threads of the hooks, never two at once for one turn; what it throws
// is logged, and one that does not return within the hook limit is not called again in this turn.
class TurnObserver
{
public:
    virtual ~TurnObserver() = default;

    // Each start has exactly one finish, whatever happens.
    virtual void onTurnStarted(const TurnRecord &turn);
    virtual void onModelCallStarted(const TurnId &turn, int iteration);
    virtual void onModelCallFinished(const TurnId &turn, int iteration,
                                     const ModelCallResult &result);
    // Only of calls that are executed. A retry is an execution of its own.
    virtual void onToolStarted(const TurnId &turn, const CallId &call, const QString &tool);
    virtual void onToolFinished(const TurnId &turn, const CallId &call, const ToolSlot &slot);
    virtual void onBudgetReached(const TurnId &turn, const BudgetReached &budget);
    // Once for a turn that ends Stopped or TimedOut, before its clean-up.
    virtual void onCancelled(const TurnId &turn, int iteration, const CancellationReason &reason);
    // Once for every turn, saved as it is, just before the terminal event.
    virtual void onTurnFinished(const TurnOutcome &outcome);
};

// Decides about a turn. Called as an observer is, but it fails closed: what it throws, or an answer that does not come
// within the hook limit, denies what it was asked about; in an after-hook, what comes next. A policy whose before-hook
// has returned gets the matching after-hook exactly once, also after a veto, a fault or a cancellation.
class TurnPolicy
{
public:
    virtual ~TurnPolicy() = default;

    virtual QString name() const = 0; // for notices and the log

    virtual HookVeto beforeTurn(const TurnRecord &turn, const HookContext &context);
    // Around each request, a retried one included.
    virtual HookVeto beforeModelCall(const ModelRequest &request, const HookContext &context);
    // True asks for the same request once more, at once: heard if the call failed and nothing of it was seen, at most
    // MostModelRetries times in a row. It takes no attempt of the retry policy.
    virtual bool afterModelCall(const ModelCallResult &result, const HookContext &context);
    // Around the calls of one message.
    virtual HookVeto beforeTools(const std::vector<ToolCallBlock> &calls,
                                 const HookContext &context);
    // A text ends the turn; it is the notice.
    virtual QString afterTools(const std::vector<ToolCallBlock> &calls, const HookContext &context);
    // Around one call, before the user is asked for it: what is allowed is what runs.
    virtual BeforeToolDecision beforeTool(const ToolCallInfo &call, const HookContext &context);
    virtual AfterToolDecision afterTool(const ToolCallInfo &call, const ToolSlot &slot,
                                        const HookContext &context);
    // A whole answer has come. A text is said to the model, which then goes on; at most MostContinuations times.
    virtual QString endOfTurn(const QString &answer, const HookContext &context);

    static constexpr int MostModelRetries = 5;
    static constexpr int MostToolAttempts = 3;
    static constexpr int MostContinuations = 3;
};

// The observers and policies of one turn, as a value: who changes its copy later changes the next turn.
class TurnHooks final
{
public:
    enum class HookId : quint64 {};
    struct Policy
    {
        HookId id;
        int order;
        std::shared_ptr<TurnPolicy> policy;
    };
    struct Observer
    {
        HookId id;
        std::shared_ptr<TurnObserver> observer;
    };

    HookId addObserver(std::shared_ptr<TurnObserver> observer);
    // Before-hooks are called in ascending order, after-hooks and the end of turn in descending; equal orders as added.
    HookId addPolicy(std::shared_ptr<TurnPolicy> policy, int order = 0);
    // False, and harmless, if it was removed before.
    bool remove(HookId id);

    const std::vector<Policy> &policies() const { return m_policies; } // ascending
    const std::vector<Observer> &observers() const { return m_observers; }

    std::chrono::milliseconds limit{
        5000}; // of each call; for all calls together once the turn is cancelled

private:
    std::vector<Policy> m_policies;
    std::vector<Observer> m_observers;
    quint64 m_lastId = 0;
};

} // namespace fermata
