// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/quotation.h"

#include <QStringList>

namespace fermata {

using namespace Qt::StringLiterals;

QString asQuotation(const QString &text)
{
    // Every character that some reader takes for the end of a line ends one here, so that nothing gets out of the quotation.
    QString lines = text;
    lines.replace(u"\r\n"_s, u"\n"_s);
    for (const char16_t end : {u'\r', u'\u000B', u'\u000C', u'\u0085', u'\u2028', u'\u2029'})
        lines.replace(QChar(end), u'\n');
    while (lines.endsWith(u'\n'))
        lines.chop(1);
    if (lines.trimmed().isEmpty())
        return {};
    QString quotation;
    const QStringList parts = lines.split(u'\n');
    for (const QString &line : parts)
        quotation += line.isEmpty() ? u">\n"_s : u"> "_s + line + u'\n';
    return quotation + u'\n';
}

} // namespace fermata
