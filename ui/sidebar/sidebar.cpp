// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sidebar/sidebar.h"

#include "session/conversationlibrary.h"
#include "session/conversationsession.h"
#include "ui/sidebar/conversationdelegate.h"
#include "ui/sidebar/conversationlistmodel.h"
#include "ui/sidebar/searchfield.h"
#include "ui/sidebar/searchresults.h"
#include "ui/sidebar/sidebarbutton.h"
#include "ui/sidebar/sidebarmetrics.h"
#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/widgets/textlabel.h"

#include <QKeyEvent>
#include <QListView>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// A key that is followed by another one within this time starts no search.
constexpr auto SearchDelay = 120ms;

void dress(QListView *view)
{
    view->setFrameShape(QFrame::NoFrame);
    view->setUniformItemSizes(true);
    view->setMouseTracking(true);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    // Always there, and painted only if there is something to scroll: so rows keep their width.
    view->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->verticalScrollBar()->setSingleStep(metrics::RowHeight);
    view->viewport()->setAutoFillBackground(false);
    view->setFont(metrics::font(metrics::FontStep::Control));
}

} // namespace

Sidebar::Sidebar(ConversationLibrary *library, QWidget *parent)
    : QWidget(parent), m_library(library), m_search(new SearchField), m_pages(new QStackedWidget),
      m_list(new QListView), m_results(new QListView),
      m_empty(new TextLabel(tr("No conversations yet."), metrics::FontStep::Control,
                            TextLabel::Tone::Text2)),
      m_nothing(
          new TextLabel(tr("Nothing found."), metrics::FontStep::Control, TextLabel::Tone::Text2)),
      m_model(new ConversationListModel(this)), m_hits(new SearchResultsModel(this))
{
    auto *create = new SidebarButton(Icon::Plus, tr("New conversation"), QKeySequence(u"Ctrl+N"_s));
    auto *settings = new SidebarButton(Icon::Gear, tr("Settings"), QKeySequence(u"Ctrl+,"_s));
    buildList();
    buildResults();
    for (TextLabel *label : {m_empty, m_nothing}) {
        label->setContentsMargins(metrics::margins(layoutDirection(), sidebar::TextLeft,
                                                   metrics::Space24, sidebar::Padding, 0));
        label->setAlignment(Qt::AlignTop | Qt::AlignLeading);
        label->setWordWrap(true);
        m_pages->addWidget(label);
    }

    // The list reaches to the edge, with its scroll bar in the margin.
    const auto margins = [this](int leading, int above, int trailing, int below) {
        return metrics::margins(layoutDirection(), leading, above, trailing, below);
    };
    auto *top = new QVBoxLayout;
    top->setContentsMargins(margins(0, 0, sidebar::Padding, 0));
    top->setSpacing(0);
    top->addWidget(m_search);
    top->addSpacing(metrics::Space8);
    top->addWidget(create);
    auto *bottom = new QVBoxLayout;
    bottom->setContentsMargins(margins(0, metrics::Space8 + 1, sidebar::Padding, metrics::Space8));
    bottom->addWidget(settings);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(margins(sidebar::Padding, sidebar::Padding, 0, 0));
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addSpacing(metrics::Space4);
    layout->addWidget(m_pages, 1);
    layout->addLayout(bottom);
    setMinimumWidth(metrics::SidebarLeast);
    setMaximumWidth(metrics::SidebarMost);
    setTabOrder(m_search, create);
    setTabOrder(create, m_list);
    setTabOrder(m_list, m_results);
    setTabOrder(m_results, settings);

    connect(create, &QAbstractButton::clicked, this, &Sidebar::newRequested);
    connect(settings, &QAbstractButton::clicked, this, &Sidebar::settingsRequested);
    connect(m_search, &QLineEdit::textChanged, this, [this] { m_searchDelay.start(); });
    connect(m_search, &SearchField::left, this, &Sidebar::searchLeft);
    connect(m_search, &SearchField::downRequested, this, [this] {
        QListView *view = m_search->text().trimmed().isEmpty() ? m_list : m_results;
        view->setFocus(Qt::TabFocusReason);
        if (!view->currentIndex().isValid())
            view->setCurrentIndex(view->model()->index(view == m_list ? 1 : 0, 0));
    });
    m_searchDelay.setSingleShot(true);
    m_searchDelay.setInterval(SearchDelay);
    connect(&m_searchDelay, &QTimer::timeout, this, &Sidebar::runSearch);
    connect(m_library, &ConversationLibrary::listChanged, this, &Sidebar::refresh);
    connect(m_library, &ConversationLibrary::searched, this, &Sidebar::showHits);
    m_clock.setInterval(1s);
    connect(&m_clock, &QTimer::timeout, this, &Sidebar::tick);
    refresh();
}

