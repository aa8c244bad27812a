// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/toolspage.h"

#include "session/conversationlibrary.h"
#include "settings/settingsfile.h"
#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/text/durations.h"
#include "ui/widgets/card.h"
#include "ui/widgets/textlabel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace fermata {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds OfferedLimits[] = {30s, 1min, 2min, 5min, 15min, 30min};
// What a choice of a limit stands for; positive numbers are milliseconds.
constexpr qint64 General = -1;
constexpr qint64 Never = 0;

} // namespace

ToolsPage::ToolsPage(SettingsFile *file, ConversationLibrary *library,
                     const std::vector<ToolEntry> &tools, const QString &sandboxState,
                     QWidget *parent)
    : SettingsPage(file, tr("Tools"),
                   tr("What the model may do on this computer. “Ask” shows exactly what would run, "
                      "and waits for you."),
                   parent),
      m_library(library), m_network(new QCheckBox(tr("Commands may use the network"))),
      m_oneAtATime(new QCheckBox(tr("Run tools one at a time"))),
      m_rulesTitle(new TextLabel(tr("Always allowed"), metrics::FontStep::ControlBold)),
      m_rules(new Card)
{
    auto *card = new Card;
    for (const ToolEntry &tool : tools)
        addTool(card, tool);
    body()->addSpacing(metrics::Space24);
    body()->addWidget(card);
    card->setVisible(!tools.empty());
    body()->addSpacing(metrics::Space16);
    body()->addWidget(m_network);
    auto *networkWords = new TextLabel(
        tr("Off: a command that needs the network says so, and you are asked each time. On: all "
           "commands have it, also those that are always allowed."),
        metrics::FontStep::Small, TextLabel::Tone::Text2);
    networkWords->setWordWrap(true);
    body()->addWidget(networkWords);
    body()->addSpacing(metrics::Space8);
    body()->addWidget(m_oneAtATime);
    if (!sandboxState.isEmpty()) {
        auto *words = new TextLabel(sandboxState, metrics::FontStep::Small, TextLabel::Tone::Text2);
        words->setWordWrap(true);
        body()->addSpacing(metrics::Space12);
        body()->addWidget(words);
    }
    body()->addSpacing(metrics::Space24);
    body()->addWidget(m_rulesTitle);
    body()->addSpacing(metrics::Space8);
    body()->addWidget(m_rules);
    body()->addStretch(1);

    connect(m_network, &QCheckBox::toggled, this,
            [this](bool on) { change([on](Settings &s) { s.commandsMayUseNetwork = on; }); });
    connect(m_oneAtATime, &QCheckBox::toggled, this,
            [this](bool on) { change([on](Settings &s) { s.toolsOneAtATime = on; }); });
    connect(file, &SettingsFile::changed, this, &ToolsPage::load);
    if (m_library)
        connect(m_library, &ConversationLibrary::listChanged, this, &ToolsPage::loadRules);
    load();
}

void ToolsPage::addTool(Card *card, const ToolEntry &tool)
{
    Row row{tool, new QComboBox, new QComboBox};
    row.permission->setAccessibleName(tr("%1, permission").arg(tool.title));
    row.permission->addItem(tr("Ask"), int(ToolPermission::Ask));
    row.permission->addItem(tr("Allow"), int(ToolPermission::Allow));
    row.permission->addItem(tr("Deny"), int(ToolPermission::Deny));
    row.permission->setMinimumWidth(104);
    row.limit->setAccessibleName(tr("%1, time limit").arg(tool.title));
    row.limit->setMinimumWidth(168);
    card->addRow(settingRow(tool.title, {}, {row.limit, row.permission}));
    connect(row.permission, &QComboBox::activated, this, [this, row] {
        const auto permission = ToolPermission(row.permission->currentData().toInt());
        change([&](Settings &s) { s.toolPermissions.insert(row.tool.name, permission); });
    });
    connect(row.limit, &QComboBox::activated, this, [this, row] {
        const qint64 choice = row.limit->currentData().toLongLong();
        change([&](Settings &s) {
            if (choice == General)
                s.toolLimits.remove(row.tool.name);
            else if (choice == Never)
                s.toolLimits.insert(row.tool.name, std::nullopt);
            else
                s.toolLimits.insert(row.tool.name, milliseconds(choice));
        });
    });
    m_rows.push_back(row);
}

