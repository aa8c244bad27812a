// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"

#include <QObject>
#include <QTcpSocket>
#include <QUrl>

#include <chrono>
#include <memory>
#include <vector>

namespace fermata {

// Open connections that wait for the next request to their origin. One that the server closes, or says something on
// unasked, is dropped. I/O thread only.
class ConnectionPool final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ConnectionPool)

public:
    ConnectionPool() = default;
    ~ConnectionPool() override;

    // Null if there is none.
    std::unique_ptr<QTcpSocket> take(const QUrl &url);
    // Only a connection on which the last reply has ended. Nobody else may be connected to its signals.
    void giveBack(const QUrl &url, std::unique_ptr<QTcpSocket> socket);

private:
    struct Idle
    {
        QUrl origin;
        Instant since;
        std::chrono::system_clock::time_point wallTime;
        std::unique_ptr<QTcpSocket> socket;
    };

    void drop(const QTcpSocket *socket);
    void dropOld();

    std::vector<Idle> m_idle; // the oldest first
};

} // namespace fermata
