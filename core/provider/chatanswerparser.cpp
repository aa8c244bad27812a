// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/chatanswerparser.h"

#include "base/logging.h"

#include <QJsonDocument>

#include <algorithm>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype KeptBeginning = 1024;

// Invalid bytes cost a character and not the event.
QJsonDocument parseJson(const QByteArray &bytes)
{
    const QJsonDocument document = QJsonDocument::fromJson(bytes);
    if (document.isNull() && !QUtf8StringView(bytes).isValidUtf8())
        return QJsonDocument::fromJson(QString::fromUtf8(bytes).toUtf8());
    return document;
}

} // namespace

ChatAnswerParser::ChatAnswerParser(ChatTarget target, ToolNames names,
                                   std::optional<ContinuedAnswer> continued)
    : m_target(std::move(target)), m_deltas(std::move(names), std::move(continued))
{
}

void ChatAnswerParser::feed(QByteArrayView bytes)
{
    if (m_ended || bytes.isEmpty())
        return;
    const size_t before = m_items.size();
    keep(bytes);
    if (m_form == Form::Unknown || m_form == Form::Events)
        m_sse.feed(bytes);
    if (m_form == Form::Unknown)
        recognise();
    if (m_form == Form::Events)
        takeEvents();
    // They end a silence, although they hold nothing to show.
    if (m_items.size() == before && !m_ended)
        m_items.push_back({ModelEvent(KeepAlive{})});
}

void ChatAnswerParser::keep(QByteArrayView bytes)
{
    const bool mayBeObject = m_form == Form::Object || m_form == Form::Unknown;
    const qsizetype limit = mayBeObject ? LargestObject : KeptBeginning;
    if (mayBeObject && m_body.size() + bytes.size() > limit) {
        fail(ErrorCode::TooLarge, u"The server at %1 sent an answer of more than 16 MB. Retry."_s);
        return;
    }
    m_body.append(bytes.first(std::clamp<qsizetype>(limit - m_body.size(), 0, bytes.size())));
}

// A stream begins with a field or a comment; what begins with a brace or a tag was never one.
void ChatAnswerParser::recognise()
{
    QByteArrayView begun(m_body);
    const QByteArrayView mark("\xef\xbb\xbf");
    if (begun.size() < mark.size() && mark.startsWith(begun))
        return;
    if (begun.startsWith(mark))
        begun = begun.sliced(mark.size());
    begun = begun.trimmed();
    if (begun.isEmpty()) {
        m_body.clear();
        return;
    }
    if (begun.front() == '{' || begun.front() == '[') {
        m_form = Form::Object;
        return;
    }
    m_form = begun.front() == '<' ? Form::Page : Form::Events;
    m_body.truncate(KeptBeginning);
}

std::optional<ChatAnswerParser::Item> ChatAnswerParser::next()
{
    if (m_items.empty())
        return std::nullopt;
    Item item = std::move(m_items.front());
    m_items.pop_front();
    return item;
}

void ChatAnswerParser::takeEvents()
{
    while (!m_ended) {
        const std::optional<SseEvent> event = m_sse.next();
        if (!event)
            break;
        takeEvent(*event);
    }
    if (!m_ended && m_sse.fault())
        fail({*m_sse.fault(), {}});
}

void ChatAnswerParser::takeEvent(const SseEvent &event)
{
    ++m_eventCount;
    const QByteArray data = event.data.trimmed();
    if (data.startsWith("[DONE]")) {
        complete();
        return;
    }
    const QJsonDocument document = parseJson(data);
    if (event.type == "error" && (event.terminated || document.isObject())) {
        fail(failureOfStream(m_target, serverErrorOfBody(data)));
        return;
    }
    // What was cut may still be whole by itself: some servers leave the last line break out.
    if (!document.isObject()) {
        if (event.terminated && !data.isEmpty())
            countBadEvent();
        return;
    }
    takeObject(document.object());
}

