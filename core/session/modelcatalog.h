// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "settings/profile.h"
#include "settings/secretstore.h"

#include <QObject>
#include <QStringList>

#include <memory>
#include <vector>

namespace fermata {

struct SessionServices;

// A server that answered on this machine.
struct DiscoveredServer
{
    QString name; // "Ollama"
    Profile profile;
    QStringList models;
};

// Which servers there are and what they offer. GUI thread; the network is the I/O thread's.
class ModelCatalog final : public QObject
{
    Q_OBJECT

public:
    explicit ModelCatalog(std::shared_ptr<const SessionServices> services,
                          QObject *parent = nullptr);
    ~ModelCatalog() override;

    // Looks on loopback at the default ports of known servers and where OLLAMA_HOST says, without credentials. found()
    // for each, then discoveryFinished(). While it looks, a second call changes nothing.
    void discover();
    // Profiles from the variables of the field (OPENAI_API_KEY, OPENAI_BASE_URL, OLLAMA_HOST); their keys stay there.
    std::vector<Profile> profilesFromEnvironment() const;

    // Asks the server for its models: connection, address and key are tested by it. Each call ends with exactly one
    // tested(), in the order of the calls; a test that runs is stopped by the next one. An empty `key` is taken from
    // the profile's keyName or keyVariable. A key that was saved for another origin is not sent: that is the problem
    // then; a profile without keyOrigin takes a key that was typed for its endpoint just now.
    void test(const Profile &profile, const Secret &key);
    void cancelTest();

signals:
    void found(const fermata::DiscoveredServer &server);
    void discoveryFinished();
    // An empty problem means that it works; else it is a sentence for people.
    void tested(const QString &profileId, const QStringList &models, const QString &problem);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace fermata
