// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/serverdialect.h"

#include <QHostAddress>
#include <QRegularExpression>

#include <algorithm>
#include <iterator>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

bool isHostOf(const QString &host, const QString &domain)
{
    return host == domain || host.endsWith(u'.' + domain);
}

QString kindOfHost(const QString &host)
{
    static const struct
    {
        QString domain;
        QString kind;
    } known[] = {
        {u"api.openai.com"_s, u"openai"_s},
        {u"openai.azure.com"_s, u"azure"_s},
        {u"openrouter.ai"_s, u"openrouter"_s},
        {u"api.deepseek.com"_s, u"deepseek"_s},
        {u"api.groq.com"_s, u"groq"_s},
        {u"api.mistral.ai"_s, u"mistral"_s},
        {u"codestral.mistral.ai"_s, u"mistral"_s},
        {u"api.anthropic.com"_s, u"anthropic"_s},
        {u"generativelanguage.googleapis.com"_s, u"gemini"_s},
    };
    const auto *found = std::find_if(std::begin(known), std::end(known),
                                     [&](const auto &row) { return isHostOf(host, row.domain); });
    return found == std::end(known) ? QString() : found->kind;
}

QString kindOfPort(int port)
{
    switch (port) {
    case 11434:
        return u"ollama"_s;
    case 1234:
        return u"lmstudio"_s;
    case 8080:
    case 9931:
        return u"llama.cpp"_s;
    case 8000:
        return u"vllm"_s;
    default:
        return {};
    }
}

} // namespace

ServerDialect ServerDialect::ofKind(const QString &kind)
{
    ServerDialect dialect;
    if (kind == u"openai"_s || kind == u"azure"_s) {
        dialect.maxTokensField = MaxTokensField::MaxCompletionTokens;
        dialect.toolCallIds = ToolCallIdRule::AtMost40;
        if (kind == u"azure"_s)
            dialect.keyHeader = KeyHeader::ApiKey;
    } else if (kind == u"vllm"_s || kind == u"llama.cpp"_s || kind == u"sglang"_s) {
        dialect.prefill = PrefillKind::ContinueFinalMessage;
    } else if (kind == u"deepseek"_s) {
        dialect.reasoning = ReasoningResend::WithToolCalls;
        dialect.prefill = PrefillKind::BetaPrefix;
    } else if (kind == u"groq"_s) {
        dialect.maxTokensField = MaxTokensField::MaxCompletionTokens;
    } else if (kind == u"mistral"_s) {
        dialect.sendsUsageOption = false;
        dialect.userAfterToolAllowed = false;
        dialect.toolCallIds = ToolCallIdRule::NineAlphanumeric;
        dialect.prefill = PrefillKind::Prefix;
    } else if (kind != u"openrouter"_s && kind != u"lmstudio"_s && kind != u"ollama"_s
               && kind != u"gemini"_s && kind != u"anthropic"_s) {
        return dialect;
    }
    dialect.kind = kind;
    return dialect;
}

ServerDialect ServerDialect::forEndpoint(const QUrl &endpoint)
{
    const QString byHost = kindOfHost(endpoint.host().toLower());
    if (!byHost.isEmpty())
        return ofKind(byHost);
    return ofKind(isOnThisMachine(endpoint) ? kindOfPort(endpoint.port()) : QString());
}

ServerDialect ServerDialect::forModel(const QString &model) const
{
    static const QRegularExpression mistral(
        u"mistral|mixtral|ministral|devstral|magistral|codestral|pixtral"_s,
        QRegularExpression::CaseInsensitiveOption);
    ServerDialect dialect = *this;
    // The template comes with the model, so its rules hold wherever the model runs.
    if (model.contains(mistral)) {
        dialect.userAfterToolAllowed = false;
        dialect.toolCallIds = ToolCallIdRule::NineAlphanumeric;
    }
    return dialect;
}

bool isOnThisMachine(const QUrl &url)
{
    const QString host = url.host();
    return host.compare(u"localhost"_s, Qt::CaseInsensitive) == 0
        || QHostAddress(host).isLoopback();
}

QString hostForPeople(const QUrl &url)
{
    // The encoded form, so that a name made of look-alike letters does not pass for another one.
    QString host = url.host(QUrl::FullyEncoded);
    if (host.contains(u':'))
        host = u'[' + host + u']';
    return url.port() < 0 ? host : host + u':' + QString::number(url.port());
}

QUrl endpointWithPath(const QUrl &endpoint, const QString &path)
{
    QUrl url = endpoint;
    QString base = url.path();
    while (base.endsWith(u'/'))
        base.chop(1);
    if (!base.endsWith(path))
        base += path;
    url.setPath(base);
    url.setFragment({});
    return url;
}

} // namespace fermata
