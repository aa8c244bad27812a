// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/settings/settingspage.h"

namespace fermata {

// Where everything is kept, and how it goes in and out.
class DataPage final : public SettingsPage
{
    Q_OBJECT

public:
    DataPage(SettingsFile *file, const QString &dataFolder, QWidget *parent = nullptr);

signals:
    void exportRequested(); // of the conversation that is open
    void importRequested();
    void deleteRequested(); // of the conversation that is open
};

} // namespace fermata
