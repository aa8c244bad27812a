// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/filenames.h"

#include <QCoreApplication>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {
constexpr qsizetype LongestName = 60; // each character is at most 4 bytes, and a name at most 255
} // namespace

QString fileNameFor(const QString &title)
{
    QString name;
    for (const QChar c : title.simplified()) {
        const bool isUnsafe = QStringView(u"/\\:*?\"<>|").contains(c) || !c.isPrint();
        name += isUnsafe ? u' ' : c;
        if (name.size() >= LongestName)
            break;
    }
    name = name.simplified();
    while (name.startsWith(u'.'))
        name = name.mid(1).trimmed();
    if (!name.isEmpty() && name.back().isHighSurrogate())
        name.chop(1);
    return name.isEmpty() ? QCoreApplication::translate("fermata::FileNames", "Conversation")
                          : name;
}

} // namespace fermata
