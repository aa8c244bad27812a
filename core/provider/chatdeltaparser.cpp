// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/chatdeltaparser.h"

#include <QJsonArray>

#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

// Numbers from outside: what is no sensible count is none.
qint64 tokenCount(const QJsonValue &value)
{
    constexpr double most = 1e12;
    const double number = value.toDouble();
    return number > 0 && number < most ? static_cast<qint64>(number) : 0;
}

std::optional<TokenUsage> usageOf(const QJsonValue &value)
{
    const QJsonObject usage = value.toObject();
    if (!usage.contains(u"prompt_tokens"_s) && !usage.contains(u"completion_tokens"_s))
        return std::nullopt;
    return TokenUsage{.input = tokenCount(usage.value(u"prompt_tokens"_s)),
                      .output = tokenCount(usage.value(u"completion_tokens"_s))};
}

std::optional<TokenUsage> usageOfTimings(const QJsonValue &value)
{
    const QJsonObject timings = value.toObject();
    if (!timings.contains(u"predicted_n"_s))
        return std::nullopt;
    return TokenUsage{.input = tokenCount(timings.value(u"prompt_n"_s))
                          + tokenCount(timings.value(u"cache_n"_s)),
                      .output = tokenCount(timings.value(u"predicted_n"_s))};
}

// The first choice: more were never asked for.
QJsonObject firstChoice(const QJsonObject &chunk)
{
    const QJsonArray choices = chunk.value(u"choices"_s).toArray();
    for (const QJsonValue &choice : choices) {
        if (choice.toObject().value(u"index"_s).toInt(0) == 0)
            return choice.toObject();
    }
    return {};
}

QString textOf(const QJsonValue &thinking)
{
    if (thinking.isString())
        return thinking.toString();
    QString text;
    const QJsonArray parts = thinking.toArray();
    for (const QJsonValue &part : parts)
        text += part.isString() ? part.toString() : part.toObject().value(u"text"_s).toString();
    return text;
}

} // namespace

ChatDeltaParser::ChatDeltaParser(ToolNames names, std::optional<ContinuedAnswer> continued)
    : m_names(std::move(names))
{
    if (continued)
        m_continuation = ContinuationFilter(*std::move(continued));
}

Result<std::vector<ModelEvent>> ChatDeltaParser::parse(const QJsonObject &chunk)
{
    Events events;
    if (m_responseId.isEmpty())
        m_responseId = chunk.value(u"id"_s).toString();
    const QJsonObject choice = firstChoice(chunk);
    QJsonObject delta = choice.value(u"delta"_s).toObject();
    // Some servers repeat the whole message beside its pieces: it counts only if there are no pieces.
    if (!choice.contains(u"delta"_s) && !m_hasContent)
        delta = choice.value(u"message"_s).toObject();
    takeDelta(delta, events);
    if (const Result<void> calls = takeCalls(delta, events); !calls)
        return calls.error();
    const QString reason = choice.value(u"finish_reason"_s).toString();
    if (!reason.isEmpty() && m_finishReason.isEmpty())
        m_finishReason = reason;
    takeUsage(chunk, choice, events);
    return events;
}

void ChatDeltaParser::takeDelta(const QJsonObject &delta, Events &events)
{
    for (const QString &field : {u"reasoning_content"_s, u"reasoning"_s}) {
        const QString thinking = delta.value(field).toString();
        if (!thinking.isEmpty()) {
            addThinking(thinking, events);
            break; // where both are there, they say the same
        }
    }
    const QJsonArray details = delta.value(u"reasoning_details"_s).toArray();
    for (const QJsonValue &detail : details)
        m_reasoningDetails.add(detail.toObject());
    if (delta.value(u"extra_content"_s).isObject())
        m_extras.insert(u"extra_content"_s, delta.value(u"extra_content"_s));
    takeContent(delta.value(u"content"_s), events);
    const QString refusal = delta.value(u"refusal"_s).toString();
    if (!refusal.isEmpty()) {
        m_refused = true;
        addContent(refusal, events);
    }
}

void ChatDeltaParser::takeContent(const QJsonValue &content, Events &events)
{
    if (content.isString()) {
        addContent(content.toString(), events);
        return;
    }
    const QJsonArray parts = content.toArray();
    for (const QJsonValue &part : parts) {
        if (part.isString())
            addContent(part.toString(), events);
        else if (part.isObject())
            takePart(part.toObject(), events);
    }
}

void ChatDeltaParser::takePart(const QJsonObject &part, Events &events)
{
    const QString type = part.value(u"type"_s).toString();
    if (type == u"thinking") {
        addThinking(textOf(part.value(u"thinking"_s)), events);
    } else if (type == u"text" || type == u"output_text") {
        addContent(part.value(u"text"_s).toString(), events);
    } else if (type == u"refusal") {
        m_refused = true;
        addContent(part.value(u"refusal"_s).toString(), events);
    } else if (!part.isEmpty()) {
        endThinking(events);
        m_hasContent = true;
        events.push_back(UnknownBlockReceived{part});
    }
}

