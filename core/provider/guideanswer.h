// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "provider/guidesearch.h"
#include "provider/modelprovider.h"

#include <vector>

namespace fermata {

// What the Guide says to a request: a text, then calls. The same request gets the same answer.
struct GuideAnswer
{
    QString text;
    std::vector<ToolCallReceived> calls;
};

// For the last message of the history that is not the Guide's. If an answer to it was cut, this is what is missing of it.
GuideAnswer guideAnswer(const ModelRequest &request, const GuideBook &book);

} // namespace fermata
