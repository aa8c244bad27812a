// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turnjournal.h"
#include "store/storeondemand.h"

namespace fermata {

// Turns saved in the database, by a connection of the agent's own thread. A database that cannot be opened is tried again
// with every save.
class StoreJournal final : public TurnJournal
{
public:
    explicit StoreJournal(const QString &databasePath);

    Result<void> begin(const Conversation &conversation, const TurnRecord &turn) override;
    Result<void> checkpoint(const TurnRecord &turn) override;
    Result<void> saveCall(const TurnRecord &turn, const ToolCallBlock &call) override;
    Result<void> finish(const TurnRecord &turn) override;

private:
    StoreOnDemand m_store;
};

} // namespace fermata
