// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace fermata {

// `text` with each lone surrogate, and each NUL, as U+FFFD.
QString validUnicode(QString text);

// Cleans a text that comes in pieces: a pair of surrogates that was cut apart is put together again.
class UnicodeJoiner final
{
public:
    QString append(QString piece);
    // What was held back, as U+FFFD, or nothing.
    QString finish();

private:
    QString m_held; // a high surrogate whose partner may still come
};

} // namespace fermata