void ToolsPage::restoreDefaults()
{
    change([](Settings &s) {
        s.toolPermissions.clear();
        s.toolLimits.clear();
        s.commandsMayUseNetwork = false;
        s.toolsOneAtATime = false;
    });
}

void ToolsPage::load()
{
    for (const Row &row : m_rows) {
        const ToolPermission permission =
            settings().toolPermissions.value(row.tool.name, row.tool.standard);
        row.permission->setCurrentIndex(row.permission->findData(int(permission)));
        loadLimit(row);
    }
    const QSignalBlocker blockers[] = {QSignalBlocker(m_network), QSignalBlocker(m_oneAtATime)};
    m_network->setChecked(settings().commandsMayUseNetwork);
    m_oneAtATime->setChecked(settings().toolsOneAtATime);
    loadRules();
}

void ToolsPage::loadLimit(const Row &row)
{
    const LimitValue general = settings().limits.tool;
    row.limit->clear();
    row.limit->addItem(general ? tr("General limit, %1").arg(limitValueText(*general))
                               : tr("General limit, never"),
                       General);
    for (const milliseconds value : OfferedLimits)
        row.limit->addItem(limitValueText(value), qint64(value.count()));
    row.limit->addItem(tr("never"), Never);
    const auto own = settings().toolLimits.constFind(row.tool.name);
    if (own == settings().toolLimits.constEnd()) {
        row.limit->setCurrentIndex(0);
        return;
    }
    const qint64 choice = own->has_value() ? qint64((*own)->count()) : Never;
    if (row.limit->findData(choice) < 0)
        row.limit->addItem(limitValueText(milliseconds(choice)), choice);
    row.limit->setCurrentIndex(row.limit->findData(choice));
}

void ToolsPage::loadRules()
{
    for (QWidget *row : m_ruleRows) {
        row->hide();
        row->deleteLater();
    }
    m_ruleRows.clear();
    for (const AllowRule &rule : settings().allowRules)
        addRule(rule, {},
                [this, rule] { change([&rule](Settings &s) { std::erase(s.allowRules, rule); }); });
    if (m_library) {
        for (const ConversationRule &rule : m_library->conversationRules()) {
            const auto &list = m_library->list();
            const auto summary = std::find_if(list.begin(), list.end(), [&](const auto &item) {
                return item.id == rule.conversation;
            });
            addRule(rule.rule, summary == list.end() ? tr("one conversation") : summary->title,
                    [this, rule] {
                        m_library->revoke(rule);
                        loadRules();
                    });
        }
    }
    m_rulesTitle->setVisible(!m_ruleRows.empty());
    m_rules->setVisible(!m_ruleRows.empty());
}

void ToolsPage::addRule(const AllowRule &rule, const QString &where,
                        const std::function<void()> &revoke)
{
    const auto entry = std::find_if(m_rows.begin(), m_rows.end(),
                                    [&](const Row &r) { return r.tool.name == rule.tool; });
    auto *button = new QPushButton(tr("Revoke"));
    setButtonKind(button, ButtonKind::Normal, ButtonSize::Small);
    button->setAccessibleName(tr("Revoke %1").arg(rule.pattern));
    auto *text = new TextLabel(rule.pattern, metrics::FontStep::Control);
    text->setFont(metrics::fixedFont(metrics::FixedStep::Output));
    text->setWordWrap(true);
    text->setLayoutDirection(Qt::LeftToRight);
    auto *row = new QWidget;
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(metrics::Space16, metrics::Space8, metrics::Space16,
                               metrics::Space8);
    layout->setSpacing(metrics::Space12);
    layout->addWidget(new TextLabel(entry == m_rows.end() ? rule.tool : entry->tool.title,
                                    metrics::FontStep::Control, TextLabel::Tone::Text2));
    layout->addWidget(text, 1);
    if (!where.isEmpty()) {
        auto *place = new TextLabel(tr("only in “%1”").arg(where), metrics::FontStep::Small,
                                    TextLabel::Tone::Text2);
        place->setWordWrap(true);
        layout->addWidget(place, 1);
        button->setAccessibleDescription(place->text());
    }
    layout->addWidget(button);
    connect(button, &QPushButton::clicked, this, revoke);
    m_rules->addRow(row);
    m_ruleRows.push_back(row);
}

void ToolsPage::showEvent(QShowEvent *event)
{
    loadRules();
    SettingsPage::showEvent(event);
}

} // namespace fermata
