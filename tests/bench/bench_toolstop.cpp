// SPDX-License-Identifier: GPL-3.0-or-later
// Stops commands, in the sandbox and without it, and looks for what is left: survivors and zombies, which must be 0, and
// the time until the whole tree is gone. One JSON object for each kind of tree.
// FERMATA_STOPS sets how many of each kind (200); FERMATA_GRACE the grace time in milliseconds (100).
#include "../tool/recordingcontext.h"
#include "figures.h"
#include "io/iothread.h"
#include "support/processes.h"
#include "tool/builtin/runcommand.h"
#include "tool/sandbox.h"

#include <QCoreApplication>
#include <QDir>
#include <QTemporaryDir>

#include <thread>

using namespace fermata;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

struct Tree
{
    const char *name;
    QString script; // %1: the number that its processes carry
    bool obeys;
};

struct Tally
{
    std::vector<double> gone; // milliseconds; of a tree that ignores TERM, beyond the grace time
    int survivors = 0;
    int zombies = 0;
    int wrongEnds = 0; // neither a cancellation nor anything else that a stop may end with
};

void stopOnce(RunCommand &tool, const QString &workspace, const Tree &tree,
              std::chrono::milliseconds grace, Tally &tally)
{
    const QString number = uniqueNumber();
    RecordingContext context(workspace);
    context.graceTime = grace;
    bool cancelled = false;
    Instant ended{};
    std::thread runner([&] {
        const auto result = tool.run({{u"command"_s, tree.script.arg(number)}}, context);
        ended = steadyClock().now();
        cancelled = result.isCancelled();
    });
    const bool started = context.waitForOutput("ready");
    const Instant stopped = steadyClock().now();
    context.source.cancel(CancellationCause::User);
    runner.join();
    tally.wrongEnds += !cancelled || !started;

    // The tool said that it is over: now nothing may be left.
    const int left = aliveWith(number);
    tally.survivors += left;
    if (left > 0) {
        const Deadline patience = steadyClock().now() + 10s;
        while (aliveWith(number) > 0 && !steadyClock().hasPassed(patience))
            std::this_thread::yield();
        ended = steadyClock().now();
    }
    tally.gone.push_back(milliseconds(ended - stopped)
                         - (tree.obeys ? 0.0 : double(grace.count())));
}

void measure(RunCommand &tool, const QString &workspace, const Tree &tree, bool contained,
             int count, std::chrono::milliseconds grace)
{
    Tally tally;
    for (int i = 0; i < count; ++i)
        stopOnce(tool, workspace, tree, grace, tally);
    // The guard of the last tree ends just after it.
    const Deadline patience = steadyClock().now() + 10s;
    while (ownChildren() > 0 && !steadyClock().hasPassed(patience))
        std::this_thread::yield();
    tally.zombies = ownZombies();
    printFigure(
        {{u"bench"_s, u"toolstop"_s},
         {u"tree"_s, QString::fromLatin1(tree.name)},
         {u"sandbox"_s, contained},
         {u"figure"_s,
          tree.obeys ? u"stop to whole tree gone"_s : u"grace time over to whole tree gone"_s},
         {u"unit"_s, u"ms"_s},
         {u"grace_ms"_s, qint64(grace.count())},
         {u"survivors"_s, tally.survivors},
         {u"zombies"_s, tally.zombies},
         {u"wrong_ends"_s, tally.wrongEnds}},
        tally.gone);
}

int numberFrom(const char *variable, int standard)
{
    bool ok = false;
    const int value = qEnvironmentVariableIntValue(variable, &ok);
    return ok ? value : standard;
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const int count = numberFrom("FERMATA_STOPS", 200);
    const std::chrono::milliseconds grace(numberFrom("FERMATA_GRACE", 100));
    const Tree trees[] = {
        {"obeys TERM", u"sleep %1 & (setsid sleep %1 &) ; echo ready; sleep %1"_s, true},
        {"ignores TERM",
         u"sh -c 'sleep %1 & (setsid sleep %1 &) ; trap \"\" TERM; echo ready; sleep %1'"_s, false},
        {"ignores TERM in every process",
         u"trap '' TERM; sleep %1 & (setsid sleep %1 &) ; echo ready; sleep %1"_s, false},
    };
    IoThread io;
    const QTemporaryDir folder;
    const QString workspace = folder.filePath(u"workspace"_s);
    QDir().mkpath(workspace);
    for (const QString &launcher : {u"/no/such/launcher"_s, u"bwrap"_s}) {
        const auto sandbox = std::make_shared<const Sandbox>(io, launcher);
        const bool contained = sandbox->state() == SandboxState::Contained;
        if (launcher == "bwrap"_L1 && !contained) {
            std::fprintf(stderr, "not measured in a sandbox: bubblewrap does not work here\n");
            continue;
        }
        RunCommand tool(io, sandbox, ProtectedPaths({}, QDir::homePath()));
        for (const Tree &tree : trees)
            measure(tool, workspace, tree, contained, count, grace);
    }
    return 0;
}
