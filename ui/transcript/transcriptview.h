// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/turnevent.h"
#include "ui/transcript/transcriptlayout.h"
#include "ui/transcript/transcriptmodel.h"
#include "ui/transcript/transcriptselection.h"

#include <QAbstractScrollArea>
#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>

#include <memory>
#include <optional>
#include <set>

namespace fermata {

class ConversationSession;
class TranscriptOverlay;

// The messages of a conversation, from the first to the one that is being written. It follows the end only while the
// reader is at the end. Text of a model is painted and nothing else: no picture is loaded, no address is opened without a
// question. In the accessibility tree it is a list with one item for each message.
class TranscriptView final : public QAbstractScrollArea
{
    Q_OBJECT

public:
    explicit TranscriptView(QWidget *parent = nullptr);
    ~TranscriptView() override;

    // Borrowed. Follows the session's events, and answers approvals, stops tools and changes branches by itself. Null
    // shows nothing.
    void setSession(ConversationSession *session);
    // Without a session: the conversation is borrowed, and batches must have been folded into it before apply().
    void setConversation(const Conversation *conversation);
    void apply(const TurnEventBatch &batch);
    void setApproval(const std::optional<ApprovalRequest> &request);
    // The running turn is being stopped: the writing caret and the question go at once.
    void setStopping();

    void setZoom(int percent);
    int zoom() const { return m_zoom; }
    // Scrolls so that the buttons of the open question are seen, and gives the focus to Deny.
    void showApproval();
    bool isApprovalVisible() const { return m_approvalVisible; }
    // Scrolls to the message of this turn.
    void showTurn(const TurnId &turn);
    void focusContinue();
    void scrollToEnd();
    bool isAtEnd() const { return m_follows; }

    QString selectedText();
    void selectAll();
    void copySelection();
    void quoteSelection(); // asks for quoteRequested() if something is selected

    const TranscriptModel &model() const { return *m_model; }
    TranscriptLayout &layoutOfRows() { return *m_layout; }
    // Where a row is, in the coordinates of the viewport.
    QRect rowRect(int row) const;
    int rowAt(QPoint viewportPoint) const; // -1 if there is none
    // Does now what is to be done for the events that have come.
    void refreshNow();
    void activateTarget(int row, int part, const PartTarget &target);

signals:
    void continueRequested(const fermata::TurnId &turn);
    void retryRequested(const fermata::TurnId &turn);
    // The user wants to change what he wrote in this turn; `text` is what stands there.
    void editRequested(const fermata::TurnId &turn, const QString &text);
    void deleteRequested(const fermata::TurnId &turn);
    void limitLinkClicked(fermata::Limit limit);
    void detailsRequested(const fermata::TurnId &turn, const QString &details);
    // Whether the open question can be answered without scrolling; true if there is none.
    void approvalVisibleChanged(bool isVisible);
    void approvalAnswered(const fermata::CallId &call, fermata::ApprovalDecision decision);
    void stopToolRequested(const fermata::CallId &call);
    void undoRequested(const fermata::CallId &call);
    void versionRequested(const fermata::TurnId &turn);
    // The user wants to speak of this text in his next message.
    void quoteRequested(const QString &text);
    void zoomStepRequested(int step); // Ctrl and the wheel: +1 or -1

protected:
    bool viewportEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    bool focusNextPrevChild(bool next) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    friend class TranscriptOverlay;

    struct Spot
    { // a part below a point
        int row = -1;
        int part = -1;
        QPointF inside;

        bool isNull() const { return row < 0; }
    };

    void connectModel();
    void connectOverlay();
    RowSituation situationOf(int row);
    void restyle();
    void scheduleRefresh();
    void markDirty(int row);
    void settleAround(int delta);
    void scrollBy(int delta);
    void jumpTo(int y);
    void setScrollPosition(int y);
    void afterScroll();
    void updateRunningRows();
    int columnLeft() const { return m_columnLeft; }
    int scrollPosition() const { return m_position; }
    QPoint toLayout(QPoint viewportPoint) const;

    Spot spotAt(QPoint viewportPoint);
    std::optional<PartTarget> targetAt(const Spot &spot, int *index = nullptr) const;
    void setHover(const Spot &spot);
    void updateSpot(const Spot &spot);
    void autoScroll();
    void selectWord(const Spot &spot, QPoint point);
    void showLinkHint(const Spot &spot, QPoint global);
    bool moveFocusedTarget(bool next);
    void copyCode(int row, int part);
    void copyAnswer(const TurnId &turn);
    void changeVersion(int row, int step);
    void requestEdit(const TurnId &turn);

    std::unique_ptr<TranscriptModel> m_model;
    std::unique_ptr<TranscriptLayout> m_layout;
    TranscriptSelection m_selection;
    TranscriptOverlay *m_overlay;
    QPointer<ConversationSession> m_session;
    std::optional<ApprovalRequest> m_approval;
    TurnId m_stoppingTurn;
    int m_zoom = 100;

    int m_columnLeft = 0;
    int m_position = 0; // the top of the view in the layout
    bool m_follows = true;
    bool m_hasNewText = false; // came below what is seen, and was not looked at yet
    bool m_adjusting = false; // the scroll bar is being set, not moved
    bool m_approvalVisible = true;

    std::set<int> m_dirty;
    QTimer m_refresh;
    QElapsedTimer m_sinceRefresh;
    qint64 m_lastCost = 0; // of a refresh, in microseconds
    QTimer m_runningTick;
    QTimer m_autoScroll;

    Spot m_hover;
    Spot m_pressed;
    bool m_selecting = false;
    bool m_dragged = false;
    QPoint m_lastMouse;
    struct FocusedTarget
    {
        int row = -1;
        int part = -1;
        int target = -1;
    } m_focused;
};

} // namespace fermata
