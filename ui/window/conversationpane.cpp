// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/conversationpane.h"

#include "session/conversationsession.h"
#include "settings/settings.h"
#include "ui/composer/composer.h"
#include "ui/composer/messageedit.h"
#include "ui/composer/textfilereader.h"
#include "ui/status/statusline.h"
#include "ui/style/metrics.h"
#include "ui/text/modeltext.h"
#include "ui/transcript/transcriptview.h"
#include "ui/widgets/bar.h"
#include "ui/widgets/barstack.h"
#include "ui/window/detailswindow.h"
#include "ui/window/firststartpage.h"
#include "ui/window/paneheader.h"

#include <QApplication>
#include <QFileDialog>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace fermata {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto Tick = 250ms;
constexpr auto DraftDelay = 1s;
// A second press within it belongs to the first: a double click.
constexpr qint64 DoubleClickTime = 400;
constexpr int LongestShown = 120;

} // namespace

ConversationPane::ConversationPane(QWidget *parent)
    : QWidget(parent), m_header(new PaneHeader), m_stack(new QStackedWidget),
      m_transcript(new TranscriptView), m_firstStart(new FirstStartPage), m_status(new StatusLine),
      m_bars(new BarStack), m_composer(new Composer)
{
    build();
    connectTranscript();
    m_tick.setInterval(Tick);
    connect(&m_tick, &QTimer::timeout, this, &ConversationPane::refreshStatus);
    m_draftDelay.setSingleShot(true);
    m_draftDelay.setInterval(DraftDelay);
    connect(&m_draftDelay, &QTimer::timeout, this, &ConversationPane::keepDraft);
    connect(m_composer, &Composer::textChanged, &m_draftDelay, qOverload<>(&QTimer::start));
    connect(m_composer, &Composer::sendRequested, this, &ConversationPane::sendFromComposer);
    connect(m_composer, &Composer::attachRequested, this, &ConversationPane::attachFile);
    connect(m_firstStart, &FirstStartPage::promptChosen, this, &ConversationPane::send);
    connect(m_status, &StatusLine::showQuestionRequested, m_transcript,
            &TranscriptView::showApproval);
    connect(m_bars, &BarStack::focusReleased, this, &ConversationPane::focusMessage);
    connect(m_status, &StatusLine::extendRequested, this, [this](Limit limit) {
        if (m_session)
            m_session->extend(limit, StatusLine::Extension);
        refreshStatus();
    });
}

ConversationPane::~ConversationPane() = default;

void ConversationPane::build()
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_stack->addWidget(m_transcript);
    m_stack->addWidget(m_firstStart);
    auto *composerRow = new QHBoxLayout;
    composerRow->setContentsMargins(metrics::Space12, 0, metrics::Space12, metrics::Space16);
    composerRow->addStretch();
    composerRow->addWidget(m_composer, 100);
    composerRow->addStretch();
    m_composer->setMaximumWidth(metrics::ColumnWidth + 2 * metrics::ComposerOverhang);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(m_stack, 1);
    layout->addWidget(m_bars);
    layout->addWidget(m_status);
    layout->addLayout(composerRow);
    setMinimumWidth(360);
}

void ConversationPane::connectTranscript()
{
    connect(m_transcript, &TranscriptView::continueRequested, this, [this](const TurnId &turn) {
        if (m_session)
            m_session->continueTurn(turn);
    });
    connect(m_transcript, &TranscriptView::retryRequested, this, [this](const TurnId &turn) {
        if (m_session)
            m_session->retryTurn(turn);
    });
    connect(m_transcript, &TranscriptView::editRequested, this, &ConversationPane::beginEdit);
    connect(m_transcript, &TranscriptView::limitLinkClicked, this,
            &ConversationPane::limitSettingsRequested);
    connect(m_transcript, &TranscriptView::deleteRequested, this,
            &ConversationPane::deleteRequested);
    connect(m_transcript, &TranscriptView::detailsRequested, this,
            [this](const TurnId &, const QString &details) { showDetails(details); });
    connect(m_transcript, &TranscriptView::quoteRequested, this, [this](const QString &text) {
        m_composer->insertQuotation(text);
        m_composer->edit()->setFocus(Qt::OtherFocusReason);
    });
    connect(m_transcript, &TranscriptView::zoomStepRequested, this,
            &ConversationPane::zoomStepRequested);
    connect(m_transcript, &TranscriptView::approvalVisibleChanged, this, [this](bool isVisible) {
        m_approvalIsVisible = isVisible;
        refreshStatus();
    });
}

