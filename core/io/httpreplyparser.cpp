// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/httpreplyparser_p.h"

#include "base/redaction.h"

#include <algorithm>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LargestHeader = 64 * 1024;
constexpr qsizetype LargestHead = 1024 * 1024;
constexpr qsizetype LargestTrailers = 64 * 1024;
constexpr qsizetype LargestChunkLine = 4 * 1024;
constexpr size_t MostHeaders = 5000;
constexpr int MostInterimReplies = 100;
constexpr QByteArrayView Magic("HTTP/1.");

bool isDigits(QByteArrayView text)
{
    return !text.isEmpty()
        && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool equals(QByteArrayView a, QByteArrayView b)
{
    return a.compare(b, Qt::CaseInsensitive) == 0;
}

// All elements of all headers of that name, which are comma-separated lists.
QList<QByteArray> elements(const HttpHead &head, QByteArrayView name)
{
    QList<QByteArray> list;
    for (const auto &[key, value] : head.headers) {
        if (!equals(name, key))
            continue;
        for (const QByteArray &element : value.split(','))
            list.append(element.trimmed());
    }
    return list;
}

bool hasElement(const HttpHead &head, QByteArrayView name, QByteArrayView element)
{
    const QList<QByteArray> list = elements(head, name);
    return std::any_of(list.begin(), list.end(),
                       [element](const QByteArray &each) { return equals(element, each); });
}

} // namespace

HttpReplyParser::HttpReplyParser(HttpRequest::Method method, QString peer)
    : m_method(method), m_peer(std::move(peer))
{
}

HttpReplyParser::Piece HttpReplyParser::feed(QByteArrayView bytes)
{
    Piece piece;
    while (!bytes.isEmpty() && m_state != State::Ended) {
        if (const auto taken = take(bytes, piece); !taken) {
            piece.fault = taken.error();
            return piece;
        }
    }
    m_surplus = m_surplus || !bytes.isEmpty();
    return piece;
}

Result<void> HttpReplyParser::take(QByteArrayView &bytes, Piece &piece)
{
    if (m_state == State::Length || m_state == State::UntilClose || m_state == State::ChunkData) {
        takeBody(bytes, piece.body);
        return {};
    }
    m_begun = true;
    const std::optional<QByteArray> line = takeLine(bytes);
    if (const auto fits = checkLineLength(); !fits)
        return fits;
    if (!line)
        return {};
    if (const auto taken = takeMessageLine(*line); !taken)
        return taken;
    if (std::exchange(m_headReady, false))
        piece.head = std::exchange(m_head, {});
    return {};
}

Result<void> HttpReplyParser::finish() const
{
    if (m_state == State::Ended || m_state == State::UntilClose)
        return {};
    if (!m_begun)
        return Error(ErrorCode::ConnectionLost,
                     u"%1 closed the connection before it answered."_s.arg(m_peer));
    return Error(ErrorCode::Truncated, u"%1 broke off in the middle of its reply."_s.arg(m_peer));
}

std::optional<QByteArray> HttpReplyParser::takeLine(QByteArrayView &bytes)
{
    const qsizetype end = bytes.indexOf('\n');
    m_line.append(end < 0 ? bytes : bytes.first(end));
    if (end < 0) {
        bytes = {};
        return std::nullopt;
    }
    bytes = bytes.sliced(end + 1);
    QByteArray line = std::exchange(m_line, {});
    if (line.endsWith('\r'))
        line.chop(1);
    // The longest line that any state takes; what was cut into pieces is checked while it grows.
    if (line.size() > LargestHeader)
        m_line = line;
    return line;
}

Result<void> HttpReplyParser::checkLineLength() const
{
    // Known by its first bytes: another protocol may send no line end for a long time.
    if (m_state == State::StatusLine) {
        const QByteArrayView begin =
            QByteArrayView(m_line).first(std::min(m_line.size(), Magic.size()));
        if (!Magic.startsWith(begin))
            return notHttp(QString::fromLatin1(m_line.left(80)));
    }
    if (m_line.size() > LargestHeader)
        return broken(u"a line larger than 64 KB"_s);
    return {};
}

Result<void> HttpReplyParser::takeMessageLine(const QByteArray &line)
{
    switch (m_state) {
    case State::StatusLine:
        return takeStatusLine(line);
    case State::Headers:
        return line.isEmpty() ? takeHead() : takeHeader(line);
    case State::ChunkSize:
        return takeChunkSize(line);
    case State::ChunkEnd:
        if (!line.isEmpty())
            return broken(u"a chunk that is longer than its size"_s);
        m_state = State::ChunkSize;
        return {};
    case State::Trailers:
        m_trailerSize += line.size() + 1;
        if (m_trailerSize > LargestTrailers)
            return broken(u"trailers larger than 64 KB"_s);
        if (line.isEmpty())
            m_state = State::Ended;
        return {};
    case State::Length:
    case State::UntilClose:
    case State::ChunkData:
    case State::Ended:
        break;
    }
    Q_UNREACHABLE();
}

