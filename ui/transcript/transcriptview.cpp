// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/transcriptview.h"

#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/transcript/answeractions.h"
#include "ui/transcript/approvalcard.h"
#include "ui/transcript/toolcardpart.h"
#include "ui/transcript/transcriptaccessible.h"
#include "ui/transcript/transcriptoverlay.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPainter>
#include <QPaintEvent>
#include <QPushButton>
#include <QScrollBar>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace fermata {

namespace {

constexpr int FrameMs = 16;
// A refresh that takes long is done less often: the window stays free for at least this many times its cost.
constexpr int RestFactor = 4;
constexpr int LongestRestMs = 250;
constexpr int RunningTickMs = 250;
constexpr int AutoScrollMs = 30;

} // namespace

TranscriptView::TranscriptView(QWidget *parent)
    : QAbstractScrollArea(parent), m_model(std::make_unique<TranscriptModel>()),
      m_layout(std::make_unique<TranscriptLayout>(*m_model)), m_overlay(new TranscriptOverlay(this))
{
    installTranscriptAccessible();
    setAccessibleName(tr("Transcript"));
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setBackgroundRole(QPalette::Base);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    verticalScrollBar()->setSingleStep(metrics::Space32);

    m_layout->situation = [this](int row) { return situationOf(row); };
    m_refresh.setSingleShot(true);
    connect(&m_refresh, &QTimer::timeout, this, &TranscriptView::refreshNow);
    m_runningTick.setInterval(RunningTickMs);
    connect(&m_runningTick, &QTimer::timeout, this, &TranscriptView::updateRunningRows);
    m_autoScroll.setInterval(AutoScrollMs);
    connect(&m_autoScroll, &QTimer::timeout, this, &TranscriptView::autoScroll);
    connectModel();
    connectOverlay();
    restyle();
}

TranscriptView::~TranscriptView() = default;

void TranscriptView::connectModel()
{
    connect(m_model.get(), &TranscriptModel::modelReset, this, [this] {
        m_dirty.clear();
        m_selection.clear();
        m_hover = m_pressed = {};
        m_focused = {};
        m_hasNewText = false;
        m_follows = true;
        m_overlay->setHoverRow(-1);
        m_layout->reset();
        scheduleRefresh();
    });
    connect(m_model.get(), &TranscriptModel::rowsAdded, this, [this](int first, int last) {
        // What was the last answer keeps its foot, but its actions go.
        if (first > 0)
            markDirty(first - 1);
        m_layout->appendRows(last);
        m_hasNewText = true;
        notifyRowsAdded(this, first, last);
        scheduleRefresh();
    });
    connect(m_model.get(), &TranscriptModel::rowChanged, this, [this](int row) {
        m_hasNewText = m_hasNewText || !m_follows;
        markDirty(row);
    });
}

void TranscriptView::connectOverlay()
{
    connect(m_overlay, &TranscriptOverlay::newTextClicked, this, &TranscriptView::scrollToEnd);
    connect(m_overlay, &TranscriptOverlay::approvalAnswered, this,
            &TranscriptView::approvalAnswered);
    connect(m_overlay, &TranscriptOverlay::stopToolClicked, this,
            &TranscriptView::stopToolRequested);
    connect(m_overlay, &TranscriptOverlay::undoClicked, this, &TranscriptView::undoRequested);
    for (AnswerActions *actions : {m_overlay->actions(), m_overlay->hoverActions()}) {
        connect(actions, &AnswerActions::continueRequested, this,
                &TranscriptView::continueRequested);
        connect(actions, &AnswerActions::retryRequested, this, &TranscriptView::retryRequested);
        connect(actions, &AnswerActions::deleteRequested, this, &TranscriptView::deleteRequested);
        connect(actions, &AnswerActions::copyRequested, this, &TranscriptView::copyAnswer);
        connect(actions, &AnswerActions::editRequested, this, &TranscriptView::requestEdit);
    }
}

// --- What is shown ---

void TranscriptView::setConversation(const Conversation *conversation)
{
    m_approval.reset();
    m_overlay->setApproval({});
    m_stoppingTurn = {};
    m_model->setConversation(conversation);
    refreshNow();
}

