// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/ignorerules.h"

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int MostRules = 2000;
constexpr qsizetype LongestRule = 1000;

// One name of a pattern: * and ? stop at a slash.
QString expressionOfName(QStringView name)
{
    QString expression;
    for (qsizetype i = 0; i < name.size(); ++i) {
        const QChar c = name[i];
        if (c == u'*') {
            expression += u"[^/]*"_s;
        } else if (c == u'?') {
            expression += u"[^/]"_s;
        } else if (c == u'\\' && i + 1 < name.size()) {
            expression += QRegularExpression::escape(QString(name[++i]));
        } else if (c == u'[') {
            const qsizetype close = name.indexOf(u']', i + 2);
            if (close < 0) {
                expression += u"\\["_s;
                continue;
            }
            QString set = name.sliced(i + 1, close - i - 1).toString();
            const bool negated = set.startsWith(u'!') || set.startsWith(u'^');
            set.remove(0, negated ? 1 : 0);
            set.replace(u'\\', u"\\\\"_s).replace(u'[', u"\\["_s).replace(u'^', u"\\^"_s);
            expression += (negated ? u"(?!/)[^"_s : u"["_s) + set + u']';
            i = close;
        } else {
            expression += QRegularExpression::escape(QString(c));
        }
    }
    return expression;
}

// A pattern with a slash inside starts at the folder; one without fits a name at any depth.
QString expressionOf(QString pattern)
{
    const bool anchored = pattern.contains(u'/');
    if (pattern.startsWith(u'/'))
        pattern.remove(0, 1);
    QString expression = anchored ? QString() : u"(?:.*/)?"_s;
    const QStringList parts = pattern.split(u'/');
    for (qsizetype i = 0; i < parts.size(); ++i) {
        const bool last = i + 1 == parts.size();
        if (parts[i] == "**"_L1)
            expression += last ? u".+"_s : u"(?:.*/)?"_s;
        else
            expression += expressionOfName(parts[i]) + (last ? u""_s : u"/"_s);
    }
    return QRegularExpression::anchoredPattern(expression);
}

} // namespace

IgnoreRules::IgnoreRules(const QByteArray &file)
{
    for (QString line : QString::fromUtf8(file).split(u'\n')) {
        if (line.endsWith(u'\r'))
            line.chop(1);
        while (line.endsWith(u' ') && !line.endsWith("\\ "_L1))
            line.chop(1);
        if (line.isEmpty() || line.startsWith(u'#') || line.size() > LongestRule)
            continue;
        Rule rule;
        rule.keeps = line.startsWith(u'!');
        if (rule.keeps)
            line.remove(0, 1);
        rule.foldersOnly = line.endsWith(u'/');
        if (rule.foldersOnly)
            line.chop(1);
        if (line.isEmpty())
            continue;
        rule.pattern =
            QRegularExpression(expressionOf(line), QRegularExpression::DotMatchesEverythingOption);
        if (rule.pattern.isValid())
            m_rules.push_back(std::move(rule));
        if (m_rules.size() >= MostRules)
            return;
    }
}

IgnoreRules::Verdict IgnoreRules::judge(const QString &path, Kind kind) const
{
    for (auto rule = m_rules.rbegin(); rule != m_rules.rend(); ++rule) {
        if (rule->foldersOnly && kind != Kind::Folder)
            continue;
        if (rule->pattern.match(path).hasMatch())
            return rule->keeps ? Verdict::Kept : Verdict::Ignored;
    }
    return Verdict::NoRule;
}

} // namespace fermata