void ConversationPane::setSession(ConversationSession *session)
{
    if (m_session == session)
        return;
    if (m_session) {
        keepDraft();
        m_textBeforeEdit.clear();
        disconnect(m_session, nullptr, this, nullptr);
        disconnect(m_composer->stopButton(), nullptr, m_session, nullptr);
    }
    disconnect(m_composer->stopButton(), nullptr, this, nullptr);
    m_session = session;
    // What tells of this conversation goes; a deletion can still be taken back from another one.
    for (const auto purpose : {BarStack::Purpose::SaveFailed, BarStack::Purpose::Editing,
                               BarStack::Purpose::Pending, BarStack::Purpose::Question})
        m_bars->remove(purpose);
    m_editedTurn = {};
    m_isForced = false;
    m_approvalIsVisible = true;
    m_sinceStop.invalidate();
    m_transcript->setSession(session);
    if (session) {
        connectSession();
        m_meter.start(steadyClock().now());
        m_composer->setText(session->draft());
        if (session->saveHasFailed())
            showSaveState(tr("This conversation could not be saved. Saving is tried again."));
        showQuestion();
        showPending();
    }
    refresh();
}

ConversationSession *ConversationPane::session() const
{
    return m_session;
}

void ConversationPane::connectSession()
{
    ConversationSession *session = m_session;
    // First, and directly: the press reaches the flag before anything else is done with it.
    connect(m_composer->stopButton(), &QPushButton::clicked, session,
            qOverload<>(&ConversationSession::stop), Qt::DirectConnection);
    connect(m_composer->stopButton(), &QPushButton::clicked, this,
            &ConversationPane::noteStopPressed);
    connect(session, &ConversationSession::eventsApplied, this, &ConversationPane::applyEvents);
    connect(session, &ConversationSession::stopRequested, this, [this] {
        if (!m_sinceStop.isValid())
            m_sinceStop.start();
        refresh();
    });
    connect(session, &ConversationSession::turnStarted, this, &ConversationPane::takeTurnStarted);
    connect(session, &ConversationSession::turnFinished, this, &ConversationPane::takeTurnFinished);
    connect(session, &ConversationSession::branchChanged, this, &ConversationPane::refresh);
    connect(session, &ConversationSession::titleChanged, this,
            [this](const QString &title) { m_header->setTitle(title); });
    connect(session, &ConversationSession::pendingMessageChanged, this,
            &ConversationPane::showPending);
    connect(session, &ConversationSession::pendingMessageReturned, this,
            [this](const QString &text) {
                m_composer->setText(m_composer->isEmpty() ? text
                                                          : text + u"\n\n"_s + m_composer->text());
            });
    connect(session, &ConversationSession::refused, this, &ConversationPane::showNotice);
    connect(session, &ConversationSession::undone, this,
            [this](const CallId &, const QString &problem) {
                if (!problem.isEmpty())
                    showNotice(problem);
            });
}

void ConversationPane::applySettings(const Settings &settings)
{
    const Profile *profile = settings.profile(settings.currentProfile);
    m_composer->setPlaceholder(messagePlaceholder(profile));
    m_composer->setModelText(answererText(profile));
    m_composer->edit()->setSendKey(settings.enterSends ? MessageEdit::SendKey::Enter
                                                       : MessageEdit::SendKey::CtrlEnter);
    m_firstStart->setAnswerer(profile);
    m_transcript->setZoom(settings.transcriptZoom);
}

void ConversationPane::stop()
{
    if (!m_session || !m_session->isRunning())
        return;
    m_session->stop();
    noteStopPressed();
}

void ConversationPane::noteStopPressed()
{
    if (!m_session || !m_session->isRunning())
        return;
    if (!m_sinceStop.isValid())
        m_sinceStop.start();
    else if (m_sinceStop.elapsed() > DoubleClickTime)
        m_isForced = true;
    refresh();
}

void ConversationPane::continueLast()
{
    const TurnRecord *turn = lastTurn();
    if (m_session && !m_session->isRunning() && turn && endedEarly(*turn))
        m_session->continueTurn(turn->id);
}

void ConversationPane::send(const QString &text)
{
    if (m_session)
        m_session->send(text);
}

void ConversationPane::sendFromComposer(const QString &text)
{
    if (!m_session)
        return;
    if (m_editedTurn.isNull()) {
        m_session->send(text);
        m_composer->clear();
        keepDraft();
        return;
    }
    if (m_session->editTurn(m_editedTurn, text))
        endEdit();
}

