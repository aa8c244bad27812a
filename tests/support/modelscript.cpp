// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/modelscript.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <optional>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

Error fault(const QString &message)
{
    return Error(ErrorCode::InvalidArgument, message);
}

std::optional<Error> unknownKey(const QJsonObject &object, const QStringList &known)
{
    for (const QString &key : object.keys()) {
        if (!known.contains(key))
            return fault(u"unknown key \"%1\"; known here: %2"_s.arg(key, known.join(u", "_s)));
    }
    return std::nullopt;
}

QStringList toStrings(const QJsonValue &value)
{
    QStringList strings;
    for (const QJsonValue &each : value.toArray())
        strings.append(each.toString());
    return strings;
}

QByteArray toBody(const QJsonValue &value)
{
    if (value.isObject())
        return QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact);
    return value.toString().toUtf8();
}

Result<ReplyEnding> toEnding(const QJsonValue &value, ReplyEnding fallback)
{
    const QString name = value.toString();
    if (value.isUndefined())
        return fallback;
    if (name == "done"_L1)
        return ReplyEnding::Done;
    if (name == "stall"_L1)
        return ReplyEnding::Stall;
    if (name == "close"_L1)
        return ReplyEnding::Close;
    if (name == "reset"_L1)
        return ReplyEnding::Reset;
    return fault(u"unknown ending \"%1\""_s.arg(name));
}

Result<Reply> toChatReply(const QJsonObject &object)
{
    if (auto unknown =
            unknownKey(object,
                       {u"waitMs"_s, u"tokens"_s, u"repeat"_s, u"reasoning"_s, u"toolCall"_s,
                        u"toolCalls"_s, u"delayMs"_s, u"then"_s, u"finishReason"_s}))
        return *unknown;
    auto ending = toEnding(object[u"then"], ReplyEnding::Done);
    if (!ending)
        return ending.error();
    ChatAnswer answer;
    for (int i = 0; i < object[u"repeat"].toInt(1); ++i)
        answer.tokens += toStrings(object[u"tokens"]);
    answer.reasoning = toStrings(object[u"reasoning"]);
    answer.delay = std::chrono::milliseconds(object[u"delayMs"].toInt());
    answer.then = *ending;
    answer.finishReason = object[u"finishReason"].toString();
    QJsonArray calls = object[u"toolCalls"].toArray();
    if (object.contains(u"toolCall"_s))
        calls.append(object[u"toolCall"]);
    for (const QJsonValue &call : std::as_const(calls)) {
        if (auto unknown = unknownKey(call.toObject(), {u"name"_s, u"arguments"_s, u"id"_s}))
            return *unknown;
        answer.toolCalls.push_back(
            {call[u"name"].toString(), call[u"arguments"].toObject(), call[u"id"].toString()});
    }
    return toReply(answer);
}

Result<Reply> toStatusReply(const QJsonObject &object)
{
    if (auto unknown = unknownKey(object, {u"waitMs"_s, u"status"_s, u"headers"_s, u"body"_s}))
        return *unknown;
    HeaderList headers;
    const QJsonObject given = object[u"headers"].toObject();
    for (auto it = given.begin(); it != given.end(); ++it)
        headers.emplace_back(it.key().toLatin1(), it.value().toVariant().toString().toLatin1());
    return statusReply(object[u"status"].toInt(), toBody(object[u"body"]), headers);
}

Result<Reply> toRawReply(const QJsonObject &object)
{
    if (auto unknown = unknownKey(object, {u"waitMs"_s, u"raw"_s, u"then"_s}))
        return *unknown;
    auto ending = toEnding(object[u"then"], ReplyEnding::Close);
    if (!ending)
        return ending.error();
    return rawReply(object[u"raw"].toString().toUtf8(), *ending);
}

Result<Reply> toReply(const QJsonObject &object)
{
    if (object.contains(u"status"_s))
        return toStatusReply(object);
    if (object.contains(u"raw"_s))
        return toRawReply(object);
    if (!object.contains(u"silent"_s))
        return toChatReply(object);
    if (auto unknown = unknownKey(object, {u"silent"_s}))
        return *unknown;
    return silentReply();
}

} // namespace

Result<ModelServerScript> parseModelScript(const QByteArray &json)
{
    QJsonParseError parsed;
    const QJsonDocument document = QJsonDocument::fromJson(json, &parsed);
    if (!document.isObject())
        return fault(u"the script is no JSON object: %1"_s.arg(parsed.errorString()));
    const QJsonObject object = document.object();
    if (auto unknown = unknownKey(object, {u"replies"_s, u"models"_s, u"strict"_s}))
        return *unknown;

    ModelServerScript script;
    script.strict = object[u"strict"].toBool();
    script.models =
        object.contains(u"models"_s) ? toStrings(object[u"models"]) : QStringList{u"test-model"_s};
    for (const QJsonValue &each : object[u"replies"].toArray()) {
        auto reply = toReply(each.toObject());
        if (!reply)
            return reply.error();
        if (const int wait = each[u"waitMs"].toInt(); wait > 0)
            reply->steps.insert(reply->steps.begin(), WaitFor{std::chrono::milliseconds(wait)});
        script.replies.push_back(std::move(*reply));
    }
    return script;
}

} // namespace fermata
