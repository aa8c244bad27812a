// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/conversationsession.h"

#include "agent/agent.h"
#include "agent/agentthreads.h"
#include "agent/requestlimiter.h"
#include "agent/turntext.h"
#include "base/cancelrequest.h"
#include "base/logging.h"
#include "base/mailbox.h"
#include "provider/serverdialect.h"
#include "session/deferredprovider.h"
#include "session/sessionservices.h"
#include "session/systemprompt.h"
#include "settings/settingsfile.h"
#include "tool/approvalpolicy.h"
#include "tool/toolregistry.h"

#include <QDir>
#include <QPointer>
#include <QTimer>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds SaveRetryInterval{5000};

// Which server an answer came from: what is its own goes back to that kind of server only.
QString providerKind(const Profile *profile)
{
    return profile ? ServerDialect::forEndpoint(profile->endpoint).kind : u"guide"_s;
}

// Carries an answer of the agent to this thread. Deleted on its own thread, whoever lets go of it last.
template <typename T>
std::shared_ptr<Mailbox<T>> answerBox(typename Mailbox<T>::Handler handle)
{
    return {new Mailbox<T>(std::move(handle)), [](Mailbox<T> *box) { box->deleteLater(); }};
}

} // namespace

class ConversationSession::Private
{
public:
    Private(ConversationSession *session, Conversation value,
            std::shared_ptr<const SessionServices> sessionServices)
        : q(session), conversation(std::move(value)), services(std::move(sessionServices)),
          policy(services->approvals->policy(conversation.id)),
          cancelRequests(cancelRequestLimiter(*services->clock))
    {
    }

    bool start(TurnKind kind, const TurnId &parent, const QString &text);
    TurnRequest makeRequest(TurnRecord turn);
    std::shared_ptr<ModelProvider> provider(const Profile *profile);
    void apply(const TurnEventBatch &batch);
    void applyState(const TurnEvent &event);
    void endTurn();
    void saveAgainLater(const TurnId &turn);
    void finishUndo(const TurnId &turn, const ToolUndone &undone, const UndoEnd &end);
    void sendPending();
    QString workspace() const
    {
        return QDir(services->workspaceRoot).filePath(conversation.id.toString());
    }
    const TurnRecord *ended(const TurnId &turn);
    void setPending(const QString &text);

    ConversationSession *const q;
    Conversation conversation;
    const std::shared_ptr<const SessionServices> services;
    const std::shared_ptr<ApprovalPolicy> policy;
    Agent *agent = nullptr; // from the first turn on
    QString pendingMessage;
    QString draft;
    bool pendingHeld = false; // the user stopped after writing it: it goes back instead of out
    bool saveFailed = false;
    bool undoing = false; // what is sent now would not yet tell of it
    RateLimiter cancelRequests;
    int staleStops = 0;

    // Of the running turn.
    std::shared_ptr<TurnControl> control;
    std::unique_ptr<TurnEventRelay> relay;
    StageChanged stage;
    TokenUsage usage;
    qint64 uncountedCharacters = 0; // that came after it
    Instant startedAt{};
    std::optional<ApprovalRequest> approval;
    std::optional<TurnQuestion> question;
    std::optional<RetryScheduled> retry;
};

ConversationSession::ConversationSession(Conversation conversation,
                                         std::shared_ptr<const SessionServices> services,
                                         QObject *parent)
    : QObject(parent),
      d(std::make_unique<Private>(this, std::move(conversation), std::move(services)))
{
}

// A turn that still runs is stopped and left to its end; the thread waits for it, this does not.
ConversationSession::~ConversationSession()
{
    if (d->control)
        d->control->stop({CancellationCause::WindowClosed, {}, {}, {}});
    if (d->agent)
        d->services->agents->retire(d->agent);
}

