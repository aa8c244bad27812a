// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/mainwindow.h"

#include "session/conversationlibrary.h"
#include "session/conversationsession.h"
#include "session/modelcatalog.h"
#include "settings/settingsfile.h"
#include "ui/composer/composer.h"
#include "ui/settings/settingsdialog.h"
#include "ui/sidebar/sidebar.h"
#include "ui/style/icons.h"
#include "ui/style/metrics.h"
#include "ui/text/filenames.h"
#include "ui/text/modeltext.h"
#include "ui/transcript/transcriptview.h"
#include "ui/widgets/bar.h"
#include "ui/widgets/barstack.h"
#include "ui/widgets/comboboxaccessible.h"
#include "ui/window/conversationpane.h"
#include "ui/window/firststartpage.h"
#include "ui/window/paneheader.h"

#include <QAction>
#include <QCloseEvent>
#include <QFileDialog>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QUuid>

namespace fermata {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr QSize StartSize{1100, 760};
constexpr QSize LeastSize{640, 480};
constexpr auto UndoTime = 30s;
constexpr auto GraceAtClose = 1s; // then a tool that does not obey is ended
constexpr auto LongestClose = 5s;
constexpr int ZoomStep = 10;
constexpr int SmallestZoom = 80;
constexpr int LargestZoom = 200;
constexpr int NormalZoom = 100;

} // namespace

MainWindow::MainWindow(WindowContext context, QWidget *parent)
    : QMainWindow(parent), m_context(std::move(context)), m_sidebar(new Sidebar(m_context.library)),
      m_pane(new ConversationPane), m_splitter(new QSplitter(Qt::Horizontal)),
      m_more(new QMenu(this)), m_models(new QMenu(this))
{
    installComboBoxAccessible();
    build();
    buildMenus();
    addShortcuts();
    connectLibrary();
    connectPane();
    connect(m_context.settings, &SettingsFile::changed, this, &MainWindow::applySettings);
    m_undoTime.setSingleShot(true);
    m_undoTime.setInterval(UndoTime);
    connect(&m_undoTime, &QTimer::timeout, this,
            [this] { m_pane->bars()->remove(BarStack::Purpose::Undo); });
    m_closeTime.setSingleShot(true);
    m_closeTime.setInterval(LongestClose);
    connect(&m_closeTime, &QTimer::timeout, this, &MainWindow::closed);
    applySettings();
    restoreState();
    newConversation();
    for (const QString &notice : m_context.settings->takeNotices())
        m_pane->showNotice(notice);
}

MainWindow::~MainWindow() = default;

void MainWindow::build()
{
    m_splitter->addWidget(m_sidebar);
    m_splitter->addWidget(m_pane);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({metrics::SidebarWidth - 1, StartSize.width() - metrics::SidebarWidth});
    setCentralWidget(m_splitter);
    setMinimumSize(LeastSize);
    resize(StartSize);
    connect(m_sidebar, &Sidebar::newRequested, this, &MainWindow::newConversation);
    connect(m_sidebar, &Sidebar::openRequested, this, &MainWindow::openConversation);
    connect(m_sidebar, &Sidebar::settingsRequested, this, &MainWindow::showSettings);
    connect(m_sidebar, &Sidebar::deleteRequested, this, &MainWindow::deleteConversation);
    connect(m_sidebar, &Sidebar::searchLeft, m_pane, &ConversationPane::focusMessage);
    connect(m_sidebar, &Sidebar::hitRequested, this,
            [this](const ConversationId &id, const TurnId &turn) {
                m_soughtTurn = turn;
                openConversation(id);
            });
    connect(m_sidebar, &Sidebar::renameRequested, this, [this](const ConversationId &id) {
        m_renamed = id;
        openConversation(id);
    });
}

