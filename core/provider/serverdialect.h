// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QUrl>

namespace fermata {

enum class MaxTokensField { MaxTokens, MaxCompletionTokens, NotSent };
enum class ToolCallIdRule { Free, AtMost40, NineAlphanumeric };
enum class KeyHeader { Bearer, ApiKey };
// How thinking goes back to the server that it came from.
enum class ReasoningResend { Never, WithToolCalls };
// How an answer that was cut is taken up.
enum class PrefillKind {
    None, // not at all: the model is asked to go on
    ContinueFinalMessage, // continue_final_message, as vLLM and llama.cpp have it
    Prefix, // "prefix": true on the last message; the answer repeats it
    BetaPrefix, // the same on another path of the server
};

// In what a server that speaks chat completions differs from the others. A value; the starting values are known, and
// what a server refuses is taken back while it is used (see requestfixup.h).
struct ServerDialect
{
    QString kind = QStringLiteral("openai-compatible");
    KeyHeader keyHeader = KeyHeader::Bearer;
    MaxTokensField maxTokensField = MaxTokensField::MaxTokens;
    bool sendsUsageOption = true; // stream_options
    bool sendsTools = true;
    bool userAfterToolAllowed = true;
    ToolCallIdRule toolCallIds = ToolCallIdRule::Free;
    ReasoningResend reasoning = ReasoningResend::Never;
    PrefillKind prefill = PrefillKind::None;
    bool disablesThinking = false; // for a prefill that the server takes only so

    // By host, and on this machine by the usual ports.
    static ServerDialect forEndpoint(const QUrl &endpoint);
    // By the name that discovery found: "ollama", "vllm", ...; the generic one for others.
    static ServerDialect ofKind(const QString &kind);
    // Some models bring rules of their own to any server.
    ServerDialect forModel(const QString &model) const;

    friend bool operator==(const ServerDialect &, const ServerDialect &) = default;
};

// Whether its host is loopback: 127.0.0.0/8, ::1, localhost.
bool isOnThisMachine(const QUrl &url);
// Host as a message names it, with the port if there is one.
QString hostForPeople(const QUrl &url);
// `endpoint` with `path` after its own, its query kept.
QUrl endpointWithPath(const QUrl &endpoint, const QString &path);

} // namespace fermata
