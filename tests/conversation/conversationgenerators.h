// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/conversation.h"
#include "conversation/history.h"
#include "conversation/turnevent.h"

#include <vector>

// Random values for property tests. Each function draws from the running RapidCheck case, so that its seed
// repeats them. RC_PARAMS raises the number of cases, for example RC_PARAMS="max_success=100000".
namespace fermata::arbitrary {

// To be called before the first check of a program: `cases` for each check unless RC_PARAMS says otherwise.
void useCases(int cases);

int number(int least, int most); // both included
bool chance(int percent);

// Up to `most` characters: letters, white space, signs of Markdown, other planes, now and then a lone surrogate.
QString anyText(int most);
// The same without lone surrogates: what the program makes is always valid.
QString text(int most);

ContentBlock block();
TurnOutcome outcome();
TurnRecord turn();
// Turns of several branches, with all ends; in the order of the tree.
Conversation conversation();

// The events of a turn that was cut anywhere, its end included or not.
std::vector<TurnEvent> events();

// Messages and blocks in any order, with repeated, missing and empty ids.
History brokenHistory();

} // namespace fermata::arbitrary
