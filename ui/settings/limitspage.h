// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/settings/settingspage.h"

#include <QHash>

namespace fermata {

class LimitRow;

// The time limits of a turn. A value that cannot be is not saved, and its field says why; the others are.
class LimitsPage final : public SettingsPage
{
    Q_OBJECT

public:
    explicit LimitsPage(SettingsFile *file, QWidget *parent = nullptr);

    // To the row of a limit, for the link in a message that a limit has ended.
    void focusLimit(Limit limit);
    bool canRestoreDefaults() const override { return true; }
    void restoreDefaults() override;

signals:
    void perToolRequested();

private:
    void load();
    void takeEdits();
    TurnLimits limitsShown() const;

    QHash<Limit, LimitRow *> m_rows;
    LimitRow *m_localFirstToken;
    LimitRow *m_modelCalls;
    bool m_isSaving = false;
};

} // namespace fermata
