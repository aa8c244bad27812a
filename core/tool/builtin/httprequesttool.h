// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/builtin/addressreach.h"
#include "tool/tool.h"

namespace fermata {

class IoThread;

// One HTTP request to an address that the user allowed. It connects only to addresses that were judged before, on each
// of at most five redirects: private ones only if the call asks for it by private_network, which always asks the user.
// It sends no keys, no cookies, and nothing of the user's settings.
class HttpRequestTool final : public Tool
{
public:
    // `lookUp` is asked once for each host on the way, on the tool's thread.
    explicit HttpRequestTool(IoThread &io, HostLookUp lookUp = lookUpHost);

    const ToolSpec &spec() const override { return m_spec; }
    Result<ApprovalRequest> describe(const QJsonObject &arguments,
                                     const QString &workspace) const override;
    QString summary(const QJsonObject &arguments) const override;
    Result<ToolResult> run(const QJsonObject &arguments, ToolContext &context) override;

private:
    IoThread &m_io;
    const HostLookUp m_lookUp;
    const ToolSpec m_spec;
};

} // namespace fermata
