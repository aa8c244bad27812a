// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/processtree_p.h"

#include "base/logging.h"

#include <QByteArray>
#include <QRandomGenerator>
#include <QUuid>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr unsigned CloseOnExec = 1U << 2; // CLOSE_RANGE_CLOEXEC
constexpr auto MarkName = "FERMATA_CALL"_L1;

// While a tree runs, orphans of it come to us and can be found and reaped. Not longer: programs that are started
// detached, like the user's browser, would become our children as well, and nobody would reap them.
class SubreaperScope final
{
public:
    SubreaperScope()
    {
        if (s_count++ == 0)
            prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    }
    ~SubreaperScope()
    {
        if (--s_count == 0)
            prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
    }
    SubreaperScope(const SubreaperScope &) = delete;
    SubreaperScope &operator=(const SubreaperScope &) = delete;

private:
    static inline std::atomic<int> s_count = 0; // an attribute of the whole process
};

struct ProcessEntry
{
    pid_t pid = 0;
    char state = '?';
    pid_t parent = 0;
    pid_t session = 0;
    int threads = 0;
    std::uint64_t startTime = 0; // in ticks since boot: with the pid it names one process for good

    bool isDead() const { return state == 'Z' || state == 'X'; }
};

QByteArray readProcFile(pid_t pid, const char *name)
{
    const QByteArray path = "/proc/" + QByteArray::number(pid) + '/' + name;
    const int fd = ::open(path.constData(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return {};
    QByteArray content;
    char buffer[4096];
    ssize_t count = 0;
    while (content.size() < 1024 * 1024 && (count = ::read(fd, buffer, sizeof buffer)) > 0)
        content.append(buffer, count);
    ::close(fd);
    return content;
}

std::optional<ProcessEntry> readEntry(pid_t pid)
{
    const QByteArray stat = readProcFile(pid, "stat");
    const qsizetype nameEnd = stat.lastIndexOf(')'); // the name may hold anything
    if (nameEnd < 0)
        return std::nullopt;
    const QList<QByteArray> fields = stat.mid(nameEnd + 2).split(' ');
    if (fields.size() < 20)
        return std::nullopt;
    return ProcessEntry{pid,
                        fields[0].isEmpty() ? '?' : fields[0].front(),
                        fields[1].toInt(),
                        fields[3].toInt(),
                        fields[17].toInt(),
                        fields[19].toULongLong()};
}

std::vector<ProcessEntry> processesSince(std::uint64_t startTime)
{
    std::vector<ProcessEntry> entries;
    DIR *const proc = ::opendir("/proc");
    if (!proc)
        return entries;
    while (const dirent *item = ::readdir(proc)) {
        const pid_t pid = QByteArrayView(item->d_name).toInt();
        if (pid <= 0)
            continue;
        const auto entry = readEntry(pid);
        if (entry && entry->startTime >= startTime)
            entries.push_back(*entry);
    }
    ::closedir(proc);
    return entries;
}

// How many threads all of the user's programs may have together before one of the tree cannot start another: more than
// any work needs, and less than what makes a desktop stand still. Root is not held by it.
rlim_t mostThreads()
{
    constexpr rlim_t forOneTree = 4096;
    rlim_t running = 0;
    for (const ProcessEntry &entry : processesSince(0)) {
        struct stat info
        {
        };
        const QByteArray path = "/proc/" + QByteArray::number(entry.pid);
        if (::stat(path.constData(), &info) == 0 && info.st_uid == ::getuid())
            running += rlim_t(entry.threads);
    }
    rlimit limit{};
    return ::getrlimit(RLIMIT_NPROC, &limit) == 0 ? std::min(limit.rlim_max, running + forOneTree)
                                                  : running + forOneTree;
}

// By a descriptor of the process, so that a recycled pid is never hit.
void sendSignal(const ProcessEntry &entry, int signal)
{
    const int fd = int(::syscall(SYS_pidfd_open, entry.pid, 0U));
    if (fd < 0) {
        if (errno == ENOSYS || errno == EPERM)
            ::kill(entry.pid, signal);
        return;
    }
    const auto now = readEntry(entry.pid);
    if (now && now->startTime == entry.startTime)
        ::syscall(SYS_pidfd_send_signal, fd, signal, nullptr, 0U);
    ::close(fd);
}

void closeOthersOnExec()
{
    // Not closed at once: one of them tells QProcess that exec failed.
    if (::syscall(SYS_close_range, 3U, ~0U, CloseOnExec) == 0)
        return;
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const int last = int(std::min<rlim_t>(limit.rlim_cur, 65536));
    for (int fd = 3; fd < last; ++fd)
        ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

// A number that a process passes on to all it starts, that clearing the environment or leaving the session does not
// change, that an ordinary user cannot raise again and that anyone may read: the hard limit of something that only
// real-time programs have, far above what would limit even them.
std::uint64_t newLimitMark()
{
    constexpr std::uint64_t highest = 1ULL << 52;
    constexpr std::uint64_t spread = 1ULL << 40;
    rlimit limit{};
    if (::getrlimit(RLIMIT_RTTIME, &limit) != 0)
        return 0;
    const std::uint64_t top = std::min<std::uint64_t>(limit.rlim_max, highest);
    return top > 2 * spread ? top - 1 - QRandomGenerator::global()->bounded(quint64(spread)) : 0;
}

} // namespace

struct ProcessTree::Private
{
    const QByteArray id = QUuid::createUuid().toByteArray(QUuid::WithoutBraces);
    const QByteArray environmentMark = QByteArray(MarkName.data(), MarkName.size()) + '=' + id;
    const std::uint64_t limitMark = newLimitMark();
    const QByteArray limitText = QByteArray::number(qulonglong(limitMark));
    pid_t leader = 0;
    std::uint64_t leaderStart = 0;
    std::unordered_map<pid_t, std::uint64_t> known; // everything that was seen to belong to it
    std::unordered_set<std::uint64_t> asked; // to end; see key()
    SubreaperScope subreaper;

    static std::uint64_t key(const ProcessEntry &entry)
    {
        return (entry.startTime << 24) ^ std::uint64_t(entry.pid);
    }

    bool carriesMark(const ProcessEntry &entry) const
    {
        if (limitMark != 0) {
            const QByteArray limits = readProcFile(entry.pid, "limits");
            const qsizetype line = limits.indexOf("Max realtime timeout");
            if (line >= 0
                && limits.mid(line, limits.indexOf('\n', line) - line).contains(limitText))
                return true;
        }
        const QByteArray environment = '\0' + readProcFile(entry.pid, "environ");
        return environment.contains('\0' + environmentMark);
    }

    // The tree as it is now: what carries a mark, is in the leader's session, was seen to belong to it, or descends from
    // one of these.
    std::vector<ProcessEntry> members()
    {
        std::vector<ProcessEntry> others = processesSince(leaderStart);
        std::vector<ProcessEntry> found;
        std::unordered_set<pid_t> pids;
        const auto take = [&](auto belongs) {
            const auto split = std::stable_partition(others.begin(), others.end(),
                                                     [&](const auto &e) { return !belongs(e); });
            for (auto it = split; it != others.end(); ++it) {
                pids.insert(it->pid);
                known[it->pid] = it->startTime;
                found.push_back(*it);
            }
            const bool any = split != others.end();
            others.erase(split, others.end());
            return any;
        };
        take([this](const ProcessEntry &entry) {
            if (entry.pid == ::getpid())
                return false;
            const auto seen = known.find(entry.pid);
            return entry.session == leader
                || (seen != known.end() && seen->second == entry.startTime) || carriesMark(entry);
        });
        while (take([&](const ProcessEntry &entry) { return pids.contains(entry.parent); })) { }
        return found;
    }
};

ProcessTree::ProcessTree() : d(std::make_unique<Private>()) { }

ProcessTree::~ProcessTree() = default;

std::pair<QString, QString> ProcessTree::environmentMark() const
{
    return {MarkName, QString::fromLatin1(d->id)};
}

std::function<void()> ProcessTree::childSetUp(int outputDescriptor, int errorDescriptor) const
{
    return [parent = ::getpid(), mark = rlim_t(d->limitMark), threads = mostThreads(),
            outputDescriptor, errorDescriptor] {
        ::setsid();
        ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (::getppid() != parent) // died before the line above
            ::_exit(127);
        const rlimit none{0, 0};
        ::setrlimit(RLIMIT_CORE, &none);
        const rlimit bounded{threads, threads};
        ::setrlimit(RLIMIT_NPROC, &bounded);
        if (mark != 0) {
            const rlimit marked{mark, mark};
            ::setrlimit(RLIMIT_RTTIME, &marked);
        }
        ::umask(022); // the usual one, whatever our own files have
        ::dup2(outputDescriptor, STDOUT_FILENO);
        if (errorDescriptor >= 0)
            ::dup2(errorDescriptor, STDERR_FILENO);
        closeOthersOnExec();
        for (int number = 1; number < NSIG; ++number)
            ::signal(number, SIG_DFL);
        sigset_t unblocked;
        ::sigemptyset(&unblocked);
        ::sigprocmask(SIG_SETMASK, &unblocked, nullptr);
    };
}

void ProcessTree::setLeader(std::int64_t pid)
{
    d->leader = pid_t(pid);
    if (const auto entry = readEntry(d->leader)) {
        d->leaderStart = entry->startTime;
        d->known[d->leader] = entry->startTime;
    }
}

int ProcessTree::terminate(Include include)
{
    int left = 0;
    for (const ProcessEntry &entry : d->members()) {
        if (entry.pid == d->leader && include == Include::AllButLeader)
            continue;
        if (entry.isDead()) {
            if (entry.parent == ::getpid() && entry.pid != d->leader)
                ::waitpid(entry.pid, nullptr, WNOHANG);
            continue;
        }
        ++left;
        if (d->asked.insert(Private::key(entry)).second)
            sendSignal(entry, SIGTERM);
    }
    return left;
}

int ProcessTree::kill(Include include)
{
    const std::vector<ProcessEntry> members = d->members();
    const auto isMember = [&](pid_t pid) {
        return std::any_of(members.begin(), members.end(),
                           [pid](const ProcessEntry &entry) { return entry.pid == pid; });
    };
    int left = 0;
    for (const ProcessEntry &entry : members) {
        const bool isLeader = entry.pid == d->leader;
        if (isLeader && include == Include::AllButLeader)
            continue;
        const bool isOurs = entry.parent == ::getpid();
        if (entry.isDead() && !isOurs && !isMember(entry.parent))
            continue; // its parent's to reap, and that is none of ours
        if (!entry.isDead())
            sendSignal(entry, SIGKILL);
        // Exactly this one, and never the leader: that one is QProcess' child.
        if (isOurs && !isLeader)
            ::waitpid(entry.pid, nullptr, WNOHANG);
        // Also when it is reaped: what it started last may have come to us only while we were looking.
        ++left;
    }
    return left;
}

void ProcessTree::waitForEnd(Include include, std::chrono::milliseconds limit)
{
    std::vector<pollfd> watched;
    for (const ProcessEntry &entry : d->members()) {
        if (entry.isDead() || (entry.pid == d->leader && include == Include::AllButLeader))
            continue;
        const int fd = int(::syscall(SYS_pidfd_open, entry.pid, 0U));
        if (fd >= 0)
            watched.push_back({fd, POLLIN, 0}); // readable when the process has ended
    }
    if (!watched.empty())
        ::poll(watched.data(), nfds_t(watched.size()), int(limit.count()));
    for (const pollfd &process : watched)
        ::close(process.fd);
}

QString ProcessTree::guardScript() const
{
    const QString pids = u"for file in $(grep -ls '%1' /proc/[0-9]*/%2); do file=${file#/proc/}; "
                         "kill -KILL ${file%/%2}; done; "_s;
    QString kill = pids.arg(QString::fromLatin1(d->environmentMark), u"environ"_s);
    if (d->limitMark != 0) {
        kill +=
            pids.arg(u"Max realtime timeout *"_s + QString::fromLatin1(d->limitText), u"limits"_s);
    }
    return u"read -r line; for round in 1 2 3 4 5; do %1 sleep 0.05; done 2>/dev/null"_s.arg(kill);
}

} // namespace fermata
