// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/singleinstance.h"

#include <QCryptographicHash>
#include <QDir>
#include <QLocalSocket>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int WakeTimeoutMs = 1000;

} // namespace

SingleInstance::SingleInstance(const QString &dataDirectory, QObject *parent)
    : QObject(parent),
      m_serverName(u"fermata-"_s
                   + QString::fromLatin1(
                       QCryptographicHash::hash(dataDirectory.toUtf8(), QCryptographicHash::Sha256)
                           .toHex()
                           .left(16))),
      m_lock(QDir(dataDirectory).filePath(u"lock"_s))
{
    // Held for days: only a dead owner makes it stale.
    m_lock.setStaleLockTime(0);
}

bool SingleInstance::acquire()
{
    if (!m_lock.tryLock() && m_lock.error() == QLockFile::LockFailedError) {
        wakeOther();
        return false;
    }
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    QLocalServer::removeServer(m_serverName);
    connect(&m_server, &QLocalServer::newConnection, this, [this] {
        while (QLocalSocket *socket = m_server.nextPendingConnection())
            socket->deleteLater();
        emit activationRequested();
    });
    m_server.listen(m_serverName);
    return true;
}

// Before the event loop of a program that is about to end: it may wait.
void SingleInstance::wakeOther() const
{
    QLocalSocket socket;
    socket.connectToServer(m_serverName);
    if (socket.waitForConnected(WakeTimeoutMs))
        socket.disconnectFromServer();
}

} // namespace fermata