Result<void> HttpReplyParser::takeStatusLine(const QByteArray &line)
{
    // "HTTP/1.1 200 OK"; the reason may be empty, and its space missing.
    const QByteArrayView text(line);
    const bool isStatusLine = text.size() >= 12 && text.startsWith(Magic) && text[8] == ' '
        && isDigits(text.sliced(7, 1)) && isDigits(text.sliced(9, 3))
        && (text.size() == 12 || text[12] == ' ') && text[9] >= '1';
    if (!isStatusLine)
        return notHttp(QString::fromLatin1(line.left(80)));
    m_head = {};
    m_head.status = line.mid(9, 3).toInt();
    m_head.reason = line.mid(13);
    m_persistent = text[7] != '0';
    m_headSize += line.size();
    m_state = State::Headers;
    return {};
}

Result<void> HttpReplyParser::takeHeader(const QByteArray &line)
{
    m_headSize += line.size();
    if (m_headSize > LargestHead)
        return broken(u"a head larger than 1 MB"_s);
    if (m_head.headers.size() >= MostHeaders)
        return broken(u"more than 5,000 headers"_s);
    if (line.contains('\0'))
        return broken(u"a header with a NUL byte"_s);
    if (line.startsWith(' ') || line.startsWith('\t'))
        return broken(u"a header over several lines"_s);
    const qsizetype colon = line.indexOf(':');
    if (colon > 0) // else it is no header, and nothing follows from it
        m_head.headers.emplace_back(line.left(colon).trimmed(), line.mid(colon + 1).trimmed());
    return {};
}

Result<void> HttpReplyParser::takeHead()
{
    if (m_head.status == 101)
        return notHttp(u"101 Switching Protocols"_s);
    if (m_head.status < 200) {
        m_state = State::StatusLine;
        if (++m_interimReplies > MostInterimReplies)
            return broken(u"interim replies without end"_s);
        return {};
    }
    for (const QByteArray &encoding : elements(m_head, "content-encoding")) {
        if (!encoding.isEmpty() && !equals(encoding, "identity"))
            return broken(u"a compressed body, which was not asked for"_s);
    }
    if (hasElement(m_head, "connection", "close"))
        m_persistent = false;
    else if (hasElement(m_head, "connection", "keep-alive"))
        m_persistent = true;
    m_headReady = true;
    return chooseFraming();
}

Result<void> HttpReplyParser::chooseFraming()
{
    const QList<QByteArray> lengths = elements(m_head, "content-length");
    for (const QByteArray &length : lengths) {
        if (!isDigits(length) || length.size() > 18 || length != lengths.first())
            return broken(u"a length that cannot be"_s);
    }
    const QList<QByteArray> codings = elements(m_head, "transfer-encoding");
    const bool isChunked = codings.size() == 1 && equals(codings.first(), "chunked");
    if (!codings.isEmpty() && !isChunked)
        return broken(u"a transfer encoding that was not asked for"_s);

    if (m_method == HttpRequest::Method::Head || m_head.status == 204 || m_head.status == 304) {
        m_state = State::Ended;
    } else if (isChunked) {
        m_persistent = m_persistent && lengths.isEmpty();
        m_state = State::ChunkSize;
    } else if (lengths.isEmpty()) {
        m_state = State::UntilClose;
    } else {
        m_left = lengths.first().toULongLong();
        m_state = m_left == 0 ? State::Ended : State::Length;
    }
    return {};
}

Result<void> HttpReplyParser::takeChunkSize(const QByteArray &line)
{
    if (line.size() > LargestChunkLine)
        return broken(u"a chunk size larger than 4 KB"_s);
    const qsizetype extension = line.indexOf(';');
    const QByteArray digits = (extension < 0 ? line : line.left(extension)).trimmed();
    const bool isHex = !digits.isEmpty() && digits.size() <= 15
        && std::all_of(digits.begin(), digits.end(),
                       [](char c) { return std::isxdigit(uchar(c)); });
    if (!isHex)
        return broken(u"a chunk size that cannot be"_s);
    m_left = digits.toULongLong(nullptr, 16);
    m_state = m_left == 0 ? State::Trailers : State::ChunkData;
    return {};
}

void HttpReplyParser::takeBody(QByteArrayView &bytes, QByteArray &body)
{
    if (m_state == State::UntilClose) {
        body.append(std::exchange(bytes, {}));
        return;
    }
    const qsizetype size = qsizetype(std::min<quint64>(m_left, quint64(bytes.size())));
    body.append(bytes.first(size));
    bytes = bytes.sliced(size);
    m_left -= quint64(size);
    if (m_left == 0)
        m_state = m_state == State::Length ? State::Ended : State::ChunkEnd;
}

Error HttpReplyParser::notHttp(const QString &detail) const
{
    return Error(ErrorCode::NotHttp,
                 u"%1 does not answer in HTTP. Check the address and the port."_s.arg(m_peer),
                 redacted(detail));
}

Error HttpReplyParser::broken(const QString &what) const
{
    return Error(ErrorCode::BadStream,
                 u"%1 broke the rules of HTTP: it sent %2."_s.arg(m_peer, what));
}

} // namespace fermata
