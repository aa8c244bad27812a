// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/httpstream.h"
#include "io/iothread.h"
#include "provider/chatanswerparser.h"
#include "provider/requestfixup.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace fermata {

// A running chat completion over HTTP. A request that the server refuses for a field that can be left out is sent once
// more without it; that is only possible before anything of an answer came.
class ChatStream final : public ModelStream
{
public:
    ChatStream(IoThread &io, ChatTarget target, Secret key, ModelRequest request,
               std::shared_ptr<LearnedDialects> dialects, const CancellationToken &token);
    ~ChatStream() override;

    Result<NextEvent> next(const CancellationToken &token, Deadline deadline) override;
    RetryAdvice retryAdvice() const override { return m_advice; }
    void pause() override;
    void resume() override;
    StreamState state() const override;
    std::optional<Instant> closedAt() const override;

private:
    // A reply with a status that is none of success.
    struct Refusal
    {
        HttpHead head;
        QByteArray body;
    };

    void open();
    std::shared_ptr<HttpStream> http() const;
    std::optional<ModelEvent> take(HttpEvent event);
    std::optional<ModelEvent> takeHead(const HttpHead &head);
    void takeBytes(const QByteArray &bytes);
    void takeEnd(const std::optional<Error> &fault);
    void takeRefusal();
    Result<NextEvent> deliver(ChatAnswerParser::Item item);
    Result<NextEvent> fail(const ChatFailure &failure);
    Result<NextEvent> cancelled(const CancellationToken &token);
    void end();

    IoThread &m_io;
    const ChatTarget m_target;
    const Secret m_key;
    const ModelRequest m_request;
    const std::shared_ptr<LearnedDialects> m_dialects;
    const CancellationToken m_token;

    ServerDialect m_dialect;
    bool m_dialectChanged = false;
    ChatRequest m_sent;
    std::optional<ChatAnswerParser> m_parser;
    std::optional<Refusal> m_refusal;
    std::optional<ChatFailure> m_failure; // met, and to be told
    Deadline m_patience; // when what is there has to do, although the server has not closed
    RetryAdvice m_advice;

    mutable std::mutex m_mutex;
    std::shared_ptr<HttpStream> m_http; // under m_mutex
    std::atomic<StreamState> m_state = StreamState::Active;
};

} // namespace fermata
