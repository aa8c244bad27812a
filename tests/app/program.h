// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/conversation.h"

#include <QProcess>
#include <QStringList>

#include <optional>

namespace fermata {

constexpr int LongTimeMs = 30'000;

// The real program on a data folder of its own, without a display, a session bus or anything of the user's. Its end kills
// it.
class Program final
{
public:
    Program(const QString &home, const QStringList &arguments);
    ~Program();

    bool hasStarted() { return m_process.waitForStarted(LongTimeMs); }
    // How many milliseconds it took to end, or nothing if it did not.
    std::optional<qint64> end(int signal);
    bool exitedWith(int code) const;

private:
    QProcess m_process;
};

// The newest turn in the database, if there is one yet.
std::optional<TurnRecord> newestTurn(const QString &home);

} // namespace fermata
