// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/markdownstream.h"

#include "ui/transcript/markdownfence.h"
#include "ui/transcript/markdownparser.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fermata {

namespace {

QByteArrayView firstLine(QByteArrayView text)
{
    return text.sliced(0, std::find(text.begin(), text.end(), '\n') - text.begin());
}

bool isItem(QByteArrayView line)
{
    if (line.isEmpty())
        return false;
    const char c = line.front();
    return c == '-' || c == '*' || c == '+' || (c >= '0' && c <= '9');
}

bool isHeading(QByteArrayView line)
{
    qsizetype i = 0;
    while (i < line.size() && line[i] == '#')
        ++i;
    return i > 0 && i <= 6 && i < line.size() && line[i] == ' ';
}

// Where the source begins is where the text does, without what it is read after.
MarkdownBlocks parseFrom(QByteArrayView utf8, qsizetype base)
{
    MarkdownBlocks blocks = parseMarkdown(utf8, base);
    for (MarkdownBlock &block : blocks)
        block.sourceBegin = std::max<qsizetype>(0, block.sourceBegin);
    return blocks;
}

} // namespace

MarkdownStream::MarkdownStream(const QString &before)
    : m_before(before.toUtf8()), m_tail(m_before), m_tailBegin(-m_before.size())
{
}

size_t MarkdownStream::append(QStringView text)
{
    QString whole;
    if (!m_highSurrogate.isNull())
        whole += std::exchange(m_highSurrogate, QChar());
    whole += text;
    if (!whole.isEmpty() && whole.back().isHighSurrogate()) {
        m_highSurrogate = whole.back();
        whole.chop(1);
    }
    m_fresh.erase(m_fresh.begin(), m_fresh.begin() + qsizetype(m_freshClosed));
    m_closed += std::exchange(m_freshClosed, 0);
    if (whole.isEmpty())
        return m_closed;

    const QByteArray added = whole.toUtf8();
    m_tail += added;
    if (m_isOpenFence && extendOpenFence(added))
        return m_closed;

    scanLines();
    m_fresh.clear();
    if (m_candidate > 0)
        closeUpTo(std::exchange(m_candidate, -1));
    else
        addFresh(parseFrom(m_tail, m_tailBegin));
    m_isOpenFence = m_fence.character && m_fresh.size() == m_freshClosed + 1
        && m_fresh.back().kind == MarkdownBlock::Kind::Code
        && openingFence(firstLine(m_tail)).character && !m_tail.contains('\r')
        && !m_tail.contains('\0')
        // A last line that would close it as it is may still grow into one that does not.
        && !closesFence(QByteArrayView(m_tail).sliced(m_scanned), m_fence);
    return m_closed;
}

size_t MarkdownStream::finish(const QString &whole)
{
    // A definition of a reference counts for all that stands before it, and a fence inside of a list or a quote is seen as
    // what it is only by the whole.
    const QByteArray before = m_before;
    *this = MarkdownStream();
    m_fresh = parseFrom(before + whole.toUtf8(), -before.size());
    m_freshClosed = m_fresh.size();
    return 0;
}

void MarkdownStream::addFresh(MarkdownBlocks blocks)
{
    std::move(blocks.begin(), blocks.end(), std::back_inserter(m_fresh));
}

void MarkdownStream::scanLines()
{
    qsizetype end = 0;
    while ((end = m_tail.indexOf('\n', m_scanned)) >= 0) {
        scanLine(QByteArrayView(m_tail).sliced(m_scanned, end - m_scanned), m_scanned);
        m_scanned = end + 1;
    }
}

void MarkdownStream::scanLine(QByteArrayView line, qsizetype offset)
{
    if (offset == 0)
        m_startsWithItem = isItem(line);
    if (m_fence.character) {
        if (closesFence(line, m_fence)) {
            m_fence = {};
            m_afterFence = true;
        }
        return;
    }
    const MarkdownFence fence = openingFence(line);
    const bool indented = line.startsWith(' ') || line.startsWith('\t');
    if (offset > 0 && !isBlankLine(line) && !indented
        && (m_afterBlank || m_afterFence || fence.character || isHeading(line))
        && !(m_startsWithItem && isItem(line)))
        m_candidate = offset;
    m_fence = fence;
    m_afterBlank = isBlankLine(line);
    m_afterFence = false;
}

// The scan only proposes: what counts is that both halves by themselves give what the whole gives.
void MarkdownStream::closeUpTo(qsizetype candidate)
{
    const QByteArrayView tail(m_tail);
    MarkdownBlocks before = parseFrom(tail.sliced(0, candidate), m_tailBegin);
    MarkdownBlocks after = parseFrom(tail.sliced(candidate), m_tailBegin + candidate);
    MarkdownBlocks whole = parseFrom(tail, m_tailBegin);
    const auto alike = [](const MarkdownBlock &a, const MarkdownBlock &b) {
        return a.looksLike(b);
    };
    const bool same = whole.size() == before.size() + after.size()
        && std::equal(before.begin(), before.end(), whole.begin(), alike)
        && std::equal(after.begin(), after.end(), whole.begin() + qsizetype(before.size()), alike);
    if (!same) {
        addFresh(std::move(whole));
        return;
    }
    addFresh(std::move(before));
    m_freshClosed = m_fresh.size();
    addFresh(std::move(after));
    m_tail.remove(0, candidate);
    m_tailBegin += candidate;
    m_scanned -= candidate;
    m_startsWithItem = isItem(firstLine(m_tail));
}

// A fence that stays open takes lines as they come. False if the new text may close it.
bool MarkdownStream::extendOpenFence(QByteArrayView added)
{
    if (added.contains('\r') || added.contains('\0'))
        return false;
    qsizetype at = m_scanned;
    while (at < m_tail.size()) {
        qsizetype end = m_tail.indexOf('\n', at);
        const bool complete = end >= 0;
        if (!complete)
            end = m_tail.size();
        if (closesFence(QByteArrayView(m_tail).sliced(at, end - at), m_fence))
            return false;
        if (complete)
            m_scanned = end + 1;
        at = end + 1;
    }
    MarkdownBlock &block = m_fresh.back();
    // The last line break is not part of the code until something follows it.
    const QByteArrayView before = QByteArrayView(m_tail).chopped(added.size());
    if (before.endsWith('\n') && before.indexOf('\n') < before.size() - 1)
        block.text.text += u'\n';
    block.text.text += QString::fromUtf8(added);
    if (block.text.text.endsWith(u'\n'))
        block.text.text.chop(1);
    block.sourceEnd = m_tailBegin + m_tail.size();
    return true;
}

} // namespace fermata
