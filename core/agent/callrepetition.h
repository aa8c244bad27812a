// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/conversation.h"

#include <QByteArray>

#include <vector>

namespace fermata {

// Finds a model that turns in a circle: the same tool with equal arguments three times in a row, or two calls that
// alternate three times. The order of the keys of the arguments does not matter.
class CallRepetition final
{
public:
    static constexpr int RepeatedCalls = 3;

    // Takes the calls of a message in. True if they close a circle; counting then begins anew, so that who is allowed to
    // go on is asked again only after as many repetitions.
    bool closesCircle(const AssistantMessage &message);

private:
    bool endsWithCircle() const;

    std::vector<QByteArray> m_signatures;
};

} // namespace fermata
