// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/settings/settingspage.h"
#include "ui/window/windowcontext.h"

#include <QHash>

#include <functional>

class QCheckBox;
class QComboBox;

namespace fermata {

class Card;

// What tools may do: ask, allow or deny for each, its time limit, what is always allowed, and the network of commands.
class ToolsPage final : public SettingsPage
{
    Q_OBJECT

public:
    // The library may be null: then nothing is shown of what is allowed for single conversations.
    ToolsPage(SettingsFile *file, ConversationLibrary *library, const std::vector<ToolEntry> &tools,
              const QString &sandboxState, QWidget *parent = nullptr);

    bool canRestoreDefaults() const override { return true; }
    void restoreDefaults() override;

protected:
    void showEvent(QShowEvent *event) override;

private:
    struct Row
    {
        ToolEntry tool;
        QComboBox *permission = nullptr;
        QComboBox *limit = nullptr;
    };

    void addTool(Card *card, const ToolEntry &tool);
    void load();
    void loadLimit(const Row &row);
    void loadRules();
    // `where`: the conversation that a rule is for; empty if it is for all of them.
    void addRule(const AllowRule &rule, const QString &where, const std::function<void()> &revoke);

    ConversationLibrary *const m_library;
    std::vector<Row> m_rows;
    QCheckBox *m_network;
    QCheckBox *m_oneAtATime;
    QWidget *m_rulesTitle;
    Card *m_rules;
    std::vector<QWidget *> m_ruleRows;
};

} // namespace fermata