void ConversationPane::beginEdit(const TurnId &turn, const QString &text)
{
    if (m_editedTurn.isNull())
        m_textBeforeEdit = m_composer->text();
    m_editedTurn = turn;
    m_composer->setText(text);
    auto *bar = new Bar(Bar::Kind::Notice,
                        tr("You are editing a message. Sending it makes a new version; the old one "
                           "is kept."));
    bar->setIcon(Icon::Edit);
    connect(bar->addButton(tr("Leave as it was"), Bar::Action::Quiet), &QPushButton::clicked, this,
            &ConversationPane::endEdit);
    m_bars->show(BarStack::Purpose::Editing, bar);
    focusMessage();
}

void ConversationPane::endEdit()
{
    if (m_editedTurn.isNull())
        return;
    m_editedTurn = {};
    m_composer->setText(std::exchange(m_textBeforeEdit, {}));
    m_bars->remove(BarStack::Purpose::Editing);
    focusMessage();
}

void ConversationPane::keepDraft()
{
    m_draftDelay.stop();
    if (!m_session)
        return;
    // The text of an edit is a copy; the draft is what stood there before.
    const QString text = m_editedTurn.isNull() ? m_composer->text() : m_textBeforeEdit;
    m_session->setDraft(text.trimmed().isEmpty() ? QString() : text);
}

void ConversationPane::applyEvents(const TurnEventBatch &batch)
{
    m_meter.noteEvent(steadyClock().now());
    bool changesStatus = false;
    bool changesList = false;
    for (const TurnEvent &event : batch.events) {
        if (const auto *failed = std::get_if<SaveFailed>(&event)) {
            showSaveState(failed->message);
        } else if (std::holds_alternative<SaveRecovered>(event)) {
            m_bars->remove(BarStack::Purpose::SaveFailed);
        } else if (std::holds_alternative<QuestionAsked>(event)
                   || std::holds_alternative<QuestionClosed>(event)) {
            showQuestion();
            changesList = true;
        } else if (std::holds_alternative<ApprovalAsked>(event)) {
            focusApproval();
            changesList = true;
        } else if (std::holds_alternative<ApprovalClosed>(event)) {
            if (std::exchange(m_isFocusMoved, false))
                focusMessage();
            changesList = true;
        }
        changesStatus |= changesList || std::holds_alternative<StageChanged>(event)
            || std::holds_alternative<RetryScheduled>(event);
    }
    if (changesStatus)
        refreshStatus();
    // Who has answered goes on writing.
    if (changesList && !m_session->openApproval() && m_transcript->hasFocus())
        focusMessage();
    if (changesList)
        emit turnStateChanged();
}

void ConversationPane::takeTurnStarted()
{
    m_isForced = false;
    m_sinceStop.invalidate();
    m_meter.start(steadyClock().now());
    m_bars->remove(BarStack::Purpose::Notice);
    // The actions go, and would leave the focus to whatever comes next in the window: Extend.
    if (m_transcript->isAncestorOf(QApplication::focusWidget()))
        focusMessage();
    refresh();
    emit turnStateChanged();
}

void ConversationPane::takeTurnFinished()
{
    m_isForced = false;
    m_sinceStop.invalidate();
    m_bars->remove(BarStack::Purpose::Question);
    refresh();
    const TurnRecord *turn = lastTurn();
    if (turn && endedEarly(*turn) && mayMoveFocus())
        m_transcript->focusContinue();
    emit turnStateChanged();
}

void ConversationPane::refresh()
{
    const bool runs = m_session && m_session->isRunning();
    using State = Composer::State;
    m_composer->setState(!runs                         ? State::Idle
                             : m_isForced              ? State::Forced
                             : m_session->isStopping() ? State::Stopping
                                                       : State::Running);
    const bool isEmpty = !runs && (!m_session || m_session->conversation().turns.empty());
    m_stack->setCurrentWidget(isEmpty ? static_cast<QWidget *>(m_firstStart) : m_transcript);
    const QString title = m_session ? m_session->conversation().title : QString();
    m_header->setTitle(title.isEmpty() ? tr("New conversation") : title);
    if (runs)
        m_tick.start();
    else
        m_tick.stop();
    refreshStatus();
}

void ConversationPane::refreshStatus()
{
    if (!m_session || !m_session->isRunning()) {
        m_status->setQuestionHidden(false);
        m_status->setText(idleStatusText(lastTurn()));
        return;
    }
    const Instant now = steadyClock().now();
    m_meter.sample(m_session->usage().output, now);
    TurnProgress progress = progressOf(*m_session, m_meter, now);
    progress.isForced = m_isForced;
    m_status->setQuestionHidden(m_session->openApproval() && !m_approvalIsVisible);
    m_status->setText(statusText(progress));
}

