// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/serverdiscovery.h"

#include "io/iothread.h"
#include "provider/httpfetch.h"
#include "provider/modellist.h"
#include "provider/serverdialect.h"

#include <QJsonArray>
#include <QJsonObject>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LargestReply = 4 * 1024 * 1024;

struct ServerKind
{
    QString kind;
    QString name;
};

bool isKobold(const QJsonObject &reply)
{
    return reply.value(u"result"_s).toString() == u"KoboldCpp";
}

bool hasModels(const QJsonObject &reply)
{
    return reply.value(u"models"_s).isArray() || reply.value(u"data"_s).isArray();
}

bool hasVersion(const QJsonObject &reply)
{
    return reply.value(u"version"_s).isString();
}

bool isLlamaProps(const QJsonObject &reply)
{
    return reply.contains(u"default_generation_settings"_s) || reply.contains(u"total_slots"_s);
}

bool hasModelName(const QJsonObject &reply)
{
    return reply.contains(u"model_name"_s);
}

struct Signature
{
    QString path;
    bool (*matches)(const QJsonObject &);
    ServerKind server;
};

// KoboldCpp also answers as Ollama does, so it is asked for first.
const std::vector<Signature> &signatures()
{
    static const std::vector<Signature> list{
        {u"/api/extra/version"_s, isKobold, {u"koboldcpp"_s, u"KoboldCpp"_s}},
        {u"/api/version"_s, hasVersion, {u"ollama"_s, u"Ollama"_s}},
        {u"/props"_s, isLlamaProps, {u"llama.cpp"_s, u"llama.cpp"_s}},
        {u"/api/v1/models"_s, hasModels, {u"lmstudio"_s, u"LM Studio"_s}},
        {u"/api/v0/models"_s, hasModels, {u"lmstudio"_s, u"LM Studio"_s}},
        {u"/v1/internal/model/info"_s,
         hasModelName,
         {u"text-generation-webui"_s, u"text-generation-webui"_s}},
    };
    return list;
}

// Some say it in each row of their list.
std::optional<ServerKind> ownerIn(const QJsonDocument &models)
{
    const QJsonArray rows = models.object().value(u"data"_s).toArray();
    const QString owner =
        rows.isEmpty() ? QString() : rows.first().toObject().value(u"owned_by"_s).toString();
    if (owner == u"llamacpp")
        return ServerKind{u"llama.cpp"_s, u"llama.cpp"_s};
    if (owner == u"vllm")
        return ServerKind{u"vllm"_s, u"vLLM"_s};
    if (owner == u"sglang")
        return ServerKind{u"sglang"_s, u"SGLang"_s};
    if (owner == u"koboldcpp")
        return ServerKind{u"koboldcpp"_s, u"KoboldCpp"_s};
    return std::nullopt;
}

class Probe
{
public:
    Probe(IoThread &io, const QUrl &address, const CancellationToken &token, Deadline deadline)
        : m_io(io), m_address(address), m_token(token), m_deadline(deadline)
    {
    }

    Result<FoundServer> run()
    {
        const Result<HttpReply> list = get(u"/v1/models"_s);
        if (!list)
            return list.error();
        if (isLoadingLlama(*list))
            return found({u"llama.cpp"_s, u"llama.cpp"_s}, {});
        const std::optional<QStringList> names =
            list->isSuccess() ? modelNames(list->json()) : std::nullopt;
        if (!names)
            return Error(
                ErrorCode::NotFound,
                u"%1 is no model server that Fermata knows."_s.arg(hostForPeople(m_address)));
        if (const std::optional<ServerKind> owner = ownerIn(list->json()))
            return found(*owner, *names);
        for (const Signature &signature : signatures()) {
            const Result<HttpReply> reply = get(signature.path);
            if (!reply)
                return reply.error();
            const QJsonDocument json = reply->json();
            if (reply->isSuccess() && json.isObject() && signature.matches(json.object()))
                return found(signature.server, *names);
        }
        const Result<HttpReply> ready = get(u"/readyz"_s);
        if (ready && ready->head.status == 200)
            return found({u"localai"_s, u"LocalAI"_s}, *names);
        if (ready.isCancelled())
            return ready.error();
        // It lists models as all of them do; that is enough to talk to it.
        return found({u"openai-compatible"_s, u"Local model server"_s}, *names);
    }

private:
    Result<HttpReply> get(const QString &path)
    {
        QUrl url = m_address;
        url.setPath(path);
        return fetch(m_io, jsonRequest(url), m_token, m_deadline, LargestReply);
    }

    static bool isLoadingLlama(const HttpReply &reply)
    {
        return reply.head.status == 503 && reply.body.contains("Loading model");
    }

    FoundServer found(const ServerKind &server, const QStringList &models) const
    {
        return {server.name, server.kind, endpointWithPath(m_address, u"/v1"_s), models};
    }

    IoThread &m_io;
    const QUrl m_address;
    const CancellationToken m_token;
    const Deadline m_deadline;
};

} // namespace

std::vector<ServerCandidate> serverCandidates()
{
    std::vector<ServerCandidate> candidates;
    for (const int port : {11434, 1234, 8080, 9931, 8000, 1337, 4891, 5000, 5001, 30000}) {
        QUrl address;
        address.setScheme(u"http"_s);
        address.setHost(u"localhost"_s);
        address.setPort(port);
        candidates.push_back({address});
    }
    return candidates;
}

Result<FoundServer> probeServer(IoThread &io, const ServerCandidate &candidate,
                                const CancellationToken &token, Deadline deadline)
{
    if (!isOnThisMachine(candidate.address))
        return Error(ErrorCode::InvalidAddress,
                     u"%1 is not on this machine, and other machines are not searched."_s.arg(
                         hostForPeople(candidate.address)));
    QUrl address = candidate.address;
    address.setPath({});
    return Probe(io, address, token, deadline).run();
}

} // namespace fermata
