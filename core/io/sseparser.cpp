// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/sseparser.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr QByteArrayView ByteOrderMark("\xEF\xBB\xBF");

const char *find(const char *from, const char *end, char c)
{
    const auto *hit = static_cast<const char *>(std::memchr(from, c, size_t(end - from)));
    return hit ? hit : end;
}

} // namespace

void SseParser::feed(QByteArrayView bytes)
{
    const char *at = bytes.data();
    const char *const end = at + bytes.size();
    if (m_afterCr && at != end) {
        m_afterCr = false;
        if (*at == '\n')
            ++at;
    }
    // Each kind of line end is looked for again only when it was passed: one pass over the bytes for each.
    const char *lf = find(at, end, '\n');
    const char *cr = find(at, end, '\r');
    while (at != end && !m_fault) {
        const char *const lineEnd = std::min(lf, cr);
        const QByteArrayView piece(at, lineEnd - at);
        if (exceeds(piece.size()))
            return;
        if (lineEnd == end) {
            m_line.append(piece);
            return;
        }
        if (m_line.isEmpty()) {
            takeLine(piece);
        } else {
            m_line.append(piece);
            takeLine(m_line);
            m_line.clear();
        }
        at = lineEnd + 1;
        if (lineEnd == cr) {
            if (at == end)
                m_afterCr = true;
            else if (*at == '\n')
                ++at;
            cr = find(at, end, '\r');
        }
        if (lf < at)
            lf = find(at, end, '\n');
    }
}

void SseParser::finish()
{
    if (m_fault)
        return;
    if (!m_line.isEmpty()) {
        takeLine(m_line);
        m_line.clear();
    }
    dispatch(false);
}

std::optional<SseEvent> SseParser::next()
{
    if (m_events.empty())
        return std::nullopt;
    SseEvent event = std::move(m_events.front());
    m_events.pop_front();
    return event;
}

void SseParser::takeLine(QByteArrayView line)
{
    if (std::exchange(m_firstLine, false) && line.startsWith(ByteOrderMark))
        line = line.sliced(ByteOrderMark.size());
    if (line.isEmpty()) {
        dispatch(true);
        return;
    }
    const char *const end = line.data() + line.size();
    const char *const colon = find(line.data(), end, ':');
    if (colon == line.data()) {
        ++m_comments;
        return;
    }
    QByteArrayView value;
    if (colon != end)
        value = QByteArrayView(colon + 1, end - colon - 1);
    if (value.startsWith(' '))
        value = value.sliced(1);
    takeField(QByteArrayView(line.data(), colon - line.data()), value);
}

void SseParser::takeField(QByteArrayView name, QByteArrayView value)
{
    if (name == "data") {
        appendData(value);
    } else if (name == "event") {
        m_type = value.toByteArray();
    } else if (name == "error") {
        m_type = "error"_ba;
        appendData(value);
    } else if (name == "id") {
        if (!value.contains('\0'))
            m_lastEventId = value.toByteArray();
    } else if (name == "retry") {
        const bool digits =
            std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
        bool fits = false;
        const int time = value.toByteArray().toInt(&fits);
        if (digits && fits)
            m_retry = std::chrono::milliseconds(time);
    }
}

void SseParser::appendData(QByteArrayView value)
{
    if (std::exchange(m_hasData, true))
        m_data.append('\n');
    m_data.append(value);
}

void SseParser::dispatch(bool terminated)
{
    if (m_hasData)
        m_events.push_back({std::move(m_type), std::move(m_data), m_lastEventId, terminated});
    m_type = QByteArray();
    m_data = QByteArray();
    m_hasData = false;
}

bool SseParser::exceeds(qsizetype more)
{
    if (m_line.size() + m_data.size() + more <= LargestEvent)
        return false;
    m_fault = Error(ErrorCode::TooLarge,
                    u"The server sent a piece larger than 16 MB, the most that is taken."_s);
    m_line = QByteArray();
    m_data = QByteArray();
    return true;
}

} // namespace fermata
