// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/requestfixup.h"

#include <QJsonArray>

#include <algorithm>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

bool mentionsAny(const ServerError &error, std::initializer_list<QString> words)
{
    return std::any_of(words.begin(), words.end(),
                       [&](const QString &word) { return error.mentions(word); });
}

// A field may also be named because its value is wrong; then leaving it out would hide that.
bool refusesField(const ServerError &error, const QString &field)
{
    return error.mentions(field)
        && mentionsAny(error,
                       {u"unsupported"_s, u"not supported"_s, u"unrecognized"_s, u"unknown"_s,
                        u"unexpected"_s, u"extra"_s, u"not permitted"_s, u"not allowed"_s,
                        u"additional propert"_s, u"instead"_s});
}

bool refusesTools(const ServerError &error)
{
    return mentionsAny(error,
                       {u"does not support tools"_s, u"does not support function"_s,
                        u"requires --jinja"_s, u"enable-auto-tool-choice"_s});
}

bool hasCalls(const QJsonObject &body)
{
    const QJsonArray messages = body.value(u"messages"_s).toArray();
    return std::any_of(messages.begin(), messages.end(), [](const QJsonValue &message) {
        return message.toObject().contains(u"tool_calls"_s);
    });
}

// Templates fail in many words and with several statuses when they meet an answer that is not finished.
bool mayRefusePrefill(int status, const ServerError &error)
{
    static constexpr int statuses[] = {400, 404, 405, 422, 500, 501};
    return std::find(std::begin(statuses), std::end(statuses), status) != std::end(statuses)
        && !error.isContextOverflow() && !error.mentions(u"model_not_found"_s);
}

} // namespace

std::optional<ServerDialect> dialectAfterRefusal(const ServerDialect &dialect,
                                                 const ChatRequest &sent, int status,
                                                 const ServerError &error)
{
    ServerDialect next = dialect;
    const bool refusesRequest = status == 400 || status == 422 || status == 500 || status == 501;
    if (refusesRequest && sent.body.contains(u"stream_options"_s)
        && refusesField(error, u"stream_options"_s)) {
        next.sendsUsageOption = false;
        return next;
    }
    if (refusesRequest && sent.body.contains(u"max_completion_tokens"_s)
        && refusesField(error, u"max_completion_tokens"_s)) {
        next.maxTokensField = MaxTokensField::NotSent;
        return next;
    }
    if (refusesRequest && sent.body.contains(u"max_tokens"_s)
        && refusesField(error, u"max_tokens"_s)) {
        next.maxTokensField = error.mentions(u"max_completion_tokens"_s)
            ? MaxTokensField::MaxCompletionTokens
            : MaxTokensField::NotSent;
        return next;
    }
    // With calls in the history the tools belong to the request: without them it would be refused for those.
    if (refusesRequest && sent.body.contains(u"tools"_s) && refusesTools(error)
        && !hasCalls(sent.body)) {
        next.sendsTools = false;
        return next;
    }
    const bool prefilled = sent.continued && sent.continued->prefill != PrefillKind::None;
    if (prefilled && mayRefusePrefill(status, error)) {
        if (!dialect.disablesThinking && error.mentions(u"enable_thinking"_s))
            next.disablesThinking = true;
        else
            next.prefill = PrefillKind::None;
        return next;
    }
    return std::nullopt;
}

LearnedDialects::LearnedDialects(ServerDialect initial) : m_initial(std::move(initial)) { }

ServerDialect LearnedDialects::dialectFor(const QString &model) const
{
    const std::lock_guard lock(m_mutex);
    return m_byModel.value(model, m_initial);
}

void LearnedDialects::learn(const QString &model, const ServerDialect &dialect)
{
    const std::lock_guard lock(m_mutex);
    m_byModel.insert(model, dialect);
}

} // namespace fermata
