// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/history.h"

#include "conversation/validtext.h"

#include <QJsonDocument>
#include <QSet>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

bool isBlank(const QString &text)
{
    return std::all_of(text.begin(), text.end(), [](QChar c) { return c.isSpace(); });
}

// An object, as every server wants it. What a model wrote wrong stays in the store; it got an error for it.
QString sendableArguments(const QString &arguments)
{
    if (!arguments.isEmpty() && QJsonDocument::fromJson(arguments.toUtf8()).isObject())
        return validText(arguments);
    return u"{}"_s;
}

struct SentMessage
{
    HistoryMessage message;
    HistoryMessage results; // directly behind it, if there are any
};

// Models leave ids out and repeat them; within one message they must differ.
QString uniqueId(const ToolCallBlock &call, const QSet<QString> &taken)
{
    const QString wireId = validText(call.wireId);
    if (!wireId.isEmpty() && !taken.contains(wireId))
        return wireId;
    const QString base = call.id.isNull() ? u"call"_s : validText(call.id.toString());
    QString id = base;
    for (int i = 2; taken.contains(id); ++i)
        id = u"%1_%2"_s.arg(base).arg(i);
    return id;
}

SentMessage sentMessage(const AssistantMessage &stored, const QString &provider)
{
    SentMessage sent;
    sent.message.role = HistoryRole::Assistant;
    sent.message.extras = stored.extras;
    sent.message.provider = provider;
    sent.results.role = HistoryRole::Tool;
    auto &blocks = sent.message.blocks;
    QSet<QString> taken;
    for (const ContentBlock &block : stored.blocks) {
        if (const auto *text = std::get_if<TextBlock>(&block)) {
            if (!isBlank(text->text))
                blocks.push_back(TextBlock{validText(text->text)});
        } else if (const auto *thinking = std::get_if<ThinkingBlock>(&block)) {
            if (!thinking->complete)
                continue;
            ThinkingBlock whole = *thinking;
            whole.text = validText(whole.text);
            whole.signature = validText(whole.signature);
            blocks.push_back(whole);
        } else if (const auto *call = std::get_if<ToolCallBlock>(&block)) {
            if (call->name.isEmpty())
                continue;
            const QString id = uniqueId(*call, taken);
            taken.insert(id);
            blocks.push_back(HistoryCall{id, validText(call->name),
                                         sendableArguments(call->arguments), call->extras});
            sent.results.blocks.push_back(
                HistoryResult{id, validText(resultText(call->slot)), call->slot.isError()});
        } else {
            blocks.push_back(std::get<UnknownBlock>(block));
        }
    }
    // A message that ends in a thought, or is nothing else, is refused later.
    while (!blocks.empty() && std::holds_alternative<ThinkingBlock>(blocks.back()))
        blocks.pop_back();
    return sent;
}

bool endsInText(const HistoryMessage &message)
{
    return message.role == HistoryRole::Assistant && !message.blocks.empty()
        && std::holds_alternative<TextBlock>(message.blocks.back());
}

// What only its maker understands, taken out of what another provider takes up.
void keepOnlyText(HistoryMessage &message)
{
    std::erase_if(message.blocks, [](const HistoryBlock &block) {
        return !std::holds_alternative<TextBlock>(block);
    });
    message.extras = {};
}

// Two halves of one answer: the text goes on where it was cut.
void join(HistoryMessage &cut, HistoryMessage more)
{
    if (cut.provider != more.provider) {
        keepOnlyText(cut);
        cut.provider = more.provider;
    }
    // A thought of its own has no place in the middle of a sentence, unless its maker has signed it.
    while (!more.blocks.empty()) {
        const auto *thinking = std::get_if<ThinkingBlock>(&more.blocks.front());
        if (!thinking || !thinking->signature.isEmpty())
            break;
        more.blocks.erase(more.blocks.begin());
    }
    auto next = more.blocks.begin();
    if (next != more.blocks.end()) {
        if (const auto *text = std::get_if<TextBlock>(&*next)) {
            std::get<TextBlock>(cut.blocks.back()).text += text->text;
            ++next;
        }
    }
    cut.blocks.insert(cut.blocks.end(), next, more.blocks.end());
    for (auto extra = more.extras.begin(); extra != more.extras.end(); ++extra)
        cut.extras.insert(extra.key(), extra.value());
}

void appendUserText(History &history, const QString &text)
{
    if (isBlank(text))
        return;
    HistoryMessage message;
    message.role = HistoryRole::User;
    message.blocks.push_back(TextBlock{validText(text)});
    history.push_back(std::move(message));
}

void appendAnswer(History &history, const TurnRecord &turn, const CancellationToken &token)
{
    bool continues = turn.kind == TurnKind::Continuation;
    for (const AssistantMessage &stored : turn.answer) {
        if (token.isCancelled())
            return;
        appendUserText(history, stored.instruction);
        SentMessage sent = sentMessage(stored, turn.provider);
        if (sent.message.blocks.empty())
            continue;
        if (continues && !history.empty() && endsInText(history.back()))
            join(history.back(), std::move(sent.message));
        else
            history.push_back(std::move(sent.message));
        if (!sent.results.blocks.empty())
            history.push_back(std::move(sent.results));
        continues = false;
    }
}

bool hasAnswer(const TurnRecord &turn)
{
    return std::any_of(turn.answer.begin(), turn.answer.end(),
                       [](const AssistantMessage &message) { return !message.blocks.empty(); });
}

// The path's turns that a model has seen, or will see with this request.
bool isLeftOut(const std::vector<const TurnRecord *> &path, size_t index)
{
    const TurnRecord &turn = *path[index];
    if (!turn.outcome || turn.outcome->sent || hasAnswer(turn))
        return false;
    // What was continued belongs to the answer that continues it.
    const bool continued =
        index + 1 < path.size() && path[index + 1]->kind == TurnKind::Continuation;
    return !continued;
}

// Unfinished if the token is cancelled.
History build(const std::vector<const TurnRecord *> &path, const CancellationToken &token)
{
    History history;
    for (size_t i = 0; i < path.size() && !token.isCancelled(); ++i) {
        const TurnRecord &turn = *path[i];
        if (isLeftOut(path, i))
            continue;
        if (turn.kind == TurnKind::Message)
            appendUserText(history, turn.userText);
        appendAnswer(history, turn, token);
    }
    // An answer that is to be taken up must not end in white space: it is refused, or the model stumbles over it.
    if (!history.empty() && endsInText(history.back())) {
        QString &text = std::get<TextBlock>(history.back().blocks.back()).text;
        qsizetype end = text.size();
        while (end > 0 && text.at(end - 1).isSpace())
            --end;
        text.truncate(end);
    }
    return history;
}

} // namespace

History buildHistory(const std::vector<const TurnRecord *> &path)
{
    return build(path, {});
}

Result<History> buildRepairedHistory(const std::vector<const TurnRecord *> &path,
                                     const CancellationToken &token)
{
    History history = build(path, token);
    if (const auto checked = token.check(TurnPhase::Execution); !checked.ok())
        return checked.error();
    if (validateHistory(history).empty())
        return history;
    if (const auto checked = token.check(TurnPhase::Execution); !checked.ok())
        return checked.error();
    return repairHistory(std::move(history));
}

} // namespace fermata
