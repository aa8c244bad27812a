// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/toolrun.h"

#include "base/cleanupstack.h"
#include "base/logging.h"
#include "tool/liveoutput.h"
#include "tool/outputbuffer.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#ifdef Q_OS_LINUX
#include <pthread.h>
#endif

namespace fermata {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr auto OutputInterval = 33ms;

std::atomic<int> &detachedCount()
{
    static std::atomic<int> count = 0;
    return count;
}

void nameThread([[maybe_unused]] const char *name)
{
#ifdef Q_OS_LINUX
    ::pthread_setname_np(::pthread_self(), name);
#endif
}

// Foreign code runs in `call`: whatever it throws ends here, and a cancellation stays one.
template <typename T, typename Call>
Result<T> guarded(Call call)
{
    try {
        return call();
    } catch (const CancellationError &error) {
        return error;
    } catch (const std::exception &exception) {
        return Error(ErrorCode::Internal,
                     u"The tool failed: %1"_s.arg(QString::fromUtf8(exception.what())));
    } catch (...) {
        return Error(ErrorCode::Internal, u"The tool failed for an unknown reason."_s);
    }
}

} // namespace

// What the handle and the threads of the run share; the tool sees it as its context. It is the threads that keep it, so a
// tool that is left behind finds everything in place.
struct ToolRun::Shared final : ToolContext
{
    Shared(std::shared_ptr<Tool> aTool, ToolRunOptions someOptions, ToolRunSink aSink)
        : tool(std::move(aTool)), options(std::move(someOptions)), sink(std::move(aSink))
    {
        source.linkTo(options.parent);
        if (!options.cleanup)
            options.cleanup = std::make_shared<CleanupStack>();
    }

    const std::shared_ptr<Tool> tool;
    ToolRunOptions options; // does not change once the run has begun
    const ToolRunSink sink;
    const CancellationSource source;
    const CancellationSource forceSource;
    std::atomic<bool> ended = false;
    std::atomic<bool> pointOfNoReturn = false;
    // Whoever claims the entry first decides: the run's thread enters the tool, or revoke() keeps it from that.
    enum class Entry { Open, Entered, Revoked };
    std::atomic<Entry> entry = Entry::Open;

    // Held while the sink is called: that is what makes "not after the handle is gone" true.
    std::mutex sinkMutex;
    bool abandoned = false;

    mutable std::mutex outputMutex;
    std::condition_variable outputChanged;
    OutputBuffer output;
    LiveOutput live;
    bool outputClosed = false;
    std::thread outputThread; // begins with the first output; ends before the tool's thread

    std::thread thread; // the handle's

    CancellationToken token() const override { return source.token(); }
    void reportOutput(const QByteArray &bytes) override;
    void requestTurnStop(const QString &reason) override;
    void passPointOfNoReturn() override { pointOfNoReturn = true; }
    QString workspace() const override { return options.workspace; }
    std::chrono::milliseconds grace() const override
    {
        return forceSource.token().isCancelled() ? 0ms : options.grace;
    }
    CancellationToken forceToken() const override { return forceSource.token(); }
    QByteArray approvedFingerprint() const override { return options.approved.fingerprint; }
    CleanupStack &cleanup() override { return *options.cleanup; }

    void emitEvent(ToolRunEvent event);
    void emitLast(ToolRunEvent event);
    void emitPendingOutput();
    void runOutput();
    void closeOutput();
    bool claim(Entry wanted);
    void runTool();
    void runDescribing();
};

void ToolRun::Shared::reportOutput(const QByteArray &bytes)
{
    {
        const std::lock_guard lock(outputMutex);
        if (outputClosed || bytes.isEmpty())
            return;
        output.append(bytes);
        live.append(bytes);
        if (!outputThread.joinable()) {
            try {
                outputThread = std::thread([this] { runOutput(); });
            } catch (const std::system_error &error) {
                qCWarning(lcTool, "no thread for live output: %s", error.what());
            }
        }
    }
    outputChanged.notify_one();
}

void ToolRun::Shared::requestTurnStop(const QString &reason)
{
    // The turn hears of it before it hears of the end that follows.
    emitEvent(ToolTurnStopRequested{options.call, reason});
    source.cancel({CancellationCause::External, reason, tool->spec().name, {}});
}

void ToolRun::Shared::emitEvent(ToolRunEvent event)
{
    const std::lock_guard lock(sinkMutex);
    if (!abandoned)
        sink(std::move(event));
}

void ToolRun::Shared::emitLast(ToolRunEvent event)
{
    const std::lock_guard lock(sinkMutex);
    ended = true;
    if (!abandoned) {
        sink(std::move(event));
        return;
    }
    --detachedCount();
    qCInfo(lcTool, "a tool that was left behind has ended: %s", qUtf8Printable(tool->spec().name));
}

void ToolRun::Shared::emitPendingOutput()
{
    QString text;
    {
        const std::lock_guard lock(outputMutex);
        text = live.take();
    }
    if (!text.isEmpty())
        emitEvent(ToolOutputReported{options.call, std::move(text)});
}

