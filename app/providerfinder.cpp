// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/providerfinder.h"

#include "provider/chatcompletionsprovider.h"
#include "provider/guideprovider.h"
#include "settings/secretstore.h"

#include <QCoreApplication>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QString text(const char *source)
{
    return QCoreApplication::translate("fermata::ProviderFinder", source);
}

Error keyProblem(const Profile &profile, const Error &cause)
{
    if (cause.code == ErrorCode::NotFound)
        return Error(
            ErrorCode::Authentication,
            text("The key for %1 is not kept any more. Enter it again in Settings > Model.")
                .arg(profile.name));
    return Error(ErrorCode::Authentication,
                 text("The key for %1 could not be read: %2").arg(profile.name, cause.message));
}

} // namespace

ProviderFinder::ProviderFinder(IoThread &io, SecretStore &secrets)
    : m_io(io), m_secrets(secrets),
      m_guide(std::make_shared<GuideProvider>(GuideBook::fromFolder(u":/guide"_s)))
{
}

void ProviderFinder::find(const Profile *profile, SessionServices::ProviderFound found)
{
    if (!profile || profile->kind == u"guide") {
        found(m_guide);
        return;
    }
    if (!profile->keyVariable.isEmpty()) {
        const auto key = sanitizedKey(qgetenv(profile->keyVariable.toLatin1().constData()));
        if (!key.ok()) {
            found(
                Error(ErrorCode::Authentication,
                      text("The variable %1, which holds the key for %2, is not set or not a key.")
                          .arg(profile->keyVariable, profile->name)));
            return;
        }
        found(make(*profile, *key));
        return;
    }
    if (profile->keyName.isEmpty()) {
        found(make(*profile, {}));
        return;
    }
    if (profile->keyOrigin != originOf(profile->endpoint)) {
        found(Error(
            ErrorCode::Authentication,
            text("The key for %1 was saved for another server (%2) and was not sent. Enter the key "
                 "for the new address in Settings > Model.")
                .arg(profile->name, profile->keyOrigin)));
        return;
    }
    m_secrets.read(profile->keyName,
                   [this, wanted = *profile, found = std::move(found)](const Result<Secret> &key) {
                       if (key.ok())
                           found(make(wanted, *key));
                       else
                           found(keyProblem(wanted, key.error()));
                   });
}

std::shared_ptr<ModelProvider> ProviderFinder::make(const Profile &profile, const Secret &key)
{
    Kept &kept = m_kept[profile.id];
    Profile withoutModel = profile; // each request names its model
    withoutModel.model.clear();
    if (!kept.provider || kept.profile != withoutModel || !(kept.key == key))
        kept = {withoutModel, key,
                std::make_shared<ChatCompletionsProvider>(m_io, profile.endpoint, key)};
    return kept.provider;
}

} // namespace fermata