void MainWindow::addShortcuts()
{
    const auto add = [this](const QList<QKeySequence> &keys, auto slot) {
        auto *action = new QAction(this);
        action->setShortcuts(keys);
        action->setShortcutContext(Qt::WindowShortcut);
        addAction(action);
        connect(action, &QAction::triggered, this, slot);
        return action;
    };
    add({QKeySequence(u"Ctrl+N"_s)}, &MainWindow::newConversation);
    add({QKeySequence(u"Ctrl+,"_s)}, &MainWindow::showSettings);
    add({QKeySequence(u"Ctrl+F"_s), QKeySequence(u"Ctrl+K"_s)}, [this] {
        m_isUnfoldedByHand = true;
        fold();
        m_sidebar->focusSearch();
    });
    QAction *stop = add({QKeySequence(u"Esc"_s)}, [this] { m_pane->stop(); });
    // Always: also with Settings in front.
    QAction *stopAlways = add({QKeySequence(u"Ctrl+."_s)}, [this] { m_pane->stop(); });
    stopAlways->setShortcutContext(Qt::ApplicationShortcut);
    // A key that is held down is one press: the second Stop forces.
    for (QAction *action : {stop, stopAlways})
        action->setAutoRepeat(false);
    add({QKeySequence(u"Ctrl+Shift+Return"_s), QKeySequence(u"Ctrl+Shift+Enter"_s)}, [this] {
        m_pane->continueLast();
    })->setAutoRepeat(false);
    add({QKeySequence(u"F2"_s)}, &MainWindow::renameCurrent);
    add({QKeySequence(u"Ctrl+Q"_s)}, [this] { quit(CancellationCause::ApplicationQuit); });
    add({QKeySequence::ZoomIn, QKeySequence(u"Ctrl++"_s), QKeySequence(u"Ctrl+="_s)},
        [this] { zoomBy(ZoomStep); });
    add({QKeySequence::ZoomOut, QKeySequence(u"Ctrl+-"_s)}, [this] { zoomBy(-ZoomStep); });
    add({QKeySequence(u"Ctrl+0"_s)}, [this] { zoomBy(0); });
}

void MainWindow::connectLibrary()
{
    ConversationLibrary *library = m_context.library;
    connect(library, &ConversationLibrary::opened, this, &MainWindow::showOpened);
    connect(library, &ConversationLibrary::openFailed, this,
            [this](const ConversationId &id, const QString &message) {
                if (id == m_wanted) {
                    m_wanted = m_renamed = {};
                    m_soughtTurn = {};
                }
                m_pane->showNotice(message);
            });
    connect(library, &ConversationLibrary::removed, this, &MainWindow::showRemoved);
    connect(library, &ConversationLibrary::transferFinished, m_pane, &ConversationPane::showNotice);
    connect(library, &ConversationLibrary::failed, m_pane, &ConversationPane::showNotice);
    connect(library, &ConversationLibrary::listChanged, this, &MainWindow::reopenLast,
            Qt::SingleShotConnection);
    connect(library, &ConversationLibrary::databaseDamaged, this, &MainWindow::showDamaged);
    connect(library, &ConversationLibrary::databaseSetAside, this,
            [this] { m_pane->bars()->remove(BarStack::Purpose::Damaged); });
    connect(library, &ConversationLibrary::allIdle, this, [this] {
        if (m_isClosing) {
            m_closeTime.stop();
            m_pane->keepDraft(); // with a message that waited for its turn
            emit closed();
        }
    });
}

void MainWindow::connectPane()
{
    connect(m_pane, &ConversationPane::turnStateChanged, m_sidebar, &Sidebar::refresh);
    connect(m_pane, &ConversationPane::limitSettingsRequested, this,
            [this](Limit limit) { settingsDialog()->showLimit(limit); });
    connect(m_pane, &ConversationPane::deleteRequested, this,
            [this] { deleteConversation(currentId()); });
    connect(m_pane, &ConversationPane::zoomStepRequested, this,
            [this](int step) { zoomBy(step * ZoomStep); });
    connect(m_pane->header(), &PaneHeader::titleEdited, this,
            [this](const QString &title) { m_context.library->rename(currentId(), title); });
    connect(m_pane->header(), &PaneHeader::editingEnded, m_pane, &ConversationPane::focusMessage);
    connect(m_pane->header(), &PaneHeader::sidebarRequested, this, [this] {
        m_isUnfoldedByHand = !m_isUnfoldedByHand;
        fold();
    });
    FirstStartPage *first = m_pane->firstStart();
    connect(first, &FirstStartPage::profileOffered, this, &MainWindow::useProfile);
    connect(first, &FirstStartPage::connectRequested, this,
            [this] { settingsDialog()->addProfile(); });
    connect(m_context.catalog, &ModelCatalog::found, first, &FirstStartPage::addServer);
}

