// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/retrypolicy.h"
#include "agent/turncontext.h"

namespace fermata {

// One iteration's request to the model, with its retries: what arrives goes into the record as it arrives. A fault is
// tried again only if nothing of the answer was seen; a cancellation never is.
class ModelCall final
{
public:
    explicit ModelCall(TurnContext &context);

    Result<AnswerEnded> run();

    // Something of the answer has arrived in the last attempt.
    bool sawContent() const { return m_sawContent; }
    // Set if a policy did not allow the request; run() then ended with its text as the error.
    const HookVeto &veto() const { return m_veto; }

private:
    // One request, within the hooks.
    Result<AnswerEnded> attempt();
    Result<AnswerEnded> send(const ModelRequest &request);
    Result<AnswerEnded> receive(ModelStream &stream);
    std::optional<AnswerEnded> handle(const ModelEvent &event);
    std::optional<AnswerEnded> record(const ModelEvent &event);
    Result<void> waitForLimiter();
    Result<void> waitForRetry(const RetryPolicy &policy, std::chrono::milliseconds wait,
                              const Error &why);
    Result<ModelRequest> makeRequest() const;
    void noteConnection(ConnectionStage stage);
    void noteContent(TurnStage stage);
    void endThinking(const QString &signature);
    void noteUsage(const TokenUsage &usage);
    void estimateMissingUsage();

    TurnContext &m_context;
    TokenUsage m_usageBefore;
    TokenUsage m_usage; // of this attempt
    HookVeto m_veto;
    bool m_retryWanted = false; // by a policy
    bool m_usageReported = false;
    bool m_requestSent = false;
    bool m_accepted = false; // the server has begun to answer
    bool m_sawContent = false;
    qint64 m_inputCharacters = 0;
    qint64 m_outputCharacters = 0;
    std::optional<Instant> m_thinkingSince;
};

} // namespace fermata
