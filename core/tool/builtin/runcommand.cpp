// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/runcommand.h"

#include "base/visibletext.h"
#include "io/iothread.h"
#include "io/processstream.h"
#include "tool/builtin/toolschema.h"
#include "tool/builtin/workspacefolder.h"
#include "tool/outputbuffer.h"
#include "tool/sandbox.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

namespace fermata {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr qint64 LongestSeconds = 24 * 60 * 60;
constexpr qsizetype LongestCommand = 120 * 1024; // the system takes 128 KB for one argument
constexpr int DeepestRepository = 4;
constexpr int MostFoldersLookedAt = 1000;
constexpr int SignalExitBase = 128; // how shells tell that a signal ended what they ran

ToolSpec makeSpec()
{
    ToolSpec spec;
    spec.name = u"run_command"_s;
    spec.title = u"Run command"_s;
    spec.description =
        u"Runs a shell command in the workspace and returns its output and exit status. There is "
        "no terminal and no input: commands that ask questions fail. Background processes end "
        "with the command. Of a long output the first and the last part are returned."_s;
    spec.parameters = objectSchema(
        {{u"command"_s, stringProperty(u"The command line, for a POSIX shell."_s)},
         {u"working_directory"_s,
          stringProperty(
              u"Folder to run in, relative to the workspace. Default: the workspace."_s)},
         {u"timeout_seconds"_s,
          integerProperty(
              u"Ends the command after this time. The user's own limit for tools counts "
              "as well."_s,
              1, LongestSeconds)},
         {u"no_output_seconds"_s,
          integerProperty(u"Ends the command if it prints nothing for this long."_s, 1,
                          LongestSeconds)},
         {u"network"_s,
          booleanProperty(u"True if the command needs the network; the user is asked then."_s)}},
        {u"command"_s});
    spec.access = ToolAccess::Writes;
    spec.asksByDefault = true;
    spec.allowReach = AllowReach::CallsWithPattern;
    return spec;
}

std::optional<std::chrono::seconds> secondsOf(const QJsonObject &arguments, const QString &name)
{
    if (!arguments.contains(name))
        return std::nullopt;
    return std::chrono::seconds(arguments.value(name).toInteger());
}

QString shellPath()
{
    return QFileInfo::exists(u"/bin/bash"_s) ? u"/bin/bash"_s : u"/bin/sh"_s;
}

QString inSeconds(std::chrono::seconds value)
{
    return value == 1s ? u"1 second"_s : u"%1 seconds"_s.arg(value.count());
}

constexpr std::pair<int, QLatin1StringView> SignalNames[] = {
    {SIGHUP, "HUP"_L1},   {SIGINT, "INT"_L1},   {SIGQUIT, "QUIT"_L1}, {SIGILL, "ILL"_L1},
    {SIGABRT, "ABRT"_L1}, {SIGBUS, "BUS"_L1},   {SIGFPE, "FPE"_L1},   {SIGKILL, "KILL"_L1},
    {SIGSEGV, "SEGV"_L1}, {SIGPIPE, "PIPE"_L1}, {SIGALRM, "ALRM"_L1}, {SIGTERM, "TERM"_L1},
    {SIGXCPU, "XCPU"_L1}, {SIGXFSZ, "XFSZ"_L1},
};

// Empty if it is none of those that end programs.
QString signalName(int number)
{
    for (const auto &[value, name] : SignalNames) {
        if (value == number)
            return u"SIG"_s + name;
    }
    return {};
}

// What has to be said of an end beside the output.
QString endNote(const ProcessExit &exit, bool hasOutput)
{
    if (exit.crashed)
        return u"[ended by signal %1]"_s.arg(
            u"%1 %2"_s.arg(exit.code).arg(signalName(exit.code)).trimmed());
    const QString innerSignal = signalName(exit.code - SignalExitBase);
    if (!innerSignal.isEmpty())
        return u"[exit status %1: ended by signal %2]"_s.arg(exit.code).arg(innerSignal);
    if (exit.code != 0)
        return u"[exit status %1]"_s.arg(exit.code);
    return hasOutput ? QString() : u"[no output, exit status 0]"_s;
}

// Where a link in the workspace leads to, as a path below the workspace; empty if that is outside of it, or nothing.
QString targetInside(const QString &link, const QString &workspace)
{
    const QString real = QFileInfo(workspace).canonicalFilePath();
    const QString target = QFileInfo(link).canonicalFilePath();
    const bool isInside = target != real && isInFolder(target, real);
    // A circle of links is its own target, and there is nothing.
    return isInside && QFileInfo::exists(target) ? workspace + target.mid(real.size()) : QString();
}

// What git reads and starts by itself, of one repository and those of its submodules.
void protectRepository(const QString &git, int depth, SandboxAccess &access)
{
    const QString config = git + u"/config"_s;
    const QString own = git + u"/config.worktree"_s;
    // Nothing can be mounted over a link, which could be replaced then: all of the repository stays as it is.
    bool hasLinks = false;
    for (const QString &path : {git + u"/hooks"_s, config, own, git + u"/modules"_s}) {
        if (!QFileInfo(path).isSymLink())
            continue;
        hasLinks = true;
        if (const QString target = targetInside(path, access.workspace); !target.isEmpty())
            access.readOnly << target;
    }
    if (hasLinks) {
        access.readOnly << git;
        return;
    }
    access.readOnly << git + u"/hooks"_s;
    (QFileInfo::exists(config) ? access.readOnly : access.emptyFiles) << config;
    if (QFileInfo::exists(own))
        access.readOnly << own;
    QStringList folders{git + u"/modules"_s};
    for (int looked = 0; !folders.isEmpty() && looked < MostFoldersLookedAt; ++looked) {
        const QString folder = folders.takeFirst();
        const auto names =
            QDir(folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks);
        for (const QString &name : names) {
            const QString below = folder + u'/' + name;
            // Of one that was protected, a command can remove the rest, but not these.
            const bool isRepository = QFileInfo::exists(below + u"/HEAD"_s)
                || QFileInfo::exists(below + u"/config"_s)
                || QFileInfo::exists(below + u"/hooks"_s);
            if (!isRepository)
                folders << below; // a part of the name of a submodule
            else if (depth > 0)
                protectRepository(below, depth - 1, access);
        }
    }
}

// The repositories in the workspace, which may be below it. Programs that make a repository of their own have it writable
// until they end.
void protectRepositories(SandboxAccess &access)
{
    QStringList level{access.workspace};
    int looked = 0;
    for (int depth = 0; depth <= DeepestRepository && !level.isEmpty(); ++depth) {
        QStringList next;
        for (const QString &folder : std::as_const(level)) {
            if (++looked > MostFoldersLookedAt)
                return;
            const QFileInfo git(folder + u"/.git"_s);
            const QString place =
                git.isSymLink() ? targetInside(git.filePath(), access.workspace) : git.filePath();
            if (git.isDir() && !place.isEmpty())
                protectRepository(place, DeepestRepository, access);
            const auto entries =
                QDir(folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks);
            for (const QString &entry : entries)
                next << folder + u'/' + entry;
        }
        level = std::move(next);
    }
}

QString joined(const QString &output, const QString &note)
{
    if (output.isEmpty() || note.isEmpty())
        return output + note;
    return output + (output.endsWith(u'\n') ? u""_s : u"\n"_s) + note;
}

} // namespace

