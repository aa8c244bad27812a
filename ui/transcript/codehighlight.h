// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

namespace fermata {

enum class CodeColor : quint8 { Word, String, Comment, Number, Function, Added, Removed };

struct CodeSpan
{
    int start = 0;
    int length = 0;
    CodeColor color = CodeColor::Word;

    friend bool operator==(const CodeSpan &, const CodeSpan &) = default;
};

// The coloured parts of a piece of code, in order. A tokeniser by families of languages rather than a grammar for each:
// it reads no file, takes time in proportion to the code and cannot fail. Nothing for a language it does not know.
std::vector<CodeSpan> highlightCode(const QString &language, const QString &code);

// Longer code is shown in one colour.
constexpr int MostHighlighted = 64 * 1024;

} // namespace fermata
