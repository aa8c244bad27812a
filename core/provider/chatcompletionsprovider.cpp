// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/chatcompletionsprovider.h"

#include "provider/chatstream.h"

#include <utility>

namespace fermata {

ChatCompletionsProvider::ChatCompletionsProvider(IoThread &io, const QUrl &endpoint, Secret key)
    : ChatCompletionsProvider(io, endpoint, std::move(key), ServerDialect::forEndpoint(endpoint))
{
}

ChatCompletionsProvider::ChatCompletionsProvider(IoThread &io, const QUrl &endpoint, Secret key,
                                                 const ServerDialect &dialect)
    : m_io(io), m_endpoint(endpoint), m_key(std::move(key)), m_kind(dialect.kind),
      m_dialects(std::make_shared<LearnedDialects>(dialect))
{
}

ChatCompletionsProvider::~ChatCompletionsProvider() = default;

std::unique_ptr<ModelStream> ChatCompletionsProvider::start(const ModelRequest &request,
                                                            const CancellationToken &token)
{
    const ChatTarget target{
        .endpoint = m_endpoint, .model = request.model, .hasKey = !m_key.isEmpty()};
    return std::make_unique<ChatStream>(m_io, target, m_key, request, m_dialects, token);
}

bool ChatCompletionsProvider::canContinueAnswer(const QString &model) const
{
    return m_dialects->dialectFor(model).prefill != PrefillKind::None;
}

} // namespace fermata
