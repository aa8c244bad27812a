// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/displaytext.h"

#include <QList>
#include <QRegularExpression>

#include <algorithm>

namespace fermata {

namespace {

using namespace Qt::StringLiterals;

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

QString withoutControls(const QString &text)
{
    if (!mayHoldInvisible(text, TextUse::Prose))
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

QString withFactsWhole(QString line)
{
    static const QRegularExpression insideFact(u"(?<=\\d) (?=\\p{L})| (?=> )|(?<=[ \\x{a0}]>) "_s);
    return line.replace(insideFact, QString(QChar::Nbsp));
}

} // namespace fermata