void MainWindow::buildMenus()
{
    m_pane->header()->setMenu(m_more);
    m_pane->composer()->modelButton()->setMenu(m_models);
    connect(m_more, &QMenu::aboutToShow, this, &MainWindow::fillMoreMenu);
    connect(m_models, &QMenu::aboutToShow, this, &MainWindow::fillModelMenu);
}

void MainWindow::fillMoreMenu()
{
    m_more->clear();
    ConversationSession *session = m_pane->session();
    const bool isSaved = session && !session->conversation().turns.empty();
    const auto add = [this](Icon which, const QString &text, bool isEnabled, auto slot) {
        QAction *action = m_more->addAction(icon(which), text);
        action->setEnabled(isEnabled);
        connect(action, &QAction::triggered, this, slot);
        return action;
    };
    add(Icon::Edit, tr("Rename") + u"\tF2"_s, isSaved, &MainWindow::renameCurrent);
    add(Icon::Right, tr("Export…"), isSaved, &MainWindow::exportCurrent);
    add(Icon::Plus, tr("Import…"), true, &MainWindow::importFile);
    m_more->addSeparator();
    const bool runs = session && session->isRunning() && !session->isStopping();
    if (session && session->isPaused())
        add(Icon::Continue, tr("Resume stream"), runs, [this] { m_pane->session()->resume(); });
    else
        add(Icon::Clock, tr("Pause stream"), runs, [this] { m_pane->session()->pause(); });
    m_more->addSeparator();
    add(Icon::Delete, tr("Delete"), isSaved, [this] { deleteConversation(currentId()); });
}

void MainWindow::fillModelMenu()
{
    m_models->clear();
    const Settings &settings = m_context.settings->settings();
    const auto add = [&](const Profile *profile) {
        const QString id = profile ? profile->id : QString();
        QAction *action = m_models->addAction(answererText(profile));
        action->setCheckable(true);
        action->setChecked(settings.currentProfile == id);
        connect(action, &QAction::triggered, this, [this, id] {
            Settings changed = m_context.settings->settings();
            changed.currentProfile = id;
            saveSettings(changed);
        });
    };
    for (const Profile &profile : settings.profiles)
        add(&profile);
    add(nullptr);
    m_models->addSeparator();
    QAction *connecting = m_models->addAction(icon(Icon::Plug), tr("Connect a model…"));
    connect(connecting, &QAction::triggered, this, [this] { settingsDialog()->addProfile(); });
    QAction *more = m_models->addAction(icon(Icon::Gear), tr("Model settings…"));
    connect(more, &QAction::triggered, this,
            [this] { settingsDialog()->showPage(SettingsDialog::Page::Model); });
}

ConversationId MainWindow::currentId() const
{
    return m_pane->session() ? m_pane->session()->conversation().id : ConversationId();
}

void MainWindow::newConversation()
{
    m_pane->keepDraft();
    m_wanted = {};
    // One that is still empty is as good as a new one.
    if (!m_blank || !m_blank->conversation().turns.empty() || !m_blank->draft().isEmpty())
        m_blank = m_context.library->createConversation();
    showSession(m_blank);
    m_pane->focusMessage();
}

bool MainWindow::isUntouched() const
{
    return m_pane->session() == m_blank && m_blank->conversation().turns.empty()
        && !m_blank->isRunning() && m_pane->composer()->isEmpty();
}

// What was said last is what people come back for; who has begun to write meanwhile is left alone.
void MainWindow::reopenLast()
{
    const auto &list = m_context.library->list();
    if (list.empty() || !isUntouched())
        return;
    openConversation(list.front().id);
    m_isReopening = true;
}

void MainWindow::openConversation(const ConversationId &id)
{
    m_wanted = id;
    m_isReopening = false;
    if (id == currentId())
        showSession(m_pane->session());
    else
        m_context.library->open(id);
}

// A load may take long: what was asked for before something else was chosen or written is not shown any more.
void MainWindow::showOpened(ConversationSession *session)
{
    const ConversationId id = session->conversation().id;
    if (id == m_wanted && (!m_isReopening || isUntouched()))
        showSession(session);
    else if (session != m_pane->session())
        m_context.library->close(id);
}

