// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/conversationlibrary.h"

#include "base/cancelrequest.h"
#include "conversation/serialization.h"
#include "session/conversationsession.h"
#include "session/sessionservices.h"
#include "session/storethread.h"
#include "session/transferfile.h"
#include "store/databasecopy.h"

#include <QHash>
#include <QSet>

#include <algorithm>

namespace fermata {

namespace {

constexpr int MostHits = 50;

struct Opened
{
    Conversation conversation;
    QString draft;
};

ConversationSummary::Mark markOf(const ConversationSession &session)
{
    if (session.openApproval() || session.openQuestion())
        return ConversationSummary::Mark::Asking;
    if (session.isRunning())
        return ConversationSummary::Mark::Running;
    const TurnRecord *last = session.conversation().find(session.conversation().activeTurn);
    return last ? markOf(*last) : ConversationSummary::Mark::None;
}

} // namespace

class ConversationLibrary::Private
{
public:
    Private(ConversationLibrary *library, std::shared_ptr<const SessionServices> sessionServices)
        : q(library), services(std::move(sessionServices)), store(services->databasePath)
    {
    }

    ConversationSession *adopt(Conversation conversation, const QString &draft = {});
    void connectSession(ConversationSession *session);
    void refresh(const ConversationSession &session);
    void report(const Error &error);
    void reportFailure(const Result<void> &result);
    void change(std::function<Result<void>(ConversationStore &)> work);
    void hide(const ConversationId &id);
    void reload();
    bool isListed(const ConversationId &id) const;
    void place(const ConversationSummary &summary);
    void saveDraft(const ConversationSession &session);
    void saveFirstDraft(const ConversationSession &session);
    void dropEmpty(const ConversationId &id);
    void takeFirstTitle(const ConversationSession &session);

