// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/chathistory.h"

#include "provider/toolnames.h"
#include "provider/unicodetext.h"

#include <QCryptographicHash>
#include <QHash>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>

#include <algorithm>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

struct ShapedMessage
{
    HistoryRole role = HistoryRole::User;
    QString text = {};
    QJsonArray unknownParts = {};
    QJsonArray calls = {};
    QString reasoning = {};
    QJsonObject extras = {};
    QString callId = {}; // of a tool message

    bool isEmpty() const
    {
        return text.trimmed().isEmpty() && unknownParts.isEmpty() && calls.isEmpty();
    }
};

bool isIdCharacter(QChar c)
{
    const char16_t u = c.unicode();
    return (u >= u'a' && u <= u'z') || (u >= u'A' && u <= u'Z') || (u >= u'0' && u <= u'9');
}

bool isAccepted(const QString &id, ToolCallIdRule rule)
{
    switch (rule) {
    case ToolCallIdRule::Free:
        return !id.isEmpty();
    case ToolCallIdRule::AtMost40:
        return !id.isEmpty() && id.size() <= 40 && std::all_of(id.begin(), id.end(), [](QChar c) {
            return isIdCharacter(c) || c == u'_' || c == u'-';
        });
    case ToolCallIdRule::NineAlphanumeric:
        return id.size() == 9 && std::all_of(id.begin(), id.end(), isIdCharacter);
    }
    return false;
}

// Servers parse the arguments again to fill their template, and answer with an error if they cannot.
QString objectText(const QString &arguments)
{
    const QString text = validUnicode(arguments.trimmed());
    if (text.isEmpty())
        return u"{}"_s;
    if (QJsonDocument::fromJson(text.toUtf8()).isObject())
        return text;
    const QJsonObject wrapped{{u"unparsed_arguments"_s, text}};
    return QString::fromUtf8(QJsonDocument(wrapped).toJson(QJsonDocument::Compact));
}

void appendParagraph(QString &text, const QString &more)
{
    if (!text.isEmpty() && !more.isEmpty())
        text += u"\n\n"_s;
    text += more;
}

void mergeMissing(QJsonObject &target, const QJsonObject &source)
{
    for (auto it = source.begin(); it != source.end(); ++it) {
        if (!target.contains(it.key()))
            target.insert(it.key(), it.value());
    }
}

class HistoryShaper
{
public:
    explicit HistoryShaper(const ServerDialect &dialect) : m_dialect(dialect) { }

    std::vector<ShapedMessage> shape(const History &history)
    {
        for (const HistoryMessage &message : history) {
            switch (message.role) {
            case HistoryRole::User:
                addUser(message);
                break;
            case HistoryRole::Assistant:
                addAssistant(message);
                break;
            case HistoryRole::Tool:
                addResults(message);
                break;
            }
        }
        // A message without content is refused by most servers: an answer that was cut before its first word, for one.
        std::erase_if(m_messages, [](const ShapedMessage &message) { return message.isEmpty(); });
        return mergedUsers();
    }

private:
    void addUser(const HistoryMessage &message)
    {
        ShapedMessage shaped{.role = HistoryRole::User};
        for (const HistoryBlock &block : message.blocks) {
            if (const auto *text = std::get_if<TextBlock>(&block))
                appendParagraph(shaped.text, validUnicode(text->text));
        }
        m_messages.push_back(std::move(shaped));
    }

    void addAssistant(const HistoryMessage &message)
    {
        const bool fromHere = message.provider == m_dialect.kind;
        ShapedMessage shaped{.role = HistoryRole::Assistant};
        if (fromHere)
            shaped.extras = message.extras;
        QHash<QString, QString> ids;
        for (const HistoryBlock &block : message.blocks) {
            if (const auto *text = std::get_if<TextBlock>(&block))
                shaped.text += validUnicode(text->text);
            else if (const auto *thinking = std::get_if<ThinkingBlock>(&block);
                     thinking && fromHere)
                shaped.reasoning += validUnicode(thinking->text);
            else if (const auto *unknown = std::get_if<UnknownBlock>(&block); unknown && fromHere)
                shaped.unknownParts.append(unknown->raw);
            else if (const auto *call = std::get_if<HistoryCall>(&block))
                shaped.calls.append(callJson(*call, fromHere, ids));
        }
        if (!shaped.calls.isEmpty())
            m_wireIds = ids;
        ShapedMessage *previous = m_messages.empty() ? nullptr : &m_messages.back();
        if (!previous || previous->role != HistoryRole::Assistant || !previous->calls.isEmpty()) {
            m_messages.push_back(std::move(shaped));
            return;
        }
        // An answer and its continuation are one message, joined as they are shown.
        previous->text += shaped.text;
        previous->calls = shaped.calls;
        previous->reasoning += shaped.reasoning;
        for (const QJsonValue &part : std::as_const(shaped.unknownParts))
            previous->unknownParts.append(part);
        mergeMissing(previous->extras, shaped.extras);
    }

    void addResults(const HistoryMessage &message)
    {
        for (const HistoryBlock &block : message.blocks) {
            const auto *result = std::get_if<HistoryResult>(&block);
            if (!result || !m_wireIds.contains(result->callId))
                continue;
            const QString text = validUnicode(result->text);
            m_messages.push_back({.role = HistoryRole::Tool,
                                  .text = text.trimmed().isEmpty() ? u"(no output)"_s : text,
                                  .callId = m_wireIds.value(result->callId)});
        }
    }

    QJsonObject callJson(const HistoryCall &call, bool fromHere, QHash<QString, QString> &ids)
    {
        QJsonObject json{{u"id"_s, wireId(call.id, ids)},
                         {u"type"_s, u"function"_s},
                         {u"function"_s,
                          QJsonObject{{u"name"_s, wireToolName(call.name)},
                                      {u"arguments"_s, objectText(call.arguments)}}}};
        if (fromHere)
            mergeMissing(json, call.extras);
        return json;
    }

