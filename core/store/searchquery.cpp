// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/searchquery.h"

#include "conversation/validtext.h"

#include <QStringList>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestQuery = 500;
constexpr qsizetype MostWords = 20;
constexpr qsizetype ShortPrefix = 2;

bool hasLetters(const QString &word)
{
    const auto points = word.toUcs4();
    return std::any_of(points.begin(), points.end(),
                       [](char32_t c) { return QChar::isLetterOrNumber(c); });
}

} // namespace

SearchQuery searchQuery(const QString &text)
{
    QString cleaned = validText(text.left(LongestQuery));
    cleaned.replace(QChar::Null, u' ');
    QStringList words;
    for (const QString &word : cleaned.simplified().split(u' ', Qt::SkipEmptyParts)) {
        if (words.size() < MostWords && hasLetters(word))
            words += word;
    }
    if (words.isEmpty())
        return {};
    const bool shortPrefix = words.size() == 1 && words.last().size() <= ShortPrefix;
    const bool letter = words.last().size() == 1 && words.last().front().unicode() < 128;
    for (QString &word : words)
        word = u'"' + word.replace(u'"', u"\"\""_s) + u'"';
    return {words.join(u' ') + (letter ? u""_s : u"*"_s), shortPrefix};
}

QString cleanSnippet(const QString &snippet)
{
    QString line = snippet.simplified();
    line.removeIf([](QChar c) {
        return c.category() == QChar::Other_Control || c.category() == QChar::Other_Format;
    });
    return line;
}

} // namespace fermata
