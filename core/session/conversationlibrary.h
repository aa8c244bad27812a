// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "conversation/conversation.h"
#include "session/cancelreply.h"
#include "session/conversationapprovals.h"

#include <QObject>
#include <QString>

#include <memory>
#include <vector>

namespace fermata {

class ConversationSession;
struct CancelRequest;
struct SessionServices;

struct LibraryHit
{
    ConversationId conversation;
    TurnId turn;
    QString title;
    QString snippet;
    QDateTime updatedAt;
};

// All conversations: the list, and the open ones. Lives on the GUI thread; reads and writes happen on a thread of its
// own, and every answer is a signal. What is told about a conversation that runs comes from its session.
class ConversationLibrary final : public QObject
{
    Q_OBJECT

public:
    explicit ConversationLibrary(std::shared_ptr<const SessionServices> services,
                                 QObject *parent = nullptr);
    ~ConversationLibrary() override;

    void load(); // what a crash has cut, then recovered(), then the list; ends with listChanged()
    const std::vector<ConversationSummary> &list() const;

    // Makes an empty conversation that is saved, and listed, with its first message or its draft. The session belongs to
    // the library.
    ConversationSession *createConversation();
    // Ends with opened() or openFailed(). One that is open already is announced as it is.
    void open(const ConversationId &id);
    ConversationSession *session(const ConversationId &id) const; // null if it is not open
    // Ends the session of a conversation that does not run; the others stay.
    void close(const ConversationId &id);

    void
    search(const QString
               &text); // ends with searched(); an older search that is still under way is dropped
    void rename(const ConversationId &id, const QString &title);
    // Stops a running turn, then hides it; undoRemove() brings the last one back, until the next start.
    void remove(const ConversationId &id);
    void undoRemove(const ConversationId &id);
    void exportTo(const ConversationId &id, const QString &path); // .md or .jsonl, by the name
    void importFrom(const QString &path);

    // What the user has allowed for single conversations since the start, and taking one of these back.
    std::vector<ConversationRule> conversationRules() const;
    void revoke(const ConversationRule &rule);

    // A program's request for a turn of the conversation that it speaks for; those of the others are refused.
    CancelReply cancelTurn(const ConversationId &asking, const CancelRequest &request);

    // After databaseDamaged(), and not before the user agrees. Renames the database to one that ends in
    // ".corrupt-<time>", deletes nothing, and goes on with a new one; transferFinished() tells the name, or failed().
    void setDatabaseAside();
    // Copies the damaged files; ends with transferFinished().
    void copyDatabaseTo(const QString &folder);

    int runningTurns() const;
    // For quitting: stops every turn with that cause; allIdle() when the last one has been saved.
    void stopAll(CancellationCause cause);

signals:
    // What the last run has left is settled, or could not be: from now on turns can be written.
    void recovered();
    void listChanged();
    void opened(fermata::ConversationSession *session);
    void openFailed(const fermata::ConversationId &id, const QString &message);
    void searched(const QString &text, const std::vector<fermata::LibraryHit> &hits);
    void removed(const fermata::ConversationId &id, const QString &title);
    void transferFinished(const QString &message); // of an export or import
    void
    failed(const QString &message); // a read or write that did not work: what, and what was kept
    // Nothing can be read and nothing saved; the file was left as it is.
    void databaseDamaged(const QString &message);
    void databaseSetAside();
    void allIdle();

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace fermata
