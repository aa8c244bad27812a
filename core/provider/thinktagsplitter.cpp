// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/thinktagsplitter.h"

#include <algorithm>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

struct Tag
{
    QString open;
    QString close;
};

const std::vector<Tag> &tags()
{
    static const std::vector<Tag> list{{u"<think>"_s, u"</think>"_s},
                                       {u"<thinking>"_s, u"</thinking>"_s},
                                       {u"[THINK]"_s, u"[/THINK]"_s}};
    return list;
}

qsizetype leadingSpace(const QString &text)
{
    return std::find_if(text.begin(), text.end(), [](QChar c) { return !c.isSpace(); })
        - text.begin();
}

// How much of the end of `text` may be the beginning of `tag`.
qsizetype begunTag(const QString &text, const QString &tag)
{
    for (qsizetype n = std::min(tag.size() - 1, text.size()); n > 0; --n) {
        if (text.endsWith(QStringView(tag).first(n)))
            return n;
    }
    return 0;
}

} // namespace

std::vector<ThinkTagSplitter::Piece> ThinkTagSplitter::append(const QString &text)
{
    std::vector<Piece> pieces;
    m_held += text;
    if (m_state == State::Start)
        takeStart();
    if (m_state == State::Thinking)
        takeThinking(pieces);
    if (m_state == State::AfterThinking || m_state == State::Text)
        takeRest(pieces);
    return pieces;
}

std::vector<ThinkTagSplitter::Piece> ThinkTagSplitter::finish()
{
    std::vector<Piece> pieces;
    const QString rest = std::exchange(m_held, {});
    if (m_state == State::Thinking) {
        if (!rest.trimmed().isEmpty()) {
            pieces.push_back({Piece::Kind::Thinking, rest});
            m_thought = true;
        }
        if (m_thought)
            pieces.push_back({Piece::Kind::ThinkingEnd, {}});
    } else if (!rest.isEmpty()) {
        pieces.push_back({Piece::Kind::Text, rest});
    }
    m_state = State::Text;
    return pieces;
}

void ThinkTagSplitter::takeStart()
{
    const qsizetype space = leadingSpace(m_held);
    const QStringView begun = QStringView(m_held).sliced(space);
    for (const Tag &tag : tags()) {
        if (begun.startsWith(tag.open)) {
            m_closingTag = tag.close;
            m_held = m_held.sliced(space + tag.open.size());
            m_state = State::Thinking;
            return;
        }
    }
    const bool mayBeTag = std::any_of(tags().begin(), tags().end(), [&](const Tag &tag) {
        return QStringView(tag.open).startsWith(begun);
    });
    if (!mayBeTag)
        m_state = State::Text;
}

void ThinkTagSplitter::takeThinking(std::vector<Piece> &pieces)
{
    if (!m_thought)
        m_held = m_held.sliced(leadingSpace(m_held));
    const qsizetype end = m_held.indexOf(m_closingTag);
    const qsizetype ready = end >= 0 ? end : m_held.size() - begunTag(m_held, m_closingTag);
    if (ready > 0) {
        pieces.push_back({Piece::Kind::Thinking, m_held.first(ready)});
        m_thought = true;
    }
    m_held = m_held.sliced(ready);
    if (end < 0)
        return;
    m_held = m_held.sliced(m_closingTag.size());
    if (m_thought)
        pieces.push_back({Piece::Kind::ThinkingEnd, {}});
    m_state = State::AfterThinking;
}

void ThinkTagSplitter::takeRest(std::vector<Piece> &pieces)
{
    if (m_state == State::AfterThinking) {
        m_held = m_held.sliced(leadingSpace(m_held));
        if (m_held.isEmpty())
            return;
        m_state = State::Text;
    }
    if (!m_held.isEmpty())
        pieces.push_back({Piece::Kind::Text, std::exchange(m_held, {})});
}

} // namespace fermata
