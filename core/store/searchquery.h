// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace fermata {

// What a person has typed, as a query of FTS5: each word quoted, so that nothing in it is syntax, the last one as the
// beginning of a word unless it is a single letter of ASCII, with which every text begins some word.
struct SearchQuery
{
    QString match; // empty: nothing to look for
    bool newestFirst =
        false; // the last word is too short for a rank to mean something, and for it to be fast
};

SearchQuery searchQuery(const QString &text);

// One line of plain text.
QString cleanSnippet(const QString &snippet);

} // namespace fermata