    ConversationLibrary *const q;
    const std::shared_ptr<const SessionServices> services;
    std::vector<ConversationSummary> list;
    QHash<ConversationId, ConversationSession *> sessions; // children of q
    QHash<ConversationId, QString> removedTitles;
    QSet<ConversationId>
        emptied; // saved for a draft that was taken back: hidden, until something is in them
    int searchNumber = 0;
    bool stoppingAll = false;
    bool turnsHaveRun = false;
    StoreThread store; // last: its results use all of the above
};

ConversationLibrary::ConversationLibrary(std::shared_ptr<const SessionServices> services,
                                         QObject *parent)
    : QObject(parent), d(std::make_unique<Private>(this, std::move(services)))
{
}

ConversationLibrary::~ConversationLibrary()
{
    qDeleteAll(std::exchange(d->sessions, {}));
}

void ConversationLibrary::load()
{
    d->store.ask<int>(
        [](ConversationStore &store) -> Result<int> {
            if (const auto purged = store.purgeDeleted(); !purged.ok())
                return purged.error();
            return store.recoverInterrupted();
        },
        [this](const Result<int> &recovered) {
            if (!recovered.ok())
                d->report(recovered.error());
            emit this->recovered();
            if (recovered.ok())
                d->reload();
        });
}

void ConversationLibrary::Private::reload()
{
    using Summaries = std::vector<ConversationSummary>;
    store.ask<Summaries>([](ConversationStore &from) { return from.list(); },
                         [this](Result<Summaries> summaries) {
                             if (!summaries.ok()) {
                                 report(summaries.error());
                                 return;
                             }
                             list = *std::move(summaries);
                             for (const ConversationSession *session : std::as_const(sessions))
                                 refresh(*session);
                             emit q->listChanged();
                         });
}

const std::vector<ConversationSummary> &ConversationLibrary::list() const
{
    return d->list;
}

std::vector<ConversationRule> ConversationLibrary::conversationRules() const
{
    return d->services->approvals->rules();
}

void ConversationLibrary::revoke(const ConversationRule &rule)
{
    d->services->approvals->revoke(rule);
}

ConversationSession *ConversationLibrary::createConversation()
{
    Conversation conversation;
    conversation.id = ConversationId::create();
    conversation.title = tr("New conversation");
    conversation.createdAt = conversation.updatedAt = QDateTime::currentDateTimeUtc();
    return d->adopt(std::move(conversation));
}

ConversationSession *ConversationLibrary::Private::adopt(Conversation conversation,
                                                         const QString &draft)
{
    const ConversationId id = conversation.id;
    auto *session = new ConversationSession(std::move(conversation), services, q);
    session->setDraft(draft);
    sessions.insert(id, session);
    connectSession(session);
    return session;
}

void ConversationLibrary::Private::connectSession(ConversationSession *session)
{
    const auto update = [this, session] {
        refresh(*session);
        emit q->listChanged();
    };
    connect(session, &ConversationSession::turnStarted, q, [this, session, update] {
        turnsHaveRun = true;
        takeFirstTitle(*session);
        update();
    });
    connect(session, &ConversationSession::draftChanged, q,
            [this, session] { saveDraft(*session); });
    connect(session, &ConversationSession::turnFinished, q, [this, session, update] {
        update();
        if (removedTitles.contains(session->conversation().id))
            hide(session->conversation().id);
        if (stoppingAll && q->runningTurns() == 0)
            emit q->allIdle();
    });
    connect(session, &ConversationSession::eventsApplied, q, [update](const TurnEventBatch &batch) {
        for (const TurnEvent &event : batch.events) {
            if (std::holds_alternative<ApprovalAsked>(event)
                || std::holds_alternative<ApprovalClosed>(event)
                || std::holds_alternative<QuestionAsked>(event)
                || std::holds_alternative<QuestionClosed>(event)) {
                update();
                return;
            }
        }
    });
    connect(session, &ConversationSession::branchChanged, q, [this, session] {
        const Conversation &conversation = session->conversation();
        change([id = conversation.id, turn = conversation.activeTurn](ConversationStore &to) {
            return to.setActiveTurn(id, turn);
        });
    });
}

// What runs is told by its session; the database says the same only later.
void ConversationLibrary::Private::refresh(const ConversationSession &session)
{
    const Conversation &conversation = session.conversation();
    if (removedTitles.contains(conversation.id)
        || (conversation.turns.empty() && !session.isRunning()))
        return;
    place({conversation.id, conversation.title, conversation.updatedAt, markOf(session)});
}

bool ConversationLibrary::Private::isListed(const ConversationId &id) const
{
    return std::ranges::find(list, id, &ConversationSummary::id) != list.end();
}

void ConversationLibrary::Private::place(const ConversationSummary &summary)
{
    std::erase_if(list, [&](const auto &other) { return other.id == summary.id; });
    const auto place = std::ranges::find_if(
        list, [&](const auto &other) { return other.updatedAt <= summary.updatedAt; });
    list.insert(place, summary);
}

void ConversationLibrary::Private::saveDraft(const ConversationSession &session)
{
    const ConversationId id = session.conversation().id;
    const bool hasNothingElse =
        session.conversation().turns.empty() && !session.isRunning() && !removedTitles.contains(id);
    if (hasNothingElse && session.draft().isEmpty()) {
        dropEmpty(id);
        return;
    }
    if (hasNothingElse)
        saveFirstDraft(session);
    const auto save = [id, draft = session.draft()](ConversationStore &to) {
        return to.setDraft(id, draft);
    };
    store.ask<void>(save, [this](const Result<void> &saved) {
        // A conversation whose first turn is about to be saved: what was sent is no draft any more.
        if (!saved.ok() && saved.error().code != ErrorCode::NotFound)
            report(saved.error());
    });
}

// Its row of the list has the words of the draft, until the first message gives it a title.
void ConversationLibrary::Private::saveFirstDraft(const ConversationSession &session)
{
    Conversation conversation = session.conversation();
    conversation.title = titleFromText(session.draft());
    conversation.updatedAt = QDateTime::currentDateTimeUtc();
    const bool isHidden = emptied.remove(conversation.id);
    change([conversation, isHidden](ConversationStore &to) -> Result<void> {
        auto saved = to.create(conversation);
        if (saved.ok())
            saved = to.rename(conversation.id, conversation.title);
        return saved.ok() && isHidden ? to.undelete(conversation.id) : saved;
    });
    place({conversation.id, conversation.title, conversation.updatedAt,
           ConversationSummary::Mark::None});
    emit q->listChanged();
}

void ConversationLibrary::Private::dropEmpty(const ConversationId &id)
{
    if (std::erase_if(list, [&](const auto &summary) { return summary.id == id; }) == 0)
        return;
    emptied.insert(id);
    change([id](ConversationStore &to) -> Result<void> {
        const auto saved = to.setDraft(id, {});
        return saved.ok() ? to.markDeleted(id) : saved;
    });
    emit q->listChanged();
}

// A draft was saved under its own words; the message that was sent in the end may have others.
void ConversationLibrary::Private::takeFirstTitle(const ConversationSession &session)
{
    const Conversation &conversation = session.conversation();
    const bool isHidden = emptied.remove(conversation.id);
    if (!isHidden && (!conversation.turns.empty() || !isListed(conversation.id)))
        return;
    change([id = conversation.id, title = conversation.title,
            isHidden](ConversationStore &to) -> Result<void> {
        const auto renamed = to.rename(id, title);
        return renamed.ok() && isHidden ? to.undelete(id) : renamed;
    });
}

void ConversationLibrary::Private::change(std::function<Result<void>(ConversationStore &)> work)
{
    store.ask<void>(std::move(work), [this](const Result<void> &result) { reportFailure(result); });
}

void ConversationLibrary::Private::report(const Error &error)
{
    if (error.code == ErrorCode::StorageDamaged)
        emit q->databaseDamaged(error.message);
    else
        emit q->failed(error.message);
}

void ConversationLibrary::Private::reportFailure(const Result<void> &result)
{
    if (!result.ok())
        report(result.error());
}

void ConversationLibrary::open(const ConversationId &id)
{
    if (ConversationSession *open = session(id)) {
        emit opened(open);
        return;
    }
    d->store.ask<Opened>(
        [id](ConversationStore &store) -> Result<Opened> {
            auto conversation = store.load(id);
            if (!conversation.ok())
                return conversation.error();
            auto draft = store.draft(id);
            if (!draft.ok())
                return draft.error();
            return Opened{*std::move(conversation), *std::move(draft)};
        },
        [this, id](Result<Opened> loaded) {
            if (!loaded.ok()) {
                emit openFailed(id, loaded.error().message);
                return;
            }
            // Asked for twice, it is opened once.
            ConversationSession *open = session(id);
            if (!open)
                open = d->adopt(std::move(loaded->conversation), loaded->draft);
            emit opened(open);
        });
}

ConversationSession *ConversationLibrary::session(const ConversationId &id) const
{
    return d->sessions.value(id);
}

void ConversationLibrary::close(const ConversationId &id)
{
    ConversationSession *open = session(id);
    if (!open || open->isRunning() || open->hasUnsaved())
        return;
    d->sessions.remove(id);
    open->deleteLater();
}

void ConversationLibrary::search(const QString &text)
{
    const int number = ++d->searchNumber;
    using Hits = std::vector<LibraryHit>;
    d->store.ask<Hits>(
        [text](ConversationStore &store) -> Result<Hits> {
            const auto found = store.search(text, MostHits);
            if (!found.ok())
                return found.error();
            Hits hits;
            for (const SearchHit &hit : *found)
                hits.push_back({hit.conversation, hit.turn, hit.title, hit.snippet, hit.updatedAt});
            return hits;
        },
        [this, number, text](const Result<Hits> &hits) {
            if (number != d->searchNumber)
                return;
            if (hits.ok())
                emit searched(text, *hits);
            else
                emit failed(hits.error().message);
        });
}

void ConversationLibrary::rename(const ConversationId &id, const QString &title)
{
    const QString clean = titleFromText(title);
    if (clean.isEmpty())
        return;
    const auto summary = std::ranges::find(d->list, id, &ConversationSummary::id);
    if (summary != d->list.end())
        summary->title = clean;
    if (ConversationSession *open = session(id))
        open->setTitle(clean);
    d->change([id, clean](ConversationStore &store) { return store.rename(id, clean); });
    emit listChanged();
}

void ConversationLibrary::remove(const ConversationId &id)
{
    const auto summary = std::ranges::find(d->list, id, &ConversationSummary::id);
    if (summary == d->list.end())
        return;
    const QString title = summary->title;
    d->removedTitles.insert(id, title);
    d->list.erase(summary);
    // A running turn is stopped first, and hidden when nothing more is written for it.
    if (ConversationSession *open = session(id); open && open->isRunning())
        open->stop(CancellationCause::User);
    else
        d->hide(id);
    emit listChanged();
    emit removed(id, title);
}

void ConversationLibrary::Private::hide(const ConversationId &id)
{
    change([id](ConversationStore &to) { return to.markDeleted(id); });
}

void ConversationLibrary::undoRemove(const ConversationId &id)
{
    if (d->removedTitles.remove(id) == 0)
        return;
    d->change([id](ConversationStore &store) { return store.undelete(id); });
    d->reload();
}

void ConversationLibrary::exportTo(const ConversationId &id, const QString &path)
{
    d->store.ask<void>(
        [id, path](ConversationStore &store) -> Result<void> {
            const auto conversation = store.load(id);
            if (!conversation.ok())
                return conversation.error();
            return writeConversation(*conversation, path);
        },
        [this, path](const Result<void> &written) {
            emit transferFinished(written.ok() ? tr("Exported to %1.").arg(path)
                                               : written.error().message);
        });
}

void ConversationLibrary::importFrom(const QString &path)
{
    d->store.ask<ConversationId>(
        [path](ConversationStore &store) -> Result<ConversationId> {
            const auto conversation = readConversation(path);
            if (!conversation.ok())
                return conversation.error();
            return store.import(*conversation);
        },
        [this](const Result<ConversationId> &imported) {
            if (imported.ok()) {
                d->reload();
                open(*imported);
            }
            emit transferFinished(imported.ok() ? tr("Imported.") : imported.error().message);
        });
}

CancelReply ConversationLibrary::cancelTurn(const ConversationId &asking,
                                            const CancelRequest &request)
{
    ConversationSession *own = session(asking);
    if (!own)
        return CancelReply::UnknownTurn;
    const CancelReply reply = own->cancelTurn(request);
    if (reply != CancelReply::UnknownTurn)
        return reply;
    const TurnId turn(request.turnId);
    const bool isOfAnother = std::ranges::any_of(d->sessions, [&](const auto *other) {
        return other->runningTurn() == turn || other->conversation().find(turn);
    });
    return isOfAnother ? CancelReply::OtherConversation : CancelReply::UnknownTurn;
}

void ConversationLibrary::setDatabaseAside()
{
    const bool mayBeOpen = d->turnsHaveRun;
    d->store.askClosed<QString>(
        [mayBeOpen](const QString &path) -> Result<QString> {
            // Only a database that cannot be opened at all is surely not open on another thread.
            if (mayBeOpen && ConversationStore::open(path).ok())
                return Error(ErrorCode::Busy,
                             tr("The database is in use. Start Fermata again, and set it aside "
                                "before you send anything."));
            return fermata::setDatabaseAside(path, QDateTime::currentDateTimeUtc());
        },
        [this](const Result<QString> &aside) {
            if (!aside.ok()) {
                emit failed(aside.error().message);
                return;
            }
            emit databaseSetAside();
            emit transferFinished(
                tr("The damaged database is kept as %1. Fermata goes on with a new one.")
                    .arg(*aside));
            load();
        });
}

void ConversationLibrary::copyDatabaseTo(const QString &folder)
{
    d->store.askClosed<void>(
        [folder](const QString &path) { return fermata::copyDatabaseTo(path, folder); },
        [this, folder](const Result<void> &copied) {
            emit transferFinished(copied.ok() ? tr("The database was copied to %1.").arg(folder)
                                              : copied.error().message);
        });
}

int ConversationLibrary::runningTurns() const
{
    return int(std::ranges::count_if(
        d->sessions, [](const ConversationSession *session) { return session->isRunning(); }));
}

void ConversationLibrary::stopAll(CancellationCause cause)
{
    d->stoppingAll = true;
    for (ConversationSession *session : std::as_const(d->sessions))
        session->stop(cause);
    if (runningTurns() == 0)
        emit allIdle();
}

} // namespace fermata
