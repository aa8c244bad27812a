// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/chatrequest.h"

#include "provider/toolnames.h"
#include "provider/unicodetext.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QJsonArray toolsJson(const std::vector<ToolDefinition> &tools)
{
    QJsonArray json;
    for (const ToolDefinition &tool : tools) {
        QJsonObject parameters = tool.parameters;
        if (parameters.isEmpty())
            parameters = {{u"type"_s, u"object"_s}, {u"properties"_s, QJsonObject()}};
        json.append(QJsonObject{{u"type"_s, u"function"_s},
                                {u"function"_s,
                                 QJsonObject{{u"name"_s, wireToolName(tool.name)},
                                             {u"description"_s, validUnicode(tool.description)},
                                             {u"parameters"_s, parameters}}}});
    }
    return json;
}

QUrl betaUrl(QUrl endpoint)
{
    endpoint.setPath(u"/beta"_s);
    return endpoint;
}

} // namespace

ChatRequest chatRequest(const ModelRequest &request, const ServerDialect &endpointDialect,
                        const QUrl &endpoint)
{
    const ServerDialect dialect = endpointDialect.forModel(request.model);
    const ShapedHistory shaped = shapeHistory(request, dialect);
    QJsonObject body{{u"messages"_s, shaped.messages}, {u"stream"_s, true}};
    if (!request.model.isEmpty())
        body.insert(u"model"_s, request.model);
    if (dialect.sendsUsageOption)
        body.insert(u"stream_options"_s, QJsonObject{{u"include_usage"_s, true}});
    // An empty array is refused; so the field is there only with something in it.
    if (dialect.sendsTools && !request.tools.empty())
        body.insert(u"tools"_s, toolsJson(request.tools));
    if (request.maxOutputTokens && dialect.maxTokensField == MaxTokensField::MaxTokens)
        body.insert(u"max_tokens"_s, *request.maxOutputTokens);
    if (request.maxOutputTokens && dialect.maxTokensField == MaxTokensField::MaxCompletionTokens)
        body.insert(u"max_completion_tokens"_s, *request.maxOutputTokens);

    const PrefillKind prefill = shaped.continued ? shaped.continued->prefill : PrefillKind::None;
    if (prefill == PrefillKind::ContinueFinalMessage) {
        body.insert(u"continue_final_message"_s, true);
        body.insert(u"add_generation_prompt"_s, false);
    }
    if (prefill != PrefillKind::None && dialect.disablesThinking)
        body.insert(u"chat_template_kwargs"_s, QJsonObject{{u"enable_thinking"_s, false}});
    const QUrl base = prefill == PrefillKind::BetaPrefix ? betaUrl(endpoint) : endpoint;
    return {endpointWithPath(base, u"/chat/completions"_s), body, shaped.continued};
}

std::optional<std::pair<QByteArray, Secret>> keyHeader(const ServerDialect &dialect,
                                                       const Secret &key)
{
    const QByteArray bytes = key.reveal().trimmed();
    if (bytes.isEmpty())
        return std::nullopt;
    if (dialect.keyHeader == KeyHeader::ApiKey)
        return std::pair(QByteArray("api-key"), Secret(bytes));
    return std::pair(QByteArray("Authorization"), Secret("Bearer " + bytes));
}

HttpRequest httpRequest(const ChatRequest &request, const ServerDialect &dialect, const Secret &key)
{
    HttpRequest http;
    http.method = HttpRequest::Method::Post;
    http.url = request.url;
    // Compressed streams come in bursts, so none is asked for.
    http.headers = {{"Content-Type", "application/json"},
                    {"Accept", "text/event-stream"},
                    {"Accept-Encoding", "identity"}};
    http.secretHeader = keyHeader(dialect, key);
    http.body = QJsonDocument(request.body).toJson(QJsonDocument::Compact);
    return http;
}

} // namespace fermata
