// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/liveoutput.h"

#include "tool/outputbuffer.h"

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostAtOnce = 8 * 1024;
constexpr qsizetype MostInAll = 256 * 1024;

} // namespace

void LiveOutput::append(QByteArrayView bytes)
{
    if (m_silent)
        return;
    m_pending.append(bytes);
    if (m_pending.size() <= 2 * MostAtOnce)
        return;
    qsizetype cut = m_pending.size() - MostAtOnce;
    while (cut < m_pending.size() && (static_cast<unsigned char>(m_pending[cut]) & 0xC0U) == 0x80U)
        ++cut;
    m_pending.remove(0, cut);
    m_skipped += cut;
}

QString LiveOutput::take()
{
    if (m_silent || m_pending.isEmpty())
        return {};
    if (looksBinary(m_pending)) {
        m_silent = true;
        m_pending.clear();
        return u"[Binary output, not shown]\n"_s;
    }
    QString text;
    if (m_skipped > 0) {
        // The start of what is left is the start of a character, but may be anywhere in a control sequence.
        m_decoder.resetState();
        text = m_filter.finish() + u"\n[%1 bytes omitted]\n"_s.arg(m_skipped);
        m_skipped = 0;
    }
    const QString decoded = m_decoder.decode(m_pending);
    text += m_filter.feed(decoded);
    m_pending.clear();
    m_shown += text.size();
    if (m_shown > MostInAll) {
        m_silent = true;
        text += u"\n[More output is not shown before the end]\n"_s;
    }
    return text;
}

} // namespace fermata
