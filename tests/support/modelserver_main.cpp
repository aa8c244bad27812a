// SPDX-License-Identifier: GPL-3.0-or-later
// fermata-modelserver SCRIPT: a scripted chat-completions server in a process of its own, for tests and benches that run
// the real program. SCRIPT is a file or, if it begins with '{', the JSON itself:
//
//   {
//     "models": ["test-model"],   what GET /v1/models lists (this is the default); any other GET is a 404
//     "strict": false,            true: 400 for messages that a strict server refuses (see chathistorycheck.h)
//     "replies": [ ... ]          to the POSTs in order; the last one repeats
//   }
//
// A reply is one of
//
//   {"tokens": ["Hello", " world"], "repeat": 1, "reasoning": [...], "toolCalls": [{"name": .., "arguments": {..}}],
//    "toolCall": {..}, "delayMs": 20, "then": "done|stall|close|reset", "finishReason": "stop"}
//   {"status": 429, "headers": {"Retry-After": "1"}, "body": "text, or an object"}
//   {"raw": "bytes", "then": "close"}
//   {"silent": true}              reads the request and never answers
//
// All but the last may have "waitMs", a pause before the first byte. All other keys are optional; "repeat" is how often
// the list of tokens is sent. A key that is not listed here ends the program with status 2.
//
// It prints one JSON object per line, times in nanoseconds of CLOCK_MONOTONIC:
//
//   {"event": "listening", "port": 40123}
//   {"event": "request", "index": 0, "connection": 0, "method": "POST", "path": "/v1/chat/completions",
//    "head": "...", "body": {..} or "text", "acceptedNs": .., "receivedNs": ..}
//   {"event": "disconnect", "index": 0, "atNs": .., "sent": bytes of the reply}
//
// It runs until it is killed, and dies with the process that started it.
#include "support/modelscript.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

#include <csignal>
#include <cstdio>
#include <mutex>

#include <sys/prctl.h>
#include <unistd.h>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

void print(const QJsonObject &line)
{
    static std::mutex mutex;
    const QByteArray text = QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n';
    const std::lock_guard lock(mutex);
    std::fwrite(text.constData(), 1, size_t(text.size()), stdout);
    std::fflush(stdout);
}

qint64 nanoseconds(Instant instant)
{
    return instant.time_since_epoch().count();
}

void printRequest(size_t index, const ServedRequest &request)
{
    const QJsonDocument body = QJsonDocument::fromJson(request.body);
    print({{u"event"_s, u"request"_s},
           {u"index"_s, qint64(index)},
           {u"connection"_s, request.connection},
           {u"method"_s, QString::fromLatin1(request.method)},
           {u"path"_s, QString::fromLatin1(request.path)},
           {u"head"_s, QString::fromLatin1(request.head)},
           {u"body"_s,
            body.isObject() ? QJsonValue(body.object())
                            : QJsonValue(QString::fromUtf8(request.body))},
           {u"acceptedNs"_s, nanoseconds(request.accepted)},
           {u"receivedNs"_s, nanoseconds(request.received)}});
}

void printDisconnect(size_t index, const ServedRequest &request)
{
    print({{u"event"_s, u"disconnect"_s},
           {u"index"_s, qint64(index)},
           {u"atNs"_s, nanoseconds(*request.disconnected)},
           {u"sent"_s, request.sent}});
}

QByteArray readScript(const char *argument)
{
    if (argument[0] == '{')
        return argument;
    QFile file(QString::fromLocal8Bit(argument));
    if (!file.open(QIODevice::ReadOnly))
        std::fprintf(stderr, "fermata-modelserver: cannot read %s\n", argument);
    return file.readAll();
}

} // namespace

int main(int argc, char *argv[])
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (argc != 2) {
        std::fprintf(stderr, "Usage: fermata-modelserver SCRIPT\n");
        return 2;
    }
    auto script = parseModelScript(readScript(argv[1]));
    if (!script) {
        std::fprintf(stderr, "fermata-modelserver: %s\n", qPrintable(script.error().message));
        return 2;
    }
    const ModelServer server(std::move(*script), [](size_t index, const ServedRequest &request) {
        request.disconnected ? printDisconnect(index, request) : printRequest(index, request);
    });
    print({{u"event"_s, u"listening"_s}, {u"port"_s, server.port()}});
    for (;;)
        ::pause();
}
