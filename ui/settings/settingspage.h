// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "settings/settings.h"

#include <QWidget>

#include <functional>
#include <vector>

class QVBoxLayout;

namespace fermata {

class SettingsFile;

// A page of Settings: a title, a sentence, and what stands below. Changes are saved as they are made. A page follows
// the file, too: what is changed elsewhere is shown.
class SettingsPage : public QWidget
{
    Q_OBJECT

public:
    SettingsPage(SettingsFile *file, const QString &title, const QString &sentence,
                 QWidget *parent = nullptr);

    virtual bool canRestoreDefaults() const { return false; }
    virtual void restoreDefaults() { }

signals:
    void saveFailed(const QString &message);

protected:
    QVBoxLayout *body() const { return m_body; }
    const Settings &settings() const;
    // Saves what `edit` makes of the settings.
    void change(const std::function<void(Settings &)> &edit);

private:
    SettingsFile *m_file;
    QVBoxLayout *m_body;
};

// A row of a card: a bold name with a sentence below it, and controls at the right.
QWidget *settingRow(const QString &name, const QString &sentence,
                    const std::vector<QWidget *> &controls);

} // namespace fermata
