// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/processstream.h"

#include "io/descriptor_p.h"
#include "io/iothread_p.h"
#include "io/processtree_p.h"
#include "io/programlookup_p.h"

#include "base/channel.h"
#include "base/logging.h"

#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>
#include <QSocketNotifier>
#include <QTimer>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace fermata {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype PieceBytes = 64 * 1024;
constexpr qint64 MostQueuedBytes = 1024 * 1024; // then the pipe fills up and holds the program
constexpr qint64 FewQueuedBytes = MostQueuedBytes / 2;
constexpr qint64 PieceCost =
    64; // what a piece of one byte takes, so that many small ones are bounded as well
constexpr qint64 MostQueuedInput = 1024 * 1024;
constexpr auto SweepLimit =
    1s; // for what does not die of KILL; it is left behind then, and said so
constexpr int FewestLooks = 25; // within that limit: on a busy machine, time alone proves nothing
constexpr auto LongestLookInterval = 20ms; // at what is left, after a TERM or a KILL
constexpr auto LeftBehindInterval = 500ms;
constexpr auto ShutDownLimit = 1s;
constexpr auto LongestLook = 10ms; // for the end of one of them; another may have come meanwhile

// Most trees are gone within a few milliseconds; the others are looked at less and less often.
std::chrono::milliseconds lookInterval(Duration elapsed)
{
    const auto quarter = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed / 4);
    return std::clamp<std::chrono::milliseconds>(quarter, 1ms, LongestLookInterval);
}

using Item = std::variant<QByteArray, ProcessExit, Error>;

class ProcessJob;

} // namespace

struct ProcessStream::Shared
{
    std::shared_ptr<IoThread::Private> io;
    Channel<Item> events;
    std::atomic<qint64> queuedBytes = 0;
    std::atomic<bool> throttled = false;
    std::atomic<qint64> queuedInput = 0;
    std::atomic<bool> inputOpen = false;
    std::atomic<bool> stopRequested = false;
    ProcessJob *job = nullptr; // only on the I/O thread
};

namespace {

// What lives on the I/O thread for one program: starts it, reads its pipe as fast as the output is fetched, writes its
// input, and ends with the tree. Deletes itself then.
class ProcessJob final : public QObject
{
public:
    ProcessJob(std::shared_ptr<ProcessStream::Shared> shared, ProcessRequest request,
               QObject *parent);
    ~ProcessJob() override;

    void start();
    void write(const QByteArray &bytes);
    void stop(std::chrono::milliseconds grace);
    void resumeReading();

private:
    Result<void> tryStart();
    void startGuard();
    void fail(Error error);
    void readOutput();
    bool readPiece();
    void programEnded(ProcessExit exit);
    bool hasInput() const { return m_request.input == ProcessRequest::Input::Pipe; }
    void closeInput();
    void beginEnd(std::chrono::milliseconds untilTerm, std::chrono::milliseconds untilKill);
    void endTree();
    void announceEnd();
    void leave();
    bool isRunning() const { return m_program.state() != QProcess::NotRunning; }

    std::shared_ptr<ProcessStream::Shared> m_shared;
    const ProcessRequest m_request;
    ProcessTree m_tree;
    QProcess m_program;
    QProcess m_guard;
    Descriptor m_pipe;
    std::unique_ptr<QSocketNotifier> m_readable;
    QTimer m_timer; // of the end
    std::optional<ProcessExit> m_exit;
    bool m_ending = false;
    bool m_announced = false;
    Instant m_termAt{};
    Instant m_killAt{};
    std::optional<Instant> m_killedSince;
    int m_looks = 0; // since the KILL
    bool m_leftBehind = false;
};

ProcessJob::ProcessJob(std::shared_ptr<ProcessStream::Shared> shared, ProcessRequest request,
                       QObject *parent)
    : QObject(parent), m_shared(std::move(shared)), m_request(std::move(request)), m_program(this),
      m_guard(this), m_timer(this)
{
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &ProcessJob::endTree);
    m_shared->job = this;
}

