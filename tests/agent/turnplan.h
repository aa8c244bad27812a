// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/conversation.h"

#include <QString>

#include <chrono>
#include <optional>
#include <vector>

// What happens in one random turn, as values: what the model sends, how the tools behave, what the user answers, when
// what is stopped, and which saves fail. Drawn from the running RapidCheck case.
namespace fermata::turnplan {

// What somebody does to a running turn.
enum class Deed {
    Stop,
    StopTwice,
    StopAgainLater, // after the double-click time, which drops the grace time
    Force,
    StopTool, // the call that was told of last
    StopToolTwice,
    CancelExternal,
    CancelParent,
    RequestStop, // by a std::stop_token
    ExtendTurn,
    ExtendTool,
    Pause,
    Resume,
    AnswerNoQuestion, // an answer that nobody waits for
    AnswerNoApproval,
};
QString toString(Deed deed);

struct PlannedDeed
{
    int atEvent = 0; // -1: before the turn starts
    Deed deed = Deed::Stop;
    bool onAnotherThread = false;
};

struct ModelStep
{
    enum class Kind {
        Connect, // resolving, connecting, sent
        Text,
        EmptyText,
        Thinking,
        EndThinking,
        Call, // number: which of the plan's calls
        UnknownBlock,
        Usage,
        KeepAlive,
        Pass, // number: milliseconds without anything
        Hang,
        FailForNow, // number: after so many milliseconds it may be tried again; 0: it is not said
        FailForGood,
        Deed, // number: which Deed
        End,
        EndCut, // by the limit of tokens
        EndRefused,
    };

    Kind kind = Kind::Text;
    int number = 0;
};

struct PlannedCall
{
    enum class Wait { None, Listening, Deaf, UntilReleased /* deaf, for ever */ };
    enum class End { Result, ErrorResult, Fault, Throw, CancelledByItself, ThrownCancellation };

    QString tool;
    bool validArguments = true;
    bool describes = true;
    bool stopsWhileDescribing = false;
    bool hangsWhileDescribing = false; // until it is released
    int outputs = 0;
    bool asksToStopTurn = false;
    bool pressesStop = false;
    bool cannotBeTakenBack = false; // passes its point of no return; then it waits for a time only
    Wait wait = Wait::None;
    std::chrono::milliseconds time{0};
    End end = End::Result;
};

struct PlannedApproval
{
    enum class Kind {
        AllowOnce,
        AllowInConversation,
        Deny,
        StopTurn,
        SkipCall,
        NoAnswer, // until the limit of the question
    };

    Kind kind = Kind::AllowOnce;
    bool wrongFirst = false; // an answer to something else comes before
    bool onAnotherThread = false;
};

// What a policy does when it is asked somewhere for the n-th time.
struct PlannedHook
{
    enum class Point {
        BeforeTurn,
        BeforeModelCall,
        AfterModelCall,
        BeforeTools,
        BeforeTool,
        AfterTool,
        AfterTools,
        EndOfTurn,
    };
    enum class Act {
        Decide, // forbids; ends the turn; asks for the request again; lets the turn go on
        Throw,
        Hang, // until it is released
        PressStop,
    };

    Point point = Point::BeforeTurn;
    int time = 1;
    Act act = Act::Decide;
};

struct PlannedTurn
{
    Conversation conversation; // before the turn
    bool continues = false; // a Continuation of its last turn
    std::vector<std::vector<ModelStep>> answers; // the last one repeats, and has no calls
    std::vector<PlannedCall> calls;
    std::vector<PlannedApproval> approvals; // in turn
    std::vector<bool> questions; // answers, in turn
    std::vector<PlannedDeed> deeds;

    std::optional<std::chrono::milliseconds> toolLimit;
    std::chrono::milliseconds turnLimit{0}; // always there: it ends what nothing else ends
    std::optional<std::chrono::milliseconds> approvalLimit; // there if a question gets no answer
    std::chrono::milliseconds grace{0};
    bool immediate = false;
    int retries = 0;
    int parallelTools = 1;
    int modelCalls = 50;
    std::optional<qint64> totalTokens;
    bool hasPolicy = false;
    bool deniesWriting = false; // by the policy
    bool hasHooks =
        false; // an observer, and a policy with these; then nothing else in the plan takes time
    std::vector<PlannedHook> hooks;
    bool observerThrows = false;
    int failSavesFrom = -1;
    int failSavesUntil = 0;

    bool hangsInHook() const;
    QString describe() const;
};

PlannedTurn draw();

// The tools that calls name. Nobody knows the last one.
inline constexpr QStringView ReadTool = u"read";
inline constexpr QStringView WriteTool = u"write";
inline constexpr QStringView AskingTool = u"ask";
inline constexpr QStringView SameTool = u"same"; // always called alike; returns at once
inline constexpr QStringView UnknownTool = u"nobody";

} // namespace fermata::turnplan
