// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include "store/conversationstore.h"

#include <QElapsedTimer>
#include <QFile>

#include <csignal>

namespace fermata {

using namespace Qt::StringLiterals;

Program::Program(const QString &home, const QStringList &arguments)
{
    QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
    variables.insert(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
    variables.insert(u"DBUS_SESSION_BUS_ADDRESS"_s, u"unix:path=/nonexistent/bus"_s);
    variables.insert(u"HOME"_s, home);
    variables.insert(u"XDG_RUNTIME_DIR"_s, home);
    for (const QString &name : {u"OPENAI_API_KEY"_s, u"OPENAI_BASE_URL"_s, u"OLLAMA_HOST"_s})
        variables.remove(name);
    m_process.setProcessEnvironment(variables);
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_process.start(QStringLiteral(FERMATA_PROGRAM),
                    QStringList{u"--data-dir"_s, home} + arguments);
}

Program::~Program()
{
    m_process.kill();
    m_process.waitForFinished(LongTimeMs);
}

std::optional<qint64> Program::end(int signal)
{
    QElapsedTimer timer;
    timer.start();
    ::kill(pid_t(m_process.processId()), signal);
    if (!m_process.waitForFinished(LongTimeMs))
        return std::nullopt;
    return timer.elapsed();
}

bool Program::exitedWith(int code) const
{
    return m_process.exitStatus() == QProcess::NormalExit && m_process.exitCode() == code;
}

std::optional<TurnRecord> newestTurn(const QString &home)
{
    const QString path = home + u"/conversations.db"_s;
    if (!QFile::exists(path))
        return std::nullopt;
    const auto store = ConversationStore::open(path);
    if (!store.ok())
        return std::nullopt;
    const auto list = (*store)->list();
    if (!list.ok() || list->empty())
        return std::nullopt;
    const auto conversation = (*store)->load(list->front().id);
    if (!conversation.ok() || conversation->turns.empty())
        return std::nullopt;
    return conversation->turns.back();
}

} // namespace fermata
