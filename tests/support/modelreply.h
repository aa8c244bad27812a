// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <chrono>
#include <utility>
#include <variant>
#include <vector>

namespace fermata {

// --- What a scripted server does with a request it has read, step by step. ---

struct SendBytes
{
    QByteArray bytes;
};
// The same bytes again and again, as fast as they go.
struct SendRepeatedly
{
    QByteArray bytes;
    qint64 times = 1;
};
// Each byte in a write of its own.
struct SendSlowly
{
    QByteArray bytes;
    std::chrono::milliseconds gap{0};
};
struct WaitFor
{
    std::chrono::milliseconds time{0};
};
struct WaitForRelease
{ // ModelServer::release()
};
struct Stall
{ // until the client goes, or the server ends
};
struct CloseConnection
{
};
struct ResetConnection
{
};

using ReplyStep = std::variant<SendBytes, SendRepeatedly, SendSlowly, WaitFor, WaitForRelease,
                               Stall, CloseConnection, ResetConnection>;

// After the last step the connection waits for the next request.
struct Reply
{
    std::vector<ReplyStep> steps;
};

using HeaderList = std::vector<std::pair<QByteArray, QByteArray>>;

// --- Replies as model servers give them. ---

struct ScriptedToolCall
{
    QString name;
    QJsonObject arguments;
    QString id; // made up if it is empty
};

enum class ReplyEnding { Done, Close, Reset, Stall };

// A streamed answer in the chat-completions dialect: reasoning, then text, then tool calls, a finish reason, usage, [DONE].
// With another ending than Done it breaks off after the last token.
struct ChatAnswer
{
    QStringList reasoning;
    QStringList tokens;
    std::vector<ScriptedToolCall> toolCalls;
    std::chrono::milliseconds delay{0}; // before each token
    ReplyEnding then = ReplyEnding::Done;
    QString finishReason; // by default "stop", or "tool_calls" if there are any
    int promptTokens = 12;
};

Reply toReply(const ChatAnswer &answer);
Reply textReply(const QStringList &tokens, std::chrono::milliseconds delay = {});

// A whole reply with a Content-Length.
Reply statusReply(int status, const QByteArray &body, const HeaderList &headers = {});
Reply jsonReply(const QJsonObject &object, int status = 200);
// Reads the request and never answers.
Reply silentReply();
// Exactly these bytes, then `ending`; Done keeps the connection.
Reply rawReply(const QByteArray &bytes, ReplyEnding ending = ReplyEnding::Close);
Reply slowReply(const QByteArray &bytes, std::chrono::milliseconds gap);

// Pieces to put other streams together from.
QByteArray chunk(const QByteArray &bytes); // of the chunked transfer encoding
QByteArray sseEvent(const QByteArray &data);
QByteArray chunkedHead(const QByteArray &contentType);

} // namespace fermata
