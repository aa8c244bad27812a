// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/processes.h"

#include <QDir>
#include <QFile>

#include <algorithm>

#include <malloc.h>
#include <unistd.h>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

int ownChildrenIn(const QByteArray &states)
{
    const QByteArray self = QByteArray::number(::getpid());
    const auto pids = allPids();
    return int(std::count_if(pids.begin(), pids.end(), [&](const QString &pid) {
        const QByteArray stat = procFile(pid, u"stat"_s);
        const QByteArrayList fields = stat.mid(stat.lastIndexOf(')') + 2).split(' ');
        return fields.value(1) == self && (states.isEmpty() || states.contains(fields.value(0)));
    }));
}

} // namespace

QStringList allPids()
{
    QStringList pids;
    for (const QString &name : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
        if (name.front().isDigit())
            pids << name;
    }
    return pids;
}

QByteArray procFile(const QString &pid, const QString &name)
{
    QFile file(u"/proc/%1/%2"_s.arg(pid, name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString uniqueNumber()
{
    static int count = 0;
    return u"7%1%2"_s.arg(::getpid(), 7, 10, QLatin1Char('0'))
        .arg(++count, 5, 10, QLatin1Char('0'));
}

int aliveWith(const QString &number)
{
    const auto pids = allPids();
    return int(std::count_if(pids.begin(), pids.end(), [&](const QString &pid) {
        return procFile(pid, u"cmdline"_s).contains(number.toLatin1());
    }));
}

int ownChildren()
{
    return ownChildrenIn({});
}

int ownZombies()
{
    return ownChildrenIn("Z");
}

int openDescriptors()
{
    return int(QDir(u"/proc/self/fd"_s).entryList(QDir::AllEntries | QDir::System).size());
}

int ownThreads()
{
    return int(QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size());
}

qint64 residentKilobytes()
{
#ifdef __SANITIZE_ADDRESS__
    return 0;
#endif
    for (const QByteArray &line : procFile(u"self"_s, u"status"_s).split('\n')) {
        if (line.startsWith("VmRSS:"))
            return line.mid(6).trimmed().split(' ').front().toLongLong();
    }
    return 0;
}

qint64 heapKilobytes()
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 0;
#else
    return qint64(::mallinfo2().uordblks / 1024);
#endif
}

} // namespace fermata
