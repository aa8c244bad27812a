// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/appearancepage.h"

#include "settings/settingsfile.h"
#include "ui/style/metrics.h"
#include "ui/widgets/card.h"

#include <QCheckBox>
#include <QComboBox>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

namespace fermata {

namespace {
constexpr int SmallestZoom = 80;
constexpr int LargestZoom = 200;
constexpr int ZoomStep = 10;
constexpr int FieldWidth = 180;
} // namespace

AppearancePage::AppearancePage(SettingsFile *file, QWidget *parent)
    : SettingsPage(file, tr("Appearance"), {}, parent), m_scheme(new QComboBox),
      m_zoom(new QSpinBox), m_sendKey(new QComboBox), m_reducedMotion(new QCheckBox)
{
    m_scheme->addItem(tr("As the system"), int(ColorScheme::System));
    m_scheme->addItem(tr("Light"), int(ColorScheme::Light));
    m_scheme->addItem(tr("Dark"), int(ColorScheme::Dark));
    m_zoom->setRange(SmallestZoom, LargestZoom);
    m_zoom->setSingleStep(ZoomStep);
    m_zoom->setSuffix(tr(" %"));
    m_sendKey->addItem(tr("Enter"), true);
    m_sendKey->addItem(tr("Ctrl+Enter"), false);
    const std::pair<QWidget *, QString> names[] = {{m_scheme, tr("Colours")},
                                                   {m_zoom, tr("Size of the transcript")},
                                                   {m_sendKey, tr("Send with")},
                                                   {m_reducedMotion, tr("Reduced motion")}};
    for (const auto &[widget, name] : names) {
        widget->setAccessibleName(name);
        if (widget != m_reducedMotion)
            widget->setFixedWidth(FieldWidth);
    }
    auto *card = new Card;
    card->addRow(settingRow(tr("Colours"), tr("Light or dark."), {m_scheme}));
    card->addRow(settingRow(tr("Size of the transcript"),
                            tr("Ctrl++ and Ctrl+- change it, too; Ctrl+0 sets it back."),
                            {m_zoom}));
    card->addRow(settingRow(tr("Send with"), tr("The other key, or Shift+Enter, breaks the line."),
                            {m_sendKey}));
    card->addRow(settingRow(tr("Reduced motion"),
                            tr("Nothing turns while a turn runs; time and bar still tell that it "
                               "lives."),
                            {m_reducedMotion}));
    body()->addSpacing(metrics::Space24);
    body()->addWidget(card);
    body()->addStretch(1);

    connect(m_scheme, &QComboBox::activated, this, [this] {
        change([scheme = ColorScheme(m_scheme->currentData().toInt())](Settings &s) {
            s.colorScheme = scheme;
        });
    });
    connect(m_zoom, &QSpinBox::valueChanged, this,
            [this](int zoom) { change([zoom](Settings &s) { s.transcriptZoom = zoom; }); });
    connect(m_sendKey, &QComboBox::activated, this, [this] {
        change([enter = m_sendKey->currentData().toBool()](Settings &s) { s.enterSends = enter; });
    });
    connect(m_reducedMotion, &QCheckBox::toggled, this,
            [this](bool on) { change([on](Settings &s) { s.reducedMotion = on; }); });
    connect(file, &SettingsFile::changed, this, &AppearancePage::load);
    load();
}

void AppearancePage::restoreDefaults()
{
    change([](Settings &s) {
        const Settings standard;
        s.colorScheme = standard.colorScheme;
        s.transcriptZoom = standard.transcriptZoom;
        s.enterSends = standard.enterSends;
        s.reducedMotion = standard.reducedMotion;
    });
}

void AppearancePage::load()
{
    const QSignalBlocker blockers[] = {QSignalBlocker(m_zoom), QSignalBlocker(m_reducedMotion)};
    m_scheme->setCurrentIndex(m_scheme->findData(int(settings().colorScheme)));
    m_zoom->setValue(settings().transcriptZoom);
    m_sendKey->setCurrentIndex(settings().enterSends ? 0 : 1);
    m_reducedMotion->setChecked(settings().reducedMotion);
}

} // namespace fermata
