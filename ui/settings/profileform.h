// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "settings/profile.h"
#include "settings/secretstore.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QPushButton;

namespace fermata {

class KeyField;
class ModelCatalog;
class TextLabel;

// One server: which, where, with which key and which model. The key goes straight to the SecretStore, and only ever to
// the address it was saved for: after a change of the address it is asked for again.
class ProfileForm final : public QWidget
{
    Q_OBJECT

public:
    ProfileForm(ModelCatalog *catalog, SecretStore *secrets, QWidget *parent = nullptr);

    void setProfile(const Profile &profile);
    const Profile &profile() const { return m_profile; }
    void focusAddress();

signals:
    void changed(const fermata::Profile &profile);

private:
    void build();
    void choosePreset(int index);
    void takeAddress();
    void takeModel();
    void saveKey();
    void removeKey();
    void test();
    void testWith(const Secret &key);
    void showTested(const QString &id, const QStringList &models, const QString &problem);
    void showKeyState();
    bool keyBelongsHere() const;
    void setAddressProblem(const QString &problem);

    ModelCatalog *m_catalog;
    SecretStore *m_secrets;
    Profile m_profile;
    bool m_isTesting = false;

    QComboBox *m_preset;
    QLineEdit *m_name;
    QLineEdit *m_address;
    TextLabel *m_addressProblem;
    KeyField *m_key;
    QComboBox *m_place;
    QPushButton *m_saveKey;
    QPushButton *m_removeKey;
    TextLabel *m_keyState;
    QComboBox *m_model;
    QPushButton *m_test;
    TextLabel *m_result;
};

} // namespace fermata
