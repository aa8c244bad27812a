// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/unicodetext.h"

#include <utility>

namespace fermata {

QString validUnicode(QString text)
{
    if (text.isValidUtf16() && !text.contains(QChar(QChar::Null)))
        return text;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text.at(i);
        if (c.isHighSurrogate() && i + 1 < text.size() && text.at(i + 1).isLowSurrogate())
            ++i;
        else if (c.isSurrogate() || c.isNull())
            text[i] = QChar(QChar::ReplacementCharacter);
    }
    return text;
}

QString UnicodeJoiner::append(QString piece)
{
    if (!m_held.isEmpty())
        piece.prepend(std::exchange(m_held, {}));
    if (!piece.isEmpty() && piece.back().isHighSurrogate()) {
        m_held = piece.back();
        piece.chop(1);
    }
    return validUnicode(std::move(piece));
}

QString UnicodeJoiner::finish()
{
    return validUnicode(std::exchange(m_held, {}));
}

} // namespace fermata
