// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/secret.h"
#include "session/sessionservices.h"

#include <QHash>

#include <memory>

namespace fermata {

class GuideProvider;
class IoThread;
class SecretStore;

// Makes the provider for a profile, with the key from where the profile says it is. A key goes only to the server it was
// saved for. Providers are kept as long as their profile stays the same, because they learn what their server refuses.
// GUI thread.
class ProviderFinder final
{
public:
    ProviderFinder(IoThread &io, SecretStore &secrets);

    void find(const Profile *profile, SessionServices::ProviderFound found);

private:
    std::shared_ptr<ModelProvider> make(const Profile &profile, const Secret &key);

    struct Kept
    {
        Profile profile;
        Secret key;
        std::shared_ptr<ModelProvider> provider;
    };

    IoThread &m_io;
    SecretStore &m_secrets;
    std::shared_ptr<ModelProvider> m_guide;
    QHash<QString, Kept> m_kept; // by profile id
};

} // namespace fermata
