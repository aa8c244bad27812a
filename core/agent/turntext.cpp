// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turntext.h"

#include "base/redaction.h"

namespace fermata::turntext {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

QString becauseOf(const CancellationReason &reason, const std::optional<LimitInfo> &limit)
{
    switch (reason.cause) {
    case CancellationCause::User:
        return reason.text.isEmpty() ? u"stopped by the user"_s
                                     : u"stopped by the user: %1"_s.arg(reason.text);
    case CancellationCause::Superseded:
        return u"the user sent a new message instead"_s;
    case CancellationCause::WindowClosed:
        return u"the user closed the conversation"_s;
    case CancellationCause::ApplicationQuit:
        return u"the user quit the application"_s;
    case CancellationCause::ConnectLimit:
    case CancellationCause::FirstTokenLimit:
    case CancellationCause::SilenceLimit:
    case CancellationCause::TurnLimit:
    case CancellationCause::ToolLimit:
        if (!limit)
            return u"a time limit was reached"_s;
        return u"timed out: the %1 limit of %2 was reached"_s.arg(limitName(limit->limit),
                                                                  durationText(limit->value));
    case CancellationCause::IterationLimit:
        return u"the limit of model calls was reached"_s;
    case CancellationCause::TokenBudget:
        return u"the token budget was used up"_s;
    case CancellationCause::CostBudget:
        return u"the cost budget was used up"_s;
    case CancellationCause::External:
        if (!reason.source.isEmpty())
            return u"the turn was stopped by %1"_s.arg(reason.source);
        return reason.text.isEmpty() ? u"stopped from outside"_s
                                     : u"stopped from outside: %1"_s.arg(reason.text);
    case CancellationCause::Parent:
        return u"the turn it belongs to was stopped"_s;
    }
    Q_UNREACHABLE();
}

QString skippedByUser()
{
    return u"skipped by the user"_s;
}

QString notRun(const QString &why)
{
    // A rule may bring a whole sentence.
    return why.endsWith(u'.') ? u"Not run: %1"_s.arg(why) : u"Not run: %1."_s.arg(why);
}

QString interrupted(const QString &why, Duration after)
{
    const double seconds = std::chrono::duration<double>(after).count();
    return u"Interrupted: %1 after %2 s. It may or may not have taken effect; check before repeating."_s
        .arg(why, QString::number(seconds, 'f', 1));
}

QString toolTimedOut(const QString &tool, milliseconds limit)
{
    return u"Interrupted: %1 timed out after %2. It may or may not have taken effect; check before repeating."_s
        .arg(tool, durationText(limit));
}

QString limitBeforeStart(milliseconds limit)
{
    return u"its limit of %1 was over before it could start"_s.arg(durationText(limit));
}

QString stillRunning(const QString &tool)
{
    return u"Interrupted: %1 was stopped, did not end in time and is still running. It may or may not have taken effect; check before repeating."_s
        .arg(tool);
}

QString deniedByUser()
{
    return u"Not run: denied by the user."_s;
}

QString deniedBefore()
{
    return u"Not run: denied by the user before in this turn."_s;
}

QString deniedByLimit(milliseconds limit)
{
    return u"Not run: denied, because nobody answered the question within %1."_s.arg(
        durationText(limit));
}

QString deniedBySettings(const QString &tool)
{
    return u"Not run: denied. The user's settings do not allow %1."_s.arg(tool);
}

QString unknownTool(const QString &name, const QStringList &known)
{
    if (known.isEmpty())
        return u"Not run: there is no tool named \"%1\". There are no tools."_s.arg(name.left(80));
    return u"Not run: there is no tool named \"%1\". The tools are: %2."_s.arg(name.left(80),
                                                                               known.join(u", "));
}

QString cutByTokenLimit()
{
    return u"Not run: the message was cut by the token limit, so the arguments may be incomplete. Repeat the call, with shorter arguments."_s;
}

QString triedAgain()
{
    return u"It failed and is tried again."_s;
}

QString vetoed(const QString &policy)
{
    return u"The rule \"%1\" does not allow it."_s.arg(policy);
}

QString policyFailed(const QString &policy)
{
    return u"The rule \"%1\" could not be asked, so it was not allowed."_s.arg(policy);
}

QString endLine(const TurnOutcome &outcome)
{
    QString line =
        u"turn %1 ended: %2, %3 in %4"_s.arg(outcome.turn.toString(), toString(outcome.status),
                                             toString(outcome.stopReason), toString(outcome.phase));
    if (outcome.reason) {
        line += u", cause %1"_s.arg(toString(outcome.reason->cause));
        if (!outcome.reason->text.isEmpty())
            line += u" (%1)"_s.arg(redacted(outcome.reason->text));
    }
    if (outcome.error)
        line += u", error %1"_s.arg(toString(outcome.error->code));
    return line;
}

QString costUnenforceable(const QString &model)
{
    return u"The limit on the cost cannot be enforced: the price of %1 is not known."_s.arg(
        model.isEmpty() ? u"the model"_s : model);
}

QString durationText(milliseconds duration)
{
    if (duration < std::chrono::seconds(1))
        return u"%1 ms"_s.arg(duration.count());
    const qint64 seconds = duration.count() / 1000;
    const qint64 hours = seconds / 3600;
    const qint64 minutes = seconds % 3600 / 60;
    const qint64 rest = seconds % 60;
    QStringList parts;
    if (hours)
        parts << u"%1 h"_s.arg(hours);
    if (minutes)
        parts << u"%1 min"_s.arg(minutes);
    if (rest)
        parts << u"%1 s"_s.arg(rest);
    return parts.join(u' ');
}

QString limitName(Limit limit)
{
    switch (limit) {
    case Limit::Connect:
        return u"connect"_s;
    case Limit::FirstToken:
        return u"first token"_s;
    case Limit::Silence:
        return u"silence"_s;
    case Limit::Turn:
        return u"whole turn"_s;
    case Limit::Tool:
        return u"tool call"_s;
    }
    Q_UNREACHABLE();
}

} // namespace fermata::turntext
