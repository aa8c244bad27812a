// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/sseparser.h"
#include "provider/chatdeltaparser.h"
#include "provider/chatfailure.h"

#include <QByteArray>

#include <deque>
#include <optional>

namespace fermata {

// The body of a successful reply, byte by byte, as model events: from server-sent events, or from a whole JSON object
// where a server does not stream. The same bytes give the same events, however they were cut. It is whole when a finish
// reason or [DONE] was read; the end of the bytes alone is a fault. A plain class of one thread.
class ChatAnswerParser final
{
public:
    static constexpr int MostBadEvents = 100;
    static constexpr qsizetype LargestObject = 16 * 1024 * 1024;

    struct Item
    {
        std::variant<ModelEvent, ChatFailure> value; // a failure is the last one
    };

    ChatAnswerParser(ChatTarget target, ToolNames names,
                     std::optional<ContinuedAnswer> continued = std::nullopt);

    void feed(QByteArrayView bytes);
    // The bytes have ended. `cut` is why, if they did not end as HTTP says they may.
    void finish(const std::optional<ChatFailure> &cut = std::nullopt);

    // In order; nothing until there are more bytes.
    std::optional<Item> next();

    // The end was read or a fault met: nothing more is taken.
    bool hasEnded() const { return m_ended; }
    // Whole, although [DONE] has not come: it need not be waited for long.
    bool isWhole() const { return m_deltas.hasFinishReason(); }
    int badEvents() const { return m_badEvents; }

private:
    enum class Form { Unknown, Events, Object, Page };

    void keep(QByteArrayView bytes);
    void recognise();
    void takeEvents();
    void takeEvent(const SseEvent &event);
    void takeObject(const QJsonObject &object);
    void takeWholeObject();
    void countBadEvent();
    void add(std::vector<ModelEvent> events);
    void complete();
    void fail(const ChatFailure &failure);
    void fail(ErrorCode code, const QString &happened);

    const ChatTarget m_target;
    Form m_form = Form::Unknown;
    SseParser m_sse;
    ChatDeltaParser m_deltas;
    QByteArray m_body; // its beginning; all of it if it is one object
    std::deque<Item> m_items;
    qint64 m_eventCount = 0;
    int m_badEvents = 0;
    bool m_ended = false;
};

} // namespace fermata
