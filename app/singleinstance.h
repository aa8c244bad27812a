// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLocalServer>
#include <QLockFile>
#include <QObject>
#include <QString>

namespace fermata {

// One Fermata for one data folder. The second one wakes the first and ends. A lock that a killed program left behind is
// taken over.
class SingleInstance final : public QObject
{
    Q_OBJECT

public:
    explicit SingleInstance(const QString &dataDirectory, QObject *parent = nullptr);

    // True for the first. For a second one the first has been asked to show itself when this returns.
    bool acquire();

signals:
    void activationRequested();

private:
    void wakeOther() const;

    const QString m_serverName;
    QLockFile m_lock;
    QLocalServer m_server;
};

} // namespace fermata