// Output that is followed by silence has to be shown, too, so this cannot be done in reportOutput().
void ToolRun::Shared::runOutput()
{
    nameThread("fermata-output");
    std::unique_lock lock(outputMutex);
    while (!outputClosed) {
        if (!live.hasPending()) {
            outputChanged.wait(lock);
            continue;
        }
        lock.unlock();
        emitPendingOutput();
        lock.lock();
        outputChanged.wait_for(lock, OutputInterval, [this] { return outputClosed; });
    }
}

void ToolRun::Shared::closeOutput()
{
    {
        const std::lock_guard lock(outputMutex);
        outputClosed = true;
    }
    outputChanged.notify_all();
    if (outputThread.joinable())
        outputThread.join();
    emitPendingOutput();
}

// True if the entry is as wanted now, by this call or an earlier one.
bool ToolRun::Shared::claim(Entry wanted)
{
    Entry open = Entry::Open;
    return entry.compare_exchange_strong(open, wanted) || open == wanted;
}

void ToolRun::Shared::runTool()
{
    nameThread("fermata-tool");
    const auto check = source.token().check(TurnPhase::ToolCalls);
    const bool entered = check.ok() && claim(Entry::Entered);
    Result<ToolResult> result = CancellationError(TurnPhase::ToolCalls, source.token().reason());
    if (entered)
        result = guarded<ToolResult>([this] { return tool->run(options.arguments, *this); });
    else
        (void)claim(Entry::Revoked);
    closeOutput();
    emitLast(ToolEnded{options.call, std::move(result), entered, grace()});
}

void ToolRun::Shared::runDescribing()
{
    nameThread("fermata-tool");
    const auto check = source.token().check(TurnPhase::ToolCalls);
    Result<ApprovalRequest> request = check ? guarded<ApprovalRequest>([this] {
        return tool->describe(options.arguments, options.workspace);
    })
                                            : Result<ApprovalRequest>(check.error());
    if (request)
        request->call = options.call;
    emitLast(ToolDescribed{options.call, std::move(request)});
}

std::unique_ptr<ToolRun> ToolRun::start(std::shared_ptr<Tool> tool, ToolRunOptions options,
                                        ToolRunSink sink)
{
    auto shared = std::make_shared<Shared>(std::move(tool), std::move(options), std::move(sink));
    std::unique_ptr<ToolRun> run(new ToolRun(shared));
    try {
        shared->thread = std::thread([shared] { shared->runTool(); });
    } catch (const std::system_error &error) {
        shared->emitLast(ToolEnded{shared->options.call,
                                   Error(ErrorCode::Internal,
                                         u"No thread could be started for the tool: %1"_s.arg(
                                             QString::fromUtf8(error.what()))),
                                   false, shared->grace()});
    }
    return run;
}

std::unique_ptr<ToolRun> ToolRun::startDescribing(std::shared_ptr<Tool> tool,
                                                  ToolRunOptions options, ToolRunSink sink)
{
    auto shared = std::make_shared<Shared>(std::move(tool), std::move(options), std::move(sink));
    std::unique_ptr<ToolRun> run(new ToolRun(shared));
    try {
        shared->thread = std::thread([shared] { shared->runDescribing(); });
    } catch (const std::system_error &error) {
        shared->emitLast(ToolDescribed{shared->options.call,
                                       Error(ErrorCode::Internal,
                                             u"No thread could be started for the tool: %1"_s.arg(
                                                 QString::fromUtf8(error.what())))});
    }
    return run;
}

ToolRun::ToolRun(std::shared_ptr<Shared> shared) : m_shared(std::move(shared)) { }

ToolRun::~ToolRun()
{
    {
        const std::lock_guard lock(m_shared->sinkMutex);
        m_shared->abandoned = true;
        if (!m_shared->ended)
            ++detachedCount();
    }
    if (!m_shared->thread.joinable())
        return;
    if (m_shared->ended && m_shared->thread.get_id() != std::this_thread::get_id())
        m_shared->thread.join();
    else
        m_shared->thread.detach();
}

void ToolRun::cancel(CancellationReason reason)
{
    m_shared->source.cancel(std::move(reason));
}

void ToolRun::force()
{
    m_shared->forceSource.cancel(m_shared->source.token().reason().value_or(CancellationReason{}));
}

bool ToolRun::revoke()
{
    return m_shared->claim(Shared::Entry::Revoked);
}

bool ToolRun::hasEnded() const
{
    return m_shared->ended;
}

bool ToolRun::isPastPointOfNoReturn() const
{
    return m_shared->pointOfNoReturn;
}

QString ToolRun::outputSoFar() const
{
    const std::lock_guard lock(m_shared->outputMutex);
    return m_shared->output.text();
}

int ToolRun::detachedRuns()
{
    return detachedCount();
}

} // namespace fermata
