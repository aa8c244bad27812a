// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/style/metrics.h"
#include "ui/style/theme.h"

#include <QFont>

namespace fermata {

// Fonts, line pitches and colours of the transcript at one zoom. A value; made again when theme, font or zoom changes.
struct TranscriptStyle
{
    Theme theme;
    qreal zoom = 1.0;
    qreal pixelRatio = 1.0;
    QFont reading;
    QFont small;
    QFont control;
    QFont controlBold;
    QFont headings[3]; // h1, h2, h3
    QFont code;
    QFont output;
    qreal readingPitch = 22;
    qreal controlPitch = 20;
    qreal codePitch = 20;
    qreal outputPitch = 18;
    qreal readingCharacter = 7; // mean width of a character, for estimates
    qreal codeCharacter = 8;

    static TranscriptStyle make(const Theme &theme, qreal zoom, qreal pixelRatio);

    const QFont &heading(int level) const { return headings[level <= 1 ? 0 : level == 2 ? 1 : 2]; }
    // A metric in proportion to the zoom, for parts that hold a line of text.
    int scaled(int pixels) const { return qRound(pixels * zoom); }
};

// Sizes of the transcript alone, at 100 %.
namespace transcript {
constexpr int ListIndent = 20;
constexpr int NumberIndent = 28;
constexpr int QuoteIndent = 16;
constexpr int ParagraphGap = 8;
constexpr int ItemGap = 2;
constexpr int CardGap = 12;
constexpr int UserGap = 16;
constexpr int AnswerGap = 12;
constexpr int EndGap = 8;
constexpr int BubbleWidth = 600;
constexpr qreal BubbleShare = 0.82;
constexpr int BubblePaddingX = 14;
constexpr int BubblePaddingY = 8;
constexpr int CodeHead = 32;
constexpr int CodePadding = 12;
constexpr int ToolRow = 34;
constexpr int ToolHead = 40;
constexpr int ThoughtRow = 24;
constexpr int MarkColumn = 24; // from the edge of a foot line to its text
constexpr int OutputLines = 8; // of an open tool call
} // namespace transcript

} // namespace fermata
