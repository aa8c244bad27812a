// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/toolnames.h"

#include <QCryptographicHash>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestName = 64;

bool isNameCharacter(QChar c)
{
    const char16_t u = c.unicode();
    return (u >= u'a' && u <= u'z') || (u >= u'A' && u <= u'Z') || (u >= u'0' && u <= u'9')
        || u == u'_' || u == u'-';
}

} // namespace

QString wireToolName(const QString &name)
{
    if (!name.isEmpty() && name.size() <= LongestName
        && std::all_of(name.begin(), name.end(), isNameCharacter))
        return name;
    const QByteArray hash =
        QCryptographicHash::hash(name.toUtf8(), QCryptographicHash::Sha1).toHex().first(8);
    QString readable = name.first(std::min<qsizetype>(name.size(), LongestName - 9));
    std::replace_if(
        readable.begin(), readable.end(), [](QChar c) { return !isNameCharacter(c); }, u'_');
    return readable + u'_' + QString::fromLatin1(hash);
}

ToolNames::ToolNames(const std::vector<ToolDefinition> &tools)
{
    for (const ToolDefinition &tool : tools) {
        const QString wire = wireToolName(tool.name);
        if (wire != tool.name)
            m_byWireName.insert(wire, tool.name);
    }
}

QString ToolNames::registryName(const QString &wireName) const
{
    return m_byWireName.value(wireName, wireName);
}

} // namespace fermata
