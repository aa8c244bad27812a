// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/modelcatalog.h"

#include "base/logging.h"
#include "base/mailbox.h"
#include "provider/modellist.h"
#include "provider/serverdiscovery.h"
#include "session/sessionservices.h"

#include <QPointer>

#include <algorithm>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <variant>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr auto ProbeLimit = std::chrono::milliseconds(1500);
constexpr auto TestLimit = std::chrono::seconds(20);

QString variable(const char *name)
{
    return qEnvironmentVariable(name).trimmed();
}

// OLLAMA_HOST is written for the server: it may have no port, and an address to listen on that nobody can connect to.
QUrl ollamaEndpoint()
{
    QString host = variable("OLLAMA_HOST");
    if (host.isEmpty())
        return {};
    if (!host.contains(u"://"_s))
        host.prepend(u"http://"_s);
    QUrl url = endpointFromText(host, nullptr);
    if (url.isEmpty())
        return {};
    if (url.host() == u"0.0.0.0" || url.host() == u"::")
        url.setHost(u"127.0.0.1"_s);
    if (url.port() < 0 && url.scheme() == u"http")
        url.setPort(11434);
    return url;
}

Profile openAiProfile(const QString &id, const QString &name, const QUrl &endpoint)
{
    Profile profile;
    profile.id = id;
    profile.name = name;
    profile.kind = u"openai"_s;
    profile.endpoint = endpoint;
    return profile;
}

DiscoveredServer discovered(const FoundServer &server)
{
    const Profile profile =
        openAiProfile(u"local-%1-%2"_s.arg(server.kind).arg(server.endpoint.port(80)), server.name,
                      server.endpoint);
    DiscoveredServer result{server.name, profile, server.models};
    if (!server.models.isEmpty())
        result.profile.model = server.models.first();
    return result;
}

struct ProbeEnded
{
    std::optional<FoundServer> server;
};
// The first end of a test counts: what the server said, or that it was stopped before.
struct TestEnded
{
    quint64 test = 0;
    QString profileId;
    Result<QStringList> models;
};
struct Message
{
    std::thread::id worker; // of whoever has ended; none if the GUI thread wrote it
    std::variant<ProbeEnded, TestEnded> event;
};

} // namespace

class ModelCatalog::Private final
{
public:
    Private(ModelCatalog *owner, std::shared_ptr<const SessionServices> sessionServices)
        : q(owner), services(std::move(sessionServices)),
          mailbox([this](const std::vector<Message> &messages) { handle(messages); })
    {
    }

    ~Private()
    {
        discovery.cancel(CancellationCause::WindowClosed);
        testing.cancel(CancellationCause::WindowClosed);
        for (auto &[id, worker] : workers)
            worker.join();
    }

    // `work` blocks; each of its waits ends by a token that the destructor cancels.
    template <typename Work>
    void start(Work work)
    {
        std::thread worker([this, work = std::move(work)] {
            mailbox.post({std::this_thread::get_id(), work()});
        });
        const auto id = worker.get_id();
        workers.emplace(id, std::move(worker));
    }

    void handle(const std::vector<Message> &messages);
    void handle(const ProbeEnded &probe);
    void handle(const TestEnded &end);
    Deadline in(Duration limit) const { return services->clock->now() + limit; }
    void fetch(const Profile &profile, const Secret &key);
    void fetchWithKeyFromEnvironment(const Profile &profile);
    void fetchWithSavedKey(const Profile &profile);
    // By way of the mailbox, so that tested() never comes inside of the call that caused it.
    void endTest(const Result<QStringList> &result)
    {
        mailbox.post({{}, TestEnded{lastTest, testedProfile, result}});
    }

    ModelCatalog *const q;
    const std::shared_ptr<const SessionServices> services;
    CancellationSource discovery;
    int probesLeft = 0;
    QStringList foundIds;

    CancellationSource testing; // of the last test
    quint64 lastTest = 0;
    QString testedProfile;
    std::unordered_set<quint64> openTests; // not announced yet

    std::unordered_map<std::thread::id, std::thread> workers;
    Mailbox<Message> mailbox;
};

void ModelCatalog::Private::handle(const std::vector<Message> &messages)
{
    for (const Message &message : messages) {
        if (const auto worker = workers.find(message.worker); worker != workers.end()) {
            worker->second.join(); // it has posted, which is the last thing that it does
            workers.erase(worker);
        }
        std::visit([this](const auto &event) { handle(event); }, message.event);
    }
}

void ModelCatalog::Private::handle(const ProbeEnded &probe)
{
    if (probe.server) {
        const DiscoveredServer server = discovered(*probe.server);
        if (!foundIds.contains(server.profile.id)) { // one that listens on 127.0.0.1 and on ::1
            foundIds.append(server.profile.id);
            emit q->found(server);
        }
    }
    if (--probesLeft == 0)
        emit q->discoveryFinished();
}

void ModelCatalog::Private::handle(const TestEnded &end)
{
    if (openTests.erase(end.test) == 0)
        return;
    if (end.models)
        emit q->tested(end.profileId, *end.models, {});
    else
        emit q->tested(end.profileId, {}, end.models.error().message);
}