void ChatAnswerParser::takeObject(const QJsonObject &object)
{
    if (const std::optional<ServerError> error = serverErrorOf(object)) {
        fail(failureOfStream(m_target, *error));
        return;
    }
    Result<std::vector<ModelEvent>> events = m_deltas.parse(object);
    if (!events) {
        fail({events.error(), {}});
        return;
    }
    add(*std::move(events));
    const QString reason = m_deltas.finishReason();
    // Reasons that say that there is no answer.
    if (reason == u"error" || reason == u"abort" || reason == u"insufficient_system_resource") {
        ServerError error;
        error.code = reason;
        error.message = u"finish_reason: "_s + reason;
        fail(failureOfStream(m_target, error));
    }
}

void ChatAnswerParser::countBadEvent()
{
    ++m_badEvents;
    if (m_badEvents > MostBadEvents)
        fail(ErrorCode::BadStream,
             u"The server at %1 sent a stream that cannot be read. Check the address in Settings > "
             u"Model, "
             "or look at the server's log."_s);
}

void ChatAnswerParser::finish(const std::optional<ChatFailure> &cut)
{
    if (m_ended)
        return;
    if (m_form == Form::Events) {
        m_sse.finish();
        takeEvents();
    } else if (m_form == Form::Object && !cut) {
        takeWholeObject();
    }
    if (m_ended)
        return;
    if (m_deltas.hasFinishReason()) {
        complete();
    } else if (cut) {
        fail(*cut);
    } else if (m_form == Form::Page) {
        fail(ErrorCode::UnexpectedContent,
             u"The server at %1 answered with a web page and not with a model's answer. Check the "
             "address in Settings > Model; most end in /v1."_s);
    } else if ((!m_deltas.hasContent() && m_badEvents > 0)
               || (m_form == Form::Events && m_eventCount == 0 && m_sse.commentCount() == 0)) {
        fail(ErrorCode::UnexpectedContent,
             u"The server at %1 answered with something other than a stream. Check the address in "
             "Settings > Model; most end in /v1."_s);
    } else if (m_body.trimmed().isEmpty()) {
        fail(ErrorCode::Truncated,
             u"The server at %1 sent an empty reply. Retry, or look at the "
             "server's log."_s);
    } else {
        fail(ErrorCode::Truncated,
             u"The server at %1 ended the answer before it was whole. "
             "Continue or retry."_s);
    }
}

void ChatAnswerParser::takeWholeObject()
{
    const QByteArray body = m_body.trimmed();
    const QJsonDocument document = parseJson(body);
    if (!document.isObject()) {
        // Lines of JSON, as servers send them on another address: the first one may say what is wrong.
        const ServerError error = serverErrorOfBody(body);
        if (!error.message.isEmpty() && (document.isArray() || body.contains('\n'))
            && body.contains("\"error\"")) {
            fail(failureOfStream(m_target, error));
            return;
        }
        fail(ErrorCode::UnexpectedContent,
             u"The server at %1 answered with something other than a stream. Check the address in "
             "Settings > Model; most end in /v1."_s);
        return;
    }
    const QJsonObject object = document.object();
    takeObject(object);
    // It is one object, so its end is the end.
    if (!m_ended && m_deltas.hasContent())
        complete();
    else if (!m_ended && !m_deltas.hasFinishReason())
        fail(ErrorCode::UnexpectedContent,
             u"The server at %1 answered with an object that holds no answer. Check the address in "
             "Settings > Model; most end in /v1."_s);
}

void ChatAnswerParser::add(std::vector<ModelEvent> events)
{
    for (ModelEvent &event : events)
        m_items.push_back({std::move(event)});
}

void ChatAnswerParser::complete()
{
    m_ended = true;
    if (m_badEvents > 0)
        qCInfo(lcProvider) << m_badEvents << "unreadable events were left out of an answer";
    add(m_deltas.finish());
}

void ChatAnswerParser::fail(const ChatFailure &failure)
{
    add(m_deltas.flush());
    m_ended = true;
    m_items.push_back({failure});
}

void ChatAnswerParser::fail(ErrorCode code, const QString &happened)
{
    fail(failureOfContent(m_target, code, happened, excerpt(m_body)));
}

} // namespace fermata
