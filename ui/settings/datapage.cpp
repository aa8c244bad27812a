// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/datapage.h"

#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/widgets/card.h"
#include "ui/widgets/textlabel.h"

#include <QPushButton>
#include <QVBoxLayout>

namespace fermata {

DataPage::DataPage(SettingsFile *file, const QString &dataFolder, QWidget *parent)
    : SettingsPage(file, tr("Data"),
                   tr("Conversations and settings are kept on this computer and nowhere else. Keys "
                      "are kept where you chose on the Model page."),
                   parent)
{
    const auto button = [](const QString &text) {
        auto *made = new QPushButton(text);
        setButtonKind(made, ButtonKind::Normal);
        return made;
    };
    QPushButton *exporting = button(tr("Export…"));
    QPushButton *importing = button(tr("Import…"));
    QPushButton *deleting = button(tr("Delete"));
    deleting->setAccessibleName(tr("Delete the open conversation"));
    auto *folder = new TextLabel(dataFolder, metrics::FontStep::Control);
    folder->setFont(metrics::fixedFont(metrics::FixedStep::Output));
    folder->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    folder->setWordWrap(true);
    folder->setLayoutDirection(Qt::LeftToRight);

    auto *card = new Card;
    card->addRow(settingRow(tr("Folder"), {}, {folder}));
    card->addRow(settingRow(tr("Export the open conversation"),
                            tr("As Markdown to read, or as JSON Lines to import again."),
                            {exporting}));
    card->addRow(settingRow(tr("Import a conversation"), tr("From JSON Lines."), {importing}));
    card->addRow(settingRow(tr("Delete the open conversation"),
                            tr("For half a minute it can be taken back."), {deleting}));
    body()->addSpacing(metrics::Space24);
    body()->addWidget(card);
    body()->addStretch(1);
    connect(exporting, &QPushButton::clicked, this, &DataPage::exportRequested);
    connect(importing, &QPushButton::clicked, this, &DataPage::importRequested);
    connect(deleting, &QPushButton::clicked, this, &DataPage::deleteRequested);
}

} // namespace fermata