bool ConversationSession::Private::start(TurnKind kind, const TurnId &parent, const QString &text)
{
    if (control || undoing) {
        emit q->refused(control ? tr("An answer is still being written.")
                                : tr("A change is still being undone."));
        return false;
    }
    const Settings &settings = services->settings->settings();
    const Profile *profile = settings.profile(settings.currentProfile);

    TurnRecord turn;
    turn.id = TurnId::create();
    turn.parent = parent;
    turn.kind = kind;
    turn.userText = text;
    turn.createdAt = QDateTime::currentDateTimeUtc();
    turn.provider = providerKind(profile);
    turn.model = profile ? profile->model : QString();

    if (conversation.turns.empty()) {
        conversation.title = titleFromText(text);
        emit q->titleChanged(conversation.title);
    }
    conversation.updatedAt = turn.createdAt;

    control = std::make_shared<TurnControl>(turn.id);
    relay = std::make_unique<TurnEventRelay>(turn.id,
                                             [this](const TurnEventBatch &batch) { apply(batch); });
    stage = {};
    usage = {};
    uncountedCharacters = 0;
    startedAt = steadyClock().now();
    if (!agent)
        agent = services->agents->start();
    const TurnId id = turn.id;
    TurnRequest request = makeRequest(std::move(turn));
    request.provider = provider(profile);
    if (profile && services->requestLimiters) {
        request.limiter = services->requestLimiters->limiter(
            originOf(profile->endpoint), profile->model,
            {profile->requestsPerMinute.value_or(0), profile->requestBurst});
    }
    agent->post(std::move(request), control, relay->sender());
    emit q->turnStarted(id);
    return true;
}

TurnRequest ConversationSession::Private::makeRequest(TurnRecord turn)
{
    const Settings &settings = services->settings->settings();
    policy->setPermissions(settings.toolPermissions, settings.allowRules);

    TurnRequest request;
    request.conversation = conversation;
    request.conversation.activeTurn = turn.parent;
    request.model = turn.model;
    request.tools = services->tools;
    request.policy = policy;
    request.workspace = workspace();
    request.systemPrompt = systemPrompt(conversation, request.workspace);
    request.limits = settings.limits;
    request.toolLimits = settings.toolLimits;
    request.retries = settings.retries;
    if (settings.toolsOneAtATime)
        request.parallelTools = 1;
    request.turn = std::move(turn);
    return request;
}

std::shared_ptr<ModelProvider> ConversationSession::Private::provider(const Profile *profile)
{
    const auto deferred = std::make_shared<DeferredProvider>(
        providerKind(profile), !profile || isLocal(profile->endpoint));
    services->findProvider(profile, [deferred](DeferredProvider::Found found) {
        deferred->resolve(std::move(found));
    });
    return deferred;
}

void ConversationSession::Private::apply(const TurnEventBatch &batch)
{
    if (!control || batch.turn != control->turn()) {
        qCInfo(lcTurn, "events of a turn that has ended were dropped");
        return;
    }
    bool finished = false;
    for (const TurnEvent &event : batch.events) {
        if (const auto *started = std::get_if<TurnStarted>(&event)) {
            conversation.turns.push_back(started->record);
            conversation.activeTurn = started->record.id;
        } else if (TurnRecord *record = conversation.find(batch.turn)) {
            fermata::apply(*record, event);
        }
        applyState(event);
        finished = finished || std::holds_alternative<TurnFinished>(event);
    }
    if (finished)
        endTurn();
    const QPointer<ConversationSession> alive(q);
    emit q->eventsApplied(batch);
    if (!alive || !finished)
        return;
    emit q->turnFinished(batch.turn);
    if (alive)
        sendPending();
}

void ConversationSession::Private::sendPending()
{
    if (pendingMessage.isEmpty() || control)
        return;
    const QString text = pendingMessage;
    setPending({});
    if (!pendingHeld) {
        start(TurnKind::Message, conversation.activeTurn, text);
        return;
    }
    // Also of a conversation that is not shown now.
    q->setDraft(draft.isEmpty() ? text : text + u"\n\n"_s + draft);
    emit q->pendingMessageReturned(text);
}

