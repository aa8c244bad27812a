// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/profileform.h"

#include "session/modelcatalog.h"
#include "ui/settings/keyfield.h"
#include "ui/settings/providerpresets.h"
#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/widgets/textlabel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int LabelWidth = 96;
constexpr int MostModelsShown = 500;

} // namespace

ProfileForm::ProfileForm(ModelCatalog *catalog, SecretStore *secrets, QWidget *parent)
    : QWidget(parent), m_catalog(catalog), m_secrets(secrets), m_preset(new QComboBox),
      m_name(new QLineEdit), m_address(new QLineEdit),
      m_addressProblem(new TextLabel({}, metrics::FontStep::Small, TextLabel::Tone::Problem)),
      m_key(new KeyField), m_place(new QComboBox), m_saveKey(new QPushButton(tr("Save key"))),
      m_removeKey(new QPushButton(tr("Remove key"))),
      m_keyState(new TextLabel({}, metrics::FontStep::Small, TextLabel::Tone::Text2)),
      m_model(new QComboBox), m_test(new QPushButton(tr("Test connection"))),
      m_result(new TextLabel({}, metrics::FontStep::Control, TextLabel::Tone::Text2))
{
    build();
    connect(m_preset, &QComboBox::activated, this, &ProfileForm::choosePreset);
    connect(m_name, &QLineEdit::editingFinished, this, [this] {
        m_profile.name = m_name->text().simplified();
        emit changed(m_profile);
    });
    connect(m_address, &QLineEdit::editingFinished, this, &ProfileForm::takeAddress);
    // What was tested is another address now.
    connect(m_address, &QLineEdit::textEdited, m_result, [this] { m_result->setText({}); });
    connect(m_model, &QComboBox::activated, this, &ProfileForm::takeModel);
    connect(m_model->lineEdit(), &QLineEdit::editingFinished, this, &ProfileForm::takeModel);
    connect(m_key, &QLineEdit::textChanged, this, &ProfileForm::showKeyState);
    connect(m_key, &QLineEdit::returnPressed, this, &ProfileForm::saveKey);
    connect(m_saveKey, &QPushButton::clicked, this, &ProfileForm::saveKey);
    connect(m_removeKey, &QPushButton::clicked, this, &ProfileForm::removeKey);
    connect(m_test, &QPushButton::clicked, this, &ProfileForm::test);
    connect(m_catalog, &ModelCatalog::tested, this, &ProfileForm::showTested);
}

void ProfileForm::build()
{
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(metrics::Space16, metrics::Space16, metrics::Space16,
                             metrics::Space16);
    grid->setHorizontalSpacing(metrics::Space12);
    grid->setVerticalSpacing(metrics::Space8);
    grid->setColumnMinimumWidth(0, LabelWidth);
    grid->setColumnStretch(1, 1);
    int row = 0;
    const auto add = [&](const QString &name, QWidget *field, QWidget *more = nullptr,
                         QWidget *last = nullptr) {
        auto *label = new TextLabel(name, metrics::FontStep::Control, TextLabel::Tone::Text2);
        label->setBuddy(field);
        grid->addWidget(label, row, 0);
        field->setAccessibleName(name);
        if (more) {
            grid->addWidget(field, row, 1);
            grid->addWidget(more, row, 2);
            if (last)
                grid->addWidget(last, row, 3);
        } else {
            grid->addWidget(field, row, 1, 1, 3);
        }
        ++row;
    };
    const auto addBelow = [&](QWidget *widget) { grid->addWidget(widget, row++, 1, 1, 3); };

    for (const ProviderPreset &preset : providerPresets())
        m_preset->addItem(preset.name);
    add(tr("Server"), m_preset);
    m_name->setMaxLength(80);
    add(tr("Name"), m_name);
    m_address->setPlaceholderText(u"http://localhost:11434/v1"_s);
    m_address->setMaxLength(2048);
    m_address->setLayoutDirection(Qt::LeftToRight);
    add(tr("Address"), m_address);
    m_addressProblem->setWordWrap(true);
    m_addressProblem->hide();
    addBelow(m_addressProblem);

    m_place->addItem(tr("in the keyring"), int(SecretStore::Place::Keyring));
    m_place->addItem(tr("in a file only you can read"), int(SecretStore::Place::File));
    m_place->addItem(tr("for this session"), int(SecretStore::Place::Memory));
    m_place->setAccessibleName(tr("Where the key is kept"));
    setButtonKind(m_saveKey, ButtonKind::Normal);
    setButtonKind(m_removeKey, ButtonKind::Normal);
    add(tr("Key"), m_key, m_place, m_saveKey);
    m_keyState->setWordWrap(true);
    grid->addWidget(m_keyState, row, 1, 1, 2);
    grid->addWidget(m_removeKey, row++, 3);

    m_model->setEditable(true);
    m_model->setInsertPolicy(QComboBox::NoInsert);
    m_model->lineEdit()->setMaxLength(256);
    add(tr("Model"), m_model, m_test);
    grid->addWidget(m_test, row - 1, 2, 1, 2);
    setButtonKind(m_test, ButtonKind::Normal);
    m_result->setWordWrap(true);
    m_result->setAccessibleName(tr("Result of the test"));
    addBelow(m_result);
}

