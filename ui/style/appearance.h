// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "settings/settings.h"

#include <QObject>

namespace fermata {

class FermataStyle;
class SettingsFile;
class SystemAppearance;

// Dresses the application: the theme and the motion that the settings and the desktop ask for, now and whenever one of
// them changes. The style is the application's.
class Appearance final : public QObject
{
    Q_OBJECT

public:
    Appearance(FermataStyle *style, SystemAppearance *system, SettingsFile *settings,
               QObject *parent = nullptr);

private:
    void apply();

    FermataStyle *m_style;
    SystemAppearance *m_system;
    SettingsFile *m_settings;
    bool m_isDressed = false;
};

} // namespace fermata
