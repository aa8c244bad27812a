// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/limits.h"
#include "conversation/conversation.h"

#include <QString>

#include <optional>
#include <variant>
#include <vector>

namespace fermata {

enum class TurnStage {
    Starting,
    Resolving,
    Connecting,
    WaitingForFirstToken,
    Thinking,
    Writing,
    WaitingForUser,
    RunningTool,
    RetryWait,
    RequestLimit, // the user's own limit of requests per minute
    Saving,
    Stopping,
    Paused,
};

QString toString(TurnStage stage);

// What the user is asked to allow: exactly what will run, and nothing else will.
struct ApprovalRequest
{
    CallId call;
    QString tool; // name in the registry
    QString title; // for people: "Run command"
    QString question; // "Allow this command?"
    QString exactText; // the exact bytes, with what cannot be seen made visible; never cut
    std::vector<std::pair<QString, QString>> facts; // label and value: folder, access, time limit
    bool isDiff = false; // exactText is a diff of a file
    QString
        alwaysPattern; // literal pattern that "Always allow" would save; empty if it is not offered
    QString
        place; // whom the call reaches, as a host: a tool that is allowed asks once for each; empty if it is all one
    QByteArray fingerprint; // of tool and arguments: an answer counts only for what was shown
};

enum class ApprovalDecision { Deny, AllowOnce, AllowInConversation, AllowAlways };

// Asked when a limit on numbers is reached: go on, or stop.
struct TurnQuestion
{
    enum class Kind { IterationLimit, ApprovedCalls, RepeatedCalls };

    Kind kind = Kind::IterationLimit;
    int count = 0;
    QString text;
};

struct RunningLimit
{
    Limit limit = Limit::Turn;
    std::chrono::milliseconds value{0}; // with what it was extended by
    Instant deadline{};
};

// --- The events. Facts, in the order they happened. ---

struct TurnStarted
{
    TurnRecord record; // without answer
};
struct StageChanged
{
    TurnStage stage = TurnStage::Starting;
    int index = 0; // of RunningTool: third of five; of RetryWait: the second of three tries
    int count = 0;
};
struct IterationStarted
{
    int iteration = 1;
    QString instruction = {}; // see AssistantMessage
};
struct TextAppended
{
    QString text;
};
struct ThinkingAppended
{
    QString text;
};
struct ThinkingEnded
{
    QString signature;
    std::chrono::milliseconds duration{0};
};
struct UnknownBlockAdded
{
    UnknownBlock block;
};
struct MessageCompleted
{
    QJsonObject extras;
};
struct ToolCallAdded
{
    ToolCallBlock call;
};
struct ToolStateChanged
{
    CallId call;
    ToolSlot
        slot; // output is empty unless the state is final: the live output comes by ToolOutputAppended
};
struct ToolOutputAppended
{
    CallId call;
    QString text;
};
// After the turn's end, and the only content that changes then: the user has taken the effect of a call back.
struct ToolUndone
{
    CallId call;
    QDateTime at; // UTC
};
struct ApprovalAsked
{
    ApprovalRequest request;
};
struct ApprovalClosed
{
    CallId call;
};
struct QuestionAsked
{
    TurnQuestion question;
};
struct QuestionClosed
{
};
struct RetryScheduled
{
    int attempt = 1; // the one that will follow
    int attempts = 1; // in all
    Instant at{};
    QString why;
};
struct UsageChanged
{
    TokenUsage usage; // of the whole turn so far
};
// A number that the turn may use is used up, and the turn ends by it. At most once in a turn.
struct BudgetReached
{
    CancellationCause cause = CancellationCause::IterationLimit; // or TokenBudget, CostBudget
    QString text; // which, with both amounts
    int iterations = 0;
    TokenUsage usage;
    std::optional<double> cost; // nothing if the prices are not known
};
struct NoticeAdded
{
    QString text; // from the application, never from the model
};
struct SaveFailed
{
    QString message; // the text stays in memory; saving is tried again
};
struct SaveRecovered
{
};
// The last event of every turn, exactly once; the turn is saved when it is sent.
struct TurnFinished
{
    TurnOutcome outcome;
};

using TurnEvent =
    std::variant<TurnStarted, StageChanged, IterationStarted, TextAppended, ThinkingAppended,
                 ThinkingEnded, UnknownBlockAdded, MessageCompleted, ToolCallAdded,
                 ToolStateChanged, ToolOutputAppended, ToolUndone, ApprovalAsked, ApprovalClosed,
                 QuestionAsked, QuestionClosed, RetryScheduled, UsageChanged, BudgetReached,
                 NoticeAdded, SaveFailed, SaveRecovered, TurnFinished>;

// What crosses from the agent to the window: events of one turn, in order.
struct TurnEventBatch
{
    TurnId turn;
    std::vector<TurnEvent> events;
};

// Folds an event into the record of its turn. The one place where an event becomes content: the turn keeps what it
// sends by it, and the window shows what it gets by it, so that they cannot differ. Events that carry no content
// change nothing.
void apply(TurnRecord &record, const TurnEvent &event);

// Adjacent deltas of the same kind as one. For batches; what apply() makes of them stays the same.
void appendCoalesced(std::vector<TurnEvent> &events, TurnEvent event);

// One line for logs and tests: "TextAppended 12", "ToolStateChanged Finished". Never holds content.
QString describe(const TurnEvent &event);

} // namespace fermata