void ConversationPane::showQuestion()
{
    const std::optional<TurnQuestion> question =
        m_session ? m_session->openQuestion() : std::nullopt;
    if (!question) {
        m_bars->remove(BarStack::Purpose::Question);
        return;
    }
    const QString text = !question->text.isEmpty()
        ? question->text
        : tr("%1 model calls in this turn. Go on?").arg(question->count);
    auto *bar = new Bar(Bar::Kind::Question, text);
    QPushButton *goOn = bar->addButton(tr("Go on"), Bar::Action::Normal);
    QPushButton *end = bar->addButton(tr("End the turn"), Bar::Action::SafeDefault);
    const auto answer = [this](bool isYes) {
        if (m_session)
            m_session->answerQuestion(isYes);
        m_bars->remove(BarStack::Purpose::Question);
    };
    connect(goOn, &QPushButton::clicked, this, [answer] { answer(true); });
    connect(end, &QPushButton::clicked, this, [answer] { answer(false); });
    const bool movesFocus = mayMoveFocus();
    m_bars->show(BarStack::Purpose::Question, bar);
    if (movesFocus)
        end->setFocus(Qt::OtherFocusReason);
}

void ConversationPane::focusApproval()
{
    // Who has scrolled away reads something else: the status line offers the question then.
    if (!mayMoveFocus() || !m_transcript->isAtEnd())
        return;
    m_transcript->showApproval();
    m_isFocusMoved = true;
}

void ConversationPane::showPending()
{
    const QString text = m_session ? m_session->pendingMessage() : QString();
    if (text.isEmpty()) {
        m_bars->remove(BarStack::Purpose::Pending);
        return;
    }
    QString shown = text.left(LongestShown).simplified();
    if (shown.size() < text.size())
        shown += u'…';
    auto *bar = new Bar(Bar::Kind::Notice, tr("Sent after this answer: “%1”").arg(shown));
    bar->setIcon(Icon::Clock);
    connect(bar->addButton(tr("Take back"), Bar::Action::Quiet), &QPushButton::clicked, this,
            [this] {
                if (!m_session)
                    return;
                const QString taken = m_session->takePendingMessage();
                m_composer->setText(m_composer->isEmpty() ? taken
                                                          : taken + u"\n\n"_s + m_composer->text());
                focusMessage();
            });
    connect(bar->addButton(tr("Stop and send now"), Bar::Action::Quiet), &QPushButton::clicked,
            this, [this] {
                if (m_session)
                    m_session->sendNow(m_session->takePendingMessage());
            });
    m_bars->show(BarStack::Purpose::Pending, bar);
}

void ConversationPane::showSaveState(const QString &message)
{
    auto *bar = new Bar(Bar::Kind::Problem, message);
    m_bars->show(BarStack::Purpose::SaveFailed, bar);
}

void ConversationPane::showNotice(const QString &text)
{
    auto *bar = new Bar(Bar::Kind::Notice, text);
    connect(bar->addButton(tr("Close"), Bar::Action::Quiet), &QPushButton::clicked, this,
            [this] { m_bars->remove(BarStack::Purpose::Notice); });
    m_bars->show(BarStack::Purpose::Notice, bar);
}

void ConversationPane::showDetails(const QString &details)
{
    auto *window = new DetailsWindow(details, this);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->show();
}

void ConversationPane::focusMessage()
{
    m_composer->edit()->setFocus(Qt::OtherFocusReason);
}

void ConversationPane::attachFile()
{
    auto *dialog = new QFileDialog(this, tr("Attach a text file"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        auto *reader = new TextFileReader(this);
        connect(reader, &TextFileReader::finished, this, [this, reader](const TextFile &file) {
            reader->deleteLater();
            m_composer->insertText(asMessagePart(file));
            focusMessage();
        });
        connect(reader, &TextFileReader::failed, this, [this, reader](const QString &message) {
            reader->deleteLater();
            showNotice(message);
        });
        reader->read(path);
    });
    dialog->open();
}

bool ConversationPane::mayMoveFocus() const
{
    return isVisible() && (m_composer->isEmpty() || !m_composer->edit()->hasFocus());
}

const TurnRecord *ConversationPane::lastTurn() const
{
    return m_session ? m_session->conversation().find(m_session->conversation().activeTurn)
                     : nullptr;
}

} // namespace fermata
