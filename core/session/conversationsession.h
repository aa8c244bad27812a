// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/conversation.h"
#include "conversation/turnevent.h"
#include "session/cancelreply.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>

namespace fermata {

struct CancelRequest;
struct SessionServices;

// One open conversation: what the window talks to. Lives on the GUI thread, owns the agent thread while a turn runs, and
// keeps the conversation as a value that every batch of events is folded into before it is announced. A conversation
// that is not shown goes on running. At most one turn at a time.
class ConversationSession final : public QObject
{
    Q_OBJECT

public:
    ConversationSession(Conversation conversation, std::shared_ptr<const SessionServices> services,
                        QObject *parent = nullptr);
    ~ConversationSession() override;

    const Conversation &conversation() const;
    bool isRunning() const; // until the terminal event has been applied
    std::optional<TurnId> runningTurn() const;
    bool isStopping() const;
    bool isPaused() const;
    TurnStage stage() const;
    StageChanged stageDetail() const;
    TokenUsage usage() const; // of the running turn; what nobody has counted yet is estimated
    std::chrono::milliseconds elapsed() const; // of the running turn
    std::vector<RunningLimit> limits() const; // that run now
    std::optional<ApprovalRequest> openApproval() const;
    std::optional<TurnQuestion> openQuestion() const;
    std::optional<RetryScheduled> retry() const;
    bool saveHasFailed() const;
    bool hasUnsaved() const; // of what has ended: it is nowhere else, and saving it is tried again

    // While a turn runs, the text waits and is sent after it (pendingMessage()); a second one is added to it.
    // A text that waited when the user pressed Stop is not sent: it goes before the draft, and pendingMessageReturned()
    // gives it back.
    void send(const QString &text);
    // Stops the running turn with cause Superseded and sends after its end.
    void sendNow(const QString &text);
    QString pendingMessage() const;
    QString takePendingMessage(); // back to the composer

    // What is written and not yet sent. The library keeps it with the conversation.
    QString draft() const;
    void setDraft(const QString &text);

    // The flag is set when this returns; never waits, never queued behind anything. A second call later than 400 ms
    // forces. With nothing running it does nothing.
    void stop();
    void stop(CancellationCause cause);
    // For programs: at most ten in a second, the surplus is refused and counted. Stop and Quit are never limited.
    CancelReply cancelTurn(const CancelRequest &request);
    // Requests that named a turn that had ended, or none of this conversation.
    int staleStops() const;
    void stopTool(const CallId &call);
    void answerApproval(const CallId &call, ApprovalDecision decision);
    void answerQuestion(bool goOn);
    void extend(Limit limit, std::chrono::milliseconds by);
    void pause();
    void resume();

    // On turns that have ended. Each makes a new turn and starts it; refused (false) while one runs.
    bool continueTurn(const TurnId &turn);
    bool retryTurn(const TurnId &turn);
    bool editTurn(const TurnId &turn, const QString &text);
    void setTitle(const QString &title);
    // Shows another branch. Refused while a turn runs.
    bool activate(const TurnId &turn);
    // Takes the effect of a finished call back, on the agent's thread; undone() tells the end. Refused while a turn
    // runs. What is sent meanwhile waits, so that the next request tells of it.
    void undo(const CallId &call);

signals:
    // After the batch was folded into conversation(). Not more often than once a frame.
    void eventsApplied(const fermata::TurnEventBatch &batch);
    // The flag was set for the running turn: at once, before anything of the turn has ended.
    void stopRequested();
    void turnStarted(const fermata::TurnId &turn);
    void turnFinished(const fermata::TurnId &turn);
    void branchChanged(); // another path is active
    void titleChanged(const QString &title);
    void pendingMessageChanged();
    void pendingMessageReturned(const QString &text);
    void draftChanged();
    void refused(const QString &why); // busy, or nothing to continue
    void undone(const fermata::CallId &call, const QString &problem); // empty: done

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace fermata
