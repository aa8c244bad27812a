// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/turnevent.h"
#include "ui/status/turnmeter.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>
#include <QWidget>

class QStackedWidget;

namespace fermata {

class Bar;
class BarStack;
class Composer;
class ConversationSession;
class FirstStartPage;
class PaneHeader;
class StatusLine;
class TranscriptView;
struct Settings;

// One conversation: header, transcript or first start, status line, bars and composer, tied to its session. Another
// session can be put into its place at any time; what was written for the first one waits for it.
class ConversationPane final : public QWidget
{
    Q_OBJECT

public:
    explicit ConversationPane(QWidget *parent = nullptr);
    ~ConversationPane() override;

    void setSession(ConversationSession *session);
    ConversationSession *session() const;
    void applySettings(const Settings &settings);

    PaneHeader *header() const { return m_header; }
    Composer *composer() const { return m_composer; }
    StatusLine *statusLine() const { return m_status; }
    BarStack *bars() const { return m_bars; }
    FirstStartPage *firstStart() const { return m_firstStart; }
    TranscriptView *transcript() const { return m_transcript; }

    // Stop, or a second time: force. Nothing if nothing runs.
    void stop();
    // Goes on with the last turn, if it has ended early.
    void continueLast();
    void send(const QString &text);
    void showNotice(const QString &text);
    void focusMessage();
    // What is in the message field becomes the draft of the session: at the latest a second after the last change, when
    // another session is shown, and when this is called.
    void keepDraft();

signals:
    // A turn of the session has started, stopped or ended, or asks: the list has something else to show.
    void turnStateChanged();
    void limitSettingsRequested(fermata::Limit limit);
    void deleteRequested();
    void zoomStepRequested(int step); // +1 or -1

private:
    void build();
    void connectTranscript();
    void connectSession();
    void applyEvents(const TurnEventBatch &batch);
    void noteStopPressed();
    void takeTurnStarted();
    void takeTurnFinished();
    void refresh();
    void refreshStatus();
    void showQuestion();
    void focusApproval();
    void showPending();
    void showDetails(const QString &details);
    void showSaveState(const QString &message);
    void beginEdit(const TurnId &turn, const QString &text);
    void endEdit();
    void sendFromComposer(const QString &text);
    void attachFile();
    // Whether the focus may be taken to where the next step is.
    bool mayMoveFocus() const;
    const TurnRecord *lastTurn() const;

    QPointer<ConversationSession> m_session;
    PaneHeader *m_header;
    QStackedWidget *m_stack;
    TranscriptView *m_transcript;
    FirstStartPage *m_firstStart;
    StatusLine *m_status;
    BarStack *m_bars;
    Composer *m_composer;

    QTimer m_tick;
    TurnMeter m_meter;
    QElapsedTimer m_sinceStop;
    bool m_isForced = false;
    bool m_approvalIsVisible = true;
    bool m_isFocusMoved = false; // to a question, by us
    TurnId m_editedTurn;
    QString m_textBeforeEdit;
    QTimer m_draftDelay;
};

} // namespace fermata
