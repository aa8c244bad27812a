// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringView>

// What cannot be seen in foreign text must not change what is seen.
namespace fermata {

// The character at `at`, which is moved behind it. Half a character is U+FFFD.
char32_t nextCharacter(QStringView text, qsizetype &at);

// A control, formatting or private character that shows nothing and may move or hide what stands around it. Line
// breaks and tabs are none. Joiners are only where code or an address is shown. Where the user is asked to allow
// something, so is all that only looks like something else: other spaces, blanks, characters that no font has.
enum class TextUse { Prose, Exact, Asked };
bool isInvisible(char32_t character, TextUse use);

// False for the most part of all text: there is nothing in it that is invisible, and no mark either.
bool mayHoldInvisible(const QString &text, TextUse use);

// "‹U+202E›"
QString visibleName(char32_t character);

// Code, commands, addresses: every invisible character as its name, and nothing cut.
QString withControlsNamed(const QString &text, TextUse use = TextUse::Exact);

// Most marks that are kept on one character, so that no text is painted over its neighbours.
constexpr int MostMarks = 8;

} // namespace fermata
