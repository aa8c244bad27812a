// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/displaytext.h"

#include <QList>

#include <algorithm>

namespace fermata {

namespace {

using namespace Qt::StringLiterals;

bool needsWork(const QString &text, TextUse use)
{
    for (qsizetype i = 0; i < text.size();) {
        const char32_t c = nextCharacter(text, i);
        if (c >= 0x80 ? (isInvisible(c, use) || QChar::isMark(c)) : isInvisible(c, use))
            return true;
    }
    return false;
}

// One line as a terminal leaves it after its carriage returns.
QStringView afterReturns(QStringView line)
{
    while (line.endsWith(u'\r'))
        line.chop(1);
    const qsizetype at = line.lastIndexOf(u'\r');
    return at < 0 ? line : line.mid(at + 1);
}

// The end of the escape sequence that starts at `at`, which holds ESC.
qsizetype endOfEscape(QStringView text, qsizetype at)
{
    qsizetype i = at + 1;
    if (i >= text.size())
        return i;
    const char16_t kind = text[i].unicode();
    ++i;
    if (kind == u'[') {
        while (i < text.size() && (text[i] < u'@' || text[i] > u'~'))
            ++i;
        return std::min(i + 1, text.size());
    }
    if (kind == u']') {
        while (i < text.size() && text[i] != u'\a' && text[i] != u'\x1b')
            ++i;
        if (i < text.size() && text[i] == u'\x1b')
            ++i;
        return std::min(i + 1, text.size());
    }
    return i;
}

} // namespace

char32_t nextCharacter(QStringView text, qsizetype &at)
{
    const QChar c = text[at++];
    if (!c.isSurrogate())
        return c.unicode();
    if (c.isHighSurrogate() && at < text.size() && text[at].isLowSurrogate())
        return QChar::surrogateToUcs4(c, text[at++]);
    return QChar::ReplacementCharacter;
}

bool isInvisible(char32_t c, TextUse use)
{
    if (c < 0x20)
        return c != U'\n' && c != U'\t';
    if (c < 0x7f)
        return false;
    if (c <= 0x9f)
        return true;
    if (c < 0x00ad)
        return false;
    switch (c) {
    case 0x00ad: // soft hyphen
    case 0x034f:
    case 0x061c:
    case 0x115f:
    case 0x1160:
    case 0x17b4:
    case 0x17b5:
    case 0x180e:
    case 0x3164:
    case 0xffa0:
        return use == TextUse::Exact || c != 0x00ad;
    case 0x200c: // joiners: scripts and emoji need them
    case 0x200d:
    case 0x200e:
    case 0x200f:
        return use == TextUse::Exact;
    default:
        break;
    }
    return c == 0x200b || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f)
        || c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) || (c & 0xfffe) == 0xfffe
        || (c >= 0xfdd0 && c <= 0xfdef) || (c >= 0x1d173 && c <= 0x1d17a)
        || (c >= 0xe0000 && c <= 0xe0fff) || (use == TextUse::Exact && c >= 0xfe00 && c <= 0xfe0f);
}

QString visibleName(char32_t c)
{
    return u"‹U+%1›"_s.arg(QString::number(c, 16).toUpper().rightJustified(4, u'0'));
}

QString withControlsNamed(const QString &text)
{
    if (!needsWork(text, TextUse::Exact))
        return text;
    QString shown;
    shown.reserve(text.size() + 32);
    int marks = 0;
    for (qsizetype i = 0; i < text.size();) {
        const char32_t c = nextCharacter(text, i);
        marks = QChar::isMark(c) ? marks + 1 : 0;
        if (isInvisible(c, TextUse::Exact) || marks > MostMarks)
            shown += visibleName(c);
        else
            shown += QChar::fromUcs4(c);
    }
    return shown;
}

QString withoutControls(const QString &text)
{
    if (!needsWork(text, TextUse::Prose))
        return text;
    QString shown;
    shown.reserve(text.size());
    int marks = 0;
    for (qsizetype i = 0; i < text.size();) {
        const char32_t c = nextCharacter(text, i);
        marks = QChar::isMark(c) ? marks + 1 : 0;
        if (!isInvisible(c, TextUse::Prose) && marks <= MostMarks)
            shown += QChar::fromUcs4(c);
    }
    return shown;
}

QString terminalText(const QString &output)
{
    QString plain;
    if (output.contains(u'\x1b')) {
        plain.reserve(output.size());
        for (qsizetype i = 0; i < output.size();) {
            if (output[i] == u'\x1b') {
                i = endOfEscape(output, i);
            } else {
                plain += output[i];
                ++i;
            }
        }
    } else {
        plain = output;
    }
    if (!plain.contains(u'\r'))
        return withControlsNamed(plain);

    QString lines;
    lines.reserve(plain.size());
    bool first = true;
    for (const QStringView line : QStringView(plain).split(u'\n')) {
        if (!first)
            lines += u'\n';
        lines += afterReturns(line);
        first = false;
    }
    return withControlsNamed(lines);
}

} // namespace fermata