void MainWindow::showSession(ConversationSession *session)
{
    const QPointer<ConversationSession> before = m_pane->session();
    if (before)
        disconnect(before, &ConversationSession::titleChanged, this, nullptr);
    m_pane->setSession(session);
    const auto showTitle = [this] {
        const QString title =
            m_pane->session() ? m_pane->session()->conversation().title : QString();
        setWindowTitle(
            tr("%1 — Fermata")
                .arg(title.isEmpty() ? tr("New conversation") : title.left(200).simplified()));
    };
    connect(session, &ConversationSession::titleChanged, this, showTitle);
    showTitle();
    m_sidebar->refresh();
    m_sidebar->setCurrent(session->conversation().id);
    // What is at rest can be read again; what runs goes on.
    if (before && before != session && before != m_blank && !before->isRunning())
        m_context.library->close(before->conversation().id);
    if (!m_soughtTurn.isNull())
        m_pane->transcript()->showTurn(std::exchange(m_soughtTurn, {}));
    if (session->conversation().id == std::exchange(m_renamed, {}))
        renameCurrent();
    if (m_isUnfoldedByHand && width() < metrics::FoldWidth) {
        m_isUnfoldedByHand = false;
        fold();
    }
}

void MainWindow::sendInNewConversation(const QString &text)
{
    newConversation();
    m_pane->send(text);
}

void MainWindow::renameCurrent()
{
    if (m_pane->session() && !m_pane->session()->conversation().turns.empty())
        m_pane->header()->editTitle();
}

void MainWindow::deleteConversation(const ConversationId &id)
{
    if (!id.isNull())
        m_context.library->remove(id);
}

void MainWindow::showRemoved(const ConversationId &id, const QString &title)
{
    if (id == currentId() || !m_pane->session())
        newConversation();
    auto *bar =
        new Bar(Bar::Kind::Notice, tr("“%1” is deleted.").arg(title.left(200).simplified()));
    bar->setIcon(Icon::Delete);
    connect(bar->addButton(tr("Undo"), Bar::Action::Quiet), &QPushButton::clicked, this,
            [this, id] {
                m_context.library->undoRemove(id);
                m_pane->bars()->remove(BarStack::Purpose::Undo);
                openConversation(id);
            });
    m_pane->bars()->show(BarStack::Purpose::Undo, bar);
    m_undoTime.start();
}

void MainWindow::showDamaged(const QString &message)
{
    auto *bar = new Bar(Bar::Kind::Problem,
                        message + u' '
                            + tr("Until it is set aside, nothing can be read or saved. That only "
                                 "gives it another name; nothing is deleted."));
    connect(bar->addButton(tr("Copy it…"), Bar::Action::Normal), &QPushButton::clicked, this,
            &MainWindow::copyDatabase);
    connect(bar->addButton(tr("Set aside"), Bar::Action::Normal), &QPushButton::clicked,
            m_context.library, &ConversationLibrary::setDatabaseAside);
    m_pane->bars()->show(BarStack::Purpose::Damaged, bar);
}

