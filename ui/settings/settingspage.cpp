// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/settingspage.h"

#include "settings/settingsfile.h"
#include "ui/style/metrics.h"
#include "ui/widgets/textlabel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace fermata {

namespace {
constexpr int LeastRow = 67; // and a hairline
constexpr int SentenceWidth = 640;
} // namespace

SettingsPage::SettingsPage(SettingsFile *file, const QString &title, const QString &sentence,
                           QWidget *parent)
    : QWidget(parent), m_file(file), m_body(new QVBoxLayout(this))
{
    m_body->setContentsMargins(metrics::Space24, metrics::Space32, metrics::Space24,
                               metrics::Space24);
    m_body->setSpacing(0);
    m_body->addWidget(new TextLabel(title, metrics::FontStep::H1));
    if (sentence.isEmpty())
        return;
    auto *words = new TextLabel(sentence, metrics::FontStep::Control, TextLabel::Tone::Text2);
    words->setWordWrap(true);
    words->setMaximumWidth(SentenceWidth);
    m_body->addSpacing(metrics::Space4);
    m_body->addWidget(words);
}

const Settings &SettingsPage::settings() const
{
    return m_file->settings();
}

void SettingsPage::change(const std::function<void(Settings &)> &edit)
{
    Settings changed = m_file->settings();
    edit(changed);
    if (changed == m_file->settings())
        return;
    const Result<void> saved = m_file->save(changed);
    if (!saved)
        emit saveFailed(saved.error().message);
}

QWidget *settingRow(const QString &name, const QString &sentence,
                    const std::vector<QWidget *> &controls)
{
    auto *row = new QWidget;
    row->setMinimumHeight(LeastRow);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(metrics::Space16, metrics::Space12, metrics::Space16,
                               metrics::Space12);
    layout->setSpacing(metrics::Space12);
    auto *words = new QVBoxLayout;
    words->setSpacing(2);
    words->addStretch();
    words->addWidget(new TextLabel(name, metrics::FontStep::ControlBold));
    if (!sentence.isEmpty()) {
        auto *label = new TextLabel(sentence, metrics::FontStep::Small, TextLabel::Tone::Text2);
        label->setWordWrap(true);
        words->addWidget(label);
    }
    words->addStretch();
    layout->addLayout(words, 1);
    for (QWidget *control : controls)
        layout->addWidget(control);
    return row;
}

} // namespace fermata
