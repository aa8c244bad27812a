// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/turnrequest.h"

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

Error refusal(const QString &what)
{
    return Error(ErrorCode::InvalidArgument,
                 u"The options of the tools were refused: %1."_s.arg(what));
}

bool isPossible(const LimitValue &limit)
{
    return !limit || *limit > std::chrono::milliseconds::zero();
}

} // namespace

Result<void> checkToolOptions(const TurnRequest &request)
{
    if (request.parallelTools < 1 || request.parallelTools > MostParallelTools)
        return refusal(
            u"%1 tools at a time, where it must be from 1 to %2"_s.arg(request.parallelTools)
                .arg(MostParallelTools));
    if (request.toolGrace < std::chrono::milliseconds::zero())
        return refusal(u"the grace time is negative"_s);
    if (request.stopMode != StopMode::Graceful && request.stopMode != StopMode::Immediate)
        return refusal(u"the way to stop is unknown"_s);
    if (!isPossible(request.limits.tool))
        return refusal(u"the limit of a tool call must be above zero"_s);
    if (!isPossible(request.limits.approval))
        return refusal(u"the limit of a question must be above zero"_s);
    for (auto it = request.toolLimits.begin(); it != request.toolLimits.end(); ++it) {
        if (!isPossible(it.value()))
            return refusal(u"the limit of %1 must be above zero"_s.arg(it.key()));
    }
    return {};
}

} // namespace fermata
