// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/appearance.h"

#include "settings/settingsfile.h"
#include "ui/style/fermatastyle.h"
#include "ui/style/systemappearance.h"

#include <QTimer>

namespace fermata {

Appearance::Appearance(FermataStyle *style, SystemAppearance *system, SettingsFile *settings,
                       QObject *parent)
    : QObject(parent), m_style(style), m_system(system), m_settings(settings)
{
    connect(m_system, &SystemAppearance::changed, this, &Appearance::apply);
    connect(m_settings, &SettingsFile::changed, this, &Appearance::apply);
    apply();
    // The bus is asked when the program runs; the palette it was started with serves until then.
    QTimer::singleShot(0, m_system, &SystemAppearance::follow);
}

void Appearance::apply()
{
    const Settings &settings = m_settings->settings();
    const bool dark = settings.colorScheme == ColorScheme::Dark
        || (settings.colorScheme == ColorScheme::System && m_system->isDark());
    const Theme theme = m_system->isHighContrast() ? themeFromPalette(m_system->startPalette())
        : dark                                     ? darkTheme()
                                                   : lightTheme();
    m_style->setReducedMotion(settings.reducedMotion || m_system->prefersReducedMotion());
    if (!m_isDressed || !(theme == m_style->theme()))
        m_style->setTheme(theme);
    m_isDressed = true;
}

} // namespace fermata