void TranscriptView::apply(const TurnEventBatch &batch)
{
    bool isEnd = false;
    for (const TurnEvent &event : batch.events) {
        if (const auto *asked = std::get_if<ApprovalAsked>(&event)) {
            setApproval(asked->request);
        } else if (const auto *closed = std::get_if<ApprovalClosed>(&event)) {
            if (m_approval && m_approval->call == closed->call)
                setApproval({});
        } else if (std::holds_alternative<TurnFinished>(event)) {
            isEnd = true;
            setApproval({});
        } else if (std::holds_alternative<TurnStarted>(event)) {
            m_follows = true; // who sends wants to see what comes
        }
    }
    m_model->apply(batch);
    // The end of a turn is shown at once; what is on the way there, once a frame.
    if (isEnd) {
        refreshNow();
        notifyRowChanged(this, m_model->rowOfAnswer(batch.turn));
    }
}

void TranscriptView::setApproval(const std::optional<ApprovalRequest> &request)
{
    if (!request && !m_approval)
        return;
    m_approval = request;
    m_overlay->setApproval(request);
    if (m_model->rowCount() > 0)
        markDirty(m_model->rowCount() - 1);
}

void TranscriptView::setStopping()
{
    const int last = m_model->rowCount() - 1;
    if (last < 0)
        return;
    m_stoppingTurn = m_model->row(last).turn;
    setApproval({});
    markDirty(last);
    refreshNow();
}

RowSituation TranscriptView::situationOf(int row)
{
    RowSituation around;
    if (m_model->row(row).kind == TranscriptRow::Kind::User)
        return around;
    const TurnRecord &turn = m_model->record(row);
    const bool isLast = row == m_model->rowCount() - 1;
    around.notices = m_model->notices(turn.id);
    around.isWriting = turn.isRunning() && turn.id != m_stoppingTurn;
    around.actions = isLast ? FootPart::Actions::Shown : FootPart::Actions::Hidden;
    // Without a message between them, what it goes on with stands right above.
    for (int at = row; at > 0 && m_model->record(at).kind == TurnKind::Continuation
         && m_model->row(at - 1).kind == TranscriptRow::Kind::Answer;
         --at)
        around.cut.prepend(m_model->record(at - 1).answerText());
    if (!turn.isRunning()) {
        const std::vector<TurnId> versions = m_model->versions(turn.id);
        const auto here = std::find(versions.begin(), versions.end(), turn.id);
        around.version = {int(here - versions.begin()) + 1,
                          int(std::max<size_t>(1, versions.size()))};
    }
    if (isLast && m_approval) {
        around.placeHeight = m_overlay->approvalHeight(m_layout->width());
        around.askingAlone = m_approval->call;
    }
    return around;
}

void TranscriptView::restyle()
{
    m_layout->setStyle(TranscriptStyle::make(themeOf(this), m_zoom / 100.0, devicePixelRatioF()));
}

void TranscriptView::setZoom(int percent)
{
    percent = std::clamp(percent, 80, 200);
    if (percent == m_zoom)
        return;
    const TranscriptLayout::Anchor anchor = m_layout->anchorAt(m_position);
    m_zoom = percent;
    restyle();
    m_position = m_layout->positionOf(anchor);
    settleAround(0);
}

// --- Bringing up to date ---

void TranscriptView::markDirty(int row)
{
    m_dirty.insert(row);
    scheduleRefresh();
}

void TranscriptView::scheduleRefresh()
{
    if (m_refresh.isActive())
        return;
    qint64 wait = 0;
    if (m_sinceRefresh.isValid()) {
        const qint64 rest =
            std::clamp<qint64>(m_lastCost * RestFactor / 1000, FrameMs, LongestRestMs);
        wait = std::max<qint64>(0, rest - m_sinceRefresh.elapsed());
    }
    m_refresh.start(int(wait));
}

void TranscriptView::refreshNow()
{
    m_refresh.stop();
    QElapsedTimer cost;
    cost.start();
    const TranscriptLayout::Anchor anchor =
        m_follows ? TranscriptLayout::Anchor() : m_layout->anchorAt(m_position);
    for (const int row : std::exchange(m_dirty, {})) {
        if (row < m_layout->rowCount())
            m_layout->updateRow(row);
    }
    if (!m_follows)
        m_position = m_layout->positionOf(anchor);
    settleAround(0);
    m_lastCost = cost.nsecsElapsed() / 1000;
    m_sinceRefresh.start();
}

