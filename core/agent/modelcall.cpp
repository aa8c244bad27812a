// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/modelcall.h"

#include "agent/hookrunner.h"
#include "base/logging.h"
#include "conversation/history.h"
#include "tool/toolregistry.h"

#include <QScopeGuard>

namespace fermata {

namespace {

qint64 countCharacters(const History &history)
{
    qint64 count = 0;
    for (const HistoryMessage &message : history) {
        for (const HistoryBlock &block : message.blocks) {
            if (const auto *text = std::get_if<TextBlock>(&block))
                count += text->text.size();
            else if (const auto *call = std::get_if<HistoryCall>(&block))
                count += call->name.size() + call->arguments.size();
            else if (const auto *result = std::get_if<HistoryResult>(&block))
                count += result->text.size();
        }
    }
    return count;
}

} // namespace

ModelCall::ModelCall(TurnContext &context) : m_context(context) { }

Result<AnswerEnded> ModelCall::run()
{
    RetryLimits limits;
    limits.retries = m_context.request.retries;
    RetryPolicy policy(limits);
    m_context.recorder.tell(
        IterationStarted{m_context.iteration, std::exchange(m_context.instruction, {})});
    int hookRetries = 0;
    for (;;) {
        const auto ended = attempt();
        if (ended.ok() || ended.isCancelled() || m_sawContent || m_veto)
            return ended;
        if (m_retryWanted && hookRetries++ < TurnPolicy::MostModelRetries)
            continue;
        const auto wait = policy.nextWait(m_context.lastStream->retryAdvice());
        if (!wait)
            return ended;
        if (const auto waited = waitForRetry(policy, *wait, ended.error()); !waited.ok())
            return waited.error();
    }
}

Result<AnswerEnded> ModelCall::attempt()
{
    m_usageBefore = m_context.usage;
    m_usage = {};
    m_usageReported = m_requestSent = m_accepted = m_sawContent = false;
    m_outputCharacters = 0;
    m_thinkingSince.reset();

    const auto made = makeRequest();
    if (!made.ok())
        return made.error();
    const ModelRequest &request = *made;
    m_inputCharacters = countCharacters(request.history) + request.systemPrompt.size();
    if (const auto checked = m_context.token().check(TurnPhase::Execution); !checked.ok())
        return checked.error();

    m_context.hooks->modelCallStarted();
    m_veto = m_context.hooks->beforeModelCall(request);
    auto ended = m_veto ? Result<AnswerEnded>(Error(ErrorCode::Denied, *m_veto)) : send(request);
    ModelCallResult result{CallEnd::Succeeded, m_usage, {}};
    if (!ended.ok()) {
        result.end = ended.isCancelled() ? CallEnd::Cancelled
            : m_veto                     ? CallEnd::Vetoed
                                         : CallEnd::Failed;
        result.error = ended.error();
    }
    m_retryWanted = m_context.hooks->afterModelCall(result);
    m_context.hooks->modelCallFinished(result);
    return ended;
}

Result<AnswerEnded> ModelCall::send(const ModelRequest &request)
{
    // After the hooks: what is not sent takes nothing of the limiter. A hook may have stopped the turn.
    if (const auto checked = waitForLimiter(); !checked.ok())
        return checked.error();
    LimitClock &limits = m_context.control->limits;
    limits.start(Limit::Connect, m_context.request.limits.connect);
    m_context.lastStream = m_context.request.provider->start(request, m_context.token());
    m_context.control->setStream(m_context.lastStream);
    auto ended = [this] {
        // Also when something throws: the control may outlive the stream.
        const auto leave = qScopeGuard([this] { m_context.control->setStream(nullptr); });
        return receive(*m_context.lastStream);
    }();
    for (const Limit limit : {Limit::Connect, Limit::FirstToken, Limit::Silence})
        limits.stop(limit);
    // What the server refused it did not read, and nobody pays for it.
    if (ended.ok() || ended.isCancelled() || m_accepted)
        estimateMissingUsage();
    return ended;
}

Result<AnswerEnded> ModelCall::receive(ModelStream &stream)
{
    LimitClock &limits = m_context.control->limits;
    TurnRecorder &recorder = m_context.recorder;
    for (;;) {
        auto next =
            stream.next(m_context.token(), earlier(limits.nearest(), recorder.nextCheckpoint()));
        if (!next.ok())
            return next.error();
        if (const auto *event = std::get_if<ModelEvent>(&next.value())) {
            if (const auto ended = handle(*event))
                return *ended;
        }
        recorder.checkpointIfDue();
        m_context.fireExpiredLimit();
    }
}

std::optional<AnswerEnded> ModelCall::handle(const ModelEvent &event)
{
    m_context.control->limits.restart(Limit::Silence);
    const qint64 charactersBefore = m_outputCharacters;
    const auto ended = record(event);
    m_context.control->noteStreamed(m_outputCharacters - charactersBefore);
    return ended;
}

std::optional<AnswerEnded> ModelCall::record(const ModelEvent &event)
{
    TurnRecorder &recorder = m_context.recorder;
    m_accepted = m_accepted || !std::holds_alternative<ConnectionProgress>(event);
    if (const auto *progress = std::get_if<ConnectionProgress>(&event)) {
        noteConnection(progress->stage);
    } else if (const auto *leftOut = std::get_if<PartLeftOut>(&event)) {
        recorder.tell(NoticeAdded{leftOut->text});
    } else if (const auto *text = std::get_if<TextDelta>(&event)) {
        if (text->text.isEmpty())
            return std::nullopt;
        endThinking({});
        noteContent(TurnStage::Writing);
        m_outputCharacters += text->text.size();
        recorder.tell(TextAppended{text->text});
    } else if (const auto *thinking = std::get_if<ThinkingDelta>(&event)) {
        if (thinking->text.isEmpty())
            return std::nullopt;
        if (!m_thinkingSince)
            m_thinkingSince = m_context.clock.now();
        noteContent(TurnStage::Thinking);
        m_outputCharacters += thinking->text.size();
        recorder.tell(ThinkingAppended{thinking->text});
    } else if (const auto *end = std::get_if<ThinkingEnd>(&event)) {
        endThinking(end->signature);
    } else if (const auto *call = std::get_if<ToolCallReceived>(&event)) {
        endThinking({});
        noteContent(TurnStage::Writing);
        m_outputCharacters += call->name.size() + call->arguments.size();
        recorder.tell(ToolCallAdded{
            {CallId::create(), call->wireId, call->name, call->arguments, call->extras, {}}});
    } else if (const auto *unknown = std::get_if<UnknownBlockReceived>(&event)) {
        noteContent(TurnStage::Writing);
        recorder.tell(UnknownBlockAdded{{unknown->raw}});
    } else if (const auto *usage = std::get_if<UsageReported>(&event)) {
        noteUsage(usage->usage);
    } else if (const auto *ended = std::get_if<AnswerEnded>(&event)) {
        endThinking({});
        recorder.tell(MessageCompleted{ended->extras});
        return *ended;
    }
    return std::nullopt;
}

void ModelCall::noteConnection(ConnectionStage stage)
{
    LimitClock &limits = m_context.control->limits;
    switch (stage) {
    case ConnectionStage::Resolving:
        m_context.setStage(TurnStage::Resolving);
        break;
    case ConnectionStage::Connecting:
        m_context.setStage(TurnStage::Connecting);
        break;
    case ConnectionStage::Waiting:
        m_context.sent = m_requestSent = true;
        limits.stop(Limit::Connect);
        limits.start(Limit::FirstToken,
                     m_context.request.provider->isLocal()
                         ? m_context.request.limits.localFirstToken
                         : m_context.request.limits.firstToken);
        m_context.setStage(TurnStage::WaitingForFirstToken);
        break;
    }
}

void ModelCall::noteContent(TurnStage stage)
{
    m_context.setStage(stage);
    if (std::exchange(m_sawContent, true))
        return;
    m_context.sent = m_requestSent = true;
    LimitClock &limits = m_context.control->limits;
    limits.stop(Limit::Connect);
    limits.stop(Limit::FirstToken);
    limits.start(Limit::Silence, m_context.request.limits.silence);
}

void ModelCall::endThinking(const QString &signature)
{
    if (!m_thinkingSince)
        return;
    const auto duration = std::chrono::duration_cast<std::chrono::milliseconds>(
        m_context.clock.now() - *m_thinkingSince);
    m_thinkingSince.reset();
    m_context.recorder.tell(ThinkingEnded{signature, duration});
}

void ModelCall::noteUsage(const TokenUsage &usage)
{
    m_usageReported = true;
    m_usage = usage;
    m_context.usage = m_usageBefore;
    m_context.usage += usage;
    m_context.recorder.tell(UsageChanged{m_context.usage});
}

// A stopped stream never sends its usage, and some servers never do: what was sent and seen was paid for all the same.
void ModelCall::estimateMissingUsage()
{
    if (m_usageReported || !m_requestSent)
        return;
    noteUsage({estimatedTokens(m_inputCharacters), estimatedTokens(m_outputCharacters), true});
}

Result<void> ModelCall::waitForRetry(const RetryPolicy &policy, std::chrono::milliseconds wait,
                                     const Error &why)
{
    const Instant at = m_context.clock.now() + wait;
    m_context.recorder.tell(RetryScheduled{policy.attempt(), policy.attempts(), at, why.message});
    m_context.setStage(TurnStage::RetryWait, policy.attempt(), policy.attempts());
    qCInfo(lcTurn).noquote() << "retrying in" << wait.count() << "ms:" << toString(why.code);
    return m_context.waitUntil(at);
}

// Ends with the token looked at, whether or not there was something to wait for.
Result<void> ModelCall::waitForLimiter()
{
    RequestLimiter *limiter = m_context.request.limiter.get();
    if (limiter) {
        const Instant at = limiter->reserve();
        if (at > m_context.clock.now()) {
            m_context.setStage(TurnStage::RequestLimit);
            if (const auto waited = m_context.waitUntil(at); !waited.ok()) {
                limiter->giveBack();
                return waited;
            }
        }
    }
    return m_context.token().check(TurnPhase::Execution);
}

Result<ModelRequest> ModelCall::makeRequest() const
{
    const TurnRequest &turn = m_context.request;
    const TurnRecord &record = m_context.recorder.record();
    std::vector<const TurnRecord *> path = turn.conversation.activePath();
    path.push_back(&record);

    ModelRequest request;
    request.model = turn.model;
    request.systemPrompt = turn.systemPrompt;
    auto history = buildRepairedHistory(path, m_context.token());
    if (!history.ok())
        return history.error();
    request.history = *std::move(history);
    request.continueAnswer =
        !request.history.empty() && request.history.back().role == HistoryRole::Assistant;
    if (turn.tools) {
        for (const auto &tool : turn.tools->tools()) {
            const ToolSpec &spec = tool->spec();
            request.tools.push_back({spec.name, spec.description, spec.parameters});
        }
    }
    return request;
}

} // namespace fermata
