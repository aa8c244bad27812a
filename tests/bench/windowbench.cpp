// SPDX-License-Identifier: GPL-3.0-or-later
#include "windowbench.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTimer>

namespace fermata {

using namespace Qt::StringLiterals;

ServerProcess::ServerProcess(const QString &script)
{
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_process.start(QCoreApplication::applicationDirPath() + u"/fermata-modelserver"_s, {script});
    while (m_port == 0 && m_process.waitForReadyRead())
        read();
    QObject::connect(&m_process, &QProcess::readyReadStandardOutput, &m_process,
                     [this] { read(); });
}

ServerProcess::~ServerProcess()
{
    m_process.kill();
    m_process.waitForFinished();
}

void ServerProcess::read()
{
    while (m_process.canReadLine()) {
        const QJsonObject line = QJsonDocument::fromJson(m_process.readLine()).object();
        if (line.contains(u"port"_s))
            m_port = line.value(u"port"_s).toInt();
        if (line.value(u"method"_s).toString() == u"POST")
            ++requests;
        if (line.value(u"event"_s).toString() == u"disconnect")
            disconnects.emplace_back(Duration(line.value(u"atNs"_s).toInteger()));
    }
}

void waitFor(const std::function<bool()> &condition, const char *what)
{
    QEventLoop loop;
    QTimer poll;
    int rounds = 0;
    QObject::connect(&poll, &QTimer::timeout, &loop, [&] {
        if (condition())
            loop.quit();
        else if (++rounds > 20'000)
            qFatal("it did not come: %s", what);
    });
    poll.start(1);
    if (!condition())
        loop.exec();
}

} // namespace fermata
