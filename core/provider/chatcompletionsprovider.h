// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/secret.h"
#include "provider/modelprovider.h"
#include "provider/serverdialect.h"

#include <QUrl>

#include <memory>

namespace fermata {

class IoThread;
class LearnedDialects;

// Any server that speaks chat completions. `endpoint` is its base address, most often ending in /v1. The I/O thread
// outlives it.
class ChatCompletionsProvider final : public ModelProvider
{
public:
    ChatCompletionsProvider(IoThread &io, const QUrl &endpoint, Secret key);
    ChatCompletionsProvider(IoThread &io, const QUrl &endpoint, Secret key,
                            const ServerDialect &dialect);
    ~ChatCompletionsProvider() override;

    std::unique_ptr<ModelStream> start(const ModelRequest &request,
                                       const CancellationToken &token) override;
    QString kind() const override { return m_kind; }
    bool isLocal() const override { return isOnThisMachine(m_endpoint); }
    bool canContinueAnswer(const QString &model) const override;

private:
    IoThread &m_io;
    const QUrl m_endpoint;
    const Secret m_key;
    const QString m_kind;
    const std::shared_ptr<LearnedDialects>
        m_dialects; // shared with the streams, which may outlive this
};

} // namespace fermata
