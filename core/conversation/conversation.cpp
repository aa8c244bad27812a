// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/conversation.h"

#include "conversation/validtext.h"

#include <QHash>
#include <QSet>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestTitle = 60;

// What a list must not show, or what would change the order of what it shows.
bool isInvisible(QChar c)
{
    switch (c.category()) {
    case QChar::Other_Control:
    case QChar::Other_Format:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph:
        return true;
    default:
        return false;
    }
}

QString firstLine(const QString &text)
{
    for (qsizetype from = 0; from < text.size();) {
        qsizetype to = from;
        while (to < text.size() && text.at(to) != u'\n' && text.at(to) != u'\r'
               && text.at(to) != QChar::LineSeparator && text.at(to) != QChar::ParagraphSeparator)
            ++to;
        // A title needs no more of a line than this, however long the line is.
        QString line = text.mid(from, std::min(to - from, 20 * LongestTitle)).simplified();
        line.removeIf(isInvisible);
        line = line.simplified();
        if (!line.isEmpty())
            return line;
        from = to + 1;
    }
    return {};
}

} // namespace

QString TurnRecord::answerText() const
{
    QString text;
    for (const AssistantMessage &message : answer) {
        for (const ContentBlock &block : message.blocks) {
            const auto *part = std::get_if<TextBlock>(&block);
            if (!part || part->text.isEmpty())
                continue;
            if (!text.isEmpty())
                text += u"\n\n"_s;
            text += part->text;
        }
    }
    return text;
}

const ToolCallBlock *TurnRecord::findCall(const CallId &call) const
{
    // From the end: what is asked for is nearly always of the last message.
    for (auto message = answer.rbegin(); message != answer.rend(); ++message) {
        for (const ContentBlock &block : message->blocks) {
            const auto *candidate = std::get_if<ToolCallBlock>(&block);
            if (candidate && candidate->id == call)
                return candidate;
        }
    }
    return nullptr;
}

ToolCallBlock *TurnRecord::findCall(const CallId &call)
{
    return const_cast<ToolCallBlock *>(std::as_const(*this).findCall(call));
}

const TurnRecord *Conversation::find(const TurnId &turn) const
{
    const auto found = std::find_if(turns.rbegin(), turns.rend(),
                                    [&](const TurnRecord &record) { return record.id == turn; });
    return found == turns.rend() ? nullptr : &*found;
}

TurnRecord *Conversation::find(const TurnId &turn)
{
    return const_cast<TurnRecord *>(std::as_const(*this).find(turn));
}

std::vector<const TurnRecord *> Conversation::activePath() const
{
    // A parent stands before its children, so one pass backwards meets the whole path, and a broken file cannot
    // lead it in circles.
    std::vector<const TurnRecord *> path;
    TurnId wanted = activeTurn;
    for (auto record = turns.rbegin(); record != turns.rend() && !wanted.isNull(); ++record) {
        if (record->id == wanted) {
            path.push_back(&*record);
            wanted = record->parent;
        }
    }
    std::reverse(path.begin(), path.end());
    return path;
}

std::vector<TurnId> Conversation::siblings(const TurnId &turn) const
{
    std::vector<TurnId> ids;
    if (const TurnRecord *record = find(turn)) {
        for (const TurnRecord &candidate : turns) {
            if (candidate.parent == record->parent)
                ids.push_back(candidate.id);
        }
    }
    return ids;
}

TurnId Conversation::leafBelow(const TurnId &turn) const
{
    QSet<TurnId> below{turn};
    TurnId newest = turn;
    for (const TurnRecord &record : turns) {
        if (below.contains(record.parent)) {
            below.insert(record.id);
            newest = record.id;
        }
    }
    return newest;
}

QString titleFromText(const QString &text)
{
    const QString line = validText(firstLine(text));
    if (line.size() <= LongestTitle)
        return line;
    qsizetype end = LongestTitle - 1;
    const qsizetype space = line.lastIndexOf(u' ', end);
    if (space > LongestTitle / 2)
        end = space;
    else if (line.at(end - 1).isHighSurrogate())
        --end;
    return line.left(end).trimmed() + u'…';
}

ConversationSummary::Mark markOf(TurnStatus status)
{
    using Mark = ConversationSummary::Mark;
    switch (status) {
    case TurnStatus::Completed:
        return Mark::None;
    case TurnStatus::Stopped:
        return Mark::Stopped;
    case TurnStatus::TimedOut:
    case TurnStatus::LimitReached:
        return Mark::Limit;
    case TurnStatus::Failed:
        return Mark::Failed;
    }
    Q_UNREACHABLE();
}

ConversationSummary::Mark markOf(const TurnRecord &lastTurn)
{
    using Mark = ConversationSummary::Mark;
    if (lastTurn.cutByCrash)
        return Mark::Stopped;
    return lastTurn.outcome ? markOf(lastTurn.outcome->status) : Mark::None;
}

} // namespace fermata
