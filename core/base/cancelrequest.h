// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellationreason.h"
#include "base/ratelimiter.h"
#include "base/result.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>

namespace fermata {

// A program's wish to cancel a turn, checked. The turn's id is not known to be that of a turn.
struct CancelRequest
{
    QString turnId;
    CancellationReason reason;
};

// What a program may give as the cause: External, which is the default, and Superseded. User and
// windowClosed are said of a person, the limits, applicationQuit and parent belong to the timers,
// the application and the tree, and the view tells people what stopped a turn by nothing else: a
// program that could claim them could make it lie.
bool mayBeGivenByProgram(CancellationCause cause);

constexpr qsizetype MostCancelRequestBytes = 64 * 1024;

// {"turnId": text, "cause"?: text, "reason"?: text}; other members are ignored. An InvalidArgument
// error names what is missing, empty, too long, of the wrong type or not allowed. The reason's text
// is cleaned; `source` says who asks.
Result<CancelRequest> cancelRequestFromJson(const QJsonObject &json, const QString &source);
// The same from the bytes as they came, at most MostCancelRequestBytes.
Result<CancelRequest> parseCancelRequest(const QByteArray &json, const QString &source);

// One for each conversation: at most 10 requests per second by programs. Stop and Quit do not ask
// it.
inline RateLimiter cancelRequestLimiter(const Clock &clock = steadyClock())
{
    return RateLimiter(10, std::chrono::seconds(1), clock);
}

} // namespace fermata
