// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace fermata {

// What became of a program's request to cancel a turn.
enum class CancelReply {
    Cancelled, // running or still waiting to begin: it is stopping now
    NothingToCancel, // it has ended, or is stopping already
    UnknownTurn,
    OtherConversation, // it belongs to a conversation that the asker does not speak for
    TooMany, // more requests than one conversation takes in a second
};

// The name that programs get. It never changes once released.
QString toString(CancelReply reply);

} // namespace fermata
