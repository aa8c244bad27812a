// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/channel.h"
#include "provider/modelprovider.h"

#include <memory>
#include <mutex>

namespace fermata {

// Stands for a provider whose key is still being fetched, so that a turn begins, is saved and can be stopped while the
// keyring asks its questions. Without a provider the model call fails with the reason.
class DeferredProvider final : public ModelProvider
{
public:
    using Found = Result<std::shared_ptr<ModelProvider>>;

    DeferredProvider(QString kind, bool isLocal);

    // Once, from any thread.
    void resolve(Found found);

    std::unique_ptr<ModelStream> start(const ModelRequest &request,
                                       const CancellationToken &token) override;
    QString kind() const override { return m_kind; }
    bool isLocal() const override { return m_isLocal; }
    bool canContinueAnswer(const QString &model) const override;

    // Shared with the streams that wait.
    struct Pending
    {
        Channel<int> arrival; // closed when it is found: wakes every stream, now and later
        std::mutex mutex;
        std::optional<Found> found;
    };

private:
    const QString m_kind;
    const bool m_isLocal;
    const std::shared_ptr<Pending> m_pending = std::make_shared<Pending>();
};

} // namespace fermata
