// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/chatstream.h"

#include "base/logging.h"

#include <QDateTime>

#include <algorithm>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LargestRefusal = 64 * 1024;
// The answer is whole, and only its token count or [DONE] is missing.
constexpr auto PatienceForEnd = std::chrono::seconds(2);
// The status says that it failed; the body only says why.
constexpr auto PatienceForRefusal = std::chrono::seconds(5);

ConnectionStage toStage(HttpStage stage)
{
    switch (stage) {
    case HttpStage::Resolving:
        return ConnectionStage::Resolving;
    case HttpStage::Connecting:
        return ConnectionStage::Connecting;
    case HttpStage::Sent:
        return ConnectionStage::Waiting;
    }
    return ConnectionStage::Waiting;
}

} // namespace

ChatStream::ChatStream(IoThread &io, ChatTarget target, Secret key, ModelRequest request,
                       std::shared_ptr<LearnedDialects> dialects, const CancellationToken &token)
    : m_io(io), m_target(std::move(target)), m_key(std::move(key)), m_request(std::move(request)),
      m_dialects(std::move(dialects)), m_token(token),
      m_dialect(m_dialects->dialectFor(m_request.model))
{
    if (!m_token.isCancelled())
        open();
}

ChatStream::~ChatStream() = default;

void ChatStream::open()
{
    m_sent = chatRequest(m_request, m_dialect, m_target.endpoint);
    m_parser.reset();
    m_refusal.reset();
    m_patience.reset();
    std::shared_ptr<HttpStream> stream =
        m_io.openHttp(httpRequest(m_sent, m_dialect, m_key), m_token);
    const std::lock_guard lock(m_mutex);
    m_http.swap(stream);
    if (m_state == StreamState::Paused)
        m_http->pause();
}

std::shared_ptr<HttpStream> ChatStream::http() const
{
    const std::lock_guard lock(m_mutex);
    return m_http;
}

Result<NextEvent> ChatStream::next(const CancellationToken &token, Deadline deadline)
{
    for (;;) {
        if (token.isCancelled())
            return cancelled(token);
        if (m_token.isCancelled())
            return cancelled(m_token);
        if (m_parser) {
            if (std::optional<ChatAnswerParser::Item> item = m_parser->next())
                return deliver(*std::move(item));
            if (m_parser->isWhole() && !m_patience)
                m_patience = steadyClock().now() + PatienceForEnd;
        }
        if (m_failure)
            return fail(*m_failure);

        auto step = http()->next(token, earlier(deadline, m_patience));
        if (step.isCancelled())
            continue;
        if (!step) {
            takeEnd(step.error());
            continue;
        }
        if (std::holds_alternative<NoHttpEventInTime>(*step)) {
            if (!steadyClock().hasPassed(m_patience))
                return NextEvent(NoEventInTime{});
            takeEnd(std::nullopt);
            continue;
        }
        if (std::optional<ModelEvent> event = take(std::get<HttpEvent>(*std::move(step))))
            return NextEvent(*std::move(event));
    }
}

std::optional<ModelEvent> ChatStream::take(HttpEvent event)
{
    if (const auto *stage = std::get_if<HttpStage>(&event))
        return ConnectionProgress{toStage(*stage)};
    if (const auto *head = std::get_if<HttpHead>(&event))
        return takeHead(*head);
    if (const auto *bytes = std::get_if<QByteArray>(&event))
        takeBytes(*bytes);
    else
        takeEnd(std::nullopt);
    return std::nullopt;
}