void ConversationSession::Private::applyState(const TurnEvent &event)
{
    if (const auto *changed = std::get_if<StageChanged>(&event)) {
        stage = *changed;
        if (stage.stage != TurnStage::RetryWait)
            retry.reset();
    } else if (const auto *used = std::get_if<UsageChanged>(&event)) {
        usage = used->usage;
        uncountedCharacters = 0;
    } else if (const auto *text = std::get_if<TextAppended>(&event)) {
        uncountedCharacters += text->text.size();
    } else if (const auto *thinking = std::get_if<ThinkingAppended>(&event)) {
        uncountedCharacters += thinking->text.size();
    } else if (const auto *asked = std::get_if<ApprovalAsked>(&event)) {
        approval = asked->request;
    } else if (std::holds_alternative<ApprovalClosed>(event)) {
        approval.reset();
    } else if (const auto *questionAsked = std::get_if<QuestionAsked>(&event)) {
        question = questionAsked->question;
    } else if (std::holds_alternative<QuestionClosed>(event)) {
        question.reset();
    } else if (const auto *scheduled = std::get_if<RetryScheduled>(&event)) {
        retry = *scheduled;
    } else if (std::holds_alternative<SaveFailed>(event)) {
        saveFailed = true;
    } else if (std::holds_alternative<SaveRecovered>(event)) {
        saveFailed = false;
    }
}

void ConversationSession::Private::endTurn()
{
    const TurnId turn = control->turn();
    control.reset();
    relay.release()->deleteLater(); // this runs in its handler
    approval.reset();
    question.reset();
    retry.reset();
    const TurnRecord *record = conversation.find(turn);
    if (record && record->outcome)
        conversation.updatedAt = record->outcome->endedAt;
    if (record && record->outcome && !record->outcome->saved)
        saveAgainLater(turn);
}

// A full disk is emptied some day: what is kept in memory only is offered to it until it takes it.
void ConversationSession::Private::saveAgainLater(const TurnId &turn)
{
    QTimer::singleShot(SaveRetryInterval, q, [this, turn] {
        const TurnRecord *record = conversation.find(turn);
        if (!record)
            return;
        if (control) { // its agent is busy
            saveAgainLater(turn);
            return;
        }
        TurnRecord saved = *record;
        saved.outcome->saved = true;
        const auto handle = [session = QPointer(q), this, turn](const std::vector<bool> &results) {
            TurnRecord *target = session ? conversation.find(turn) : nullptr;
            if (!target || !target->outcome)
                return;
            if (!results.front()) {
                saveAgainLater(turn);
                return;
            }
            target->outcome->saved = true;
            saveFailed = false;
            emit q->eventsApplied({turn, {SaveRecovered{}}});
        };
        const auto answer = answerBox<bool>(handle);
        agent->postSave(std::move(saved), conversation, [answer](bool ok) { answer->post(ok); });
    });
}

void ConversationSession::Private::finishUndo(const TurnId &turn, const ToolUndone &undone,
                                              const UndoEnd &end)
{
    undoing = false;
    const QPointer<ConversationSession> alive(q);
    TurnRecord *record = conversation.find(turn);
    if (record && end.undone) {
        fermata::apply(*record, undone);
        if (!end.saved && record->outcome) {
            record->outcome->saved = false;
            saveFailed = true;
            saveAgainLater(turn);
        }
        emit q->eventsApplied({turn, {undone}});
    }
    QString problem;
    if (!end.undone)
        problem = end.undone.error().message;
    else if (!end.saved)
        problem = tr("The change was undone, but that could not be saved yet.");
    if (alive)
        emit q->undone(undone.call, problem);
    if (alive)
        sendPending();
}

const TurnRecord *ConversationSession::Private::ended(const TurnId &turn)
{
    const TurnRecord *record = conversation.find(turn);
    if (control || !record || record->isRunning()) {
        emit q->refused(tr("An answer is still being written."));
        return nullptr;
    }
    return record;
}

void ConversationSession::Private::setPending(const QString &text)
{
    if (pendingMessage == text)
        return;
    pendingMessage = text;
    emit q->pendingMessageChanged();
}

const Conversation &ConversationSession::conversation() const
{
    return d->conversation;
}

