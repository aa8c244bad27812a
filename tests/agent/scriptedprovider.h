// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/channel.h"
#include "provider/modelprovider.h"

#include <functional>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

namespace fermata {

// --- What a scripted model does, step by step. ---

struct Pass
{ // so much time without anything
    std::chrono::milliseconds time{0};
};
struct Hang
{ // says nothing more until the wait ends
};
struct Fail
{
    Error error;
    RetryAdvice advice;
};
struct Call
{ // anything the test wants to happen just then, such as a stop
    std::function<void()> action;
};

using ScriptStep = std::variant<ModelEvent, Pass, Hang, Fail, Call>;
using Script = std::vector<ScriptStep>;

// A provider without a network. Each request plays the next script; the last one repeats. With an automatic
// ManualClock the time of the script passes at once and exactly.
class ScriptedProvider final : public ModelProvider
{
public:
    explicit ScriptedProvider(std::vector<Script> scripts, const Clock &clock);

    std::unique_ptr<ModelStream> start(const ModelRequest &request,
                                       const CancellationToken &token) override;
    QString kind() const override { return QStringLiteral("scripted"); }
    bool isLocal() const override { return false; }
    bool canContinueAnswer(const QString &) const override { return true; }

    std::vector<ModelRequest> requests() const;

private:
    std::vector<Script> m_scripts;
    const Clock &m_clock;
    mutable std::mutex m_mutex;
    std::vector<ModelRequest> m_requests;
};

// Pieces of scripts.
Script sent(); // connected, and the request is out
Script text(const QString &text); // a delta
Script done(StopReason reason = StopReason::EndTurn);
Script toolCall(const QString &name, const QString &arguments = QStringLiteral("{}"),
                const QString &id = {});
Script operator+(Script a, const Script &b);
Script answer(const QString &text); // sent() + text() + done()

} // namespace fermata