    QString wireId(const QString &id, QHash<QString, QString> &ids)
    {
        QString wire = id;
        for (int salt = 0; !isAccepted(wire, m_dialect.toolCallIds) || m_used.contains(wire);
             ++salt)
            wire = callIdFromSeed(id + u'/' + QString::number(m_used.size() + salt));
        m_used.insert(wire);
        ids.insert(id, wire);
        return wire;
    }

    // After the empty ones are gone: what they stood between may be neighbours now.
    std::vector<ShapedMessage> mergedUsers()
    {
        std::vector<ShapedMessage> merged;
        // Many templates want the user to speak first; an imported conversation may begin otherwise.
        if (!m_messages.empty() && m_messages.front().role != HistoryRole::User)
            merged.push_back({.role = HistoryRole::User, .text = u"(no message)"_s});
        for (ShapedMessage &message : m_messages) {
            const HistoryRole last = merged.empty() ? HistoryRole::Assistant : merged.back().role;
            if (message.role == HistoryRole::User && last == HistoryRole::User) {
                appendParagraph(merged.back().text, message.text);
                continue;
            }
            if (message.role == HistoryRole::User && last == HistoryRole::Tool
                && !m_dialect.userAfterToolAllowed)
                merged.push_back({.role = HistoryRole::Assistant, .text = u"(interrupted)"_s});
            merged.push_back(std::move(message));
        }
        return merged;
    }

    const ServerDialect &m_dialect;
    std::vector<ShapedMessage> m_messages;
    QHash<QString, QString> m_wireIds; // of the last message with calls
    QSet<QString> m_used;
};

QString withoutTrailingSpace(const QString &text)
{
    qsizetype end = text.size();
    while (end > 0 && text.at(end - 1).isSpace())
        --end;
    return text.first(end);
}

QJsonObject assistantJson(const ShapedMessage &message, const ServerDialect &dialect)
{
    QJsonObject json{{u"role"_s, u"assistant"_s}};
    const QString text = withoutTrailingSpace(message.text);
    if (!message.unknownParts.isEmpty()) {
        QJsonArray parts;
        if (!text.isEmpty())
            parts.append(QJsonObject{{u"type"_s, u"text"_s}, {u"text"_s, text}});
        for (const QJsonValue &part : message.unknownParts)
            parts.append(part);
        json.insert(u"content"_s, parts);
    } else {
        json.insert(u"content"_s, text.isEmpty() ? QJsonValue() : QJsonValue(text));
    }
    if (!message.calls.isEmpty()) {
        json.insert(u"tool_calls"_s, message.calls);
        if (dialect.reasoning == ReasoningResend::WithToolCalls)
            json.insert(u"reasoning_content"_s, message.reasoning);
    }
    mergeMissing(json, message.extras);
    return json;
}

QJsonObject toJson(const ShapedMessage &message, const ServerDialect &dialect)
{
    switch (message.role) {
    case HistoryRole::User:
        return {{u"role"_s, u"user"_s}, {u"content"_s, message.text}};
    case HistoryRole::Assistant:
        return assistantJson(message, dialect);
    case HistoryRole::Tool:
        return {{u"role"_s, u"tool"_s},
                {u"tool_call_id"_s, message.callId},
                {u"content"_s, message.text}};
    }
    return {};
}

} // namespace

QString callIdFromSeed(const QString &seed)
{
    static constexpr char alphabet[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const QByteArray hash = QCryptographicHash::hash(seed.toUtf8(), QCryptographicHash::Sha256);
    QString id;
    for (int i = 0; i < 9; ++i)
        id += QLatin1Char(alphabet[static_cast<uchar>(hash.at(i)) % (sizeof(alphabet) - 1)]);
    return id;
}

ShapedHistory shapeHistory(const ModelRequest &request, const ServerDialect &dialect)
{
    const std::vector<ShapedMessage> messages = HistoryShaper(dialect).shape(request.history);
    ShapedHistory shaped;
    if (!request.systemPrompt.trimmed().isEmpty())
        shaped.messages.append(QJsonObject{{u"role"_s, u"system"_s},
                                           {u"content"_s, validUnicode(request.systemPrompt)}});
    for (const ShapedMessage &message : messages)
        shaped.messages.append(toJson(message, dialect));

    if (messages.empty() || messages.back().role != HistoryRole::Assistant
        || !messages.back().calls.isEmpty())
        return shaped;
    // No request ends with a finished answer: servers refuse it, or take it up where nobody asked them to.
    const ShapedMessage &last = messages.back();
    const QString text = withoutTrailingSpace(last.text);
    const bool prefills = request.continueAnswer && dialect.prefill != PrefillKind::None
        && last.unknownParts.isEmpty();
    shaped.continued = ContinuedAnswer{.text = text,
                                       .trimmedSpace = last.text.sliced(text.size()),
                                       .prefill = prefills ? dialect.prefill : PrefillKind::None};
    if (!prefills) {
        shaped.messages.append(QJsonObject{
            {u"role"_s, u"user"_s},
            {u"content"_s,
             u"Your last answer was cut off. Go on exactly where it stopped; do not repeat "
             "anything of it and do not comment on this."_s}});
    } else if (dialect.prefill != PrefillKind::ContinueFinalMessage) {
        QJsonObject answer = shaped.messages.last().toObject();
        answer.insert(u"prefix"_s, true);
        shaped.messages.replace(shaped.messages.size() - 1, answer);
    }
    return shaped;
}

} // namespace fermata
