// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/sandbox.h"

#include "base/logging.h"
#include "io/iothread.h"
#include "io/processstream.h"
#include "tool/outputbuffer.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <utility>

namespace fermata {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr auto ProbeLimit = 5s;
constexpr auto ProbeAnswer = "contained"_L1;

// Names at the top that are folders on some systems and links into /usr on others.
QStringList systemFolders()
{
    QStringList arguments{u"--ro-bind"_s, u"/usr"_s, u"/usr"_s};
    for (const QString &name :
         {u"/bin"_s, u"/sbin"_s, u"/lib"_s, u"/lib32"_s, u"/lib64"_s, u"/libx32"_s}) {
        const QFileInfo folder(name);
        if (folder.isSymLink())
            arguments << u"--symlink"_s << QDir(u"/"_s).relativeFilePath(folder.symLinkTarget())
                      << name;
        else if (folder.exists())
            arguments << u"--ro-bind"_s << name << name;
    }
    return arguments;
}

// Of the settings of the system, what only root may read: a Fermata that root started must not pass it on.
QStringList systemSettings()
{
    QStringList arguments{u"--ro-bind"_s, u"/etc"_s, u"/etc"_s};
    for (const QString &file : {u"/etc/shadow"_s, u"/etc/shadow-"_s, u"/etc/gshadow"_s,
                                u"/etc/gshadow-"_s, u"/etc/sudoers"_s, u"/etc/machine-id"_s}) {
        if (QFileInfo(file).isFile())
            arguments << u"--ro-bind"_s << u"/dev/null"_s << file;
    }
    for (const QString &folder : {u"/etc/ssh"_s, u"/etc/ssl/private"_s, u"/etc/sudoers.d"_s,
                                  u"/etc/NetworkManager"_s, u"/etc/wireguard"_s}) {
        if (QFileInfo(folder).isDir())
            arguments << u"--tmpfs"_s << folder;
    }
    return arguments;
}

QStringList network(SandboxNetwork network)
{
    if (network == SandboxNetwork::None)
        return {u"--unshare-net"_s};
    // Often a link to where a service keeps it.
    const QString resolver = QFileInfo(u"/etc/resolv.conf"_s).canonicalFilePath();
    if (resolver.isEmpty() || resolver.startsWith("/etc/"_L1))
        return {};
    return {u"--ro-bind"_s, resolver, resolver};
}

// The folders between the workspace and what is kept from the command, each as a mount of its own: what is mounted cannot
// be moved away, and with it what stands in its place.
QStringList pinnedFolders(const SandboxAccess &access)
{
    const QString inside = access.workspace + u'/';
    QStringList folders;
    for (const QString &path : access.hidden + access.readOnly + access.emptyFiles) {
        for (QString folder = QFileInfo(path).path(); folder.startsWith(inside);
             folder = QFileInfo(folder).path())
            folders << folder;
    }
    folders.removeDuplicates();
    folders.sort(); // what holds a folder comes before it
    QStringList arguments;
    for (const QString &folder : std::as_const(folders)) {
        if (QFileInfo(folder).isDir() && !QFileInfo(folder).isSymLink())
            arguments << u"--bind"_s << folder << folder;
    }
    return arguments;
}

} // namespace

Sandbox::Sandbox(IoThread &io, QString launcher) : m_io(io), m_launcher(std::move(launcher)) { }

SandboxState Sandbox::state() const
{
    return probed().state;
}

QString Sandbox::sentence() const
{
    const Probe &probe = probed();
    if (probe.state == SandboxState::Contained) {
        return u"Commands run in a sandbox: they can change only the workspace of their "
               "conversation, see nothing else of yours, and have no network unless you allow it."_s;
    }
    return u"Commands are not contained: they can do everything that you can do. %1"_s.arg(
        probe.reason);
}

const Sandbox::Probe &Sandbox::probed() const
{
    std::call_once(m_once, [this] { m_probe = probe(); });
    return *m_probe;
}

