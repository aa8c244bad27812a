// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/chathistorycheck.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

bool hasContent(const QJsonValue &content)
{
    if (content.isString())
        return !content.toString().trimmed().isEmpty();
    for (const QJsonValue &part : content.toArray()) {
        const bool isText = part[u"type"].toString() == "text"_L1;
        if (!isText || !part[u"text"].toString().trimmed().isEmpty())
            return true;
    }
    return false;
}

// Goes through the messages once; `m_open` are the calls that have no answer yet.
class ChatHistoryCheck final
{
public:
    QString run(const QJsonArray &messages)
    {
        if (messages.isEmpty())
            return u"no messages"_s;
        for (m_at = 0; m_at < messages.size(); ++m_at) {
            const QString violation = check(messages[m_at].toObject());
            if (!violation.isEmpty())
                return u"message %1: %2"_s.arg(m_at).arg(violation);
        }
        if (!m_open.isEmpty())
            return u"%1 tool calls at the end have no answer"_s.arg(m_open.size());
        if (m_role.isEmpty())
            return u"no message of the user"_s;
        return {};
    }

private:
    QString check(const QJsonObject &message)
    {
        const QString role = message[u"role"].toString();
        if (role == "tool"_L1)
            return checkTool(message);
        if (!m_open.isEmpty())
            return u"%1 tool calls before it have no answer"_s.arg(m_open.size());
        if (role == "system"_L1 || role == "developer"_L1) {
            if (m_at != 0)
                return u"the system message is not the first"_s;
            return hasContent(message[u"content"]) ? QString() : u"no content"_s;
        }
        if (role != "user"_L1 && role != "assistant"_L1)
            return u"unknown role \"%1\""_s.arg(role);
        if (m_role.isEmpty() && role != "user"_L1)
            return u"the first turn is not the user's"_s;
        if (role == m_role)
            return u"two messages of role \"%1\" in a row"_s.arg(role);
        m_role = role;
        const QJsonArray calls = message[u"tool_calls"].toArray();
        if (message.contains(u"tool_calls"_s) && calls.isEmpty())
            return u"an empty list of tool calls"_s;
        if (calls.isEmpty() && !hasContent(message[u"content"]))
            return u"no content"_s;
        return checkCalls(calls);
    }

    QString checkCalls(const QJsonArray &calls)
    {
        for (const QJsonValue &call : calls) {
            const QString id = call[u"id"].toString();
            if (id.isEmpty() || m_open.contains(id))
                return u"a tool call id is empty or used twice"_s;
            const QJsonValue function = call[u"function"];
            if (function[u"name"].toString().isEmpty())
                return u"a tool call without a name"_s;
            if (!QJsonDocument::fromJson(function[u"arguments"].toString().toUtf8()).isObject())
                return u"the arguments of a tool call are no JSON object"_s;
            m_open.insert(id);
        }
        return {};
    }

    QString checkTool(const QJsonObject &message)
    {
        if (!m_open.remove(message[u"tool_call_id"].toString()))
            return u"an answer to a tool call that is not open"_s;
        if (!hasContent(message[u"content"]))
            return u"no content"_s;
        m_role = u"tool"_s;
        return {};
    }

    qsizetype m_at = 0;
    QString m_role; // of the message before, system left out
    QSet<QString> m_open;
};

} // namespace

QString chatHistoryViolation(const QJsonArray &messages)
{
    return ChatHistoryCheck().run(messages);
}

QString chatRequestViolation(const QByteArray &body)
{
    const QJsonDocument document = QJsonDocument::fromJson(body);
    if (!document.isObject())
        return u"the body is no JSON object"_s;
    if (document[u"model"].toString().isEmpty())
        return u"no model"_s;
    return chatHistoryViolation(document[u"messages"].toArray());
}

} // namespace fermata
