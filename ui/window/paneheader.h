// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLineEdit;
class QMenu;
class QToolButton;

namespace fermata {

// The head of a conversation: its title, which can be edited in place, and the menu of what else can be done with it.
class PaneHeader final : public QWidget
{
    Q_OBJECT

public:
    explicit PaneHeader(QWidget *parent = nullptr);

    void setTitle(const QString &title);
    void editTitle();
    void setMenu(QMenu *menu);
    // The button that brings a folded sidebar back.
    void setSidebarButtonVisible(bool isVisible);

signals:
    void titleEdited(const QString &title);
    void sidebarRequested();
    void editingEnded();

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    enum class Edit { Take, Drop };
    void endEditing(Edit edit);
    QRect titleRect() const;

    QString m_title;
    QLineEdit *m_edit;
    QToolButton *m_sidebar;
    QToolButton *m_more;
};

} // namespace fermata
