// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/modelreply.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QByteArray compact(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

QJsonObject completion(const QJsonArray &choices)
{
    return {{u"id"_s, u"chatcmpl-1"_s},
            {u"object"_s, u"chat.completion.chunk"_s},
            {u"created"_s, 1'700'000'000},
            {u"model"_s, u"test-model"_s},
            {u"choices"_s, choices}};
}

QByteArray deltaEvent(const QJsonObject &delta, const QJsonValue &finishReason = QJsonValue::Null)
{
    const QJsonObject choice{
        {u"index"_s, 0}, {u"delta"_s, delta}, {u"finish_reason"_s, finishReason}};
    return sseEvent(compact(completion({choice})));
}

// Name first and arguments in pieces after it, as servers stream them.
std::vector<QByteArray> toolCallEvents(const ScriptedToolCall &call, int index)
{
    const auto delta = [index](QJsonObject part) {
        part.insert(u"index"_s, index);
        return deltaEvent({{u"tool_calls"_s, QJsonArray{part}}});
    };
    const QString id = call.id.isEmpty() ? u"call_%1"_s.arg(index + 1) : call.id;
    const QJsonObject begin{{u"name"_s, call.name}, {u"arguments"_s, u""_s}};
    std::vector<QByteArray> events{
        delta({{u"id"_s, id}, {u"type"_s, u"function"_s}, {u"function"_s, begin}})};
    const QString arguments = QString::fromUtf8(compact(call.arguments));
    const qsizetype half = arguments.size() / 2;
    for (const QString &piece : {arguments.left(half), arguments.mid(half)})
        events.push_back(delta({{u"function"_s, QJsonObject{{u"arguments"_s, piece}}}}));
    return events;
}

ReplyStep toStep(ReplyEnding ending)
{
    switch (ending) {
    case ReplyEnding::Close:
        return CloseConnection();
    case ReplyEnding::Reset:
        return ResetConnection();
    case ReplyEnding::Stall:
        return Stall();
    case ReplyEnding::Done:
        break;
    }
    return SendBytes();
}

QByteArray reasonPhrase(int status)
{
    switch (status) {
    case 200:
        return "OK"_ba;
    case 404:
        return "Not Found"_ba;
    case 429:
        return "Too Many Requests"_ba;
    default:
        return status < 400 ? "Status"_ba : "Error"_ba;
    }
}

} // namespace

QByteArray chunk(const QByteArray &bytes)
{
    return QByteArray::number(bytes.size(), 16) + "\r\n" + bytes + "\r\n";
}

QByteArray sseEvent(const QByteArray &data)
{
    return "data: " + data + "\n\n";
}

QByteArray chunkedHead(const QByteArray &contentType)
{
    return "HTTP/1.1 200 OK\r\nContent-Type: " + contentType
        + "\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n";
}

Reply toReply(const ChatAnswer &answer)
{
    Reply reply;
    const auto send = [&reply](const QByteArray &event) {
        reply.steps.push_back(SendBytes{chunk(event)});
    };
    const auto sendToken = [&](const QByteArray &event) {
        if (answer.delay.count() > 0)
            reply.steps.push_back(WaitFor{answer.delay});
        send(event);
    };

    reply.steps.push_back(SendBytes{chunkedHead("text/event-stream"_ba)});
    send(deltaEvent({{u"role"_s, u"assistant"_s}, {u"content"_s, u""_s}}));
    for (const QString &token : answer.reasoning)
        sendToken(deltaEvent({{u"reasoning_content"_s, token}}));
    for (const QString &token : answer.tokens)
        sendToken(deltaEvent({{u"content"_s, token}}));
    for (size_t i = 0; i < answer.toolCalls.size(); ++i) {
        for (const QByteArray &event : toolCallEvents(answer.toolCalls[i], int(i)))
            sendToken(event);
    }
    if (answer.then != ReplyEnding::Done) {
        reply.steps.push_back(toStep(answer.then));
        return reply;
    }

    QString reason = answer.finishReason;
    if (reason.isEmpty())
        reason = answer.toolCalls.empty() ? u"stop"_s : u"tool_calls"_s;
    send(deltaEvent({}, reason));
    const int made = int(answer.tokens.size() + answer.reasoning.size());
    QJsonObject usage = completion({});
    usage.insert(u"usage"_s,
                 QJsonObject{{u"prompt_tokens"_s, answer.promptTokens},
                             {u"completion_tokens"_s, made},
                             {u"total_tokens"_s, answer.promptTokens + made}});
    send(sseEvent(compact(usage)));
    send(sseEvent("[DONE]"_ba));
    reply.steps.push_back(SendBytes{"0\r\n\r\n"_ba});
    return reply;
}

Reply textReply(const QStringList &tokens, std::chrono::milliseconds delay)
{
    ChatAnswer answer;
    answer.tokens = tokens;
    answer.delay = delay;
    return toReply(answer);
}

Reply statusReply(int status, const QByteArray &body, const HeaderList &headers)
{
    QByteArray bytes =
        "HTTP/1.1 " + QByteArray::number(status) + ' ' + reasonPhrase(status) + "\r\n";
    for (const auto &[name, value] : headers)
        bytes += name + ": " + value + "\r\n";
    bytes += "Content-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body;
    return {{SendBytes{bytes}}};
}

Reply jsonReply(const QJsonObject &object, int status)
{
    return statusReply(status, compact(object), {{"Content-Type"_ba, "application/json"_ba}});
}

Reply silentReply()
{
    return {{Stall()}};
}

Reply rawReply(const QByteArray &bytes, ReplyEnding ending)
{
    return {{SendBytes{bytes}, toStep(ending)}};
}

Reply slowReply(const QByteArray &bytes, std::chrono::milliseconds gap)
{
    return {{SendSlowly{bytes, gap}}};
}

} // namespace fermata
