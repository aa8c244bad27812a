// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/validtext.h"

namespace fermata {

QString validText(const QString &text)
{
    if (text.isValidUtf16())
        return text;
    QString valid = text;
    for (qsizetype i = 0; i < valid.size(); ++i) {
        if (!valid.at(i).isSurrogate())
            continue;
        const bool pair = valid.at(i).isHighSurrogate() && i + 1 < valid.size()
            && valid.at(i + 1).isLowSurrogate();
        if (pair)
            ++i;
        else
            valid[i] = QChar::ReplacementCharacter;
    }
    return valid;
}

qsizetype wholeCodePoints(const QString &text)
{
    return !text.isEmpty() && text.back().isHighSurrogate() ? text.size() - 1 : text.size();
}

} // namespace fermata
