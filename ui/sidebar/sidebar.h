// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/ids.h"

#include <QTimer>
#include <QWidget>

#include <vector>

class QListView;
class QStackedWidget;

namespace fermata {

class ConversationLibrary;
struct LibraryHit;
struct RunningConversation;
class ConversationListModel;
class SearchField;
class SearchResultsModel;
class TextLabel;

// The conversations at the left: search, new, the list by date, settings. What runs shows its time and is looked at
// once a second, and only while something runs.
class Sidebar final : public QWidget
{
    Q_OBJECT

public:
    explicit Sidebar(ConversationLibrary *library, QWidget *parent = nullptr);

    void setCurrent(const ConversationId &id);
    void focusSearch();
    // Again after a turn has started or ended somewhere.
    void refresh();

signals:
    void newRequested();
    void openRequested(const fermata::ConversationId &id);
    void hitRequested(const fermata::ConversationId &id, const fermata::TurnId &turn);
    void renameRequested(const fermata::ConversationId &id);
    void deleteRequested(const fermata::ConversationId &id);
    void settingsRequested();
    void searchLeft();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void buildList();
    void buildResults();
    void openWhatIsToggled(QListView *list);
    void runSearch();
    void showHits(const QString &text, const std::vector<LibraryHit> &hits);
    void tick();
    std::vector<RunningConversation> running(const std::vector<ConversationId> &among) const;
    void openIndex(const QModelIndex &index);
    void showMenu(const QPoint &position);
    ConversationId currentConversation() const;

    ConversationLibrary *m_library;
    SearchField *m_search;
    QStackedWidget *m_pages;
    QListView *m_list;
    QListView *m_results;
    TextLabel *m_empty;
    TextLabel *m_nothing;
    ConversationListModel *m_model;
    SearchResultsModel *m_hits;
    ConversationId m_current;
    bool m_rightPressed = false; // last, in the list
    std::vector<ConversationId> m_running; // at the last full look
    QTimer m_clock;
    QTimer m_searchDelay;
};

} // namespace fermata
