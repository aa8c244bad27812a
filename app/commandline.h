// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QUrl>

#include <optional>

namespace fermata {

// What the program was started with.
struct CommandLine
{
    QString dataDirectory; // empty: the usual folders
    QString provider; // kind; empty: as in the settings
    QUrl endpoint;
    QString model;
    QString send; // text that is sent at once in a new conversation
};

// What to do instead of starting: print `text` and end with `exitCode`.
struct CommandLineAnswer
{
    QString text;
    int exitCode = 0;
};

// Exactly one of the two is set. Needs no application object and no display.
struct ParsedCommandLine
{
    std::optional<CommandLine> start;
    std::optional<CommandLineAnswer> answer;
};

ParsedCommandLine parseCommandLine(const QStringList &arguments, const QString &version);

} // namespace fermata
