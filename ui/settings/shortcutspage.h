// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/settings/settingspage.h"

namespace fermata {

// All keys of the window, to read.
class ShortcutsPage final : public SettingsPage
{
    Q_OBJECT

public:
    explicit ShortcutsPage(SettingsFile *file, QWidget *parent = nullptr);
};

} // namespace fermata
