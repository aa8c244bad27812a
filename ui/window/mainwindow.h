// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellationreason.h"
#include "conversation/ids.h"
#include "settings/profile.h"
#include "ui/window/windowcontext.h"

#include <QMainWindow>
#include <QPointer>
#include <QTimer>

class QMenu;
class QSplitter;

namespace fermata {

class ConversationPane;
class ConversationSession;
class SettingsDialog;
class Sidebar;
struct Settings;

// The window: conversations at the left, one of them at the right. It is closed when its last turn has been stopped and
// saved; closed() tells that, once.
class MainWindow final : public QMainWindow
{
    Q_OBJECT

public:
    explicit MainWindow(WindowContext context, QWidget *parent = nullptr);
    ~MainWindow() override;

    ConversationPane *pane() const { return m_pane; }
    // What the command line asks for: a message that is sent in a new conversation.
    void sendInNewConversation(const QString &text);
    void openConversation(const ConversationId &id);
    // Stops what runs, saves and closes. closed() follows, within 5 seconds.
    void quit(CancellationCause cause);
    void showSettings();

signals:
    void closed();

protected:
    void closeEvent(QCloseEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    void build();
    void addShortcuts();
    void connectLibrary();
    void connectPane();
    void buildMenus();
    void fillMoreMenu();
    void fillModelMenu();
    void showSession(ConversationSession *session);
    void newConversation();
    bool isUntouched() const;
    void reopenLast();
    void showOpened(ConversationSession *session);
    void renameCurrent();
    void deleteConversation(const ConversationId &id);
    void showRemoved(const ConversationId &id, const QString &title);
    void showDamaged(const QString &message);
    void copyDatabase();
    void exportCurrent();
    void importFile();
    void useProfile(Profile profile);
    void lookForServers();
    void applySettings();
    void zoomBy(int step);
    void fold();
    void restoreState();
    void keepState();
    void saveSettings(const Settings &settings);
    SettingsDialog *settingsDialog();
    ConversationId currentId() const;

    const WindowContext m_context;
    Sidebar *m_sidebar;
    ConversationPane *m_pane;
    QSplitter *m_splitter;
    QMenu *m_more;
    QMenu *m_models;
    QPointer<SettingsDialog> m_settings;
    QPointer<ConversationSession> m_blank; // a new conversation nothing was sent in
    ConversationId m_wanted; // asked for last, and perhaps still being loaded
    ConversationId m_renamed; // to be renamed as soon as it is open
    TurnId m_soughtTurn; // to be shown as soon as its conversation is open
    QTimer m_undoTime;
    QTimer m_closeTime;
    bool m_isFolded = false;
    bool m_isUnfoldedByHand = false;
    bool m_hasLookedForServers = false;
    bool m_isReopening = false; // at the start, unasked
    bool m_isClosing = false;
};

} // namespace fermata
