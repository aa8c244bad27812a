// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/processrequest.h"
#include "tool/builtin/workspacepath.h"
#include "tool/tool.h"

#include <atomic>
#include <memory>

namespace fermata {

class IoThread;
class Sandbox;

// A shell command in the workspace, contained where the system allows it.
class RunCommand final : public Tool
{
public:
    // `mayUseNetwork`: the user's setting that contained commands have the network without asking for it; null: they
    // have not. What it says when a command is shown counts for that command.
    RunCommand(IoThread &io, std::shared_ptr<const Sandbox> sandbox, ProtectedPaths protectedPaths,
               std::shared_ptr<const std::atomic<bool>> mayUseNetwork = nullptr);

    const ToolSpec &spec() const override { return m_spec; }
    Result<ApprovalRequest> describe(const QJsonObject &arguments,
                                     const QString &workspace) const override;
    QString summary(const QJsonObject &arguments) const override;
    Result<ToolResult> run(const QJsonObject &arguments, ToolContext &context) override;

private:
    struct Command;
    Result<Command> parse(const QJsonObject &arguments, const QString &workspace) const;
    QByteArray fingerprint(const QJsonObject &arguments, const Command &command,
                           const QString &workspace) const;
    ProcessRequest requestFor(const Command &command, const QString &workspace) const;

    IoThread &m_io;
    const std::shared_ptr<const Sandbox> m_sandbox;
    const ProtectedPaths m_protected;
    const std::shared_ptr<const std::atomic<bool>> m_mayUseNetwork;
    const ToolSpec m_spec;
};

} // namespace fermata
