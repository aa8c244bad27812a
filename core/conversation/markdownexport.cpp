// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/markdownexport.h"

#include "conversation/validtext.h"

#include <QStringList>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

qsizetype runLength(QStringView line, qsizetype from, QChar c)
{
    qsizetype end = from;
    while (end < line.size() && line.at(end) == c)
        ++end;
    return end - from;
}

// A fence of a code block at the very left. Only there a line means the same whatever stands above it, so only there
// the text is believed to be code.
struct Fence
{
    QChar mark;
    qsizetype length = 0;
};

Fence openingFence(QStringView line)
{
    if (line.isEmpty() || (line.front() != u'`' && line.front() != u'~'))
        return {};
    const Fence fence{line.front(), runLength(line, 0, line.front())};
    const bool codeSpan = fence.mark == u'`' && line.mid(fence.length).contains(u'`');
    return fence.length < 3 || codeSpan ? Fence{} : fence;
}

bool closes(QStringView line, const Fence &fence)
{
    const qsizetype indent = runLength(line, 0, u' ');
    const qsizetype length = runLength(line, indent, fence.mark);
    return indent <= 3 && length >= fence.length && line.mid(indent + length).trimmed().isEmpty();
}

QString withoutActiveMarkup(QStringView line)
{
    QString safe;
    safe.reserve(line.size());
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar next = i + 1 < line.size() ? line.at(i + 1) : QChar();
        if (line.at(i) == u'!' && next == u'[') {
            safe += u"!\\["_s;
            ++i;
        } else if (line.at(i) == u'<'
                   && (next.isLetter() || next == u'/' || next == u'!' || next == u'?')) {
            safe += u"&lt;"_s;
        } else {
            safe += line.at(i);
        }
    }
    return safe;
}

QStringList linesOf(const QString &text)
{
    QString lines = validText(text);
    lines.replace(u"\r\n"_s, u"\n"_s);
    lines.replace(u'\r', u'\n');
    return lines.split(u'\n');
}

QString safeMarkdown(const QString &text)
{
    QString safe;
    Fence fence;
    for (const QString &line : linesOf(text)) {
        if (fence.length > 0) {
            safe += line;
            if (closes(line, fence))
                fence = {};
        } else {
            fence = openingFence(line);
            safe += fence.length > 0 ? line : withoutActiveMarkup(line);
        }
        safe += u'\n';
    }
    if (fence.length > 0)
        safe += QString(fence.length, fence.mark) + u'\n';
    return safe;
}

// A code block that its content cannot end.
QString fenced(const QString &text, const QString &language = {})
{
    const QStringList lines = linesOf(text);
    qsizetype longest = 2;
    for (const QString &line : lines) {
        for (qsizetype i = 0; i < line.size(); ++i) {
            const qsizetype run = runLength(line, i, u'`');
            longest = std::max(longest, run);
            i += run;
        }
    }
    const QString fence(longest + 1, u'`');
    return fence + language + u'\n' + lines.join(u'\n') + u'\n' + fence + u'\n';
}

// One line of plain text, every sign of Markdown taken as itself.
QString plain(const QString &text)
{
    QString escaped;
    for (const QChar c : validText(text).simplified()) {
        if (c.unicode() < 128 && c.isPrint() && !c.isLetterOrNumber() && !c.isSpace())
            escaped += u'\\';
        escaped += c;
    }
    return escaped;
}

