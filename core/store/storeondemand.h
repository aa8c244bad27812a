// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "store/conversationstore.h"

#include <QString>

#include <memory>

namespace fermata {

// A connection to the database for one thread: opened with its first use, and tried again with the next one if that failed,
// because the reason may be gone.
class StoreOnDemand final
{
public:
    explicit StoreOnDemand(const QString &databasePath);

    const QString &databasePath() const { return m_databasePath; }
    Result<ConversationStore *> get();
    void close();

private:
    const QString m_databasePath;
    std::unique_ptr<ConversationStore> m_store;
};

} // namespace fermata
