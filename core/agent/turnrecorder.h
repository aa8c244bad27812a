// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turnjournal.h"
#include "base/clock.h"
#include "conversation/turnevent.h"

#include <functional>
#include <optional>

namespace fermata {

using TurnEventSink = std::function<void(const TurnEvent &)>;

// The one place where a running turn changes: every event is folded into the record, saved when its kind says so, and
// then told. A save that fails is told once and tried again with the next one; it never ends the turn.
class TurnRecorder final
{
public:
    // A crash may lose 250 ms of text: the rest is for the commit itself, and for a machine that is busy.
    static constexpr std::chrono::milliseconds CheckpointInterval{200};

    TurnRecorder(const Conversation &conversation, TurnRecord record, TurnJournal &journal,
                 TurnEventSink sink, const Clock &clock);

    const TurnRecord &record() const { return m_record; }

    void begin(); // saves the user's message, then tells TurnStarted
    void tell(const TurnEvent &event); // folds and tells; what it adds is saved by a checkpoint
    void tellSaved(const CallId &call, const TurnEvent &event); // folds, saves the call, tells
    void checkpoint(); // saves what is new
    void checkpointIfDue();
    Deadline nextCheckpoint() const; // nothing if all is saved
    void finish(TurnOutcome outcome); // saves, sets outcome.saved, tells TurnFinished

private:
    void noteSaved(const Result<void> &result);

    const Conversation &m_conversation;
    TurnRecord m_record;
    TurnJournal &m_journal;
    const TurnEventSink m_sink;
    const Clock &m_clock;
    bool m_begun = false;
    bool m_saveFailed = false;
    Deadline m_dirtySince;
};

} // namespace fermata
