// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/controlsequencefilter.h"

#include "base/visibletext.h"
#include "tool/outputbuffer.h"

#include <QList>

namespace fermata {

namespace {

constexpr char32_t Escape = 0x1B;

bool startsString(
    char32_t c) // OSC, DCS, SOS, PM, APC, as the second character of an escape sequence
{
    return c == U']' || c == U'P' || c == U'X' || c == U'^' || c == U'_';
}

// Also what is no formatting by its category, and hides text all the same: fillers, and all variation selectors but
// those two by which a sign is drawn as text or as a picture.
bool isHidden(char32_t c)
{
    const bool joins = c == 0x200C || c == 0x200D || c == 0x00AD;
    const bool selects = (c >= 0xFE00 && c <= 0xFE0D) || (c >= 0x180B && c <= 0x180F);
    return selects || (QChar::category(c) == QChar::Other_Format && !joins)
        || (QChar::category(c) != QChar::Other_Control && isInvisible(c, TextUse::Prose));
}

} // namespace

QString ControlSequenceFilter::feed(QStringView text)
{
    QString out;
    out.reserve(text.size());
    for (const uint c : text.toUcs4())
        take(c, out);
    return out;
}

QString ControlSequenceFilter::finish()
{
    m_state = State::Text;
    return std::exchange(m_carriageReturn, false) ? QString(u'\n') : QString();
}

void ControlSequenceFilter::take(char32_t c, QString &out)
{
    // What a sequence cannot hold ends it, so that a broken one does not swallow the rest of the output.
    const bool breaks = c == U'\n' || c == 0x18 || c == 0x1A;
    if (m_state != State::Text && breaks)
        m_state = State::Text;

    switch (m_state) {
    case State::Text:
        takeText(c, out);
        break;
    case State::Escape:
        if (c == U'[')
            m_state = State::Csi;
        else if (startsString(c))
            m_state = State::String;
        else if (c >= 0x20 && c <= 0x2F)
            m_state = State::EscapeIntermediate;
        else if (c != Escape)
            m_state = State::Text;
        break;
    case State::EscapeIntermediate:
        if (c < 0x20 || c > 0x2F)
            m_state = State::Text;
        break;
    case State::Csi:
        if (c == Escape)
            m_state = State::Escape;
        else if (c < 0x20 || c > 0x3F)
            m_state = State::Text;
        break;
    case State::String:
        if (c == Escape)
            m_state = State::StringEscape;
        else if (c == 0x07 || c == 0x9C)
            m_state = State::Text;
        break;
    case State::StringEscape:
        if (c == U'\\')
            m_state = State::Text;
        else if (c != Escape)
            m_state = State::String;
        break;
    }
}

void ControlSequenceFilter::takeText(char32_t c, QString &out)
{
    if (m_carriageReturn) {
        m_carriageReturn = false;
        out += u'\n';
        if (c == U'\n')
            return;
    }
    switch (c) {
    case Escape:
        m_state = State::Escape;
        return;
    case 0x9B:
        m_state = State::Csi;
        return;
    case 0x90:
    case 0x98:
    case 0x9D:
    case 0x9E:
    case 0x9F:
        m_state = State::String;
        return;
    case U'\r':
        m_carriageReturn = true;
        return;
    case U'\n':
    case U'\t':
        out += QChar(char16_t(c));
        return;
    case 0x85:
        out += u'\n';
        return;
    default:
        break;
    }
    if (isHidden(c)) {
        ++m_invisible;
        return;
    }
    if (QChar::category(c) == QChar::Other_Control)
        return;
    out += QChar::fromUcs4(c);
}

CleanText cleaned(const QString &text)
{
    ControlSequenceFilter filter;
    CleanText clean{filter.feed(text), 0};
    clean.text += filter.finish();
    clean.invisible = filter.invisibleCount();
    return clean;
}

QString CleanText::withNote() const
{
    if (invisible == 0)
        return text;
    const QString note = invisible == 1
        ? QStringLiteral("[1 invisible character removed]")
        : QStringLiteral("[%1 invisible characters removed]").arg(invisible);
    return text.endsWith(QLatin1Char('\n')) ? text + note : text + QLatin1Char('\n') + note;
}

QString withoutControlSequences(const QString &text)
{
    return cleaned(text).text;
}

} // namespace fermata