// Only at the end of the I/O thread is there still something to kill.
ProcessJob::~ProcessJob()
{
    m_shared->job = nullptr;
    m_shared->inputOpen = false;
    m_program.disconnect(this);
    m_guard.disconnect(this);
    const Instant giveUp = steadyClock().now() + ShutDownLimit;
    if (isRunning() || (m_ending && !m_announced)) {
        m_program.kill();
        for (int looks = 0; m_tree.kill(ProcessTree::Include::AllButLeader) > 0; ++looks) {
            if (looks >= FewestLooks && steadyClock().now() >= giveUp)
                break;
            m_tree.waitForEnd(ProcessTree::Include::AllButLeader, LongestLook);
        }
        if (isRunning())
            m_program.waitForFinished(int(std::chrono::milliseconds(ShutDownLimit).count()));
    }
    if (m_guard.state() != QProcess::NotRunning) {
        m_guard.kill();
        m_guard.waitForFinished(int(std::chrono::milliseconds(ShutDownLimit).count()));
    }
    m_shared->events.close();
}

void ProcessJob::start()
{
    if (m_shared->stopRequested) {
        m_exit = ProcessExit{true, SIGTERM};
        announceEnd();
        leave();
        return;
    }
    if (auto started = tryStart(); !started)
        fail(started.error());
}

Result<void> ProcessJob::tryStart()
{
    auto program = resolvedProgram(m_request);
    if (!program)
        return program.error();
    if (!m_request.workingDirectory.isEmpty() && !QFileInfo(m_request.workingDirectory).isDir()) {
        return Error(ErrorCode::NotFound,
                     u"The folder “%1” does not exist."_s.arg(m_request.workingDirectory));
    }
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return Error(ErrorCode::Io,
                     u"The program could not be started: %1."_s.arg(
                         QString::fromLocal8Bit(::strerror(errno))));
    }
    m_pipe.reset(ends[0]);
    const Descriptor writeEnd(ends[1]);
    ::fcntl(m_pipe.get(), F_SETFL, O_NONBLOCK);

    m_readable = std::make_unique<QSocketNotifier>(m_pipe.get(), QSocketNotifier::Read);
    connect(m_readable.get(), &QSocketNotifier::activated, this, &ProcessJob::readOutput);
    connect(&m_program, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        programEnded({status == QProcess::CrashExit, code});
    });
    connect(&m_program, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            fail({ErrorCode::Io, startProblem(m_request.program, m_program.errorString())});
        else if (error == QProcess::WriteError) // nobody reads it any more
            m_shared->inputOpen = false;
    });
    connect(&m_program, &QProcess::bytesWritten, this,
            [this](qint64 count) { m_shared->queuedInput -= count; });

    QProcessEnvironment environment;
    for (const auto &[name, value] : m_request.environment)
        environment.insert(name, value);
    const auto mark = m_tree.environmentMark();
    environment.insert(mark.first, mark.second);
    m_program.setProcessEnvironment(environment);
    m_program.setProgram(program.value());
    m_program.setArguments(m_request.arguments);
    m_program.setWorkingDirectory(m_request.workingDirectory);
    // Our own pipe instead of QProcess' buffers, which have no bound and cannot stop reading.
    if (!hasInput())
        m_program.setStandardInputFile(QProcess::nullDevice());
    m_program.setStandardOutputFile(QProcess::nullDevice());
    m_program.setStandardErrorFile(QProcess::nullDevice());
    m_program.setChildProcessModifier(
        m_tree.childSetUp(writeEnd.get(), m_request.mergeErrorOutput ? writeEnd.get() : -1));
    if (m_request.leader == ProcessRequest::Leader::Program)
        connect(&m_program, &QProcess::started, this, &ProcessJob::startGuard);
    m_program.start(hasInput() ? QIODevice::WriteOnly : QIODevice::ReadOnly);
    if (isRunning())
        m_tree.setLeader(m_program.processId());
    return {};
}

// A launcher takes its tree along when it dies with us; else only the program itself would die.
void ProcessJob::startGuard()
{
    QProcessEnvironment environment;
    environment.insert(u"PATH"_s, u"/usr/bin:/bin"_s);
    environment.insert(u"LC_ALL"_s, u"C"_s);
    m_guard.setProcessEnvironment(environment);
    m_guard.setProgram(u"/bin/sh"_s);
    m_guard.setArguments({u"-c"_s, m_tree.guardScript()});
    m_guard.setStandardOutputFile(QProcess::nullDevice());
    m_guard.setStandardErrorFile(QProcess::nullDevice());
    m_guard.setChildProcessModifier([] { ::setsid(); });
    m_guard.start(QIODevice::WriteOnly);
}

