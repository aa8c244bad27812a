// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/continuationfilter.h"

#include <algorithm>
#include <utility>

namespace fermata {

ContinuationFilter::ContinuationFilter(ContinuedAnswer answer) : m_answer(std::move(answer))
{
    // These servers send only what is new, so equal words are new ones.
    const bool sendsOnlyNew = m_answer.prefill == PrefillKind::ContinueFinalMessage;
    m_state = sendsOnlyNew || m_answer.text.isEmpty() ? State::SkippingSpace : State::Comparing;
}

QString ContinuationFilter::append(const QString &text)
{
    if (m_state == State::Passing)
        return text;
    m_held += text;
    if (m_state == State::Comparing) {
        const qsizetype repeated = repeatedLength();
        if (repeated == m_held.size() ? mayRepeatMore() : repeated == 0 && isRepetition())
            return {};
        m_held = m_held.sliced(repeated);
        m_state = State::SkippingSpace;
    }
    return released();
}

QString ContinuationFilter::finish()
{
    if (m_state == State::Comparing) {
        // Where repeating is the rule, what was held back is nothing else.
        const bool onlyRepeats = m_answer.prefill == PrefillKind::Prefix && isRepetition();
        m_held = m_held.sliced(onlyRepeats ? m_held.size() : repeatedLength());
    }
    const QString rest = released();
    m_state = State::Passing;
    return rest;
}

// Whether the held text may still grow into a repetition of the end of the old text.
bool ContinuationFilter::isRepetition() const
{
    if (m_answer.prefill == PrefillKind::Prefix)
        return m_answer.text.startsWith(m_held);
    return m_answer.text.contains(m_held);
}

// The held text repeats the end; it may also repeat from a place further up, to which it is the beginning.
bool ContinuationFilter::mayRepeatMore() const
{
    return m_answer.prefill != PrefillKind::Prefix
        && m_answer.text.indexOf(m_held) < m_answer.text.size() - m_held.size();
}

// How much of the held text repeats the old text to its end.
qsizetype ContinuationFilter::repeatedLength() const
{
    if (m_answer.prefill == PrefillKind::Prefix)
        return m_held.startsWith(m_answer.text) ? m_answer.text.size() : 0;
    for (qsizetype n = std::min(m_held.size(), m_answer.text.size()); n >= ShortestOverlap; --n) {
        if (QStringView(m_answer.text).last(n) == QStringView(m_held).first(n))
            return n;
    }
    return 0;
}

QString ContinuationFilter::released()
{
    QString text = std::exchange(m_held, {});
    const QString &space = m_answer.trimmedSpace;
    while (m_spaceSkipped < space.size() && !text.isEmpty()
           && text.front() == space.at(m_spaceSkipped)) {
        text.remove(0, 1);
        ++m_spaceSkipped;
    }
    if (!text.isEmpty() || m_spaceSkipped == space.size())
        m_state = State::Passing;
    return text;
}

} // namespace fermata
