// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/tool.h"

#include <QCryptographicHash>
#include <QJsonDocument>

namespace fermata {

using namespace Qt::StringLiterals;

Result<void> Tool::undo(const QJsonObject &, const QString &)
{
    return Error(ErrorCode::Unsupported, u"“%1” cannot be undone."_s.arg(spec().title));
}

QByteArray approvalFingerprint(const QString &tool, const QJsonObject &arguments,
                               QByteArrayView state)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    // The keys of a QJsonObject are sorted, so equal arguments give equal bytes.
    for (const QByteArray &part :
         {tool.toUtf8(), QJsonDocument(arguments).toJson(QJsonDocument::Compact),
          state.toByteArray()}) {
        hash.addData(QByteArray::number(part.size()) + ':');
        hash.addData(part);
    }
    return hash.result();
}

} // namespace fermata
