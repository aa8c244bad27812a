// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turnrecorder.h"

#include "base/logging.h"

namespace fermata {

TurnRecorder::TurnRecorder(const Conversation &conversation, TurnRecord record,
                           TurnJournal &journal, TurnEventSink sink, const Clock &clock)
    : m_conversation(conversation), m_record(std::move(record)), m_journal(journal),
      m_sink(std::move(sink)), m_clock(clock)
{
}

void TurnRecorder::begin()
{
    const auto saved = m_journal.begin(m_conversation, m_record);
    m_begun = saved.ok();
    tell(TurnStarted{m_record});
    noteSaved(saved);
}

void TurnRecorder::tell(const TurnEvent &event)
{
    apply(m_record, event);
    if (!m_dirtySince)
        m_dirtySince = m_clock.now();
    m_sink(event);
}

void TurnRecorder::tellSaved(const CallId &call, const TurnEvent &event)
{
    apply(m_record, event);
    if (!m_begun || m_saveFailed) {
        checkpoint();
    } else if (const ToolCallBlock *block = m_record.findCall(call)) {
        noteSaved(m_journal.saveCall(m_record, *block));
    }
    m_sink(event);
}

void TurnRecorder::checkpoint()
{
    if (!m_begun)
        m_begun = m_journal.begin(m_conversation, m_record).ok();
    const auto saved = m_journal.checkpoint(m_record);
    // A failed one waits a whole interval, too: a full disk must not be hammered.
    m_dirtySince = saved.ok() ? Deadline() : Deadline(m_clock.now());
    noteSaved(saved);
}

void TurnRecorder::checkpointIfDue()
{
    if (m_clock.hasPassed(nextCheckpoint()))
        checkpoint();
}

Deadline TurnRecorder::nextCheckpoint() const
{
    if (!m_dirtySince)
        return std::nullopt;
    return *m_dirtySince + CheckpointInterval;
}

void TurnRecorder::finish(TurnOutcome outcome)
{
    outcome.saved = true;
    m_record.outcome = outcome;
    if (!m_begun)
        m_begun = m_journal.begin(m_conversation, m_record).ok();
    const auto saved = m_journal.finish(m_record);
    noteSaved(saved);
    outcome.saved = saved.ok();
    const TurnFinished finished{outcome};
    apply(m_record, finished);
    m_sink(finished);
}

void TurnRecorder::noteSaved(const Result<void> &result)
{
    if (result.ok()) {
        if (std::exchange(m_saveFailed, false))
            m_sink(SaveRecovered{});
        return;
    }
    qCWarning(lcTurn).noquote() << "saving failed:" << result.error().message
                                << result.error().detail;
    if (!std::exchange(m_saveFailed, true))
        m_sink(SaveFailed{result.error().message});
}

} // namespace fermata