void ProcessJob::fail(Error error)
{
    m_readable.reset();
    m_shared->inputOpen = false;
    m_shared->events.send(std::move(error));
    m_shared->events.close();
    leave();
}

void ProcessJob::readOutput()
{
    while (m_shared->queuedBytes < MostQueuedBytes) {
        if (!readPiece())
            return;
    }
    m_readable->setEnabled(false);
    m_shared->throttled = true;
    // The last piece may have been fetched before `throttled` was set, and nobody would ask us to go on.
    if (m_shared->queuedBytes <= FewQueuedBytes && m_shared->throttled.exchange(false))
        m_readable->setEnabled(true);
}

bool ProcessJob::readPiece()
{
    QByteArray piece(PieceBytes, Qt::Uninitialized);
    const ssize_t count = ::read(m_pipe.get(), piece.data(), size_t(piece.size()));
    if (count <= 0) {
        const bool atEnd = count == 0 || (errno != EAGAIN && errno != EINTR);
        if (atEnd && m_readable)
            m_readable->setEnabled(false);
        return false;
    }
    piece.resize(count);
    piece.squeeze();
    m_shared->queuedBytes += count + PieceCost;
    m_shared->events.send(std::move(piece));
    return true;
}

void ProcessJob::resumeReading()
{
    if (m_readable && !m_announced)
        m_readable->setEnabled(true);
}

void ProcessJob::write(const QByteArray &bytes)
{
    if (m_shared->inputOpen)
        m_program.write(bytes);
}

// What was written before is still delivered, to a program that reads it.
void ProcessJob::closeInput()
{
    m_shared->inputOpen = false;
    m_program.closeWriteChannel();
}

void ProcessJob::stop(std::chrono::milliseconds grace)
{
    if (m_announced)
        return;
    grace = std::max(grace, 0ms);
    if (hasInput()) {
        closeInput();
        beginEnd(grace, 2 * grace);
    } else {
        beginEnd(0ms, grace);
    }
}

void ProcessJob::programEnded(ProcessExit exit)
{
    m_exit = exit;
    m_shared->inputOpen = false;
    if (m_ending && m_termAt <= steadyClock().now())
        endTree();
    else // by itself, be it at the end of its input
        beginEnd(0ms, 0ms);
}

void ProcessJob::beginEnd(std::chrono::milliseconds untilTerm, std::chrono::milliseconds untilKill)
{
    const Instant now = steadyClock().now();
    const bool again = std::exchange(m_ending, true);
    m_termAt = again ? std::min(m_termAt, now + untilTerm) : now + untilTerm;
    m_killAt = again ? std::min(m_killAt, now + untilKill) : now + untilKill;
    endTree();
}

// One step towards the end; comes again by the timer until nothing is left.
void ProcessJob::endTree()
{
    using Include = ProcessTree::Include;
    const Instant now = steadyClock().now();
    if (now < m_termAt) {
        m_timer.start(std::chrono::ceil<std::chrono::milliseconds>(m_termAt - now));
        return;
    }
    const bool launcher = m_request.leader == ProcessRequest::Leader::Launcher;
    if (now < m_killAt) {
        const int left =
            m_tree.terminate(launcher && isRunning() ? Include::AllButLeader : Include::Everything);
        if (m_exit && left == 0)
            m_killAt = now; // only to reap
    }
    if (now < m_killAt) {
        m_timer.start(std::min(std::chrono::ceil<std::chrono::milliseconds>(m_killAt - now),
                               lookInterval(now - m_termAt)));
        return;
    }
    if (!m_killedSince)
        m_killedSince = now;
    if (isRunning())
        m_program.kill();
    const int left = m_tree.kill(Include::AllButLeader);
    const bool gone = left == 0 && !isRunning();
    const bool givenUp = ++m_looks >= FewestLooks && now - *m_killedSince >= SweepLimit;
    if (gone || givenUp) {
        if (!m_exit)
            m_exit = ProcessExit{true, SIGKILL};
        announceEnd();
    }
    if (gone) {
        leave();
        return;
    }
    if (givenUp && !std::exchange(m_leftBehind, true))
        qCWarning(lcProcess, "%d processes do not end after KILL", left + int(isRunning()));
    m_timer.start(givenUp ? std::chrono::milliseconds(LeftBehindInterval)
                          : lookInterval(now - *m_killedSince));
}

