// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/statustext.h"

#include "ui/text/durations.h"
#include "ui/text/limittext.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

namespace {

constexpr double UrgentShare = 0.2;

QString tr(const char *text)
{
    return QCoreApplication::translate("fermata::Status", text);
}

QString ordinal(int number)
{
    switch (number) {
    case 1:
        return tr("first");
    case 2:
        return tr("second");
    case 3:
        return tr("third");
    case 4:
        return tr("fourth");
    case 5:
        return tr("fifth");
    default:
        return tr("number %1").arg(number);
    }
}

// While a tool works or the user is asked, silence is what is expected.
bool silenceTellsSomething(TurnStage stage)
{
    return stage != TurnStage::RunningTool && stage != TurnStage::WaitingForUser
        && stage != TurnStage::Paused && stage != TurnStage::RetryWait
        && stage != TurnStage::RequestLimit;
}

void addLimit(StatusText &text, const TurnProgress &progress)
{
    const std::optional<RunningLimit> nearest = nearestLimit(progress.limits);
    if (!nearest)
        return;
    const auto remaining = duration_cast<milliseconds>(nearest->deadline - progress.now);
    text.limit = tr("%1 in %2").arg(limitNoun(nearest->limit), countdownText(remaining));
    text.which = nearest->limit;
    if (nearest->value.count() > 0)
        text.share =
            std::clamp(double(remaining.count()) / double(nearest->value.count()), 0.0, 1.0);
    text.isUrgent = text.share <= UrgentShare;
}

// What happened; what to do about it is for who has to do something.
QString firstSentence(const QString &text)
{
    QString sentence = text.section(u". "_s, 0, 0);
    if (sentence.endsWith(u'.'))
        sentence.chop(1);
    return sentence;
}

QString joined(const StatusText &text, const QString &limit)
{
    if (!text.idle.isEmpty())
        return text.idle;
    QStringList parts{text.stage};
    for (const QString &part :
         {text.hint, text.reason, text.elapsed, text.tokens, text.rate, limit}) {
        if (!part.isEmpty())
            parts << part;
    }
    return parts.join(u", "_s);
}

} // namespace

QString StatusText::spoken() const
{
    return joined(*this, limit);
}

QString StatusText::announcement() const
{
    if (!idle.isEmpty())
        return idle;
    return hint.isEmpty() ? stage : stage + u", "_s + hint;
}

QString stageText(const StageChanged &stage)
{
    switch (stage.stage) {
    case TurnStage::Starting:
        return tr("Starting");
    case TurnStage::Resolving:
        return tr("Resolving the address");
    case TurnStage::Connecting:
        return tr("Connecting");
    case TurnStage::WaitingForFirstToken:
        return tr("Waiting for the first token");
    case TurnStage::Thinking:
        return tr("Thinking");
    case TurnStage::Writing:
        return tr("Writing");
    case TurnStage::WaitingForUser:
        return tr("Waiting for you");
    case TurnStage::RunningTool:
        return stage.count > 1 ? tr("Running tool %1 of %2").arg(stage.index).arg(stage.count)
                               : tr("Running tool");
    case TurnStage::RetryWait:
        return tr("Retrying");
    case TurnStage::RequestLimit:
        return tr("Waiting for your request limit");
    case TurnStage::Saving:
        return tr("Saving");
    case TurnStage::Stopping:
        return tr("Stopping…");
    case TurnStage::Paused:
        return tr("Stream on hold");
    }
    return {};
}

StatusText statusText(const TurnProgress &progress)
{
    StatusText text;
    if (progress.isStopping || progress.stage.stage == TurnStage::Stopping) {
        text.mark = Mark::Stopped;
        text.stage = tr("Stopping…");
        text.hint = progress.isForced ? tr("forced") : tr("press Esc again to force");
        return text;
    }
    text.stage = stageText(progress.stage);
    text.elapsed = elapsedText(progress.elapsed);
    if (progress.tokens > 0)
        text.tokens = tokensText(progress.tokens);

    if (progress.stage.stage == TurnStage::WaitingForUser) {
        text.mark = Mark::Asking;
        text.limit = tr("No limit runs while you decide");
        return text;
    }
    text.isTurning = progress.stage.stage != TurnStage::Paused;
    if (!text.isTurning)
        text.mark = Mark::Waiting;
    if (progress.stage.stage == TurnStage::RetryWait && progress.retry) {
        const auto wait = duration_cast<milliseconds>(progress.retry->at - progress.now);
        const qint64 seconds = std::max<qint64>(0, (wait.count() + 999) / 1000);
        text.stage = tr("Retrying in %1 s").arg(seconds);
        text.hint = tr("%1 of %2 tries")
                        .arg(ordinal(progress.retry->attempt))
                        .arg(progress.retry->attempts);
        text.reason = firstSentence(progress.retry->why);
        text.elapsed.clear();
        text.tokens.clear();
    } else if (silenceTellsSomething(progress.stage.stage)
               && progress.silence >= NoticeableSilence) {
        text.hint = tr("Nothing came for %1 min")
                        .arg(duration_cast<std::chrono::minutes>(progress.silence).count());
    } else if (text.isTurning && progress.tokensPerSecond >= 0.5) {
        text.rate = tr("%1 tokens/s").arg(QLocale().toString(qRound(progress.tokensPerSecond)));
    }
    addLimit(text, progress);
    return text;
}

StatusText idleStatusText(const TurnRecord *lastTurn)
{
    StatusText text;
    if (lastTurn && endedEarly(*lastTurn))
        text.idle = tr("Everything is kept. Continue with Ctrl+Shift+Enter.");
    return text;
}

std::optional<RunningLimit> nearestLimit(const std::vector<RunningLimit> &limits)
{
    const auto nearest =
        std::min_element(limits.begin(), limits.end(),
                         [](const auto &a, const auto &b) { return a.deadline < b.deadline; });
    return nearest == limits.end() ? std::nullopt : std::optional(*nearest);
}

bool endedEarly(const TurnRecord &turn)
{
    if (turn.isRunning())
        return false;
    return turn.cutByCrash || turn.outcome->status != TurnStatus::Completed
        || turn.outcome->partial;
}

} // namespace fermata
