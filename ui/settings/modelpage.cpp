// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/modelpage.h"

#include "settings/secretstore.h"
#include "settings/settingsfile.h"
#include "ui/settings/profileform.h"
#include "ui/settings/providerpresets.h"
#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/text/modeltext.h"
#include "ui/widgets/card.h"
#include "ui/widgets/textlabel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSignalBlocker>
#include <QUuid>
#include <QVBoxLayout>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

ModelPage::ModelPage(SettingsFile *file, ModelCatalog *catalog, SecretStore *secrets,
                     QWidget *parent)
    : SettingsPage(file, tr("Model"),
                   tr("Who answers. A change counts from the next turn. A key goes only to the "
                      "address it was saved for."),
                   parent),
      m_secrets(secrets), m_current(new QComboBox), m_profiles(new QComboBox),
      m_remove(new QPushButton(tr("Remove"))), m_card(new Card),
      m_form(new ProfileForm(catalog, secrets))
{
    auto *answers = new Card;
    m_current->setAccessibleName(tr("Who answers"));
    m_current->setMinimumWidth(280);
    answers->addRow(
        settingRow(tr("Who answers"), tr("Also chosen below the message field."), {m_current}));

    auto *add = new QPushButton(tr("Add a server"));
    setButtonKind(add, ButtonKind::Normal);
    setButtonKind(m_remove, ButtonKind::Normal);
    m_profiles->setAccessibleName(tr("Servers"));
    m_profiles->setPlaceholderText(tr("None yet"));
    auto *choice = new QHBoxLayout;
    choice->setSpacing(metrics::Space8);
    choice->addWidget(new TextLabel(tr("Servers"), metrics::FontStep::ControlBold));
    choice->addWidget(m_profiles, 1);
    choice->addWidget(m_remove);
    choice->addWidget(add);
    m_card->addRow(m_form);

    body()->addSpacing(metrics::Space24);
    body()->addWidget(answers);
    body()->addSpacing(metrics::Space24);
    body()->addLayout(choice);
    body()->addSpacing(metrics::Space12);
    body()->addWidget(m_card);
    body()->addStretch(1);

    connect(add, &QPushButton::clicked, this, &ModelPage::addProfile);
    connect(m_remove, &QPushButton::clicked, this, &ModelPage::removeShown);
    connect(m_profiles, &QComboBox::activated, this, [this] { showProfile(shownId()); });
    connect(m_current, &QComboBox::activated, this, [this] {
        change([id = m_current->currentData().toString()](Settings &s) { s.currentProfile = id; });
    });
    connect(m_form, &ProfileForm::changed, this, &ModelPage::takeChange);
    connect(file, &SettingsFile::changed, this, &ModelPage::load);
    load();
}

QString ModelPage::shownId() const
{
    return m_profiles->currentData().toString();
}

void ModelPage::load()
{
    const QString shown = shownId();
    const QSignalBlocker blockers[] = {QSignalBlocker(m_current), QSignalBlocker(m_profiles)};
    m_current->clear();
    m_profiles->clear();
    m_current->addItem(answererText(nullptr), QString());
    for (const Profile &profile : settings().profiles) {
        m_current->addItem(answererText(&profile), profile.id);
        m_profiles->addItem(profile.name.isEmpty() ? profile.endpoint.toString() : profile.name,
                            profile.id);
    }
    m_current->setCurrentIndex(std::max(0, m_current->findData(settings().currentProfile)));
    int index = m_profiles->findData(shown);
    if (index < 0)
        index = std::max(0, m_profiles->findData(settings().currentProfile));
    m_profiles->setCurrentIndex(index);
    showProfile(shownId());
}

void ModelPage::showProfile(const QString &id)
{
    const Profile *profile = settings().profile(id);
    m_card->setVisible(profile != nullptr);
    m_remove->setEnabled(profile != nullptr);
    m_profiles->setEnabled(profile != nullptr);
    if (profile)
        m_form->setProfile(*profile);
}

void ModelPage::addProfile()
{
    const ProviderPreset &preset = providerPresets().front();
    Profile profile;
    profile.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    profile.name = preset.name;
    profile.kind = u"openai"_s;
    profile.endpoint = QUrl(preset.address);
    change([&profile](Settings &s) {
        s.profiles.push_back(profile);
        // The first server is there to be used.
        if (s.currentProfile.isEmpty())
            s.currentProfile = profile.id;
    });
    m_profiles->setCurrentIndex(m_profiles->findData(profile.id));
    showProfile(profile.id);
    m_form->focusAddress();
}

void ModelPage::removeShown()
{
    const QString id = shownId();
    const Profile *profile = settings().profile(id);
    if (!profile)
        return;
    if (!profile->keyName.isEmpty())
        m_secrets->remove(profile->keyName, [](const Result<void> &) {
            // A key that is gone already is as good as removed.
        });
    change([&id](Settings &s) {
        std::erase_if(s.profiles, [&id](const Profile &p) { return p.id == id; });
        if (s.currentProfile == id)
            s.currentProfile.clear();
    });
}

void ModelPage::takeChange(const Profile &profile)
{
    change([&profile](Settings &s) {
        for (Profile &p : s.profiles) {
            if (p.id == profile.id)
                p = profile;
        }
    });
}

} // namespace fermata
