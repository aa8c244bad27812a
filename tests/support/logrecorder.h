// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QtGlobal>

#include <mutex>
#include <utility>
#include <vector>

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
        return texts(s_lines);
    }
    // Only those of that level.
    static QStringList lines(QtMsgType level)
    {
        const std::lock_guard lock(s_mutex);
        QStringList lines;
        for (const auto &[lineLevel, text] : s_lines) {
            if (lineLevel == level)
                lines << text;
        }
        return lines;
    }

    static QStringList take()
    {
        const std::lock_guard lock(s_mutex);
        return texts(std::exchange(s_lines, {}));
    }

private:
    using Line = std::pair<QtMsgType, QString>;

    static QStringList texts(const std::vector<Line> &lines)
    {
        QStringList texts;
        for (const Line &line : lines)
            texts << line.second;
        return texts;
    }
    static void record(QtMsgType level, const QMessageLogContext &, const QString &message)
    {
        const std::lock_guard lock(s_mutex);
        s_lines.emplace_back(level, message);
    }

    static inline std::mutex s_mutex;
    static inline std::vector<Line> s_lines;
    static inline QtMessageHandler s_previous = nullptr;
};

} // namespace fermata
