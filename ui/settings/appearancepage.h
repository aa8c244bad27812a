// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/settings/settingspage.h"

class QCheckBox;
class QComboBox;
class QSpinBox;

namespace fermata {

class AppearancePage final : public SettingsPage
{
    Q_OBJECT

public:
    explicit AppearancePage(SettingsFile *file, QWidget *parent = nullptr);

    bool canRestoreDefaults() const override { return true; }
    void restoreDefaults() override;

private:
    void load();

    QComboBox *m_scheme;
    QSpinBox *m_zoom;
    QComboBox *m_sendKey;
    QCheckBox *m_reducedMotion;
};

} // namespace fermata
