// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/fieldreader.h"
#include "settings/settings.h"

#include <QJsonArray>
#include <QRegularExpression>

#include <array>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestName = 300;
constexpr qsizetype LongestText = 4096;
constexpr qsizetype LongestPattern = 64 * 1024;
constexpr qsizetype MostProfiles = 200;
constexpr qsizetype MostRules = 10'000;

constexpr std::array PermissionNames{std::pair(ToolPermission::Ask, u"ask"),
                                     std::pair(ToolPermission::Allow, u"allow"),
                                     std::pair(ToolPermission::Deny, u"deny")};
constexpr std::array SchemeNames{std::pair(ColorScheme::System, u"system"),
                                 std::pair(ColorScheme::Light, u"light"),
                                 std::pair(ColorScheme::Dark, u"dark")};

template <typename Names, typename T>
QString nameOf(const Names &names, T value)
{
    for (const auto &[known, name] : names) {
        if (known == value)
            return QStringView(name).toString();
    }
    return {};
}

template <typename T, typename Names>
std::optional<T> fromName(const Names &names, const QString &text)
{
    for (const auto &[known, name] : names) {
        if (text == QStringView(name))
            return known;
    }
    return std::nullopt;
}

template <typename T>
QJsonValue numberOrNever(const std::optional<T> &value)
{
    return value ? QJsonValue(*value) : QJsonValue(u"never"_s);
}

// `known` over what another version wrote.
QJsonObject over(QJsonObject unknown, const QJsonObject &known)
{
    for (auto it = known.begin(); it != known.end(); ++it)
        unknown.insert(it.key(), it.value());
    return unknown;
}

QJsonObject limitsToJson(const TurnLimits &limits)
{
    return {
        {u"connect"_s, toJson(limits.connect)},
        {u"firstToken"_s, toJson(limits.firstToken)},
        {u"localFirstToken"_s, toJson(limits.localFirstToken)},
        {u"silence"_s, toJson(limits.silence)},
        {u"turn"_s, toJson(limits.turn)},
        {u"tool"_s, toJson(limits.tool)},
        {u"approval"_s, toJson(limits.approval)},
        {u"modelCalls"_s, numberOrNever(limits.modelCalls)},
        {u"totalTokens"_s, numberOrNever(limits.totalTokens)},
        {u"outputTokens"_s, numberOrNever(limits.outputTokens)},
        {u"cost"_s, numberOrNever(limits.cost)},
    };
}

TurnLimits limitsFrom(FieldReader &reader)
{
    TurnLimits limits;
    reader.read(u"connect"_s, limits.connect);
    reader.read(u"firstToken"_s, limits.firstToken);
    reader.read(u"localFirstToken"_s, limits.localFirstToken);
    reader.read(u"silence"_s, limits.silence);
    reader.read(u"turn"_s, limits.turn);
    reader.read(u"tool"_s, limits.tool);
    reader.read(u"approval"_s, limits.approval);
    reader.read(u"modelCalls"_s, limits.modelCalls);
    reader.read(u"totalTokens"_s, limits.totalTokens);
    reader.read(u"outputTokens"_s, limits.outputTokens);
    reader.read(u"cost"_s, limits.cost);
    return limits;
}

QJsonObject profileToJson(const Profile &profile)
{
    return {
        {u"id"_s, profile.id},
        {u"name"_s, profile.name},
        {u"kind"_s, profile.kind},
        {u"endpoint"_s, profile.endpoint.toString(QUrl::FullyEncoded)},
        {u"model"_s, profile.model},
        {u"keyName"_s, profile.keyName},
        {u"keyOrigin"_s, profile.keyOrigin},
        {u"keyVariable"_s, profile.keyVariable},
        {u"requestsPerMinute"_s, numberOrNever(profile.requestsPerMinute)},
        {u"requestBurst"_s, profile.requestBurst},
    };
}