void ProcessJob::announceEnd()
{
    if (std::exchange(m_announced, true))
        return;
    m_readable.reset();
    // What is left in the pipe is no more than the pipe holds; a writer that cannot be killed must not keep us.
    for (qint64 rest = MostQueuedBytes; m_pipe.get() >= 0 && rest > 0; rest -= PieceBytes) {
        if (!readPiece())
            break;
    }
    m_pipe.reset();
    m_shared->events.send(*m_exit);
    m_shared->events.close();
}

void ProcessJob::leave()
{
    m_shared->job = nullptr;
    m_timer.stop();
    m_guard.disconnect(this);
    if (m_guard.state() == QProcess::NotRunning) {
        deleteLater();
        return;
    }
    connect(&m_guard, &QProcess::finished, this, &QObject::deleteLater);
    m_guard.kill();
}

} // namespace

ProcessStream::ProcessStream(std::shared_ptr<Shared> shared) : m_shared(std::move(shared)) { }

ProcessStream::~ProcessStream()
{
    m_shared->events.close();
    stop(0ms);
}

Result<std::variant<ProcessEvent, NoProcessEventInTime>>
ProcessStream::next(const CancellationToken &token, Deadline deadline)
{
    using Next = std::variant<ProcessEvent, NoProcessEventInTime>;
    auto item = m_shared->events.receive(token, deadline);
    switch (item.end) {
    case ChannelWait::Cancelled:
        return token.check(TurnPhase::ToolCalls).error();
    case ChannelWait::TimedOut:
        return Next(NoProcessEventInTime());
    case ChannelWait::Closed:
        return Error(ErrorCode::Io, u"The program has ended."_s);
    case ChannelWait::Received:
        break;
    }
    if (auto *error = std::get_if<Error>(&*item.value))
        return std::move(*error);
    if (const auto *exit = std::get_if<ProcessExit>(&*item.value))
        return Next(std::in_place_type<ProcessEvent>, *exit);
    auto &piece = std::get<QByteArray>(*item.value);
    const qint64 queued = m_shared->queuedBytes -= piece.size() + PieceCost;
    if (queued <= FewQueuedBytes && m_shared->throttled.exchange(false)) {
        m_shared->io->post([shared = m_shared] {
            if (shared->job)
                shared->job->resumeReading();
        });
    }
    return Next(std::in_place_type<ProcessEvent>, std::move(piece));
}

Result<void> ProcessStream::write(const QByteArray &bytes)
{
    const Error closed(ErrorCode::Io, u"The program takes no input any more."_s);
    if (m_shared->stopRequested || !m_shared->inputOpen)
        return closed;
    if ((m_shared->queuedInput += bytes.size()) > MostQueuedInput) {
        m_shared->queuedInput -= bytes.size();
        return Error(ErrorCode::TooLarge,
                     u"The program does not read its input: more than %1 KB wait for it."_s.arg(
                         MostQueuedInput / 1024));
    }
    const bool posted = m_shared->io->post([shared = m_shared, bytes] {
        if (shared->job)
            shared->job->write(bytes);
    });
    if (!posted)
        return closed;
    return {};
}

void ProcessStream::stop(std::chrono::milliseconds grace)
{
    m_shared->stopRequested = true;
    m_shared->io->post([shared = m_shared, grace] {
        if (shared->job)
            shared->job->stop(grace);
    });
}

std::unique_ptr<ProcessStream> IoThread::startProcess(ProcessRequest request)
{
    auto shared = std::make_shared<ProcessStream::Shared>();
    shared->io = m_private;
    shared->inputOpen = request.input == ProcessRequest::Input::Pipe;
    const bool posted = m_private->post([shared, request = std::move(request)]() mutable {
        auto *job = new ProcessJob(shared, std::move(request), shared->io->context());
        job->start();
    });
    if (!posted) {
        shared->events.send(Error(ErrorCode::Io, u"The program is shutting down."_s));
        shared->events.close();
    }
    return std::unique_ptr<ProcessStream>(new ProcessStream(std::move(shared)));
}

} // namespace fermata