struct RunCommand::Command
{
    QString text;
    QString folder; // relative to the workspace
    SandboxNetwork network = SandboxNetwork::None;
    bool asksForNetwork = false; // what the setting does not give
    std::optional<std::chrono::seconds> limit;
    std::optional<std::chrono::seconds> noOutputLimit;
};

RunCommand::RunCommand(IoThread &io, std::shared_ptr<const Sandbox> sandbox,
                       ProtectedPaths protectedPaths,
                       std::shared_ptr<const std::atomic<bool>> mayUseNetwork)
    : m_io(io), m_sandbox(std::move(sandbox)), m_protected(std::move(protectedPaths)),
      m_mayUseNetwork(std::move(mayUseNetwork)), m_spec(makeSpec())
{
}

Result<RunCommand::Command> RunCommand::parse(const QJsonObject &arguments,
                                              const QString &workspace) const
{
    Command command;
    command.text = arguments.value("command"_L1).toString();
    if (command.text.trimmed().isEmpty())
        return Error(ErrorCode::InvalidArgument, u"The command is empty."_s);
    if (command.text.contains(QChar::Null))
        return Error(ErrorCode::InvalidArgument, u"The command holds a NUL character."_s);
    if (command.text.toUtf8().size() > LongestCommand) {
        return Error(ErrorCode::InvalidArgument,
                     u"The command is longer than %1 KB. Write it to a file and run that."_s.arg(
                         LongestCommand / 1024));
    }
    auto folder =
        pathInWorkspace(arguments.value("working_directory"_L1).toString(u"."_s), workspace);
    if (!folder)
        return folder.error();
    auto root = WorkspaceFolder::open(workspace, m_protected);
    if (!root)
        return root.error();
    if (!root->isFolder(folder.value())) {
        return Error(ErrorCode::NotFound,
                     u"The working directory “%1” is not a folder in the workspace %2."_s.arg(
                         folder.value(), workspace));
    }
    command.folder = folder.value();
    // What is there can be hidden from a command; what is not there could be made by it.
    const QStringList kept = m_protected.inside(workspace);
    if (std::any_of(kept.begin(), kept.end(),
                    [](const QString &path) { return !QFileInfo::exists(path); })) {
        return Error(
            ErrorCode::Denied,
            u"No command runs in the workspace %1: it holds places for your own settings, "
            "keys and start files. Commands need a workspace without them."_s.arg(workspace));
    }
    const bool given = m_mayUseNetwork && *m_mayUseNetwork;
    command.asksForNetwork = !given && arguments.value("network"_L1).toBool();
    if (given || command.asksForNetwork)
        command.network = SandboxNetwork::Host;
    command.limit = secondsOf(arguments, u"timeout_seconds"_s);
    command.noOutputLimit = secondsOf(arguments, u"no_output_seconds"_s);
    return command;
}

