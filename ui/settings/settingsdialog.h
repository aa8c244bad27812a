// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/limits.h"

#include <QDialog>

#include <optional>
#include <vector>

class QListView;
class QPushButton;
class QStackedWidget;
class QStandardItemModel;

namespace fermata {

class LimitsPage;
class ModelPage;
class SettingsPage;
class TextLabel;
struct WindowContext;

// Settings in a window of their own, which holds nobody up. Every change is saved as it is made.
class SettingsDialog final : public QDialog
{
    Q_OBJECT

public:
    enum class Page { Model, Limits, Tools, Appearance, Shortcuts, Data };

    explicit SettingsDialog(const WindowContext &context, QWidget *parent = nullptr);

    void showPage(Page page);
    void showLimit(Limit limit);
    void addProfile();

signals:
    void exportRequested();
    void importRequested();
    void deleteRequested();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void addPage(SettingsPage *page, const QString &name, int iconOfPage);
    QWidget *buildFoot();
    void select(int row);

    QListView *m_list;
    QStandardItemModel *m_names;
    QStackedWidget *m_pages;
    std::vector<SettingsPage *> m_all;
    ModelPage *m_model;
    LimitsPage *m_limits;
    QPushButton *m_restore;
    TextLabel *m_problem;
};

} // namespace fermata