void MainWindow::copyDatabase()
{
    auto *dialog = new QFileDialog(this, tr("Copy the damaged database to a folder"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, m_context.library,
            &ConversationLibrary::copyDatabaseTo);
    dialog->open();
}

void MainWindow::exportCurrent()
{
    if (currentId().isNull())
        return;
    auto *dialog = new QFileDialog(this, tr("Export the conversation"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Markdown (*.md)"), tr("JSON Lines (*.jsonl)")});
    dialog->setDefaultSuffix(u"md"_s);
    dialog->selectFile(fileNameFor(m_pane->session()->conversation().title) + u".md"_s);
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString &filter) {
        dialog->setDefaultSuffix(filter.contains("jsonl"_L1) ? u"jsonl"_s : u"md"_s);
    });
    connect(
        dialog, &QFileDialog::fileSelected, this,
        [this, id = currentId()](const QString &path) { m_context.library->exportTo(id, path); });
    dialog->open();
}

void MainWindow::importFile()
{
    auto *dialog = new QFileDialog(this, tr("Import a conversation"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("JSON Lines (*.jsonl)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, m_context.library,
            &ConversationLibrary::importFrom);
    dialog->open();
}

void MainWindow::useProfile(Profile profile)
{
    Settings settings = m_context.settings->settings();
    if (profile.id.isEmpty())
        profile.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    if (!settings.profile(profile.id))
        settings.profiles.push_back(profile);
    settings.currentProfile = profile.id;
    saveSettings(settings);
    m_pane->focusMessage();
}

void MainWindow::saveSettings(const Settings &settings)
{
    const Result<void> saved = m_context.settings->save(settings);
    if (!saved)
        m_pane->showNotice(saved.error().message);
}

void MainWindow::lookForServers()
{
    if (m_hasLookedForServers || !m_context.settings->settings().currentProfile.isEmpty())
        return;
    m_hasLookedForServers = true;
    for (const Profile &profile : m_context.catalog->profilesFromEnvironment())
        m_pane->firstStart()->addEnvironmentProfile(profile);
    m_context.catalog->discover();
}

void MainWindow::applySettings()
{
    m_pane->applySettings(m_context.settings->settings());
}

void MainWindow::zoomBy(int step)
{
    Settings settings = m_context.settings->settings();
    settings.transcriptZoom = step == 0
        ? NormalZoom
        : std::clamp(settings.transcriptZoom + step, SmallestZoom, LargestZoom);
    if (settings.transcriptZoom != m_context.settings->settings().transcriptZoom)
        saveSettings(settings);
}

SettingsDialog *MainWindow::settingsDialog()
{
    if (!m_settings) {
        m_settings = new SettingsDialog(m_context, this);
        m_settings->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_settings, &SettingsDialog::exportRequested, this, &MainWindow::exportCurrent);
        connect(m_settings, &SettingsDialog::importRequested, this, &MainWindow::importFile);
        connect(m_settings, &SettingsDialog::deleteRequested, this,
                [this] { deleteConversation(currentId()); });
    }
    m_settings->show();
    m_settings->raise();
    m_settings->activateWindow();
    return m_settings;
}

void MainWindow::showSettings()
{
    settingsDialog();
}

void MainWindow::fold()
{
    m_isFolded = width() < metrics::FoldWidth;
    if (!m_isFolded)
        m_isUnfoldedByHand = false;
    m_sidebar->setVisible(!m_isFolded || m_isUnfoldedByHand);
    m_pane->header()->setSidebarButtonVisible(m_isFolded);
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    fold();
}

void MainWindow::showEvent(QShowEvent *event)
{
    QMainWindow::showEvent(event);
    // After the first paint: the network is not needed for it.
    QTimer::singleShot(200ms, this, &MainWindow::lookForServers);
}

void MainWindow::restoreState()
{
    const QJsonObject state = m_context.settings->settings().windowState;
    const auto bytes = [&state](const QString &name) {
        return QByteArray::fromBase64(state.value(name).toString().toLatin1());
    };
    restoreGeometry(bytes(u"geometry"_s));
    m_splitter->restoreState(bytes(u"splitter"_s));
    m_splitter->setHandleWidth(1);
}

void MainWindow::keepState()
{
    Settings settings = m_context.settings->settings();
    const auto text = [](const QByteArray &bytes) { return QString::fromLatin1(bytes.toBase64()); };
    settings.windowState.insert(u"geometry"_s, text(saveGeometry()));
    if (m_sidebar->isVisible())
        settings.windowState.insert(u"splitter"_s, text(m_splitter->saveState()));
    // The window is going: a place that was not kept is no reason to hold it.
    if (!(settings == m_context.settings->settings()))
        static_cast<void>(m_context.settings->save(settings));
}

void MainWindow::quit(CancellationCause cause)
{
    if (m_isClosing)
        return;
    m_isClosing = true;
    keepState();
    if (m_settings)
        m_settings->close();
    hide();
    m_pane->keepDraft();
    m_closeTime.start();
    m_context.library->stopAll(cause);
    QTimer::singleShot(GraceAtClose, this, [this, cause] { m_context.library->stopAll(cause); });
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    // It closes when everything is saved.
    event->setAccepted(m_isClosing);
    quit(CancellationCause::WindowClosed);
}

} // namespace fermata
