// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/transferfile.h"

#include "conversation/markdownexport.h"
#include "conversation/serialization.h"

#include <QFileInfo>
#include <QSaveFile>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 LargestImport = 256LL * 1024 * 1024;

} // namespace

Result<void> writeConversation(const Conversation &conversation, const QString &path)
{
    const QByteArray bytes = path.endsWith(u".md"_s, Qt::CaseInsensitive)
        ? toMarkdown(conversation).toUtf8()
        : toJsonLines(conversation);
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return Error(
            ErrorCode::Io,
            u"The conversation could not be exported to %1: %2. Nothing was written."_s.arg(
                path, file.errorString()));
    return {};
}

Result<Conversation> readConversation(const QString &path)
{
    const QFileInfo info(path);
    if (!info.isFile())
        return Error(ErrorCode::Io, u"%1 is not a file that can be imported."_s.arg(path));
    if (info.size() > LargestImport)
        return Error(ErrorCode::TooLarge,
                     u"%1 is larger than 256 MB and was not imported."_s.arg(path));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error(ErrorCode::Io, u"%1 could not be read: %2."_s.arg(path, file.errorString()));
    return conversationFromJsonLines(file.readAll());
}

} // namespace fermata
