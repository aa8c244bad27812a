// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/guidesearch.h"

#include "base/logging.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <cmath>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr double HeadingWeight = 4; // and once more that, shared by the words of the heading
constexpr double KeywordWeight = 2.5;
constexpr double PageWeight = 1;
constexpr double MostOfText = 2; // a word that fills a section is not worth more than this

const QSet<QString> &emptyWords()
{
    static const QSet<QString> words{
        u"a"_s,         u"an"_s,    u"and"_s,     u"are"_s,    u"as"_s,      u"at"_s,
        u"be"_s,        u"but"_s,   u"by"_s,      u"can"_s,    u"could"_s,   u"did"_s,
        u"do"_s,        u"does"_s,  u"for"_s,     u"from"_s,   u"get"_s,     u"had"_s,
        u"has"_s,       u"have"_s,  u"how"_s,     u"i"_s,      u"if"_s,      u"in"_s,
        u"is"_s,        u"it"_s,    u"its"_s,     u"me"_s,     u"my"_s,      u"of"_s,
        u"on"_s,        u"one"_s,   u"or"_s,      u"please"_s, u"should"_s,  u"so"_s,
        u"some"_s,      u"tell"_s,  u"that"_s,    u"the"_s,    u"them"_s,    u"then"_s,
        u"there"_s,     u"this"_s,  u"to"_s,      u"up"_s,     u"use"_s,     u"want"_s,
        u"was"_s,       u"we"_s,    u"what"_s,    u"when"_s,   u"where"_s,   u"which"_s,
        u"who"_s,       u"why"_s,   u"will"_s,    u"with"_s,   u"would"_s,   u"you"_s,
        u"your"_s,      u"about"_s, u"explain"_s, u"work"_s,   u"fermata"_s, u"happen"_s,
        u"fermata's"_s,
    };
    return words;
}

// "stopped", "stopping" and "stops" are "stop". Rough, and the same on both sides.
QString withoutEnding(QString word)
{
    for (const QString &ending : {u"ing"_s, u"ed"_s, u"es"_s, u"s"_s}) {
        if (word.endsWith(ending) && word.size() - ending.size() >= 3) {
            word.chop(ending.size());
            break;
        }
    }
    const qsizetype n = word.size();
    if (n > 3 && word.at(n - 1) == word.at(n - 2) && word.at(n - 1) != u'l')
        word.chop(1);
    if (word.size() > 3 && word.endsWith(u'e'))
        word.chop(1);
    return word;
}

} // namespace

QStringList searchWords(const QString &text)
{
    static const QRegularExpression separators(u"[^\\p{L}\\p{N}']+"_s);
    QStringList words;
    const QStringList all = text.toLower().split(separators, Qt::SkipEmptyParts);
    for (const QString &word : all) {
        const QString stem = withoutEnding(word);
        if (!emptyWords().contains(word) && !emptyWords().contains(stem))
            words.append(stem);
    }
    return words;
}

GuideBook GuideBook::fromFolder(const QString &folder)
{
    GuideBook book;
    const QDir dir(folder);
    const QStringList files = dir.entryList({u"*.md"_s}, QDir::Files, QDir::Name);
    for (const QString &name : files) {
        QFile file(dir.filePath(name));
        if (file.open(QIODevice::ReadOnly))
            book.addPage(QString::fromUtf8(file.readAll()));
        else
            qCWarning(lcProvider) << "a page of the guide cannot be read:" << name;
    }
    return book;
}

void GuideBook::addPage(const QString &markdown)
{
    static const QRegularExpression keywordLine(u"^<!--\\s*keywords:(.*)-->$"_s);
    QString page;
    QString heading;
    QString keywords;
    QStringList lines;
    const auto finishSection = [&] {
        addSection(page, heading, lines, keywords);
        lines.clear();
        keywords.clear();
    };
    const QStringList all = markdown.split(u'\n');
    for (const QString &line : all) {
        const QRegularExpressionMatch match = keywordLine.match(line.trimmed());
        if (match.hasMatch()) {
            keywords += match.captured(1);
        } else if (line.startsWith(u"# ")) {
            page = heading = line.sliced(2).trimmed();
        } else if (line.startsWith(u"## ")) {
            finishSection();
            heading = line.sliced(3).trimmed();
        } else if (!line.startsWith(u"<!--")) {
            lines.append(line);
        }
    }
    finishSection();
}

void GuideBook::addSection(const QString &page, const QString &heading, const QStringList &lines,
                           const QString &keywords)
{
    const QString text = lines.join(u'\n').trimmed();
    if (text.isEmpty())
        return;
    Entry entry{.section = {page, heading, text}, .weights = {}};
    const QStringList inText = searchWords(text);
    for (const QString &word : inText)
        entry.weights[word] = std::min(entry.weights.value(word) + 0.5, MostOfText);
    const auto add = [&](const QString &source, double weight) {
        const QStringList words = searchWords(source);
        for (const QString &word : QSet<QString>(words.begin(), words.end()))
            entry.weights[word] += weight;
    };
    add(keywords, KeywordWeight);
    add(heading,
        HeadingWeight
            + HeadingWeight / double(std::max<qsizetype>(1, searchWords(heading).size())));
    add(page, PageWeight);
    m_sections.push_back(std::move(entry));
}

QStringList GuideBook::pages() const
{
    QStringList pages;
    for (const Entry &entry : m_sections) {
        if (!pages.contains(entry.section.page))
            pages.append(entry.section.page);
    }
    return pages;
}

std::vector<const GuideSection *> GuideBook::search(const QString &question, size_t most) const
{
    const QStringList all = searchWords(question);
    const QSet<QString> words(all.begin(), all.end());
    std::vector<std::pair<double, const GuideSection *>> hits;
    const auto holding = [this](const QString &word) {
        return std::count_if(m_sections.begin(), m_sections.end(),
                             [&](const Entry &entry) { return entry.weights.contains(word); });
    };
    QHash<QString, double> rarity;
    for (const QString &word : words)
        rarity[word] = std::log(1 + double(m_sections.size()) / (1 + double(holding(word))));
    for (const Entry &entry : m_sections) {
        double score = 0;
        int found = 0;
        for (const QString &word : words) {
            const double weight = entry.weights.value(word);
            score += weight * rarity.value(word);
            found += weight > 0 ? 1 : 0;
        }
        // Who says something of every word says more than who repeats one of them. At least half of them have to be
        // there: anything less is chance.
        if (found * 2 >= words.size() && found > 0)
            hits.emplace_back(score * found / double(words.size()), &entry.section);
    }
    std::stable_sort(hits.begin(), hits.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    std::vector<const GuideSection *> best;
    for (const auto &[score, section] : hits) {
        if (best.size() < most && score > hits.front().first * 0.3)
            best.push_back(section);
    }
    return best;
}

QString GuideBook::wholeText() const
{
    QString text;
    QString page;
    for (const Entry &entry : m_sections) {
        if (entry.section.page != page)
            text += u"## "_s + entry.section.page + u"\n\n"_s;
        page = entry.section.page;
        if (entry.section.heading != page)
            text += u"### "_s + entry.section.heading + u"\n\n"_s;
        text += entry.section.text + u"\n\n"_s;
    }
    return text.trimmed();
}

} // namespace fermata
