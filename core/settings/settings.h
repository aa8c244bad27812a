// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/limits.h"
#include "base/result.h"
#include "base/toolpermission.h"
#include "settings/profile.h"

#include <QHash>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <vector>

namespace fermata {

enum class ColorScheme { System, Light, Dark };

// Everything the user can set: a value, read as a whole and written as a whole.
struct Settings
{
    std::vector<Profile> profiles;
    QString currentProfile; // id; empty: the Guide answers
    TurnLimits limits;
    QHash<QString, LimitValue> toolLimits; // per tool, instead of limits.tool
    QHash<QString, ToolPermission> toolPermissions;
    std::vector<AllowRule> allowRules;
    bool toolsOneAtATime = false;
    bool commandsMayUseNetwork = false;
    int retries = 3;
    ColorScheme colorScheme = ColorScheme::System;
    int transcriptZoom = 100; // per cent, 80 to 200
    bool reducedMotion = false;
    bool enterSends = true; // false: Ctrl+Enter sends, Enter breaks the line
    QJsonObject windowState; // geometry and splitters, written by the window
    QJsonObject
        unknown; // fields of other versions, kept on save; those of a profile below "profiles" by its id

    const Profile *profile(const QString &id) const;
    friend bool operator==(const Settings &, const Settings &) = default;
};

// Each value in its range. What was out of it is named in `corrections`, for people, once.
Settings clamped(Settings settings, QStringList *corrections);

// Why `limits` cannot be saved, by limit; empty if they can. The window shows the sentence below the field.
QHash<Limit, QString> problemsOf(const TurnLimits &limits);

// Without a version: fields are only ever added. The value that was read is clamped; a permission that is not known
// asks, and an allow rule that is not understood is dropped.
QJsonObject toJson(const Settings &settings);
Settings settingsFromJson(const QJsonObject &json, QStringList *corrections);

} // namespace fermata
