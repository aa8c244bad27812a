// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/foottext.h"

#include "ui/text/durations.h"
#include "ui/text/limittext.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

// A rule's text is its own affair; in the line it is one part of several.
constexpr int MostNotice = 80;
constexpr std::chrono::milliseconds LeastShown{1}; // what was measured as less took its time, too

QString tr(const char *text)
{
    return QCoreApplication::translate("fermata::Foot", text);
}

QString timeOfDay(const QDateTime &time)
{
    return time.isValid() ? time.toLocalTime().toString(u"HH:mm:ss"_s) : QString();
}

QString stoppedBy(CancellationCause cause)
{
    switch (cause) {
    case CancellationCause::User:
        return tr("Stopped by you");
    case CancellationCause::Superseded:
        return tr("Stopped by your next message");
    case CancellationCause::WindowClosed:
        return tr("Stopped when the window was closed");
    case CancellationCause::ApplicationQuit:
        return tr("Stopped when the application was quit");
    case CancellationCause::External:
        return tr("Stopped by another program");
    case CancellationCause::Parent:
        return tr("Stopped with the turn it belonged to");
    default:
        return tr("Stopped");
    }
}

QString reachedText(const TurnOutcome &outcome)
{
    if (outcome.limit)
        return tr("%1 of %2 reached")
            .arg(limitNoun(outcome.limit->limit), limitValueText(outcome.limit->value));
    const std::optional<Limit> limit =
        outcome.reason ? limitOf(outcome.reason->cause) : std::nullopt;
    return limit ? tr("%1 reached").arg(limitNoun(*limit)) : tr("Time limit reached");
}

QString numberLimitText(const TurnOutcome &outcome)
{
    switch (outcome.reason ? outcome.reason->cause : CancellationCause::IterationLimit) {
    case CancellationCause::TokenBudget:
        return tr("Token budget reached");
    case CancellationCause::CostBudget:
        return tr("Cost budget reached");
    default:
        return outcome.iterations == 1 ? tr("Ended after 1 model call")
                                       : tr("Ended after %1 model calls").arg(outcome.iterations);
    }
}

// A message is a sentence of its own; in the line it is one part of several.
QString withoutFullStop(QString text)
{
    text = text.simplified();
    if (text.endsWith(u'.') && !text.endsWith(u"..."))
        text.chop(1);
    return text;
}

QString completedText(const TurnOutcome &outcome)
{
    switch (outcome.stopReason) {
    case StopReason::MaxTokens:
        return tr("The server's length limit was reached");
    case StopReason::Refusal:
        return tr("Refused by the model");
    case StopReason::ContentFiltered:
        return tr("Cut by the server's content filter");
    case StopReason::LoopDetected:
        return tr("Ended: the model repeated itself");
    case StopReason::Vetoed:
    case StopReason::EndedByHook:
        return outcome.notice.isEmpty()
            ? tr("Ended by a rule")
            : tr("Ended by a rule: %1").arg(withoutFullStop(outcome.notice.left(MostNotice)));
    default:
        return tr("Finished");
    }
}

void addFacts(QStringList &parts, const TurnOutcome &outcome)
{
    const QString time = timeOfDay(outcome.endedAt);
    if (!time.isEmpty())
        parts << time;
    if (outcome.status == TurnStatus::Completed)
        parts << spentText(outcome.duration);
    else
        parts << tr("after %1").arg(spentText(outcome.duration));
    // What the turn wrote: the tokens of the answer, not those of the history that was sent.
    if (outcome.usage.output > 0)
        parts << tokensText(outcome.usage.output);
    if (outcome.status == TurnStatus::Stopped && outcome.serverIdleAfter)
        parts << tr("server idle after %1")
                     .arg(spentText(std::max(*outcome.serverIdleAfter, LeastShown)));
}

QString detailsOf(const TurnOutcome &outcome)
{
    if (!outcome.error)
        return {};
    QStringList lines{outcome.error->message};
    if (!outcome.error->detail.isEmpty())
        lines << outcome.error->detail;
    for (auto cause = outcome.error->cause; cause; cause = cause->cause) {
        lines << cause->message;
        if (!cause->detail.isEmpty())
            lines << cause->detail;
    }
    return lines.join(u'\n');
}

FootText crashText(const TurnRecord &turn)
{
    FootText foot;
    foot.mark = Mark::Stopped;
    QStringList parts{tr("Cut when the application ended")};
    const QDateTime ended = turn.outcome ? turn.outcome->endedAt : QDateTime();
    if (ended.isValid())
        parts << timeOfDay(ended);
    if (turn.outcome && turn.outcome->duration.count() > 0)
        parts << tr("after %1").arg(roundedText(turn.outcome->duration));
    if (turn.outcome && turn.outcome->usage.output > 0)
        parts << tokensText(turn.outcome->usage.output);
    foot.line = parts.join(u" · "_s);
    return foot;
}