Result<ApprovalRequest> RunCommand::describe(const QJsonObject &arguments,
                                             const QString &workspace) const
{
    auto command = parse(arguments, workspace);
    if (!command)
        return command.error();
    const bool contained = m_sandbox->state() == SandboxState::Contained;
    const bool network = !contained || command->network == SandboxNetwork::Host;

    ApprovalRequest request;
    request.tool = m_spec.name;
    request.title = m_spec.title;
    request.question =
        contained ? u"Allow this command?"_s : u"Allow this command to run without a sandbox?"_s;
    request.exactText = withControlsNamed(command->text, TextUse::Asked);
    request.facts = {
        {u"Folder"_s,
         withControlsNamed(command->folder == "."_L1 ? workspace
                                                     : workspace + u'/' + command->folder,
                           TextUse::Asked)},
        {u"Access"_s, m_sandbox->sentence()},
        {u"Network"_s, network ? u"yes, this computer's own services included"_s : u"none"_s},
    };
    if (command->limit)
        request.facts.emplace_back(u"Time limit"_s, inSeconds(*command->limit));
    if (command->noOutputLimit)
        request.facts.emplace_back(u"Limit without output"_s, inSeconds(*command->noOutputLimit));
    // Only what cannot do much, and cannot be taken for another command, may be allowed once and for all. In another
    // folder the same words do something else.
    if (contained && !command->asksForNetwork && command->folder == "."_L1
        && request.exactText == command->text)
        request.alwaysPattern = command->text;
    request.fingerprint = fingerprint(arguments, *command, workspace);
    return request;
}

// Of what the command is, where it runs, and of what it may reach.
QByteArray RunCommand::fingerprint(const QJsonObject &arguments, const Command &command,
                                   const QString &workspace) const
{
    const QByteArray sandbox =
        m_sandbox->state() == SandboxState::Contained ? "contained" : "not contained";
    const QByteArray network = command.network == SandboxNetwork::Host ? "network" : "no network";
    return approvalFingerprint(m_spec.name, arguments,
                               sandbox + ", " + network + " in " + workspace.toUtf8());
}

