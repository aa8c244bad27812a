// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/visibletext.h"

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

// Looks like nothing, like a space, or like nothing that a font has.
bool onlyLooksLikeSomething(char32_t c)
{
    switch (QChar::category(c)) {
    case QChar::Other_Control:
        return c != U'\n' && c != U'\t';
    case QChar::Other_Format:
    case QChar::Other_PrivateUse:
    case QChar::Other_NotAssigned:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph:
        return true;
    case QChar::Separator_Space:
        return c != U' ';
    default:
        break;
    }
    const bool variationSelector = (c >= 0xe0100 && c <= 0xe01ef) || (c >= 0x180b && c <= 0x180f);
    return variationSelector || c == 0x2800;
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
    if (use == TextUse::Asked && onlyLooksLikeSomething(c))
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
        return use != TextUse::Prose || c != 0x00ad;
    case 0x200c: // joiners: scripts and emoji need them
    case 0x200d:
    case 0x200e:
    case 0x200f:
        return use != TextUse::Prose;
    default:
        break;
    }
    return c == 0x200b || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f)
        || c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) || (c & 0xfffe) == 0xfffe
        || (c >= 0xfdd0 && c <= 0xfdef) || (c >= 0x1d173 && c <= 0x1d17a)
        || (c >= 0xe0000 && c <= 0xe0fff) || (use != TextUse::Prose && c >= 0xfe00 && c <= 0xfe0f);
}

QString visibleName(char32_t c)
{
    return u"‹U+%1›"_s.arg(QString::number(c, 16).toUpper().rightJustified(4, u'0'));
}

bool mayHoldInvisible(const QString &text, TextUse use)
{
    for (qsizetype i = 0; i < text.size();) {
        const char32_t c = nextCharacter(text, i);
        if (isInvisible(c, use) || (c >= 0x80 && QChar::isMark(c)))
            return true;
    }
    return false;
}

QString withControlsNamed(const QString &text, TextUse use)
{
    // Half a character that is asked about becomes what it will be when it is run.
    if (use != TextUse::Asked && !mayHoldInvisible(text, use))
        return text;
    QString shown;
    shown.reserve(text.size() + 32);
    int marks = 0;
    for (qsizetype i = 0; i < text.size();) {
        const char32_t c = nextCharacter(text, i);
        marks = QChar::isMark(c) ? marks + 1 : 0;
        if (isInvisible(c, use) || marks > MostMarks)
            shown += visibleName(c);
        else
            shown += QChar::fromUcs4(c);
    }
    return shown;
}

} // namespace fermata
