// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/settingsfile.h"

#include <QCoreApplication>

#include <cstdio>

// Saves two settings in turn until it is killed, and says so each time.
int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    fermata::SettingsFile file(application.arguments().at(1));
    for (int round = 0;; ++round) {
        fermata::Settings settings;
        settings.retries = round % 2 == 0 ? 1 : 2;
        settings.windowState.insert(QStringLiteral("filling"), QString(200'000, QLatin1Char('x')));
        if (!file.save(settings))
            return 1;
        std::puts("saved");
        std::fflush(stdout);
    }
}
