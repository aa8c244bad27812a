// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringView>

// Foreign text, made fit to be looked at: what cannot be seen must not change what is seen.
namespace fermata {

// The character at `at`, which is moved behind it. Half a character is U+FFFD.
char32_t nextCharacter(QStringView text, qsizetype &at);

// A control, formatting or private character that shows nothing and may move or hide what stands around it. Line
// breaks and tabs are none; joiners are only where code or an address is shown.
enum class TextUse { Prose, Exact };
bool isInvisible(char32_t character, TextUse use);

// "‹U+202E›"
QString visibleName(char32_t character);

// Code, commands, addresses: every invisible character as its name.
QString withControlsNamed(const QString &text);

// Prose: invisible characters are left out, and of the marks on one character no more than a few are kept.
QString withoutControls(const QString &text);

// What a terminal would leave on the screen: escape sequences are left out, a carriage return starts its line again.
QString terminalText(const QString &output);

// Most marks that are kept on one character, so that no text is painted over its neighbours.
constexpr int MostMarks = 8;

} // namespace fermata