QString durationText(std::chrono::milliseconds duration)
{
    const qint64 ms = duration.count();
    if (ms < 60'000)
        return u"%1 s"_s.arg(double(ms) / 1000, 0, 'f', 1);
    const qint64 seconds = ms / 1000;
    if (seconds < 3600)
        return u"%1 min %2 s"_s.arg(seconds / 60).arg(seconds % 60);
    return u"%1 h %2 min"_s.arg(seconds / 3600).arg(seconds / 60 % 60);
}

QString stateText(ToolState state)
{
    switch (state) {
    case ToolState::Waiting:
    case ToolState::Asking:
    case ToolState::NotRun:
        return u"not run"_s;
    case ToolState::Running:
    case ToolState::Interrupted:
        return u"interrupted"_s;
    case ToolState::Finished:
        return u"finished"_s;
    case ToolState::Failed:
        return u"failed"_s;
    case ToolState::Denied:
        return u"denied"_s;
    case ToolState::TimedOut:
        return u"timed out"_s;
    case ToolState::StillRunning:
        return u"still running"_s;
    }
    Q_UNREACHABLE();
}

QString causeText(const TurnOutcome &outcome)
{
    const CancellationCause cause =
        outcome.reason ? outcome.reason->cause : CancellationCause::User;
    switch (cause) {
    case CancellationCause::User:
        return u"Stopped by you"_s;
    case CancellationCause::Superseded:
        return u"Stopped for the next message"_s;
    case CancellationCause::WindowClosed:
        return u"Stopped because the window was closed"_s;
    case CancellationCause::ApplicationQuit:
        return u"Stopped because the application was closed"_s;
    case CancellationCause::ConnectLimit:
        return u"Connect limit"_s;
    case CancellationCause::FirstTokenLimit:
        return u"First-token limit"_s;
    case CancellationCause::SilenceLimit:
        return u"Silence limit"_s;
    case CancellationCause::TurnLimit:
        return u"Turn limit"_s;
    case CancellationCause::ToolLimit:
        return u"Tool limit"_s;
    case CancellationCause::IterationLimit:
        return u"Limit of model calls reached"_s;
    case CancellationCause::TokenBudget:
        return u"Token budget used up"_s;
    case CancellationCause::CostBudget:
        return u"Cost budget used up"_s;
    case CancellationCause::External:
        return u"Stopped from outside"_s;
    case CancellationCause::Parent:
        return u"Stopped with the turn it belongs to"_s;
    }
    Q_UNREACHABLE();
}

QString endText(const TurnOutcome &outcome)
{
    switch (outcome.status) {
    case TurnStatus::Completed:
        return u"Finished"_s;
    case TurnStatus::Stopped:
    case TurnStatus::LimitReached:
        return causeText(outcome);
    case TurnStatus::TimedOut:
        return outcome.limit
            ? causeText(outcome) + u" of "_s + durationText(outcome.limit->value) + u" reached"_s
            : causeText(outcome) + u" reached"_s;
    case TurnStatus::Failed:
        return u"Failed: "_s + (outcome.error ? outcome.error->message : u"unknown fault"_s);
    }
    Q_UNREACHABLE();
}

QString footLine(const TurnRecord &turn)
{
    if (turn.cutByCrash)
        return u"Cut when the application ended"_s;
    if (!turn.outcome)
        return {};
    QStringList parts{endText(*turn.outcome)};
    if (turn.outcome->endedAt.isValid()) {
        parts += turn.outcome->endedAt.toLocalTime().toString(u"yyyy-MM-dd HH:mm:ss"_s);
        const QString time = durationText(turn.outcome->duration);
        parts += turn.outcome->status == TurnStatus::Completed ? time : u"after "_s + time;
    }
    if (turn.outcome->usage.output > 0)
        parts += u"%1 tokens"_s.arg(turn.outcome->usage.output);
    return parts.join(u" · "_s);
}

void append(QString &page, const TextBlock &block)
{
    page += safeMarkdown(block.text) + u'\n';
}

// What the model thought is not what it said: it stays out, as in a copy of the answer.
void append(QString &, const ThinkingBlock &) { }

void append(QString &page, const ToolCallBlock &call)
{
    page += u"**Tool %1** (%2)\n\n"_s.arg(plain(call.name), stateText(call.slot.state));
    if (!call.arguments.isEmpty())
        page += fenced(call.arguments, u"json"_s) + u'\n';
    const QString result = resultText(call.slot);
    if (!result.isEmpty())
        page += fenced(result) + u'\n';
}

void append(QString &page, const UnknownBlock &)
{
    page += u"*(a part of a kind that this version does not know)*\n\n"_s;
}

} // namespace

QString toMarkdown(const Conversation &conversation)
{
    QString page = u"# "_s + plain(conversation.title) + u"\n\n"_s;
    for (const TurnRecord *turn : conversation.activePath()) {
        if (turn->kind == TurnKind::Message)
            page += u"## You\n\n"_s + safeMarkdown(turn->userText) + u'\n';
        page += turn->model.isEmpty() ? u"## Answer\n\n"_s
                                      : u"## Answer (%1)\n\n"_s.arg(plain(turn->model));
        for (const AssistantMessage &message : turn->answer) {
            for (const ContentBlock &block : message.blocks)
                std::visit([&](const auto &kind) { append(page, kind); }, block);
        }
        if (const QString foot = footLine(*turn); !foot.isEmpty())
            page += u'*' + plain(foot) + u"*\n\n"_s;
    }
    return page;
}

} // namespace fermata
