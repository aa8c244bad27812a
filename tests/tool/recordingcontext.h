// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/cleanupstack.h"
#include "tool/tool.h"

#include <QByteArray>
#include <QString>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace fermata {

// The context of one run, as a test drives it: what the tool reports is kept.
class RecordingContext final : public ToolContext
{
public:
    explicit RecordingContext(QString workspace);

    CancellationToken token() const override { return source.token(); }
    void reportOutput(const QByteArray &bytes) override;
    void requestTurnStop(const QString &) override { }
    void passPointOfNoReturn() override { pastPointOfNoReturn = true; }
    QString workspace() const override { return m_workspace; }
    std::chrono::milliseconds grace() const override { return graceTime; }
    CancellationToken forceToken() const override { return force.token(); }
    QByteArray approvedFingerprint() const override { return fingerprint; }
    CleanupStack &cleanup() override { return cleanupStack; }

    QByteArray output() const;
    bool waitForOutput(const QByteArray &text) const; // at most 20 s

    CancellationSource source;
    CancellationSource force;
    std::chrono::milliseconds graceTime{2000};
    QByteArray fingerprint;
    CleanupStack cleanupStack;
    std::atomic<bool> pastPointOfNoReturn = false;

private:
    const QString m_workspace;
    mutable std::mutex m_mutex;
    mutable std::condition_variable m_changed;
    QByteArray m_output;
};

} // namespace fermata