int countCalls(const TurnRecord &turn, ToolState state)
{
    int count = 0;
    for (const AssistantMessage &message : turn.answer) {
        for (const ContentBlock &block : message.blocks) {
            const auto *call = std::get_if<ToolCallBlock>(&block);
            count += call && call->slot.state == state ? 1 : 0;
        }
    }
    return count;
}

ToolLedger ledgerOf(const TurnRecord &turn)
{
    if (turn.outcome)
        return turn.outcome->tools;
    ToolLedger ledger;
    for (const AssistantMessage &message : turn.answer) {
        for (const ContentBlock &block : message.blocks) {
            const auto *call = std::get_if<ToolCallBlock>(&block);
            if (!call)
                continue;
            if (call->slot.state == ToolState::Finished || call->slot.state == ToolState::Failed) {
                ++ledger.finished;
            } else if (wasStarted(call->slot.state)) {
                ++ledger.interrupted;
                ledger.interruptedAfter = call->slot.duration;
            } else {
                ++ledger.notRun;
            }
        }
    }
    return ledger;
}

} // namespace

FootText footText(const TurnRecord &turn)
{
    if (turn.isRunning())
        return {};
    if (turn.cutByCrash) {
        FootText foot = crashText(turn);
        foot.ledger = ledgerText(ledgerOf(turn), countCalls(turn, ToolState::Failed),
                                 countCalls(turn, ToolState::Denied));
        return foot;
    }
    const TurnOutcome &outcome = *turn.outcome;
    FootText foot;
    QStringList parts;
    switch (outcome.status) {
    case TurnStatus::Completed:
        foot.mark = Mark::Finished;
        parts << completedText(outcome);
        break;
    case TurnStatus::Stopped:
        foot.mark = Mark::Stopped;
        parts << stoppedBy(outcome.reason ? outcome.reason->cause : CancellationCause::User);
        break;
    case TurnStatus::TimedOut:
        foot.mark = Mark::Limit;
        foot.tone = FootText::Tone::Limit;
        foot.limit = outcome.limit ? std::optional(outcome.limit->limit)
            : outcome.reason       ? limitOf(outcome.reason->cause)
                                   : std::nullopt;
        parts << reachedText(outcome);
        break;
    case TurnStatus::LimitReached:
        foot.mark = Mark::Limit;
        foot.tone = FootText::Tone::Limit;
        parts << numberLimitText(outcome);
        break;
    case TurnStatus::Failed:
        foot.mark = Mark::Failed;
        foot.tone = FootText::Tone::Failure;
        parts << (outcome.error && !outcome.error->message.isEmpty()
                      ? tr("Failed: %1").arg(withoutFullStop(outcome.error->message))
                      : tr("Failed"));
        foot.details = detailsOf(outcome);
        break;
    }
    addFacts(parts, outcome);
    if (!outcome.saved)
        parts << tr("not saved");
    foot.line = parts.join(u" · "_s);
    foot.ledger = ledgerText(outcome.tools, countCalls(turn, ToolState::Failed),
                             countCalls(turn, ToolState::Denied));
    if (foot.tone == FootText::Tone::Limit) {
        foot.link = FootText::Link::ChangeLimit;
        foot.linkText = tr("Change limit…");
    } else if (!foot.details.isEmpty()) {
        foot.link = FootText::Link::Details;
        foot.linkText = tr("Details");
    }
    return foot;
}

QString ledgerText(const ToolLedger &ledger, int failed, int denied)
{
    QStringList parts;
    failed = std::min(failed, ledger.finished);
    if (ledger.finished > failed)
        parts << tr("%1 finished").arg(ledger.finished - failed);
    if (failed > 0)
        parts << tr("%1 failed").arg(failed);
    if (ledger.interrupted > 0) {
        parts << (ledger.interruptedAfter.count() > 0
                      ? tr("%1 stopped after %2")
                            .arg(QString::number(ledger.interrupted),
                                 spentText(ledger.interruptedAfter))
                      : tr("%1 stopped").arg(ledger.interrupted));
    }
    denied = std::min(denied, ledger.notRun);
    if (denied > 0)
        parts << tr("%1 denied").arg(denied);
    if (ledger.notRun > denied)
        parts << tr("%1 not started").arg(ledger.notRun - denied);
    if (parts.isEmpty())
        return {};
    QString text = tr("Tools: %1").arg(parts.join(u", "_s));
    if (!ledger.stillRunning.isEmpty())
        text += tr("; still running: %1").arg(ledger.stillRunning.join(u", "_s));
    return text;
}

QString seamText(const TurnRecord &continuation)
{
    return tr("Continued at %1").arg(timeOfDay(continuation.createdAt));
}

} // namespace fermata
