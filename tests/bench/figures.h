// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QString>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace fermata {

inline double milliseconds(Duration duration)
{
    return std::chrono::duration<double, std::milli>(duration).count();
}

// One line of JSON: `more` names the figure, then come count, p50, p99 and max.
inline void printFigure(QJsonObject more, std::vector<double> values)
{
    if (values.empty())
        return;
    std::ranges::sort(values);
    const auto at = [&](double part) { return values[size_t(part * double(values.size() - 1))]; };
    more.insert(QStringLiteral("count"), int(values.size()));
    more.insert(QStringLiteral("p50"), at(0.5));
    more.insert(QStringLiteral("p99"), at(0.99));
    more.insert(QStringLiteral("max"), values.back());
    std::puts(QJsonDocument(more).toJson(QJsonDocument::Compact).constData());
    std::fflush(stdout);
}

} // namespace fermata
