// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "provider/continuationfilter.h"
#include "provider/modelprovider.h"
#include "provider/reasoningdetails.h"
#include "provider/thinktagsplitter.h"
#include "provider/toolcallassembler.h"
#include "provider/unicodetext.h"

#include <QJsonObject>

#include <optional>
#include <vector>

namespace fermata {

// The objects of one chat completion, in order, as model events. Knows no bytes and no connection. Text comes as it
// comes; tool calls come at the end, because only then they are whole.
class ChatDeltaParser final
{
public:
    explicit ChatDeltaParser(ToolNames names = {},
                             std::optional<ContinuedAnswer> continued = std::nullopt);

    // One chunk of a stream, or a whole completion. An empty list: it held no content. A fault if the model asks for more
    // tools than can be taken.
    Result<std::vector<ModelEvent>> parse(const QJsonObject &chunk);

    // What is held back, without an end: for an answer that was cut.
    std::vector<ModelEvent> flush();
    // The end: what is held back, the tool calls, and AnswerEnded.
    std::vector<ModelEvent> finish();

    // The server said why the answer ends: whatever else comes, it is whole.
    bool hasFinishReason() const { return !m_finishReason.isEmpty(); }
    QString finishReason() const { return m_finishReason; }
    // Content was seen, thinking and begun tool calls included.
    bool hasContent() const { return m_hasContent; }

private:
    using Events = std::vector<ModelEvent>;

    void takeDelta(const QJsonObject &delta, Events &events);
    void takeContent(const QJsonValue &content, Events &events);
    void takePart(const QJsonObject &part, Events &events);
    void takeUsage(const QJsonObject &chunk, const QJsonObject &choice, Events &events);
    Result<void> takeCalls(const QJsonObject &delta, Events &events);
    void addContent(const QString &text, Events &events);
    void addText(const QString &text, Events &events);
    void addThinking(const QString &text, Events &events);
    void addPieces(const std::vector<ThinkTagSplitter::Piece> &pieces, Events &events);
    void endThinking(Events &events);
    StopReason stopReason() const;

    ToolNames m_names;
    ContinuationFilter m_continuation;
    ThinkTagSplitter m_thinkTags;
    UnicodeJoiner m_textJoiner;
    UnicodeJoiner m_thinkingJoiner;
    ToolCallAssembler m_calls;
    ReasoningDetails m_reasoningDetails;
    QJsonObject m_extras;
    std::optional<TokenUsage> m_usage;
    QString m_finishReason;
    QString m_responseId;
    bool m_thinking = false;
    bool m_refused = false;
    bool m_hasContent = false;
};

} // namespace fermata
