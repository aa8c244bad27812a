// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/shortcutspage.h"

#include "ui/style/metrics.h"
#include "ui/widgets/card.h"
#include "ui/widgets/textlabel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace fermata {

ShortcutsPage::ShortcutsPage(SettingsFile *file, QWidget *parent)
    : SettingsPage(file, tr("Shortcuts"), {}, parent)
{
    const std::pair<QString, QString> keys[] = {
        {tr("Send"), tr("Enter, or Ctrl+Enter if set so")},
        {tr("Break the line"), tr("Shift+Enter")},
        {tr("Stop"), tr("Esc, or Ctrl+. at any time")},
        {tr("Force a turn that is stopping to end"), tr("Esc again")},
        {tr("Continue the turn that ended early"), tr("Ctrl+Shift+Enter")},
        {tr("New conversation"), tr("Ctrl+N")},
        {tr("Search conversations"), tr("Ctrl+F or Ctrl+K")},
        {tr("Rename the conversation"), tr("F2")},
        {tr("Larger, smaller, normal transcript"), tr("Ctrl++, Ctrl+-, Ctrl+0")},
        {tr("Settings"), tr("Ctrl+,")},
        {tr("Quit"), tr("Ctrl+Q")},
    };
    auto *card = new Card;
    for (const auto &[what, key] : keys) {
        auto *row = new QWidget;
        auto *layout = new QHBoxLayout(row);
        layout->setContentsMargins(metrics::Space16, metrics::Space8, metrics::Space16,
                                   metrics::Space8);
        layout->addWidget(new TextLabel(what, metrics::FontStep::Control), 1);
        layout->addWidget(new TextLabel(key, metrics::FontStep::Control, TextLabel::Tone::Text2));
        card->addRow(row);
    }
    body()->addSpacing(metrics::Space24);
    body()->addWidget(card);
    body()->addStretch(1);
}

} // namespace fermata
