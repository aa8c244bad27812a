// SPDX-License-Identifier: GPL-3.0-or-later
// The application in its window with nothing to do: how often any of its threads wakes up in a second, and the memory.
// FERMATA_IDLE_SECONDS sets how many seconds are looked at (20).
#include "app/application.h"
#include "figures.h"
#include "support/processes.h"
#include "ui/window/mainwindow.h"
#include "windowbench.h"

#include <QApplication>
#include <QDir>
#include <QEventLoop>
#include <QTemporaryDir>
#include <QTimer>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// How often the threads of this process have gone to sleep by themselves since their start.
qint64 sleeps()
{
    qint64 sum = 0;
    const QStringList threads =
        QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString &thread : threads) {
        const auto lines = procFile(u"self/task/"_s + thread, u"status"_s).split('\n');
        for (const QByteArray &line : lines) {
            if (line.startsWith("voluntary_ctxt_switches:"))
                sum += line.mid(line.indexOf(':') + 1).trimmed().toLongLong();
        }
    }
    return sum;
}

void runFor(std::chrono::milliseconds time)
{
    QEventLoop loop;
    QTimer::singleShot(time, &loop, &QEventLoop::quit);
    loop.exec();
}

} // namespace

// behaviours: 305
int main(int argc, char *argv[])
{
    QApplication qtApplication(argc, argv);
    QApplication::setQuitOnLastWindowClosed(false);
    const int wanted = qEnvironmentVariableIntValue("FERMATA_IDLE_SECONDS");
    const int seconds = wanted > 0 ? wanted : 20;
    const QTemporaryDir folder;
    CommandLine line;
    line.dataDirectory = folder.path();
    line.provider = u"guide"_s;
    Application application(line);
    if (!application.start())
        qFatal("the application did not start");
    runFor(std::chrono::seconds(3)); // what comes after the start: discovery, the first paint
    std::vector<double> perSecond;
    for (int i = 0; i < seconds; ++i) {
        const qint64 before = sleeps();
        runFor(std::chrono::seconds(1));
        perSecond.push_back(double(sleeps() - before - 1)); // without the end of our own wait
    }
    printFigure({{u"bench"_s, u"idle"_s},
                 {u"figure"_s, u"wake-ups of all threads"_s},
                 {u"unit"_s, u"per second"_s},
                 {u"resident_MB"_s, double(residentKilobytes()) / 1000},
                 {u"budget"_s, QJsonObject{{u"p50"_s, 5}, {u"resident_MB"_s, 60}}}},
                perSecond);
    application.window()->quit(CancellationCause::ApplicationQuit);
    waitFor([&] { return !application.window()->isVisible(); }, "the closed window");
    return 0;
}
