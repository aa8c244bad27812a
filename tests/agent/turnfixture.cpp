// SPDX-License-Identifier: GPL-3.0-or-later
#include "turnfixture.h"

#include <QCryptographicHash>
#include <QJsonDocument>

namespace fermata {

using namespace Qt::StringLiterals;

Result<void> MemoryJournal::save(const QString &what, const TurnRecord &turn)
{
    log << what;
    const int number = m_saves++;
    if (failFrom >= 0 && number >= failFrom && number < failUntil)
        return Error(ErrorCode::Storage, u"The disk is full."_s);
    saved = turn;
    return {};
}

Result<void> MemoryJournal::begin(const Conversation &, const TurnRecord &turn)
{
    return save(u"begin"_s, turn);
}

Result<void> MemoryJournal::checkpoint(const TurnRecord &turn)
{
    return save(u"checkpoint"_s, turn);
}

Result<void> MemoryJournal::saveCall(const TurnRecord &turn, const ToolCallBlock &call)
{
    return save(u"call "_s + toString(call.slot.state), turn);
}

Result<void> MemoryJournal::finish(const TurnRecord &turn)
{
    return save(u"finish"_s, turn);
}

ScriptedTool::ScriptedTool(const QString &name, Body body, ToolAccess access, bool asks)
    : m_body(std::move(body))
{
    m_spec.name = name;
    m_spec.title = name;
    m_spec.parameters = {{u"type"_s, u"object"_s}};
    m_spec.access = access;
    m_spec.asksByDefault = asks;
}

Result<ApprovalRequest> ScriptedTool::describe(const QJsonObject &arguments, const QString &) const
{
    ApprovalRequest request;
    request.title = m_spec.title;
    request.exactText = QString::fromUtf8(QJsonDocument(arguments).toJson(QJsonDocument::Compact));
    request.alwaysPattern = m_pattern;
    request.place = m_place;
    request.fingerprint = QCryptographicHash::hash((m_spec.name + request.exactText).toUtf8(),
                                                   QCryptographicHash::Sha256);
    return request;
}

Result<ToolResult> ScriptedTool::run(const QJsonObject &arguments, ToolContext &context)
{
    ++m_entered;
    return m_body(arguments, context);
}

ScriptedTool::Body returns(const QString &output)
{
    return [output](const QJsonObject &, ToolContext &) -> Result<ToolResult> {
        return ToolResult{output, false, {}, {}};
    };
}

ScriptedTool::Body waitsForStop()
{
    return [](const QJsonObject &, ToolContext &context) -> Result<ToolResult> {
        Channel<int> nothing;
        (void)nothing.receive(context.token()); // only a stop ends it
        return context.token().check(TurnPhase::ToolCalls).error();
    };
}

bool Gate::wait(const CancellationToken &token)
{
    const Deadline givingUp = steadyClock().now() + std::chrono::seconds(20);
    return m_channel.receive(token, givingUp).end == ChannelWait::Closed;
}

TurnFixture::TurnFixture(Time time)
    : manualClock(time == Time::Automatic ? ManualClock::Mode::Automatic
                                          : ManualClock::Mode::Manual),
      clock(time == Time::Real ? steadyClock() : manualClock)
{
    request.turn.userText = u"Hello"_s;
    request.conversation.id = ConversationId::create();
    request.tools = m_tools;
    request.retries = 0;
    nextTurn();
    script({answer(u"Hi"_s)});
}

void TurnFixture::nextTurn()
{
    request.turn.id = TurnId::create();
    request.turn.createdAt = QDateTime::currentDateTimeUtc();
    control = std::make_shared<TurnControl>(request.turn.id, clock);
    m_record = {};
    m_events.clear();
}

TurnFixture &TurnFixture::script(std::vector<Script> scripts)
{
    provider = std::make_shared<ScriptedProvider>(std::move(scripts), clock);
    request.provider = provider;
    return *this;
}

TurnFixture &TurnFixture::tool(std::shared_ptr<ScriptedTool> tool)
{
    m_tools->add(std::move(tool));
    return *this;
}

TurnOutcome TurnFixture::run()
{
    return Turn(
               request, control, journal,
               [this](const TurnEvent &event) {
                   if (const auto *started = std::get_if<TurnStarted>(&event))
                       m_record = started->record;
                   else
                       apply(m_record, event);
                   m_events.push_back(event);
                   if (onEvent)
                       onEvent(event);
               },
               clock)
        .run();
}

bool TurnFixture::stop(CancellationCause cause, const QString &text)
{
    return control->stop({cause, text, {}, {}});
}

QStringList TurnFixture::events() const
{
    QStringList names;
    for (const TurnEvent &event : m_events)
        names << describe(event);
    return names;
}

int TurnFixture::count(const QString &event) const
{
    return int(events().filter(event).size());
}

std::vector<ToolCallBlock> TurnFixture::calls() const
{
    std::vector<ToolCallBlock> calls;
    for (const AssistantMessage &message : m_record.answer) {
        for (const ContentBlock &block : message.blocks) {
            if (const auto *call = std::get_if<ToolCallBlock>(&block))
                calls.push_back(*call);
        }
    }
    return calls;
}

ToolSlot TurnFixture::slot(const QString &tool) const
{
    for (const ToolCallBlock &call : calls()) {
        if (call.name == tool)
            return call.slot;
    }
    return {};
}

std::vector<ToolState> TurnFixture::endsOf(const CallId &call) const
{
    std::vector<ToolState> ends;
    for (const TurnEvent &event : m_events) {
        const auto *changed = std::get_if<ToolStateChanged>(&event);
        if (changed && changed->call == call && isFinal(changed->slot.state))
            ends.push_back(changed->slot.state);
    }
    return ends;
}

History TurnFixture::history() const
{
    return buildHistory({&m_record});
}

} // namespace fermata
