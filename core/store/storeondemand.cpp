// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/storeondemand.h"

namespace fermata {

StoreOnDemand::StoreOnDemand(const QString &databasePath) : m_databasePath(databasePath) { }

Result<ConversationStore *> StoreOnDemand::get()
{
    if (!m_store) {
        auto opened = ConversationStore::open(m_databasePath);
        if (!opened.ok())
            return opened.error();
        m_store = *std::move(opened);
    }
    return m_store.get();
}

void StoreOnDemand::close()
{
    m_store.reset();
}

} // namespace fermata
