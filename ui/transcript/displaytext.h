// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/visibletext.h"

#include <QString>

// Foreign text, made fit to be looked at.
namespace fermata {

// Prose: invisible characters are left out, and of the marks on one character no more than a few are kept.
QString withoutControls(const QString &text);

// What a terminal would leave on the screen: escape sequences are left out, a carriage return starts its line again.
QString terminalText(const QString &output);

// Of the same length, and no line ends between a figure and its unit or in the path to a page of the settings.
QString withFactsWhole(QString line);

} // namespace fermata
