// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/settings.h"

#include <algorithm>
#include <cmath>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int MostRetries = 10;
constexpr int SmallestZoom = 80;
constexpr int LargestZoom = 200;
constexpr qint64 MostTokens = 1'000'000'000'000;
constexpr double SmallestCost = 0.01;
constexpr double LargestCost = 1'000'000;

QString durationText(std::chrono::milliseconds duration)
{
    const qint64 ms = duration.count();
    if (ms % 3'600'000 == 0)
        return u"%1 h"_s.arg(ms / 3'600'000);
    if (ms % 60'000 == 0)
        return u"%1 min"_s.arg(ms / 60'000);
    if (ms % 1000 == 0)
        return u"%1 s"_s.arg(ms / 1000);
    return u"%1 ms"_s.arg(ms);
}

// Brings values into their ranges and says which ones were not.
class Clamp final
{
public:
    explicit Clamp(QStringList *corrections) : m_corrections(corrections) { }

    void limit(const QString &name, LimitValue &value)
    {
        if (!value)
            return;
        const auto inRange = std::clamp(*value, ShortestLimit, LongestLimit);
        if (inRange != *value)
            say(name, durationText(inRange));
        value = inRange;
    }

    // What is not below the turn limit could never fire.
    void below(const LimitValue &turn, const QString &name, LimitValue &value)
    {
        if (!turn || !value || *value < *turn)
            return;
        if (*turn > ShortestLimit)
            value = std::max(ShortestLimit, *turn - ShortestLimit);
        else
            value.reset();
        say(name, value ? durationText(*value) : u"never"_s);
    }

    template <typename T>
    void number(const QString &name, T &value, T least, T most)
    {
        const T inRange = std::clamp(value, least, most);
        if (inRange < value || value < inRange)
            say(name, QString::number(inRange));
        value = inRange;
    }

    template <typename T>
    void number(const QString &name, std::optional<T> &value, T least, T most)
    {
        if (value)
            number(name, *value, least, most);
    }

private:
    void say(const QString &name, const QString &value)
    {
        if (m_corrections)
            m_corrections->append(
                u"The setting “%1” was out of its range and is %2 now."_s.arg(name, value));
    }

    QStringList *m_corrections;
};

QString rangeProblem(const LimitValue &value)
{
    if (!value)
        return {};
    if (*value <= std::chrono::milliseconds::zero())
        return u"The limit must be longer than 0. “Never” switches it off."_s;
    if (*value < ShortestLimit)
        return u"The limit must be at least %1."_s.arg(durationText(ShortestLimit));
    if (*value > LongestLimit)
        return u"The limit must be at most %1. “Never” switches it off."_s.arg(
            durationText(LongestLimit));
    return {};
}

} // namespace

const Profile *Settings::profile(const QString &id) const
{
    const auto found = std::find_if(profiles.begin(), profiles.end(),
                                    [&id](const Profile &profile) { return profile.id == id; });
    return found == profiles.end() ? nullptr : &*found;
}

Settings clamped(Settings settings, QStringList *corrections)
{
    Clamp clamp(corrections);
    TurnLimits &limits = settings.limits;
    clamp.limit(u"limits.turn"_s, limits.turn);
    clamp.limit(u"limits.connect"_s, limits.connect);
    clamp.limit(u"limits.firstToken"_s, limits.firstToken);
    clamp.limit(u"limits.localFirstToken"_s, limits.localFirstToken);
    clamp.limit(u"limits.silence"_s, limits.silence);
    clamp.limit(u"limits.tool"_s, limits.tool);
    clamp.limit(u"limits.approval"_s, limits.approval);
    clamp.below(limits.turn, u"limits.connect"_s, limits.connect);
    clamp.below(limits.turn, u"limits.firstToken"_s, limits.firstToken);
    clamp.below(limits.turn, u"limits.silence"_s, limits.silence);
    clamp.number(u"limits.modelCalls"_s, limits.modelCalls, 1, MostModelCalls);
    clamp.number(u"limits.totalTokens"_s, limits.totalTokens, qint64(1), MostTokens);
    clamp.number(u"limits.outputTokens"_s, limits.outputTokens, qint64(1), MostTokens);
    if (limits.cost && std::isnan(*limits.cost))
        limits.cost = 0; // compares with nothing, so it could never end a turn
    clamp.number(u"limits.cost"_s, limits.cost, SmallestCost, LargestCost);
    for (auto it = settings.toolLimits.begin(); it != settings.toolLimits.end(); ++it)
        clamp.limit(u"toolLimits."_s + it.key(), it.value());
    for (Profile &profile : settings.profiles) {
        if (profile.requestsPerMinute && std::isnan(*profile.requestsPerMinute))
            profile.requestsPerMinute.reset();
        clamp.number(u"profiles.requestsPerMinute"_s, profile.requestsPerMinute,
                     FewestRequestsPerMinute, MostRequestsPerMinute);
        clamp.number(u"profiles.requestBurst"_s, profile.requestBurst, 1, LargestRequestBurst);
    }
    clamp.number(u"retries"_s, settings.retries, 0, MostRetries);
    clamp.number(u"transcriptZoom"_s, settings.transcriptZoom, SmallestZoom, LargestZoom);
    return settings;
}

QHash<Limit, QString> problemsOf(const TurnLimits &limits)
{
    QHash<Limit, QString> problems;
    const auto note = [&problems](Limit limit, const QString &problem) {
        if (!problem.isEmpty() && !problems.contains(limit))
            problems.insert(limit, problem);
    };
    note(Limit::Connect, rangeProblem(limits.connect));
    note(Limit::FirstToken, rangeProblem(limits.firstToken));
    note(Limit::FirstToken, rangeProblem(limits.localFirstToken));
    note(Limit::Silence, rangeProblem(limits.silence));
    note(Limit::Turn, rangeProblem(limits.turn));
    note(Limit::Tool, rangeProblem(limits.tool));
    if (!limits.turn || problems.contains(Limit::Turn))
        return problems;

    const auto noteIfNotBelow = [&](Limit limit, const LimitValue &value) {
        if (value && *value >= *limits.turn) {
            note(limit,
                 u"The limit must be shorter than the limit of the whole turn (%1)."_s.arg(
                     durationText(*limits.turn)));
        }
    };
    noteIfNotBelow(Limit::Connect, limits.connect);
    noteIfNotBelow(Limit::FirstToken, limits.firstToken);
    noteIfNotBelow(Limit::Silence, limits.silence);
    return problems;
}

} // namespace fermata
