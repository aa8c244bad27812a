// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QtGlobal>

#include <mutex>
#include <utility>

namespace fermata {

// Collects what is logged, on any thread, while it exists. One at a time.
class LogRecorder final
{
public:
    LogRecorder() { s_previous = qInstallMessageHandler(record); }
    ~LogRecorder()
    {
        qInstallMessageHandler(s_previous);
        take();
    }
    LogRecorder(const LogRecorder &) = delete;
    LogRecorder &operator=(const LogRecorder &) = delete;

    static QStringList lines()
    {
        const std::lock_guard lock(s_mutex);
        return s_lines;
    }

    static QStringList take()
    {
        const std::lock_guard lock(s_mutex);
        return std::exchange(s_lines, {});
    }

private:
    static void record(QtMsgType, const QMessageLogContext &, const QString &message)
    {
        const std::lock_guard lock(s_mutex);
        s_lines << message;
    }

    static inline std::mutex s_mutex;
    static inline QStringList s_lines;
    static inline QtMessageHandler s_previous = nullptr;
};

} // namespace fermata
