// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <variant>

namespace fermata {

struct GuideQuestion
{
    QString text;
};
struct GuideGreeting
{
};
struct GuideLongText
{
};
// A tool that the user asked for in plain words.
struct GuideToolWish
{
    enum class Kind { RunCommand, ReadFile, ListFiles, SearchFiles, FetchPage };

    Kind kind = Kind::RunCommand;
    QStringList subjects; // one call for each: a command, a path, a text, an address

    friend bool operator==(const GuideToolWish &, const GuideToolWish &) = default;
};

using GuideIntent = std::variant<GuideQuestion, GuideGreeting, GuideLongText, GuideToolWish>;

// What a message to the Guide asks for, by fixed forms of words. Anything else is a question. Pure.
GuideIntent guideIntentOf(const QString &message);

} // namespace fermata
