// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/outputbuffer.h"

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

bool isContinuation(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Without a part of a character at the cut: at most three bytes of one can be there.
QByteArrayView withoutCutStart(QByteArrayView bytes)
{
    qsizetype start = 0;
    while (start < std::min<qsizetype>(3, bytes.size()) && isContinuation(bytes[start]))
        ++start;
    return bytes.sliced(start);
}

QByteArrayView withoutCutEnd(QByteArrayView bytes)
{
    for (qsizetype back = 1; back <= std::min<qsizetype>(4, bytes.size()); ++back) {
        const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
        if ((byte & 0xC0U) == 0x80U)
            continue;
        const qsizetype length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return length > back ? bytes.chopped(back) : bytes;
    }
    return bytes;
}

} // namespace

bool looksBinary(QByteArrayView bytes)
{
    const QByteArrayView sample = bytes.first(std::min<qsizetype>(bytes.size(), 8 * 1024));
    if (sample.contains('\0'))
        return true;
    const QString text = QString::fromUtf8(withoutCutEnd(sample));
    return text.count(QChar::ReplacementCharacter) > 16 + text.size() / 10;
}

OutputBuffer::OutputBuffer(qsizetype headBytes, qsizetype tailBytes)
    : m_headBytes(headBytes), m_tailBytes(tailBytes)
{
}

void OutputBuffer::append(QByteArrayView bytes)
{
    m_total += bytes.size();
    const qsizetype toHead = std::min(bytes.size(), m_headBytes - m_head.size());
    m_head.append(bytes.first(toHead));
    bytes = bytes.sliced(toHead);
    if (bytes.size() > m_tailBytes)
        bytes = bytes.last(m_tailBytes);
    if (m_tail.size() + bytes.size() > 2 * m_tailBytes)
        m_tail = m_tail.right(m_tailBytes);
    m_tail.append(bytes);
}

QString OutputBuffer::text() const
{
    const QByteArrayView tail = QByteArrayView(m_tail).last(std::min(m_tail.size(), m_tailBytes));
    if (looksBinary(m_head) || looksBinary(tail))
        return u"[Binary output: %1 bytes, not shown]"_s.arg(m_total);
    if (m_total <= m_head.size() + tail.size())
        return cleaned(QString::fromUtf8(m_head + tail.toByteArray())).withNote();

    const QByteArrayView first = withoutCutEnd(m_head);
    const QByteArrayView last = withoutCutStart(tail);
    const QString omitted = u"\n[%1 bytes omitted]\n"_s.arg(m_total - first.size() - last.size());
    const CleanText head = cleaned(QString::fromUtf8(first));
    const CleanText end = cleaned(QString::fromUtf8(last));
    return CleanText{head.text + omitted + end.text, head.invisible + end.invisible}.withNote();
}

} // namespace fermata
