// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/redaction.h"

#include <QRegularExpression>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

// The first group of a match stays, the rest goes.
QString withoutMatches(const QString &text, const QRegularExpression &pattern)
{
    QString clean;
    qsizetype end = 0;
    auto matches = pattern.globalMatch(text);
    while (matches.hasNext()) {
        const auto match = matches.next();
        clean += QStringView(text).mid(end, match.capturedStart() - end);
        clean += match.capturedView(1);
        clean += "[redacted]"_L1;
        end = match.capturedEnd();
    }
    // The engine gave up: what could not be searched must not pass.
    if (!matches.isValid())
        return u"[redacted]"_s;
    clean += QStringView(text).mid(end);
    return clean;
}

// Name, separator and opening quote are the first group. The value goes on to the closing quote, or
// without a quote to what `unquoted` does not hold; without a quote it is on the same line. All
// repetitions are possessive: the time is linear in the text, whatever it holds.
QRegularExpression fieldPattern(const QString &names, const QString &unquoted)
{
    return QRegularExpression(
        uR"(((?:%1)(?:\\*+["'])?+\s*+[:=][^\S\r\n]*+(?:\s*+\\*+(["']))?+(?:(?:bearer|basic)[ \t]++)?+))"
        uR"((?(2)(?:(?!\2)[^\\]|\\.)*+|%2++))"_s.arg(names, unquoted),
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
}

} // namespace

QString redacted(const QString &text)
{
    static const QRegularExpression header =
        fieldPattern(u"authorization|cookie"_s, uR"([^\r\n])"_s);
    static const QRegularExpression field = fieldPattern(
        u"api[-_]?key|[?&]key|passw(?:or)?d|secret|(?:access|refresh|auth|id|session)[-_]?token"_s,
        uR"([^"'\s,;}&])"_s);
    // In a sentence, "basic authentication" is none: a digit, or 20 characters, tell a credential
    // from a word.
    static const QRegularExpression scheme(
        uR"((\b(?:bearer|basic)\s++)(?=[A-Za-z._~+/=-]{20}|[A-Za-z._~+/=-]*+[0-9])[A-Za-z0-9._~+/=-]{6,})"_s,
        QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression prefix(
        uR"(()\b(?:(?:[prs]k|gsk|xai|hf|gh[oprsu]|github_pat|glpat)[-_]|AIza)[A-Za-z0-9_-]{16,})"_s);
    static const QRegularExpression userInfo(uR"((://)[^/?#\s@"']*+(?=@))"_s);

    // The engine refuses text with lone surrogates.
    QString clean = text.isValidUtf16() ? text : QString::fromUtf8(text.toUtf8());
    for (const QRegularExpression *pattern : {&header, &field, &scheme, &prefix, &userInfo})
        clean = withoutMatches(clean, *pattern);
    return clean;
}

} // namespace fermata