void ProfileForm::setProfile(const Profile &profile)
{
    const bool isOther = profile.id != m_profile.id;
    m_profile = profile;
    const QString address = profile.endpoint.toString();
    if (!m_address->hasFocus() || isOther)
        m_address->setText(address);
    if (!m_name->hasFocus() || isOther)
        m_name->setText(profile.name);
    m_preset->setCurrentIndex(presetFor(address));
    if (isOther) {
        m_catalog->cancelTest();
        m_isTesting = false;
        m_test->setEnabled(true);
        m_key->takeSecret();
        m_result->setText({});
        setAddressProblem({});
        const QSignalBlocker blocker(m_model);
        m_model->clear();
    }
    if (m_model->currentText() != profile.model)
        m_model->setEditText(profile.model);
    showKeyState();
}

void ProfileForm::focusAddress()
{
    m_address->setFocus(Qt::OtherFocusReason);
    m_address->selectAll();
}

void ProfileForm::choosePreset(int index)
{
    const ProviderPreset &preset = providerPresets()[std::size_t(index)];
    m_profile.name = preset.address.isEmpty() ? tr("Server") : preset.name;
    m_name->setText(m_profile.name);
    if (preset.address.isEmpty()) {
        emit changed(m_profile);
        focusAddress();
        return;
    }
    m_address->setText(preset.address);
    takeAddress();
}

void ProfileForm::takeAddress()
{
    QString problem;
    const QUrl endpoint = endpointFromText(m_address->text(), &problem);
    setAddressProblem(endpoint.isValid() ? QString() : problem);
    if (!endpoint.isValid() || endpoint == m_profile.endpoint)
        return;
    m_profile.endpoint = endpoint;
    m_address->setText(endpoint.toString());
    m_preset->setCurrentIndex(presetFor(endpoint.toString()));
    m_result->setText({});
    showKeyState();
    emit changed(m_profile);
}

void ProfileForm::takeModel()
{
    const QString model = m_model->currentText().trimmed();
    if (model == m_profile.model)
        return;
    m_profile.model = model;
    emit changed(m_profile);
}

bool ProfileForm::keyBelongsHere() const
{
    return m_profile.keyOrigin == originOf(m_profile.endpoint);
}

void ProfileForm::showKeyState()
{
    m_saveKey->setEnabled(!m_key->text().trimmed().isEmpty());
    m_removeKey->setVisible(!m_profile.keyName.isEmpty());
    const bool hasKey = !m_profile.keyName.isEmpty() || !m_profile.keyVariable.isEmpty();
    QString words;
    if (!hasKey)
        words = tr("No key is saved. Servers on this computer mostly need none.");
    else if (!keyBelongsHere())
        words = tr("The saved key belongs to %1 and is not sent to this address. Enter it again to "
                   "use it here.")
                    .arg(m_profile.keyOrigin);
    else if (!m_profile.keyName.isEmpty())
        words = tr("A key is saved for %1.").arg(m_profile.keyOrigin);
    else
        words = tr("The key is taken from the variable %1.").arg(m_profile.keyVariable);
    m_keyState->setTone(TextLabel::Tone::Text2);
    m_keyState->setText(words);
}