Sandbox::Probe Sandbox::probe() const
{
    // Shut out is what lies beside the workspace; what is in it is there, and can be written.
    const QTemporaryDir folder;
    const QString workspace = folder.filePath(u"workspace"_s);
    QFile beside(folder.filePath(u"beside"_s));
    if (!QDir().mkpath(workspace) || !beside.open(QIODevice::WriteOnly))
        return {SandboxState::NotContained,
                u"No temporary folder can be made to try the sandbox."_s};
    ProcessRequest request;
    request.program = u"/bin/sh"_s;
    request.arguments = {u"-c"_s,
                         u"touch inside && test ! -e ../beside && echo %1"_s.arg(ProbeAnswer)};
    request.workingDirectory = workspace;
    request.environment = {{u"PATH"_s, u"/usr/bin:/bin"_s}};
    const auto stream = m_io.startProcess(contained(request, {workspace, {}, {}, {}, {}}));
    OutputBuffer output;
    const Deadline deadline = steadyClock().now() + ProbeLimit;
    for (;;) {
        auto event = stream->next({}, deadline);
        if (!event) {
            return {SandboxState::NotContained,
                    event.error().code == ErrorCode::NotFound
                        ? u"The program bubblewrap (bwrap) is not installed."_s
                        : event.error().message};
        }
        const auto *some = std::get_if<ProcessEvent>(&*event);
        if (!some)
            return {SandboxState::NotContained, u"The sandbox (bubblewrap) does not answer."_s};
        if (const auto *bytes = std::get_if<QByteArray>(some)) {
            output.append(*bytes);
            continue;
        }
        const QString answer = output.text().trimmed();
        if (answer == ProbeAnswer)
            return {SandboxState::Contained, {}};
        qCInfo(lcTool, "no sandbox: %s", qUtf8Printable(answer));
        return {SandboxState::NotContained,
                u"The sandbox (bubblewrap) does not work on this system: %1"_s.arg(
                    answer.isEmpty() ? u"it gave no answer."_s : answer)};
    }
}

ProcessRequest Sandbox::contained(ProcessRequest request, const SandboxAccess &access) const
{
    QStringList arguments{u"--unshare-pid"_s,
                          u"--unshare-ipc"_s,
                          u"--unshare-uts"_s,
                          u"--die-with-parent"_s,
                          u"--new-session"_s,
                          u"--cap-drop"_s,
                          u"ALL"_s};
    arguments << network(access.network) << systemFolders() << systemSettings();
    arguments << u"--proc"_s << u"/proc"_s << u"--dev"_s << u"/dev"_s << u"--tmpfs"_s << u"/tmp"_s
              << u"--tmpfs"_s << u"/var/tmp"_s;
    // After /tmp, which may hold it, and at its own path, so that paths mean the same inside and outside.
    arguments << u"--bind"_s << access.workspace << access.workspace;
    arguments << pinnedFolders(access);
    for (const QString &path : access.readOnly) {
        // Also what is not there must not come to be there.
        if (QFileInfo::exists(path))
            arguments << u"--ro-bind"_s << path << path;
        else
            arguments << u"--tmpfs"_s << path << u"--remount-ro"_s << path;
    }
    for (const QString &path : access.hidden) {
        const QFileInfo info(path);
        if (info.isDir())
            arguments << u"--tmpfs"_s << path;
        else if (info.exists())
            arguments << u"--ro-bind"_s << u"/dev/null"_s << path;
    }
    for (const QString &path : access.emptyFiles)
        arguments << u"--ro-bind"_s << u"/dev/null"_s << path;
    arguments << u"--remount-ro"_s << u"/"_s;
    if (!request.workingDirectory.isEmpty())
        arguments << u"--chdir"_s << request.workingDirectory;
    arguments << u"--"_s << request.program << request.arguments;

    request.program = m_launcher;
    request.arguments = arguments;
    request.leader = ProcessRequest::Leader::Launcher;
    return request;
}

} // namespace fermata
