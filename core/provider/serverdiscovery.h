// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/result.h"

#include <QString>
#include <QStringList>
#include <QUrl>

#include <vector>

namespace fermata {

class IoThread;

// A place on this machine where a model server may listen.
struct ServerCandidate
{
    QUrl address; // without a path: http://localhost:11434
};

struct FoundServer
{
    QString name; // "Ollama", for people
    QString kind; // "ollama", see ServerDialect::ofKind()
    QUrl endpoint; // with /v1
    QStringList models;

    friend bool operator==(const FoundServer &, const FoundServer &) = default;
};

// The usual ports of the known servers.
std::vector<ServerCandidate> serverCandidates();

// Asks at one place, by GET and without credentials, and tells by the answers, not by the port, who it is. Loopback
// only: any other address is refused without a connection. NotFound: nobody there whom Fermata can talk to. Blocks; on
// any thread but the GUI's.
Result<FoundServer> probeServer(IoThread &io, const ServerCandidate &candidate,
                                const CancellationToken &token, Deadline deadline);

} // namespace fermata
