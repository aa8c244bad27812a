// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/processrequest.h"

#include <QString>
#include <QStringList>

#include <mutex>
#include <optional>

namespace fermata {

class IoThread;

enum class SandboxState { Contained, NotContained };
enum class SandboxNetwork { None, Host };

// What a contained program may reach beside the read-only system.
struct SandboxAccess
{
    QString workspace; // readable and writable
    SandboxNetwork network = SandboxNetwork::None;
    // Inside of the workspace. The folders that hold them cannot be renamed either, so that nothing takes their place.
    QStringList hidden; // not to be seen, if they are there
    QStringList readOnly; // not to be changed; what is not there stays an empty folder
    QStringList emptyFiles; // not there, and to stay without content
};

// Runs programs in bubblewrap, where that works: read-only system, writable workspace, own processes, no network unless
// it is given, and nothing of the user's own. Where it does not work, state() and sentence() say so, and commands run as
// the user does. Thread-safe. The first question is answered by a real run and takes some milliseconds: not on the GUI
// thread.
class Sandbox final
{
public:
    explicit Sandbox(IoThread &io, QString launcher = QStringLiteral("bwrap"));

    SandboxState state() const;
    // For people: what commands can reach here, and why.
    QString sentence() const;

    // `request` as it has to be started to be contained. Only where state() is Contained.
    ProcessRequest contained(ProcessRequest request, const SandboxAccess &access) const;

private:
    struct Probe
    {
        SandboxState state = SandboxState::NotContained;
        QString reason; // why not
    };
    const Probe &probed() const;
    Probe probe() const;

    IoThread &m_io;
    const QString m_launcher;
    mutable std::once_flag m_once;
    mutable std::optional<Probe> m_probe;
};

} // namespace fermata
