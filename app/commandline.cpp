// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline.h"

#include "settings/profile.h"

#include <QCommandLineParser>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestArgument = 1024 * 1024;

ParsedCommandLine refuse(const QString &problem)
{
    return {{}, CommandLineAnswer{problem + u"\nTry \"fermata --help\".\n"_s, 2}};
}

// The parser takes the name from the application, which is not there yet.
QString helpText(const QCommandLineParser &parser)
{
    return parser.helpText().replace(u"<executable_name>"_s, u"fermata"_s);
}

} // namespace

ParsedCommandLine parseCommandLine(const QStringList &arguments, const QString &version)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(
        u"A desktop chat for LLM agents that stops at once and can always go on."_s);
    const QCommandLineOption help({u"h"_s, u"help"_s}, u"Show this help."_s);
    const QCommandLineOption versionOption({u"v"_s, u"version"_s}, u"Show the version."_s);
    const QCommandLineOption dataDirectory(
        u"data-dir"_s, u"Keep everything (settings, database, logs) in this folder."_s, u"DIR"_s);
    const QCommandLineOption provider(u"provider"_s,
                                      u"Use this kind of provider: openai or guide."_s, u"KIND"_s);
    const QCommandLineOption endpoint(
        u"endpoint"_s, u"Address of the server, such as http://localhost:11434/v1."_s, u"URL"_s);
    const QCommandLineOption model(u"model"_s, u"Model to ask."_s, u"NAME"_s);
    const QCommandLineOption send(u"send"_s, u"Send this text in a new conversation."_s, u"TEXT"_s);
    parser.addOptions({help, versionOption, dataDirectory, provider, endpoint, model, send});

    for (const QString &argument : arguments) {
        if (argument.size() > LongestArgument)
            return refuse(u"An argument is longer than 1 MB."_s);
    }
    if (!parser.parse(arguments))
        return refuse(parser.errorText());
    if (parser.isSet(help))
        return {{}, CommandLineAnswer{helpText(parser), 0}};
    if (parser.isSet(versionOption))
        return {{}, CommandLineAnswer{u"Fermata %1\n"_s.arg(version), 0}};
    if (!parser.positionalArguments().isEmpty())
        return refuse(u"Unknown argument: %1"_s.arg(parser.positionalArguments().constFirst()));

    CommandLine line;
    line.dataDirectory = parser.value(dataDirectory);
    line.provider = parser.value(provider);
    line.model = parser.value(model);
    line.send = parser.value(send);
    if (!line.provider.isEmpty() && line.provider != u"openai" && line.provider != u"guide")
        return refuse(u"Unknown kind of provider: %1"_s.arg(line.provider));
    if (parser.isSet(endpoint)) {
        QString problem;
        line.endpoint = endpointFromText(parser.value(endpoint), &problem);
        if (!line.endpoint.isValid())
            return refuse(problem);
    }
    return {line, {}};
}

} // namespace fermata
