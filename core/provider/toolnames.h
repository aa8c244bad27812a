// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "provider/modelprovider.h"

#include <QHash>
#include <QString>

#include <vector>

namespace fermata {

// `name` as every server takes it, [a-zA-Z0-9_-]{1,64}. A name that is that already stays as it is; what another one
// becomes depends on nothing but itself.
QString wireToolName(const QString &name);

// The way back: from what a model calls to what the registry knows.
class ToolNames final
{
public:
    ToolNames() = default;
    explicit ToolNames(const std::vector<ToolDefinition> &tools);

    // A name that was not offered comes back unchanged.
    QString registryName(const QString &wireName) const;

private:
    QHash<QString, QString> m_byWireName; // only those that differ
};

} // namespace fermata