bool ConversationSession::isRunning() const
{
    return d->control != nullptr;
}

std::optional<TurnId> ConversationSession::runningTurn() const
{
    if (!d->control)
        return std::nullopt;
    return d->control->turn();
}

bool ConversationSession::isStopping() const
{
    return d->control && d->control->token().isCancelled();
}

bool ConversationSession::isPaused() const
{
    return d->control && d->control->isPaused();
}

TurnStage ConversationSession::stage() const
{
    return stageDetail().stage;
}

StageChanged ConversationSession::stageDetail() const
{
    if (isStopping())
        return {TurnStage::Stopping, 0, 0};
    const TurnStage stage = d->stage.stage;
    // What no longer waits for the server is not held by the pause.
    const bool readsStream = stage == TurnStage::WaitingForFirstToken
        || stage == TurnStage::Thinking || stage == TurnStage::Writing;
    if (isPaused() && readsStream)
        return {TurnStage::Paused, 0, 0};
    return d->stage;
}

TokenUsage ConversationSession::usage() const
{
    TokenUsage usage = d->usage;
    if (d->uncountedCharacters > 0)
        usage += {.input = 0, .output = estimatedTokens(d->uncountedCharacters), .estimated = true};
    return usage;
}

milliseconds ConversationSession::elapsed() const
{
    if (!d->control)
        return milliseconds(0);
    return std::chrono::duration_cast<milliseconds>(steadyClock().now() - d->startedAt);
}

std::vector<RunningLimit> ConversationSession::limits() const
{
    return d->control ? d->control->runningLimits() : std::vector<RunningLimit>();
}

std::optional<ApprovalRequest> ConversationSession::openApproval() const
{
    return d->approval;
}

std::optional<TurnQuestion> ConversationSession::openQuestion() const
{
    return d->question;
}

std::optional<RetryScheduled> ConversationSession::retry() const
{
    return d->retry;
}

bool ConversationSession::hasUnsaved() const
{
    return d->undoing || std::ranges::any_of(d->conversation.turns, [](const TurnRecord &turn) {
               return turn.outcome && !turn.outcome->saved;
           });
}

bool ConversationSession::saveHasFailed() const
{
    return d->saveFailed;
}

void ConversationSession::send(const QString &text)
{
    if (text.trimmed().isEmpty())
        return;
    d->pendingHeld = false;
    if (d->control || d->undoing)
        d->setPending(d->pendingMessage.isEmpty() ? text : d->pendingMessage + u"\n\n"_s + text);
    else
        d->start(TurnKind::Message, d->conversation.activeTurn, text);
}

void ConversationSession::sendNow(const QString &text)
{
    send(text);
    if (d->control && !d->pendingMessage.isEmpty())
        stop(CancellationCause::Superseded);
}

QString ConversationSession::pendingMessage() const
{
    return d->pendingMessage;
}

QString ConversationSession::takePendingMessage()
{
    const QString text = d->pendingMessage;
    d->setPending({});
    return text;
}

QString ConversationSession::draft() const
{
    return d->draft;
}

void ConversationSession::setDraft(const QString &text)
{
    if (d->draft == text)
        return;
    d->draft = text;
    emit draftChanged();
}

void ConversationSession::stop()
{
    stop(CancellationCause::User);
}

void ConversationSession::stop(CancellationCause cause)
{
    if (!d->control)
        return;
    d->control->stop({cause, {}, {}, {}});
    d->pendingHeld = cause != CancellationCause::Superseded;
    emit stopRequested();
}

CancelReply ConversationSession::cancelTurn(const CancelRequest &request)
{
    if (!d->cancelRequests.tryAcquire())
        return CancelReply::TooMany;
    const TurnId turn(request.turnId);
    if (!d->control || d->control->turn() != turn) {
        ++d->staleStops;
        return d->conversation.find(turn) ? CancelReply::NothingToCancel : CancelReply::UnknownTurn;
    }
    if (!d->control->cancel(request.reason))
        return CancelReply::NothingToCancel;
    d->pendingHeld = request.reason.cause != CancellationCause::Superseded;
    emit stopRequested();
    return CancelReply::Cancelled;
}

