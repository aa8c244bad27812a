// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/modellist.h"

#include "provider/chatfailure.h"
#include "provider/chatrequest.h"
#include "provider/httpfetch.h"
#include "provider/unicodetext.h"

#include <QJsonArray>
#include <QJsonObject>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LargestList = 8 * 1024 * 1024;
constexpr qsizetype MostModels = 10'000;
constexpr qsizetype LongestName = 300;

} // namespace

std::optional<QStringList> modelNames(const QJsonDocument &document)
{
    QJsonValue list;
    if (document.isArray())
        list = document.array();
    else if (document.object().contains(u"data"_s))
        list = document.object().value(u"data"_s);
    else
        list = document.object().value(u"models"_s);
    if (!list.isArray())
        return std::nullopt;
    QStringList names;
    const QJsonArray models = list.toArray();
    for (const QJsonValue &model : models) {
        QString name;
        for (const QString &field : {u"id"_s, u"key"_s, u"name"_s, u"model"_s}) {
            if (name.isEmpty())
                name = model.toObject().value(field).toString();
        }
        name = validUnicode(name).trimmed();
        if (!name.isEmpty() && name.size() <= LongestName && names.size() < MostModels)
            names.append(name);
    }
    names.removeDuplicates();
    return names;
}

Result<QStringList> fetchModels(IoThread &io, const QUrl &endpoint, const Secret &key,
                                const CancellationToken &token, Deadline deadline)
{
    const ChatTarget target{.endpoint = endpoint, .model = {}, .hasKey = !key.isEmpty()};
    HttpRequest request = jsonRequest(endpointWithPath(endpoint, u"/models"_s));
    const ServerDialect dialect = ServerDialect::forEndpoint(endpoint);
    request.secretHeader = keyHeader(dialect, key);
    // It speaks chat completions, but this address is of its own protocol.
    if (dialect.kind == u"anthropic" && !key.isEmpty()) {
        request.secretHeader = {"x-api-key", Secret(key.reveal().trimmed())};
        request.headers.emplace_back("anthropic-version", "2023-06-01");
    }
    const Result<HttpReply> reply = fetch(io, request, token, deadline, LargestList);
    if (!reply)
        return reply.error();
    if (!reply->isSuccess())
        return failureOfReply(target, reply->head, reply->body).error;
    const std::optional<QStringList> names = modelNames(reply->json());
    if (!names)
        return failureOfContent(target, ErrorCode::UnexpectedContent,
                                u"The server at %1 did not answer with a list of models. Check the "
                                "address in Settings > Model; most end in /v1."_s,
                                excerpt(reply->body))
            .error;
    return *names;
}

} // namespace fermata
