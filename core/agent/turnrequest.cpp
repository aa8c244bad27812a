// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turnrequest.h"

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

Error refusal(const QString &what)
{
    return Error(ErrorCode::InvalidArgument,
                 u"The options of the turn were refused: %1."_s.arg(what));
}

Result<void> checkLimit(const QString &name, const LimitValue &limit)
{
    if (!limit || (*limit > std::chrono::milliseconds::zero() && *limit <= LongestLimit))
        return {};
    return refusal(u"the limit of %1 must be above zero and at most 24 h"_s.arg(name));
}

} // namespace

Result<void> checkTurnOptions(const TurnRequest &request)
{
    if (request.parallelTools < 1 || request.parallelTools > MostParallelTools)
        return refusal(
            u"%1 tools at a time, where it must be from 1 to %2"_s.arg(request.parallelTools)
                .arg(MostParallelTools));
    if (request.toolGrace < std::chrono::milliseconds::zero())
        return refusal(u"the grace time is negative"_s);
    if (request.stopMode != StopMode::Graceful && request.stopMode != StopMode::Immediate)
        return refusal(u"the way to stop is unknown"_s);
    const TurnLimits &limits = request.limits;
    for (const auto &checked :
         {checkLimit(u"the connection"_s, limits.connect),
          checkLimit(u"the first token"_s, limits.firstToken),
          checkLimit(u"the first token of a local server"_s, limits.localFirstToken),
          checkLimit(u"silence"_s, limits.silence), checkLimit(u"the whole turn"_s, limits.turn),
          checkLimit(u"a tool call"_s, limits.tool), checkLimit(u"an approval"_s, limits.approval),
          checkLimit(u"a question"_s, request.questionLimit)}) {
        if (!checked.ok())
            return checked;
    }
    for (auto it = request.toolLimits.begin(); it != request.toolLimits.end(); ++it) {
        if (const auto checked = checkLimit(it.key(), it.value()); !checked.ok())
            return checked;
    }
    return {};
}

} // namespace fermata
