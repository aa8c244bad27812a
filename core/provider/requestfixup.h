// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "provider/chatrequest.h"
#include "provider/servererror.h"

#include <QHash>

#include <mutex>
#include <optional>

namespace fermata {

// A server refused `sent`. If it did so for a field that Fermata can do without, the dialect to send it again in; each
// step takes something away, so this comes to an end. Pure.
std::optional<ServerDialect> dialectAfterRefusal(const ServerDialect &dialect,
                                                 const ChatRequest &sent, int status,
                                                 const ServerError &error);

// What a server was found to refuse, per model, so that it is asked for once and not in every request. Thread-safe.
class LearnedDialects final
{
public:
    explicit LearnedDialects(ServerDialect initial);

    ServerDialect dialectFor(const QString &model) const;
    void learn(const QString &model, const ServerDialect &dialect);

private:
    const ServerDialect m_initial;
    mutable std::mutex m_mutex;
    QHash<QString, ServerDialect> m_byModel;
};

} // namespace fermata