void Sidebar::buildList()
{
    dress(m_list);
    m_list->setAccessibleName(tr("Conversations"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new ConversationDelegate(m_list));
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    m_list->installEventFilter(this);
    m_list->viewport()->installEventFilter(this);
    m_pages->addWidget(m_list);
    connect(m_list, &QListView::clicked, this, &Sidebar::openIndex);
    openWhatIsToggled(m_list);
    connect(m_list, &QListView::customContextMenuRequested, this, &Sidebar::showMenu);
}

void Sidebar::buildResults()
{
    dress(m_results);
    m_results->setAccessibleName(tr("Search results"));
    m_results->setModel(m_hits);
    m_results->setItemDelegate(new SearchResultsDelegate(m_results));
    m_results->installEventFilter(this);
    m_pages->addWidget(m_results);
    connect(m_results, &QListView::clicked, this, &Sidebar::openIndex);
    openWhatIsToggled(m_results);
}

// The one action that Qt offers to assistive technology for an item selects it and leaves the current one as it is. Keys
// and clicks move both, and have done so when a queued call comes.
void Sidebar::openWhatIsToggled(QListView *list)
{
    connect(
        list->selectionModel(), &QItemSelectionModel::selectionChanged, this,
        [this, list] {
            const QModelIndexList selected = list->selectionModel()->selectedIndexes();
            if (selected.isEmpty() || selected.back() == list->currentIndex())
                return;
            list->setCurrentIndex(selected.back());
            openIndex(selected.back());
        },
        Qt::QueuedConnection);
}

void Sidebar::setCurrent(const ConversationId &id)
{
    m_current = id;
    const QModelIndex index = m_model->indexOf(id);
    if (index.isValid())
        m_list->setCurrentIndex(index);
    else
        m_list->selectionModel()->clear();
}

void Sidebar::focusSearch()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void Sidebar::refresh()
{
    std::vector<ConversationId> all;
    all.reserve(m_library->list().size());
    for (const ConversationSummary &summary : m_library->list())
        all.push_back(summary.id);
    const std::vector<RunningConversation> now = running(all);
    m_running.clear();
    for (const RunningConversation &run : now)
        m_running.push_back(run.id);
    m_model->setRows(conversationRows(m_library->list(), now, QDate::currentDate(), locale()));
    if (!m_current.isNull() && currentConversation() != m_current) {
        const QModelIndex index = m_model->indexOf(m_current);
        // Someone who walks through the list by keyboard is not called back.
        if (index.isValid() && (!m_list->hasFocus() || !m_list->currentIndex().isValid()))
            m_list->setCurrentIndex(index);
    }
    if (m_library->runningTurns() > 0) {
        if (!m_clock.isActive())
            m_clock.start();
    } else {
        m_clock.stop();
    }
    if (m_search->text().trimmed().isEmpty())
        m_pages->setCurrentWidget(m_model->rowCount() > 0 ? static_cast<QWidget *>(m_list)
                                                          : m_empty);
}

std::vector<RunningConversation> Sidebar::running(const std::vector<ConversationId> &among) const
{
    std::vector<RunningConversation> found;
    for (const ConversationId &id : among) {
        const ConversationSession *session = m_library->session(id);
        if (session && session->isRunning())
            found.push_back(
                {id, session->elapsed(), session->openApproval() || session->openQuestion()});
    }
    return found;
}

void Sidebar::tick()
{
    const std::vector<RunningConversation> now = running(m_running);
    // Nothing is looked at twice a second that has not changed: the list may be long.
    if (now.size() == m_running.size() && int(now.size()) == m_library->runningTurns())
        m_model->setRunning(now);
    else
        refresh();
}

void Sidebar::runSearch()
{
    const QString text = m_search->text().trimmed();
    if (text.isEmpty()) {
        m_hits->setHits({}, {});
        refresh();
        return;
    }
    m_library->search(text);
}

void Sidebar::showHits(const QString &text, const std::vector<LibraryHit> &hits)
{
    if (text != m_search->text().trimmed())
        return;
    m_hits->setHits(hits, text);
    m_pages->setCurrentWidget(m_hits->rowCount() > 0 ? static_cast<QWidget *>(m_results)
                                                     : m_nothing);
}

void Sidebar::openIndex(const QModelIndex &index)
{
    if (const ConversationRow *row = index.model() == m_model ? m_model->row(index) : nullptr) {
        if (!row->isGroup())
            emit openRequested(row->summary.id);
    } else if (const LibraryHit *hit = index.model() == m_hits ? m_hits->hit(index) : nullptr) {
        emit hitRequested(hit->conversation, hit->turn);
    }
}

ConversationId Sidebar::currentConversation() const
{
    const ConversationRow *row = m_model->row(m_list->currentIndex());
    return row && !row->isGroup() ? row->summary.id : ConversationId();
}

void Sidebar::showMenu(const QPoint &position)
{
    const QModelIndex index = m_list->indexAt(position);
    const ConversationRow *row = m_model->row(index);
    if (!row || row->isGroup())
        return;
    const ConversationId id = row->summary.id;
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(icon(Icon::Edit), tr("Rename…"), this,
                    [this, id] { emit renameRequested(id); });
    menu->addAction(icon(Icon::Delete), tr("Delete"), this,
                    [this, id] { emit deleteRequested(id); });
    // The right button has selected the row, so that one sees what the menu is about. It has not opened it.
    if (std::exchange(m_rightPressed, false))
        connect(menu, &QMenu::aboutToHide, this, [this] { setCurrent(m_current); });
    menu->popup(m_list->viewport()->mapToGlobal(position));
}

bool Sidebar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_list->viewport() && event->type() == QEvent::MouseButtonPress)
        m_rightPressed = static_cast<QMouseEvent *>(event)->button() == Qt::RightButton;
    if (event->type() != QEvent::KeyPress || (watched != m_list && watched != m_results))
        return QWidget::eventFilter(watched, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    const auto *view = static_cast<QListView *>(watched);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter
        || key->key() == Qt::Key_Space) {
        openIndex(view->currentIndex());
        return true;
    }
    const ConversationId id = view == m_list ? currentConversation() : ConversationId();
    if (!id.isNull() && key->modifiers() == Qt::NoModifier) {
        if (key->key() == Qt::Key_Delete) {
            emit deleteRequested(id);
            return true;
        }
        if (key->key() == Qt::Key_F2) {
            emit renameRequested(id);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void Sidebar::paintEvent(QPaintEvent *)
{
    const Theme &theme = themeOf(this);
    QPainter painter(this);
    painter.fillRect(rect(), theme.window);
    const int line = height() - metrics::RowHeight - 2 * metrics::Space8 - 1;
    painter.fillRect(QRectF(0, line, width(), metrics::hairline(devicePixelRatioF())), theme.line);
}

} // namespace fermata
