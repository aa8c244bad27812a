// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/settings/settingspage.h"

class QComboBox;
class QPushButton;

namespace fermata {

class Card;
class ModelCatalog;
class ProfileForm;
class SecretStore;

// The servers that can answer, and which one does. Without any the Guide answers.
class ModelPage final : public SettingsPage
{
    Q_OBJECT

public:
    ModelPage(SettingsFile *file, ModelCatalog *catalog, SecretStore *secrets,
              QWidget *parent = nullptr);

    // A new profile, with the focus in its address.
    void addProfile();

private:
    void load();
    void removeShown();
    void takeChange(const Profile &profile);
    void showProfile(const QString &id);
    QString shownId() const;

    SecretStore *m_secrets;
    QComboBox *m_current;
    QComboBox *m_profiles;
    QPushButton *m_remove;
    Card *m_card;
    ProfileForm *m_form;
};

} // namespace fermata
