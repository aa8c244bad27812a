// SPDX-License-Identifier: GPL-3.0-or-later
#include "recordingcontext.h"

#include <utility>

namespace fermata {

RecordingContext::RecordingContext(QString workspace) : m_workspace(std::move(workspace)) { }

void RecordingContext::reportOutput(const QByteArray &bytes)
{
    {
        const std::lock_guard lock(m_mutex);
        m_output += bytes;
    }
    m_changed.notify_all();
}

QByteArray RecordingContext::output() const
{
    const std::lock_guard lock(m_mutex);
    return m_output;
}

bool RecordingContext::waitForOutput(const QByteArray &text) const
{
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, std::chrono::seconds(20),
                              [&] { return m_output.contains(text); });
}

} // namespace fermata