// Makes exact what is seen after the view has moved by `delta`, without moving what is read.
void TranscriptView::settleAround(int delta)
{
    const int height = viewport()->height();
    if (m_follows && delta == 0) {
        m_position = m_layout->settleAtEnd(height);
    } else {
        const TranscriptLayout::Anchor anchor = m_layout->anchorAt(m_position);
        const int top = m_layout->settle(anchor, std::max(0, -delta), height + std::max(0, delta));
        m_position = top + delta;
    }
    const int most = std::max(0, m_layout->totalHeight() - height);
    if (m_position > most) { // the end came nearer than was estimated
        m_position = m_layout->settleAtEnd(height);
        m_follows = true;
    }
    m_position = std::max(0, m_position);
    setScrollPosition(m_position);
}

void TranscriptView::setScrollPosition(int y)
{
    const int most = std::max(0, m_layout->totalHeight() - viewport()->height());
    m_adjusting = true;
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setRange(0, most);
    verticalScrollBar()->setValue(y);
    m_adjusting = false;
    m_position = y;
    afterScroll();
}

void TranscriptView::afterScroll()
{
    const int height = viewport()->height();
    m_follows = m_position >= m_layout->totalHeight() - height - 1;
    if (m_follows)
        m_hasNewText = false;
    m_layout->trim(m_position, m_position + height);
    m_overlay->place();

    bool runs = false;
    const int last = m_model->rowCount() - 1;
    if (const RowContent *content = m_layout->existingContent(last))
        runs = content->hasRunningTool();
    if (runs != m_runningTick.isActive()) {
        if (runs)
            m_runningTick.start();
        else
            m_runningTick.stop();
    }
    bool visible = true;
    if (const ApprovalCard *card = m_overlay->approvalCard(); card && !card->isHidden()) {
        const int buttons = card->geometry().bottom() - metrics::ButtonHeight;
        visible = buttons > 0 && buttons < height;
    }
    if (std::exchange(m_approvalVisible, visible) != visible)
        emit approvalVisibleChanged(visible);
    viewport()->update();
}

void TranscriptView::scrollBy(int delta)
{
    const int most = std::max(0, m_layout->totalHeight() - viewport()->height());
    delta = std::max(delta, -m_position);
    if (delta > 0)
        delta = std::min(delta, most - m_position);
    if (delta == 0)
        return;
    settleAround(delta);
}

void TranscriptView::jumpTo(int y)
{
    const TranscriptLayout::Anchor anchor = m_layout->anchorAt(std::max(0, y));
    m_follows = false;
    m_position = m_layout->positionOf(anchor);
    settleAround(0);
}

void TranscriptView::scrollContentsBy(int, int)
{
    if (m_adjusting)
        return;
    const int y = verticalScrollBar()->value();
    if (y >= verticalScrollBar()->maximum())
        scrollToEnd();
    else if (std::abs(y - m_position) <= viewport()->height())
        scrollBy(y - m_position);
    else
        jumpTo(y);
}

void TranscriptView::scrollToEnd()
{
    m_follows = true;
    m_hasNewText = false;
    settleAround(0);
}

void TranscriptView::showTurn(const TurnId &turn)
{
    refreshNow();
    for (int row = 0; row < m_model->rowCount(); ++row) {
        if (m_model->row(row).turn != turn)
            continue;
        TranscriptLayout::Anchor anchor;
        anchor.row = row;
        anchor.part = 0;
        anchor.offset = -metrics::Space16;
        m_layout->content(row);
        m_follows = false;
        m_position = m_layout->settle(anchor, 0, viewport()->height());
        settleAround(0);
        return;
    }
}

void TranscriptView::showApproval()
{
    refreshNow();
    ApprovalCard *card = m_overlay->approvalCard();
    if (!card)
        return;
    const int over = card->geometry().bottom() + metrics::Space8 - viewport()->height();
    if (over > 0 || card->geometry().top() < 0)
        jumpTo(m_position + over);
    card->focusDeny();
}

void TranscriptView::focusContinue()
{
    refreshNow();
    if (m_overlay->actions()->isVisible())
        m_overlay->actions()->continueButton()->setFocus(Qt::OtherFocusReason);
}

// --- Painting ---

QPoint TranscriptView::toLayout(QPoint viewportPoint) const
{
    return viewportPoint + QPoint(-m_columnLeft, m_position);
}

QRect TranscriptView::rowRect(int row) const
{
    return QRect(m_columnLeft, m_layout->rowTop(row) - m_position, m_layout->width(),
                 m_layout->rowHeight(row));
}

int TranscriptView::rowAt(QPoint viewportPoint) const
{
    const int row = m_layout->rowAt(toLayout(viewportPoint).y());
    return row >= 0 && rowRect(row).contains(viewportPoint) ? row : -1;
}