int ConversationSession::staleStops() const
{
    return d->staleStops;
}

void ConversationSession::stopTool(const CallId &call)
{
    if (d->control)
        d->control->stopTool(call);
}

void ConversationSession::answerApproval(const CallId &call, ApprovalDecision decision)
{
    if (!d->control || !d->approval || d->approval->call != call)
        return;
    if (decision == ApprovalDecision::AllowAlways && !d->approval->alwaysPattern.isEmpty()) {
        Settings settings = d->services->settings->settings();
        const AllowRule rule{d->approval->tool, d->approval->alwaysPattern};
        if (std::ranges::find(settings.allowRules, rule) == settings.allowRules.end()) {
            settings.allowRules.push_back(rule);
            if (const auto saved = d->services->settings->save(settings); !saved.ok())
                emit refused(saved.error().message);
        }
    }
    d->control->answerApproval(call, decision, d->approval->fingerprint);
}

void ConversationSession::answerQuestion(bool goOn)
{
    if (d->control)
        d->control->answerQuestion(goOn);
}

void ConversationSession::extend(Limit limit, milliseconds by)
{
    if (d->control)
        d->control->extend(limit, by);
}

void ConversationSession::pause()
{
    if (d->control)
        d->control->pause();
}

void ConversationSession::resume()
{
    if (d->control)
        d->control->resume();
}

bool ConversationSession::continueTurn(const TurnId &turn)
{
    if (!d->ended(turn))
        return false;
    // What never left has nothing to be continued: it is sent.
    const TurnRecord *record = d->conversation.find(turn);
    if (record->outcome && !record->outcome->sent && record->answerText().isEmpty())
        return retryTurn(turn);
    return d->start(TurnKind::Continuation, turn, {});
}

bool ConversationSession::retryTurn(const TurnId &turn)
{
    const TurnRecord *record = d->ended(turn);
    return record && d->start(record->kind, TurnId(record->parent), QString(record->userText));
}

bool ConversationSession::editTurn(const TurnId &turn, const QString &text)
{
    const TurnRecord *record = d->ended(turn);
    while (record && record->kind == TurnKind::Continuation)
        record = d->conversation.find(record->parent);
    if (!record || text.trimmed().isEmpty())
        return false;
    return d->start(TurnKind::Message, TurnId(record->parent), text);
}

void ConversationSession::setTitle(const QString &title)
{
    d->conversation.title = title;
    emit titleChanged(title);
}

bool ConversationSession::activate(const TurnId &turn)
{
    if (d->control || !d->conversation.find(turn))
        return false;
    d->conversation.activeTurn = d->conversation.leafBelow(turn);
    emit branchChanged();
    return true;
}

void ConversationSession::undo(const CallId &call)
{
    const auto found = std::ranges::find_if(
        d->conversation.turns, [&](TurnRecord &turn) { return turn.findCall(call) != nullptr; });
    if (found == d->conversation.turns.end() || d->undoing || !d->ended(found->id))
        return;
    UndoRequest request{nullptr, {}, d->workspace(), *found};
    ToolSlot &slot = request.turn.findCall(call)->slot;
    request.tool = d->services->tools->find(request.turn.findCall(call)->name);
    if (!slot.canBeUndone() || !request.tool) {
        emit undone(call, tr("This cannot be undone."));
        return;
    }
    const ToolUndone event{call, QDateTime::currentDateTimeUtc()};
    request.undo = slot.undo;
    slot.undoneAt = event.at;
    d->undoing = true;
    if (!d->agent)
        d->agent = d->services->agents->start();
    const auto handle = [session = QPointer(this), turn = found->id,
                         event](const std::vector<UndoEnd> &ends) {
        if (session)
            session->d->finishUndo(turn, event, ends.front());
    };
    const auto answer = answerBox<UndoEnd>(handle);
    d->agent->postUndo(std::move(request), [answer](const UndoEnd &end) { answer->post(end); });
}

} // namespace fermata