QString RunCommand::summary(const QJsonObject &arguments) const
{
    return withControlsNamed(arguments.value("command"_L1).toString().section(u'\n', 0, 0),
                             TextUse::Asked);
}

ProcessRequest RunCommand::requestFor(const Command &command, const QString &workspace) const
{
    ProcessRequest request;
    request.program = shellPath();
    request.arguments = {u"-c"_s, command.text};
    request.workingDirectory =
        command.folder == "."_L1 ? workspace : workspace + u'/' + command.folder;
    request.environment = {
        {u"PATH"_s, u"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"_s},
        {u"HOME"_s, workspace},
        {u"PWD"_s, request.workingDirectory},
        {u"LANG"_s, u"C.UTF-8"_s},
        {u"TERM"_s, u"dumb"_s},
        {u"TMPDIR"_s, u"/tmp"_s},
        {u"PAGER"_s, u"cat"_s},
        {u"GIT_PAGER"_s, u"cat"_s},
        {u"GIT_TERMINAL_PROMPT"_s, u"0"_s},
        {u"DEBIAN_FRONTEND"_s, u"noninteractive"_s},
    };
    if (m_sandbox->state() != SandboxState::Contained)
        return request;
    SandboxAccess access;
    access.workspace = workspace;
    access.network = command.network;
    access.hidden = m_protected.inside(workspace);
    protectRepositories(access);
    return m_sandbox->contained(std::move(request), access);
}

Result<ToolResult> RunCommand::run(const QJsonObject &arguments, ToolContext &context)
{
    auto command = parse(arguments, context.workspace());
    if (!command)
        return command.error();
    const QByteArray approved = context.approvedFingerprint();
    if (!approved.isEmpty() && approved != fingerprint(arguments, *command, context.workspace())) {
        return Error(ErrorCode::Denied,
                     u"This is not what was allowed: the command, or what commands may reach, has "
                     "changed since. It was not run."_s);
    }
    const ProcessRequest request = requestFor(*command, context.workspace());
    const CancellationToken token = context.token();
    if (auto live = token.check(TurnPhase::ToolCalls); !live)
        return live.error();

    const auto stream = m_io.startProcess(request);
    const Registration stopping = token.onCancelled([&] { stream->stop(context.grace()); });
    const Registration forcing = context.forceToken().onCancelled([&] { stream->stop(0ms); });

    OutputBuffer output;
    const Instant started = steadyClock().now();
    Instant lastOutput = started;
    QString timeout; // set once a limit of ours has fired
    for (;;) {
        Deadline deadline;
        if (timeout.isEmpty() && !token.isCancelled()) {
            if (command->limit)
                deadline = started + *command->limit;
            if (command->noOutputLimit)
                deadline = earlier(deadline, lastOutput + *command->noOutputLimit);
        }
        // Without the token: a cancelled command is read to its end as well, which stop() brings.
        auto event = stream->next({}, deadline);
        if (!event)
            return event.error();
        const auto *some = std::get_if<ProcessEvent>(&*event);
        if (!some) {
            if (token.isCancelled())
                continue;
            const bool whole = command->limit && steadyClock().now() >= started + *command->limit;
            timeout = whole
                ? u"[timed out after %1]"_s.arg(inSeconds(*command->limit))
                : u"[timed out after %1 without output]"_s.arg(inSeconds(*command->noOutputLimit));
            stream->stop(context.grace());
            continue;
        }
        if (const auto *bytes = std::get_if<QByteArray>(some)) {
            lastOutput = steadyClock().now();
            output.append(*bytes);
            context.reportOutput(*bytes);
            continue;
        }
        const auto exit = std::get<ProcessExit>(*some);
        const bool endedWell = !exit.crashed && exit.code == 0;
        if (!timeout.isEmpty())
            return ToolResult{joined(output.text(), timeout), true, std::nullopt, {}};
        // A command that could still finish within its grace time has done its work.
        if (token.isCancelled() && !endedWell)
            return token.check(TurnPhase::ToolCalls).error();
        const int status = exit.crashed ? SignalExitBase + exit.code : exit.code;
        return ToolResult{
            joined(output.text(), endNote(exit, output.totalBytes() > 0)), !endedWell, status, {}};
    }
}

} // namespace fermata