void ModelCatalog::Private::fetch(const Profile &profile, const Secret &key)
{
    Secret clean;
    if (!key.isEmpty()) {
        const QString origin = originOf(profile.endpoint);
        if (!profile.keyOrigin.isEmpty() && profile.keyOrigin != origin) {
            endTest(Error(ErrorCode::Authentication,
                          u"The key was saved for %1. Enter it again to use it with %2."_s.arg(
                              profile.keyOrigin, origin)));
            return;
        }
        const Result<Secret> sanitized = sanitizedKey(key.reveal());
        if (!sanitized) {
            endTest(sanitized.error());
            return;
        }
        clean = *sanitized;
    }
    start([this, endpoint = profile.endpoint, clean, number = lastTest, id = testedProfile,
           token = testing.token(), deadline = in(TestLimit)]() -> TestEnded {
        return {number, id, fetchModels(*services->io, endpoint, clean, token, deadline)};
    });
}

void ModelCatalog::Private::fetchWithKeyFromEnvironment(const Profile &profile)
{
    const QByteArray value = qgetenv(profile.keyVariable.toLocal8Bit().constData()).trimmed();
    if (value.isEmpty()) {
        endTest(Error(ErrorCode::Authentication,
                      u"The environment variable %1, which should hold the key, is not set."_s.arg(
                          profile.keyVariable)));
        return;
    }
    fetch(profile, Secret(value));
}

void ModelCatalog::Private::fetchWithSavedKey(const Profile &profile)
{
    const auto found = [this, profile, number = lastTest](const Result<Secret> &saved) {
        if (number != lastTest || testing.token().isCancelled())
            return;
        if (saved)
            fetch(profile, *saved);
        else
            endTest(saved.error());
    };
    services->secrets->read(profile.keyName,
                            [owner = QPointer(q), found](const Result<Secret> &saved) {
                                if (owner)
                                    found(saved);
                            });
}

ModelCatalog::ModelCatalog(std::shared_ptr<const SessionServices> services, QObject *parent)
    : QObject(parent), d(std::make_unique<Private>(this, std::move(services)))
{
}

ModelCatalog::~ModelCatalog() = default;

void ModelCatalog::discover()
{
    if (d->probesLeft > 0)
        return;
    std::vector<ServerCandidate> candidates = serverCandidates();
    QUrl ollama = ollamaEndpoint();
    ollama.setPath({});
    const bool isNew =
        std::none_of(candidates.begin(), candidates.end(), [&ollama](const ServerCandidate &known) {
            return originOf(known.address) == originOf(ollama);
        });
    if (isLocal(ollama) && isNew)
        candidates.push_back({ollama});

    d->foundIds.clear();
    d->probesLeft = int(candidates.size());
    for (const ServerCandidate &candidate : candidates) {
        d->start([this, candidate, token = d->discovery.token(),
                  deadline = d->in(ProbeLimit)]() -> ProbeEnded {
            const Result<FoundServer> server =
                probeServer(*d->services->io, candidate, token, deadline);
            if (server)
                return {*server};
            if (server.error().code != ErrorCode::NotFound && server.isFault())
                qCDebug(lcProvider)
                    << "No server at" << candidate.address << server.error().message;
            return {};
        });
    }
}

std::vector<Profile> ModelCatalog::profilesFromEnvironment() const
{
    std::vector<Profile> profiles;
    const QString base = variable("OPENAI_BASE_URL");
    const bool hasKey = sanitizedKey(qgetenv("OPENAI_API_KEY")).ok();
    if (hasKey || !base.isEmpty()) {
        const QUrl endpoint =
            base.isEmpty() ? QUrl(u"https://api.openai.com/v1"_s) : endpointFromText(base, nullptr);
        if (!endpoint.isEmpty()) {
            const QString name = base.isEmpty() ? u"OpenAI"_s : endpoint.host();
            Profile profile = openAiProfile(u"environment-openai"_s, name, endpoint);
            if (hasKey) {
                profile.keyVariable = u"OPENAI_API_KEY"_s;
                profile.keyOrigin = originOf(endpoint);
            }
            profiles.push_back(profile);
        }
    }
    if (const QUrl endpoint = ollamaEndpoint(); !endpoint.isEmpty())
        profiles.push_back(openAiProfile(u"environment-ollama"_s, u"Ollama"_s, endpoint));
    return profiles;
}

void ModelCatalog::test(const Profile &profile, const Secret &key)
{
    cancelTest();
    d->testing = CancellationSource();
    d->openTests.insert(++d->lastTest);
    d->testedProfile = profile.id;
    if (profile.kind == u"guide") {
        d->endTest(QStringList());
        return;
    }
    if (const QString problem = endpointProblem(profile.endpoint); !problem.isEmpty()) {
        d->endTest(Error(ErrorCode::InvalidAddress, problem));
        return;
    }
    if (!key.isEmpty() || (profile.keyName.isEmpty() && profile.keyVariable.isEmpty()))
        d->fetch(profile, key);
    else if (!mayReceiveKey(profile))
        d->endTest(
            Error(ErrorCode::Authentication,
                  u"The key was saved for another address. Enter it again to use it with %1."_s.arg(
                      originOf(profile.endpoint))));
    else if (profile.keyName.isEmpty())
        d->fetchWithKeyFromEnvironment(profile);
    else
        d->fetchWithSavedKey(profile);
}

void ModelCatalog::cancelTest()
{
    if (!d->openTests.contains(d->lastTest))
        return;
    // Before the worker can tell of it in words of its own.
    d->endTest(Error(ErrorCode::Cancelled, u"The test was stopped."_s));
    d->testing.cancel(CancellationCause::User);
}

} // namespace fermata