void ProfileForm::saveKey()
{
    takeAddress();
    if (m_key->text().trimmed().isEmpty() || !m_profile.endpoint.isValid())
        return;
    const QString origin = originOf(m_profile.endpoint);
    const QString name = u"profile-"_s + m_profile.id;
    const QString id = m_profile.id;
    const auto place = SecretStore::Place(m_place->currentData().toInt());
    m_saveKey->setEnabled(false);
    m_secrets->write(
        name, m_key->secret(), place,
        [self = QPointer<ProfileForm>(this), name, origin, id](const Result<void> &written) {
            if (!self || self->m_profile.id != id)
                return;
            if (!written) {
                self->showKeyState();
                self->m_keyState->setTone(TextLabel::Tone::Problem);
                self->m_keyState->setText(
                    tr("The key was not saved: %1 Choose another place for it.")
                        .arg(written.error().message));
                return;
            }
            self->m_key->takeSecret();
            self->m_profile.keyName = name;
            self->m_profile.keyOrigin = origin;
            self->m_profile.keyVariable.clear();
            self->showKeyState();
            emit self->changed(self->m_profile);
        });
}

void ProfileForm::removeKey()
{
    const QString name = m_profile.keyName;
    m_profile.keyName.clear();
    m_profile.keyOrigin.clear();
    showKeyState();
    emit changed(m_profile);
    m_secrets->remove(name, [self = QPointer<ProfileForm>(this)](const Result<void> &removed) {
        if (self && !removed && removed.error().code != ErrorCode::NotFound) {
            self->m_keyState->setTone(TextLabel::Tone::Problem);
            self->m_keyState->setText(
                tr("The key is no longer used, but it could not be deleted: %1")
                    .arg(removed.error().message));
        }
    });
}

void ProfileForm::test()
{
    takeAddress();
    takeModel();
    if (!m_profile.endpoint.isValid() || m_isTesting)
        return;
    m_isTesting = true;
    m_test->setEnabled(false);
    m_result->setTone(TextLabel::Tone::Text2);
    m_result->setText(tr("Testing…"));
    if (!m_key->text().trimmed().isEmpty()) {
        testWith(m_key->secret());
    } else if (!m_profile.keyVariable.isEmpty() && keyBelongsHere()) {
        testWith(Secret(qgetenv(m_profile.keyVariable.toUtf8().constData())));
    } else if (!m_profile.keyName.isEmpty() && keyBelongsHere()) {
        const QString id = m_profile.id;
        m_secrets->read(m_profile.keyName,
                        [self = QPointer<ProfileForm>(this), id](const Result<Secret> &found) {
                            if (!self || self->m_profile.id != id || !self->m_isTesting)
                                return;
                            if (found)
                                self->testWith(*found);
                            else
                                self->showTested(
                                    id, {},
                                    tr("The key could not be read: %1").arg(found.error().message));
                        });
    } else {
        testWith(Secret());
    }
}

void ProfileForm::testWith(const Secret &key)
{
    m_catalog->test(m_profile, key);
}

void ProfileForm::showTested(const QString &id, const QStringList &models, const QString &problem)
{
    if (id != m_profile.id || !m_isTesting)
        return;
    m_isTesting = false;
    m_test->setEnabled(true);
    m_result->setTone(problem.isEmpty() ? TextLabel::Tone::Text2 : TextLabel::Tone::Problem);
    if (!problem.isEmpty()) {
        m_result->setText(problem);
        return;
    }
    m_result->setText(models.size() == 1 ? tr("It works. 1 model.")
                                         : tr("It works. %1 models.").arg(models.size()));
    const QString chosen = m_profile.model;
    const QSignalBlocker blocker(m_model);
    m_model->clear();
    m_model->addItems(models.mid(0, MostModelsShown));
    if (chosen.isEmpty() && !models.isEmpty()) {
        m_model->setEditText(models.first());
        takeModel();
    } else {
        m_model->setEditText(chosen);
    }
}

void ProfileForm::setAddressProblem(const QString &problem)
{
    m_addressProblem->setText(problem);
    m_addressProblem->setVisible(!problem.isEmpty());
    setFieldState(m_address, problem.isEmpty() ? FieldState::Valid : FieldState::Invalid);
    m_address->setAccessibleDescription(problem);
}

} // namespace fermata