Result<void> ChatDeltaParser::takeCalls(const QJsonObject &delta, Events &events)
{
    QJsonArray fragments = delta.value(u"tool_calls"_s).toArray();
    const QJsonValue legacy = delta.value(u"function_call"_s);
    if (legacy.isObject())
        fragments.append(QJsonObject{{u"index"_s, 0}, {u"function"_s, legacy}});
    for (const QJsonValue &fragment : std::as_const(fragments)) {
        if (!fragment.isObject())
            continue;
        endThinking(events);
        m_hasContent = true;
        if (const Result<void> appended = m_calls.append(fragment.toObject()); !appended)
            return appended.error();
    }
    return {};
}

void ChatDeltaParser::takeUsage(const QJsonObject &chunk, const QJsonObject &choice, Events &events)
{
    std::optional<TokenUsage> usage = usageOf(chunk.value(u"usage"_s));
    if (!usage)
        usage = usageOf(chunk.value(u"x_groq"_s).toObject().value(u"usage"_s));
    if (!usage)
        usage = usageOf(choice.value(u"usage"_s));
    if (!usage)
        usage = usageOfTimings(chunk.value(u"timings"_s));
    if (!usage || usage == m_usage)
        return;
    m_usage = usage;
    events.push_back(UsageReported{*usage});
}

void ChatDeltaParser::addContent(const QString &text, Events &events)
{
    if (!text.isEmpty())
        addPieces(m_thinkTags.append(text), events);
}

void ChatDeltaParser::addPieces(const std::vector<ThinkTagSplitter::Piece> &pieces, Events &events)
{
    using Kind = ThinkTagSplitter::Piece::Kind;
    for (const ThinkTagSplitter::Piece &piece : pieces) {
        switch (piece.kind) {
        case Kind::Text:
            addText(m_continuation.append(m_textJoiner.append(piece.text)), events);
            break;
        case Kind::Thinking:
            addThinking(piece.text, events);
            break;
        case Kind::ThinkingEnd:
            endThinking(events);
            break;
        }
    }
}

void ChatDeltaParser::addText(const QString &text, Events &events)
{
    if (text.isEmpty())
        return;
    endThinking(events);
    m_hasContent = true;
    events.push_back(TextDelta{text});
}

void ChatDeltaParser::addThinking(const QString &text, Events &events)
{
    const QString clean = m_thinkingJoiner.append(text);
    if (clean.isEmpty())
        return;
    m_thinking = true;
    m_hasContent = true;
    events.push_back(ThinkingDelta{clean});
}

void ChatDeltaParser::endThinking(Events &events)
{
    if (!std::exchange(m_thinking, false))
        return;
    const QString rest = m_thinkingJoiner.finish();
    if (!rest.isEmpty())
        events.push_back(ThinkingDelta{rest});
    events.push_back(ThinkingEnd{});
}

std::vector<ModelEvent> ChatDeltaParser::flush()
{
    // A block that was cut stays open: only a whole one may be sent back.
    std::vector<ThinkTagSplitter::Piece> pieces = m_thinkTags.finish();
    std::erase_if(pieces, [](const ThinkTagSplitter::Piece &piece) {
        return piece.kind == ThinkTagSplitter::Piece::Kind::ThinkingEnd;
    });
    Events events;
    addPieces(pieces, events);
    addText(m_continuation.append(m_textJoiner.finish()), events);
    addText(m_continuation.finish(), events);
    return events;
}

std::vector<ModelEvent> ChatDeltaParser::finish()
{
    Events events = flush();
    endThinking(events);
    for (ToolCallReceived &call : m_calls.calls(m_names, m_responseId))
        events.push_back(std::move(call));
    if (!m_reasoningDetails.isEmpty())
        m_extras.insert(u"reasoning_details"_s, m_reasoningDetails.toArray());
    events.push_back(AnswerEnded{
        .stopReason = stopReason(), .providerStopReason = m_finishReason, .extras = m_extras});
    return events;
}

StopReason ChatDeltaParser::stopReason() const
{
    if (m_finishReason == u"length" || m_finishReason == u"model_length"
        || m_finishReason == u"max_tokens")
        return StopReason::MaxTokens;
    if (m_finishReason == u"content_filter")
        return StopReason::ContentFiltered;
    if (m_finishReason == u"stop_sequence")
        return StopReason::StopSequence;
    if (m_refused || m_finishReason == u"refusal")
        return StopReason::Refusal;
    return StopReason::EndTurn;
}

} // namespace fermata