void TranscriptView::paintEvent(QPaintEvent *event)
{
    QPainter painter(viewport());
    const TranscriptStyle &style = m_layout->style();
    painter.fillRect(event->rect(), style.theme.base);
    const QRect clip = event->rect();
    for (const TranscriptLayout::Seen &seen :
         m_layout->seen(m_position + clip.top(), m_position + clip.bottom() + 1)) {
        seen.object->layOut(style, m_layout->width());
        PartPaint paint{style, QRectF(seen.rect.translated(m_columnLeft, -m_position)),
                        QRectF(clip)};
        std::tie(paint.selectedFrom, paint.selectedTo) =
            m_selection.rangeIn(seen.row, seen.part, seen.object->length());
        if (m_hover.row == seen.row && m_hover.part == seen.part)
            paint.hover = m_hover.inside;
        if (m_focused.row == seen.row && m_focused.part == seen.part && hasFocus())
            paint.focusedTarget = m_focused.target;
        painter.save();
        // What is drawn stays in its place, whatever the characters are. A ring may reach over the edge.
        painter.setClipRect(paint.rect.adjusted(-m_columnLeft, -3, m_columnLeft, 3));
        seen.object->paint(&painter, paint);
        painter.restore();
        const RowContent *content = m_layout->existingContent(seen.row);
        if (content && content->writingPart() == seen.part) {
            const QRectF caret = seen.object->endCaret().translated(paint.rect.topLeft());
            painter.fillRect(caret, style.theme.accentText);
        }
    }
}

void TranscriptView::updateRunningRows()
{
    for (const TranscriptLayout::Seen &seen :
         m_layout->seen(m_position, m_position + viewport()->height())) {
        const auto *card = dynamic_cast<const ToolCardPart *>(seen.object);
        if (!card)
            continue;
        for (const QRectF &rect : card->runningRects())
            viewport()->update(rect.toAlignedRect()
                                   .translated(seen.rect.topLeft())
                                   .translated(m_columnLeft, -m_position));
    }
}

void TranscriptView::resizeEvent(QResizeEvent *)
{
    const TranscriptLayout::Anchor anchor = m_layout->anchorAt(m_position);
    const metrics::Column column = metrics::columnIn(width());
    m_columnLeft = column.left;
    if (column.width != m_layout->width()) {
        m_layout->setWidth(column.width);
        if (m_approval && m_model->rowCount() > 0)
            m_layout->updateRow(m_model->rowCount() - 1);
    }
    if (!m_follows)
        m_position = m_layout->positionOf(anchor);
    settleAround(0);
}

void TranscriptView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    switch (event->type()) {
    case QEvent::PaletteChange:
    case QEvent::StyleChange:
    case QEvent::ApplicationFontChange: {
        const TranscriptLayout::Anchor anchor = m_layout->anchorAt(m_position);
        restyle();
        m_position = m_layout->positionOf(anchor);
        settleAround(0);
        break;
    }
    default:
        break;
    }
}

// --- Taking text along ---

QString TranscriptView::selectedText()
{
    return m_selection.text(*m_model, *m_layout);
}

void TranscriptView::selectAll()
{
    m_selection.selectAll(m_model->rowCount());
    viewport()->update();
}

void TranscriptView::quoteSelection()
{
    const QString text = selectedText();
    if (!text.isEmpty())
        emit quoteRequested(text);
}

void TranscriptView::copySelection()
{
    const QString text = selectedText();
    if (!text.isEmpty())
        QGuiApplication::clipboard()->setText(text);
}

// The answer with all that it was taken up from.
void TranscriptView::copyAnswer(const TurnId &turn)
{
    QString text;
    for (int row = m_model->rowOfAnswer(turn); row >= 0; --row) {
        text.prepend(m_model->messageText(row));
        if (m_model->record(row).kind != TurnKind::Continuation)
            break;
    }
    QGuiApplication::clipboard()->setText(text);
}

void TranscriptView::requestEdit(const TurnId &turn)
{
    if (const TurnRecord *message = m_model->messageTurn(turn))
        emit editRequested(message->id, message->userText);
}

void TranscriptView::changeVersion(int row, int step)
{
    const std::vector<TurnId> versions = m_model->versions(m_model->row(row).turn);
    const auto here = std::find(versions.begin(), versions.end(), m_model->row(row).turn);
    const auto wanted = here - versions.begin() + step;
    if (wanted >= 0 && wanted < qsizetype(versions.size()))
        emit versionRequested(versions[size_t(wanted)]);
}

} // namespace fermata
