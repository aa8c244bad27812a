// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/channel.h"
#include "conversation/turnevent.h"
#include "tool/toolrun.h"

#include <QByteArray>
#include <QString>

#include <variant>

namespace fermata {

struct ApprovalAnswered
{
    CallId call;
    ApprovalDecision decision = ApprovalDecision::Deny;
    QByteArray fingerprint;
};
struct QuestionAnswered
{
    bool goOn = false;
    QString instruction;
};
struct ToolStopAsked
{
    CallId call;
};
struct LimitExtended
{
    Limit limit = Limit::Turn;
    std::chrono::milliseconds by{0};
};
// The second Stop: the rest of the grace time is dropped.
struct Forced
{
};

// Everything that can reach a turn between its model calls.
using InboxMessage = std::variant<ToolRunEvent, ApprovalAnswered, QuestionAnswered, ToolStopAsked,
                                  LimitExtended, Forced>;
using Inbox = Channel<InboxMessage>;

} // namespace fermata