Profile profileFrom(FieldReader &reader)
{
    static const QRegularExpression variable(u"^[A-Za-z_][A-Za-z0-9_]*$"_s);
    Profile profile;
    QString endpoint;
    reader.read(u"id"_s, profile.id, LongestName);
    reader.read(u"name"_s, profile.name, LongestName);
    reader.read(u"kind"_s, profile.kind, LongestName);
    reader.read(u"endpoint"_s, endpoint, LongestText);
    reader.read(u"model"_s, profile.model, LongestName);
    reader.read(u"keyName"_s, profile.keyName, LongestName);
    reader.read(u"keyOrigin"_s, profile.keyOrigin, LongestText);
    reader.read(u"keyVariable"_s, profile.keyVariable, LongestName);
    reader.read(u"requestsPerMinute"_s, profile.requestsPerMinute);
    reader.read(u"requestBurst"_s, profile.requestBurst);

    profile.endpoint = QUrl(endpoint, QUrl::StrictMode);
    if (!endpoint.isEmpty() && !endpointProblem(profile.endpoint).isEmpty()) {
        profile.endpoint.clear();
        reader.correct(u"endpoint"_s, u"was not a usable address and was removed"_s);
    }
    if (!profile.keyVariable.isEmpty() && !variable.match(profile.keyVariable).hasMatch()) {
        profile.keyVariable.clear();
        reader.correct(u"keyVariable"_s, u"was not the name of a variable and was removed"_s);
    }
    return profile;
}

void readProfiles(FieldReader &reader, Settings &settings, QStringList *corrections)
{
    QJsonObject unknown;
    const QJsonArray array = reader.takeArray(u"profiles"_s);
    for (const QJsonValue &json : array) {
        if (qsizetype(settings.profiles.size()) >= MostProfiles) {
            reader.correct(
                u"profiles"_s,
                u"held more than %1 entries, and the rest was dropped"_s.arg(MostProfiles));
            break;
        }
        FieldReader fields(json.toObject(), u"profiles."_s, corrections);
        const Profile profile = profileFrom(fields);
        if (profile.id.isEmpty() || settings.profile(profile.id)) {
            reader.correct(u"profiles"_s,
                           u"held an entry without an id of its own, which was dropped"_s);
            continue;
        }
        if (!fields.rest().isEmpty())
            unknown.insert(profile.id, fields.rest());
        settings.profiles.push_back(profile);
    }
    if (!unknown.isEmpty())
        settings.unknown.insert(u"profiles"_s, unknown);
}

void readToolLimits(const QJsonObject &json, Settings &settings, QStringList *corrections)
{
    FieldReader fields(json, u"toolLimits."_s, corrections);
    for (const QString &tool : json.keys()) {
        LimitValue value = TurnLimits().tool; // of what is no limit at all
        fields.read(tool, value);
        settings.toolLimits.insert(tool, value);
    }
}

void readPermissions(const QJsonObject &json, Settings &settings, FieldReader &reader)
{
    for (auto it = json.begin(); it != json.end(); ++it) {
        const auto permission = fromName<ToolPermission>(PermissionNames, it.value().toString());
        if (!permission) {
            reader.correct(u"toolPermissions."_s + it.key(),
                           u"was not one of ask, allow and deny, and asks now"_s);
        }
        settings.toolPermissions.insert(it.key(), permission.value_or(ToolPermission::Ask));
    }
}

void readRules(FieldReader &reader, Settings &settings)
{
    const QJsonArray array = reader.takeArray(u"allowRules"_s);
    qsizetype dropped = 0;
    for (const QJsonValue &json : array) {
        const AllowRule rule{json[u"tool"_s].toString(), json[u"pattern"_s].toString()};
        // A rule that was cut would allow something else: it is whole or it is not there.
        const bool usable = !rule.tool.isEmpty() && rule.tool.size() <= LongestName
            && !rule.pattern.isEmpty() && rule.pattern.size() <= LongestPattern;
        if (usable && qsizetype(settings.allowRules.size()) < MostRules)
            settings.allowRules.push_back(rule);
        else
            ++dropped;
    }
    if (dropped > 0) {
        reader.correct(u"allowRules"_s,
                       u"held %1 entries that could not be used and were dropped"_s.arg(dropped));
    }
}

} // namespace

