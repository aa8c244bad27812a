// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/storejournal.h"

namespace fermata {

StoreJournal::StoreJournal(const QString &databasePath) : m_store(databasePath) { }

Result<void> StoreJournal::begin(const Conversation &conversation, const TurnRecord &turn)
{
    const auto opened = m_store.get();
    if (!opened.ok())
        return opened.error();
    return (*opened)->beginTurn(conversation, turn);
}

Result<void> StoreJournal::checkpoint(const TurnRecord &turn)
{
    const auto opened = m_store.get();
    return opened.ok() ? (*opened)->checkpoint(turn) : Result<void>(opened.error());
}

Result<void> StoreJournal::saveCall(const TurnRecord &turn, const ToolCallBlock &call)
{
    const auto opened = m_store.get();
    return opened.ok() ? (*opened)->saveCall(turn, call) : Result<void>(opened.error());
}

Result<void> StoreJournal::finish(const TurnRecord &turn)
{
    const auto opened = m_store.get();
    return opened.ok() ? (*opened)->finishTurn(turn) : Result<void>(opened.error());
}

} // namespace fermata
