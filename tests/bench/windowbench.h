// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"

#include <QProcess>
#include <QString>

#include <functional>
#include <vector>

namespace fermata {

// fermata-modelserver, and when it saw its clients go.
class ServerProcess final
{
public:
    explicit ServerProcess(const QString &script);
    ~ServerProcess();

    int port() const { return m_port; }
    int requests = 0;
    std::vector<Instant> disconnects;

private:
    void read();

    QProcess m_process;
    int m_port = 0;
};

// Runs the event loop until the condition holds; ends the program if it never does.
void waitFor(const std::function<bool()> &condition, const char *what);

} // namespace fermata