QJsonObject toJson(const Settings &settings)
{
    QJsonArray profiles;
    const QJsonObject unknownOfProfiles = settings.unknown[u"profiles"_s].toObject();
    for (const Profile &profile : settings.profiles)
        profiles.append(over(unknownOfProfiles[profile.id].toObject(), profileToJson(profile)));

    QJsonObject toolLimits;
    for (auto it = settings.toolLimits.begin(); it != settings.toolLimits.end(); ++it)
        toolLimits.insert(it.key(), toJson(it.value()));
    QJsonObject permissions;
    for (auto it = settings.toolPermissions.begin(); it != settings.toolPermissions.end(); ++it)
        permissions.insert(it.key(), nameOf(PermissionNames, it.value()));
    QJsonArray rules;
    for (const AllowRule &rule : settings.allowRules)
        rules.append(QJsonObject{{u"tool"_s, rule.tool}, {u"pattern"_s, rule.pattern}});

    return over(settings.unknown,
                {
                    {u"profiles"_s, profiles},
                    {u"currentProfile"_s, settings.currentProfile},
                    {u"limits"_s,
                     over(settings.unknown[u"limits"_s].toObject(), limitsToJson(settings.limits))},
                    {u"toolLimits"_s, toolLimits},
                    {u"toolPermissions"_s, permissions},
                    {u"allowRules"_s, rules},
                    {u"toolsOneAtATime"_s, settings.toolsOneAtATime},
                    {u"commandsMayUseNetwork"_s, settings.commandsMayUseNetwork},
                    {u"retries"_s, settings.retries},
                    {u"colorScheme"_s, nameOf(SchemeNames, settings.colorScheme)},
                    {u"transcriptZoom"_s, settings.transcriptZoom},
                    {u"reducedMotion"_s, settings.reducedMotion},
                    {u"enterSends"_s, settings.enterSends},
                    {u"windowState"_s, settings.windowState},
                });
}

Settings settingsFromJson(const QJsonObject &json, QStringList *corrections)
{
    Settings settings;
    FieldReader reader(json, {}, corrections);
    readProfiles(reader, settings, corrections);
    reader.read(u"currentProfile"_s, settings.currentProfile, LongestName);
    if (!settings.currentProfile.isEmpty() && !settings.profile(settings.currentProfile)) {
        settings.currentProfile.clear();
        reader.correct(u"currentProfile"_s, u"named a profile that is not there and was cleared"_s);
    }

    FieldReader limits(reader.takeObject(u"limits"_s), u"limits."_s, corrections);
    settings.limits = limitsFrom(limits);
    if (!limits.rest().isEmpty())
        settings.unknown.insert(u"limits"_s, limits.rest());

    readToolLimits(reader.takeObject(u"toolLimits"_s), settings, corrections);
    readPermissions(reader.takeObject(u"toolPermissions"_s), settings, reader);
    readRules(reader, settings);
    reader.read(u"toolsOneAtATime"_s, settings.toolsOneAtATime);
    reader.read(u"commandsMayUseNetwork"_s, settings.commandsMayUseNetwork);
    reader.read(u"retries"_s, settings.retries);

    QString scheme = nameOf(SchemeNames, settings.colorScheme);
    reader.read(u"colorScheme"_s, scheme, LongestName);
    if (const auto known = fromName<ColorScheme>(SchemeNames, scheme))
        settings.colorScheme = *known;
    else
        reader.correct(u"colorScheme"_s,
                       u"was not one of system, light and dark, and is system now"_s);
    reader.read(u"transcriptZoom"_s, settings.transcriptZoom);
    reader.read(u"reducedMotion"_s, settings.reducedMotion);
    reader.read(u"enterSends"_s, settings.enterSends);
    settings.windowState = reader.takeObject(u"windowState"_s);

    const QJsonObject rest = reader.rest();
    for (auto it = rest.begin(); it != rest.end(); ++it)
        settings.unknown.insert(it.key(), it.value());
    return clamped(std::move(settings), corrections);
}

} // namespace fermata
