// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/guideintent.h"

#include <QRegularExpression>

#include <optional>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

using Kind = GuideToolWish::Kind;

constexpr qsizetype MostSubjects = 8;

QRegularExpression pattern(const QString &text)
{
    return QRegularExpression(text,
                              QRegularExpression::CaseInsensitiveOption
                                  | QRegularExpression::DotMatchesEverythingOption
                                  | QRegularExpression::UseUnicodePropertiesOption);
}

QString withoutCourtesy(const QString &message)
{
    static const QRegularExpression courtesy = pattern(
        u"^(?:(?:please|now|then|and|ok|okay)[,\\s]+|(?:can|could|would|will) you\\s+(?:please\\s+)?)+"_s);
    QString text = message.trimmed();
    text.remove(courtesy);
    return text;
}

// What stands in quotation marks or backticks: exactly that is meant.
QStringList quotedParts(const QString &text)
{
    static const QRegularExpression quoted =
        pattern(u"“([^”]+)”|„([^“”]+)[“”]|\"([^\"]+)\"|`([^`]+)`|«([^»]+)»|‘([^’]+)’"_s);
    QStringList parts;
    auto matches = quoted.globalMatch(text);
    while (matches.hasNext() && parts.size() < MostSubjects) {
        const QStringList groups = matches.next().capturedTexts().sliced(1);
        for (const QString &group : groups) {
            if (!group.trimmed().isEmpty())
                parts.append(group.trimmed());
        }
    }
    return parts;
}

// "sleep 30 so that I can stop it." names only "sleep 30".
QString withoutPurpose(QString text)
{
    static const QRegularExpression purpose =
        pattern(u"(?:,?\\s+(?:so that|so I|please|for me|in the background)\\b.*|[.!])$"_s);
    text = text.trimmed();
    text.remove(purpose);
    return text.trimmed();
}

struct Form
{
    QRegularExpression words;
    Kind kind;
    QString otherwise; // the subject if none was named
};

// In this order: "search for x in files" is no "run", and "list" alone is enough.
const std::vector<Form> &forms()
{
    static const std::vector<Form> list{
        {pattern(u"^(?:run|execute)\\s+(?:(?:the\\s+)?(?:command|program)\\s+)?(?<subject>.+)$"_s),
         Kind::RunCommand,
         {}},
        {pattern(
             u"^(?:fetch|open|get|load|download)\\s+(?:the\\s+)?(?:page\\s+|url\\s+|address\\s+)?(?<subject>https?://\\S+).*$"_s),
         Kind::FetchPage,
         {}},
        {pattern(
             u"^(?:read|show|open|print)\\s+(?:me\\s+)?(?:the\\s+)?(?:content(?:s)?\\s+of\\s+)?(?:the\\s+)?file\\s+(?<subject>.+)$"_s),
         Kind::ReadFile,
         {}},
        {pattern(
             u"^(?:list|show)\\s+(?:me\\s+)?(?:all\\s+)?(?:the\\s+|my\\s+)?files(?:\\s+in\\s+(?:the\\s+folder\\s+)?(?<subject>\\S+))?[.!]?$"_s),
         Kind::ListFiles, u"."_s},
        {pattern(
             u"^(?:search|look|grep)\\s+(?:for\\s+)?(?<subject>.+?)\\s+in\\s+(?:(?:all|the|my)\\s+)*files[.!]?$"_s),
         Kind::SearchFiles,
         {}},
    };
    return list;
}

std::optional<GuideToolWish> toolWishOf(const QString &text)
{
    for (const Form &form : forms()) {
        const QRegularExpressionMatch match = form.words.match(text);
        if (!match.hasMatch())
            continue;
        const QString subject = match.captured(u"subject"_s);
        QStringList subjects = quotedParts(subject);
        // "Run tests on which machine?" asks; only what is quoted is meant to be done then.
        if (subjects.isEmpty() && text.endsWith(u'?'))
            return std::nullopt;
        if (subjects.isEmpty())
            subjects = QStringList{withoutPurpose(subject)};
        if (subjects.first().isEmpty())
            subjects = QStringList{form.otherwise};
        if (subjects.first().isEmpty())
            return std::nullopt;
        return GuideToolWish{form.kind, subjects};
    }
    return std::nullopt;
}

} // namespace

GuideIntent guideIntentOf(const QString &message)
{
    static const QRegularExpression greeting =
        pattern(u"^(?:hi|hello|hey|good (?:morning|day|evening)|help|who are you|what are you|what "
                u"can you do"
                "|are you an ai)(?:\\s+(?:there|guide|fermata))?[\\s.!?]*$"_s);
    static const QRegularExpression longText =
        pattern(u"^(?:write|tell|give|show)\\b.*\\b(?:long|longer|endless)\\b"
                "|\\b(?:whole|entire|full|complete)\\s+(?:user\\s+)?guide\\b"_s);
    const QString text = withoutCourtesy(message);
    if (text.isEmpty() || greeting.match(text).hasMatch())
        return GuideGreeting{};
    if (std::optional<GuideToolWish> wish = toolWishOf(text))
        return *wish;
    if (longText.match(text).hasMatch())
        return GuideLongText{};
    return GuideQuestion{text};
}

} // namespace fermata