std::optional<ModelEvent> ChatStream::takeHead(const HttpHead &head)
{
    if (head.status < 200 || head.status > 299) {
        m_refusal = Refusal{head, {}};
        m_patience = steadyClock().now() + PatienceForRefusal;
        return std::nullopt;
    }
    const bool leavesToolsOut =
        m_dialectChanged && !m_dialect.sendsTools && !m_request.tools.empty();
    if (m_dialectChanged)
        m_dialects->learn(m_request.model, m_dialect);
    m_parser.emplace(m_target, ToolNames(m_request.tools), m_sent.continued);
    if (leavesToolsOut)
        return PartLeftOut{u"%1 at %2 cannot use tools and answers without them. For work with "
                           "files and commands, choose another model."_s.arg(
                               excerpt(m_request.model, 80), m_target.host())};
    return KeepAlive{};
}

void ChatStream::takeBytes(const QByteArray &bytes)
{
    if (m_parser) {
        m_parser->feed(bytes);
        return;
    }
    if (!m_refusal)
        return;
    m_refusal->body += bytes.first(std::min(bytes.size(), LargestRefusal - m_refusal->body.size()));
    if (m_refusal->body.size() == LargestRefusal)
        takeRefusal();
}

void ChatStream::takeEnd(const std::optional<Error> &fault)
{
    if (m_refusal) {
        takeRefusal();
        return;
    }
    if (!m_parser) {
        m_failure = fault
            ? failureOfConnection(m_target, *fault)
            : failureOfContent(m_target, ErrorCode::ConnectionLost,
                               u"%1 closed the connection without an answer. Retry."_s);
        return;
    }
    m_parser->finish(fault ? std::optional(failureOfConnection(m_target, *fault)) : std::nullopt);
}

void ChatStream::takeRefusal()
{
    const Refusal refusal = *std::exchange(m_refusal, std::nullopt);
    const std::optional<ServerDialect> other = dialectAfterRefusal(
        m_dialect, m_sent, refusal.head.status, serverErrorOfBody(refusal.body));
    if (!other || m_token.isCancelled()) {
        m_failure = failureOfReply(m_target, refusal.head, refusal.body);
        return;
    }
    qCInfo(lcProvider) << m_target.host() << "refused a field of the request; sending it without";
    m_dialect = *other;
    m_dialectChanged = true;
    open();
}

Result<NextEvent> ChatStream::deliver(ChatAnswerParser::Item item)
{
    if (const auto *failure = std::get_if<ChatFailure>(&item.value))
        return fail(*failure);
    auto event = std::get<ModelEvent>(std::move(item.value));
    if (std::holds_alternative<AnswerEnded>(event))
        end();
    return NextEvent(std::move(event));
}

Result<NextEvent> ChatStream::fail(const ChatFailure &failure)
{
    m_advice = failure.advice;
    end();
    return failure.error;
}

Result<NextEvent> ChatStream::cancelled(const CancellationToken &token)
{
    StreamState expected = m_state;
    while (expected != StreamState::Completed
           && !m_state.compare_exchange_weak(expected, StreamState::Cancelled)) { }
    return CancellationError(TurnPhase::Streaming, token.reason());
}

void ChatStream::end()
{
    StreamState expected = m_state;
    while (expected != StreamState::Cancelled
           && !m_state.compare_exchange_weak(expected, StreamState::Completed)) { }
}

void ChatStream::pause()
{
    StreamState active = StreamState::Active;
    if (state() != StreamState::Active
        || !m_state.compare_exchange_strong(active, StreamState::Paused))
        return;
    if (const std::shared_ptr<HttpStream> stream = http())
        stream->pause();
}

void ChatStream::resume()
{
    StreamState paused = StreamState::Paused;
    if (!m_state.compare_exchange_strong(paused, StreamState::Active))
        return;
    if (const std::shared_ptr<HttpStream> stream = http())
        stream->resume();
}

StreamState ChatStream::state() const
{
    const StreamState state = m_state;
    if (state != StreamState::Completed && m_token.isCancelled())
        return StreamState::Cancelled;
    return state;
}

std::optional<Instant> ChatStream::closedAt() const
{
    const std::shared_ptr<HttpStream> stream = http();
    return stream ? stream->closedAt() : std::nullopt;
}

} // namespace fermata
