// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/connectionpool_p.h"

#include "io/httprequest_p.h"

#include <algorithm>
#include <utility>

namespace fermata {

namespace {

constexpr size_t MostIdle = 8;
constexpr auto LongestIdle = std::chrono::minutes(1);

QUrl originOf(const QUrl &url)
{
    QUrl origin;
    origin.setScheme(url.scheme());
    origin.setHost(url.host());
    origin.setPort(portOf(url));
    return origin;
}

} // namespace

ConnectionPool::~ConnectionPool()
{
    // A socket that is destroyed says so to whoever is connected to it.
    for (const Idle &idle : m_idle)
        idle.socket->disconnect(this);
}

std::unique_ptr<QTcpSocket> ConnectionPool::take(const QUrl &url)
{
    dropOld();
    // The youngest: the likeliest to be open still.
    const QUrl origin = originOf(url);
    const auto hit = std::find_if(m_idle.rbegin(), m_idle.rend(),
                                  [&origin](const Idle &idle) { return idle.origin == origin; });
    if (hit == m_idle.rend())
        return nullptr;
    auto socket = std::move(hit->socket);
    m_idle.erase(std::next(hit).base());
    socket->disconnect(this);
    return socket;
}

void ConnectionPool::giveBack(const QUrl &url, std::unique_ptr<QTcpSocket> socket)
{
    const auto dropIt = [this, raw = socket.get()] { drop(raw); };
    connect(socket.get(), &QTcpSocket::disconnected, this, dropIt);
    connect(socket.get(), &QTcpSocket::readyRead, this, dropIt);
    m_idle.push_back(
        {originOf(url), steadyClock().now(), std::chrono::system_clock::now(), std::move(socket)});
    dropOld();
}

void ConnectionPool::drop(const QTcpSocket *socket)
{
    const auto hit = std::find_if(m_idle.begin(), m_idle.end(), [socket](const Idle &idle) {
        return idle.socket.get() == socket;
    });
    if (hit == m_idle.end())
        return;
    QTcpSocket *gone = hit->socket.release();
    m_idle.erase(hit);
    gone->disconnect(this);
    gone->abort();
    gone->deleteLater(); // it is emitting
}

void ConnectionPool::dropOld()
{
    const auto isOld = [now = steadyClock().now(),
                        wallNow = std::chrono::system_clock::now()](const Idle &idle) {
        // The monotonic clock stands still while the computer sleeps, and a connection does not survive that.
        const auto wallAge = wallNow - idle.wallTime;
        return now - idle.since > LongestIdle || wallAge > LongestIdle || wallAge < -LongestIdle;
    };
    while (!m_idle.empty() && (m_idle.size() > MostIdle || isOld(m_idle.front())))
        drop(m_idle.front().socket.get());
}

} // namespace fermata
