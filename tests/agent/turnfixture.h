// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turn.h"
#include "agent/turnjournal.h"
#include "base/channel.h"
#include "conversation/history.h"
#include "scriptedprovider.h"
#include "support/manualclock.h"
#include "tool/toolregistry.h"

#include <QStringList>

#include <functional>
#include <memory>
#include <mutex>

namespace fermata {

// Keeps what it is given, as a database would, and can be told to fail.
class MemoryJournal final : public TurnJournal
{
public:
    Result<void> begin(const Conversation &conversation, const TurnRecord &turn) override;
    Result<void> checkpoint(const TurnRecord &turn) override;
    Result<void> saveCall(const TurnRecord &turn, const ToolCallBlock &call) override;
    Result<void> finish(const TurnRecord &turn) override;

    QStringList log; // begin, checkpoint, call <state>, finish
    std::optional<TurnRecord> saved;
    int failFrom = -1; // the n-th save and all after it fail...
    int failUntil = 1 << 30; // ...up to this one

private:
    Result<void> save(const QString &what, const TurnRecord &turn);

    int m_saves = 0;
};

// A tool that does what the test says, on its tool thread.
class ScriptedTool final : public Tool
{
public:
    using Body = std::function<Result<ToolResult>(const QJsonObject &, ToolContext &)>;

    explicit ScriptedTool(const QString &name, Body body, ToolAccess access = ToolAccess::Writes,
                          bool asks = false);

    const ToolSpec &spec() const override { return m_spec; }
    Result<ApprovalRequest> describe(const QJsonObject &arguments,
                                     const QString &workspace) const override;
    QString summary(const QJsonObject &) const override { return m_spec.name; }
    Result<ToolResult> run(const QJsonObject &arguments, ToolContext &context) override;

    void setParameters(const QJsonObject &schema) { m_spec.parameters = schema; }
    int entered() const { return m_entered; }
    void offerPattern(const QString &pattern) { m_pattern = pattern; } // before the turn
    void reach(const QString &place) { m_place = place; } // likewise

private:
    ToolSpec m_spec;
    Body m_body;
    std::atomic<int> m_entered = 0;
    QString m_pattern;
    QString m_place;
};

// Returns `output` at once.
ScriptedTool::Body returns(const QString &output);
// Waits until its token is cancelled, then ends as cancelled.
ScriptedTool::Body waitsForStop();

// Closed until it is opened, then open for good. What waits at it gives up after a long time, so that a test that is
// wrong ends.
class Gate final
{
public:
    void open() { m_channel.close(); }
    // False if it was not opened, or the token was cancelled before.
    bool wait(const CancellationToken &token = {});

private:
    Channel<int> m_channel;
};

// One turn on this thread with everything around it, and the log of what it told.
class TurnFixture
{
public:
    // How time passes: a wait goes to its deadline at once; only by advance(); as it does.
    enum class Time { Automatic, Still, Real };

    explicit TurnFixture(Time time = Time::Automatic);

    TurnFixture &script(std::vector<Script> scripts);
    TurnFixture &tool(std::shared_ptr<ScriptedTool> tool);
    TurnOutcome run();
    bool stop(CancellationCause cause = CancellationCause::User, const QString &text = {});
    // A new turn of the same conversation, with a control of its own.
    void nextTurn();

    // Names of the events, as describe() gives them, without checkpoints of time.
    QStringList events() const;
    int count(const QString &event) const;
    const TurnRecord &record() const { return m_record; } // folded from the events alone
    std::vector<ToolCallBlock> calls() const;
    ToolSlot slot(const QString &tool) const; // of its first call
    // The final states of this call, in the order they were told: there is one of each call that ended.
    std::vector<ToolState> endsOf(const CallId &call) const;
    History history() const; // what the next turn would send of this one

    ManualClock manualClock;
    const Clock &clock; // that one, or the machine's
    TurnRequest request;
    std::shared_ptr<ScriptedProvider> provider;
    std::shared_ptr<TurnControl> control;
    MemoryJournal journal;
    std::function<void(const TurnEvent &)> onEvent; // called for each event, on the turn's thread

private:
    std::shared_ptr<ToolRegistry> m_tools = std::make_shared<ToolRegistry>();
    TurnRecord m_record;
    std::vector<TurnEvent> m_events;
};

} // namespace fermata
