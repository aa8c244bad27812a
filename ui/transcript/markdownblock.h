// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <array>
#include <vector>

namespace fermata {

// A stretch of text with one look. Runs are in order, do not overlap, and cover what is not plain.
struct MarkdownRun
{
    enum Flag : quint8 {
        Bold = 0x01,
        Italic = 0x02,
        Strike = 0x04,
        Code = 0x08,
        Link = 0x10,
        Chip = 0x20, // stands for something that is not shown, an image
        Pad = 0x40, // air around inline code, not part of the text
    };

    int start = 0;
    int length = 0;
    quint8 flags = 0;
    qint16 link = -1; // index into MarkdownText::links

    friend bool operator==(const MarkdownRun &, const MarkdownRun &) = default;
};

// Text as it is shown, with the places in the source where its parts come from.
struct MarkdownText
{
    struct Source
    {
        int position = 0; // in text, UTF-16
        int length = 0;
        int offset = 0; // in the source of the message, UTF-8

        friend bool operator==(const Source &, const Source &) = default;
    };

    QString text;
    std::vector<MarkdownRun> runs;
    QStringList links; // targets, exactly as they came
    std::vector<Source> sources;

    // What is seen of [from, to): without the air around inline code.
    QString plain(int from, int to) const;
    // The source offset of a position, or of the nearest one before it that has one.
    int sourceOf(int position) const;
    bool looksLike(const MarkdownText &other) const
    {
        return text == other.text && runs == other.runs && links == other.links;
    }

    friend bool operator==(const MarkdownText &, const MarkdownText &) = default;
};

struct MarkdownTable
{
    enum class Align : quint8 { Start, Center, End };

    std::vector<Align> columns;
    std::vector<std::vector<MarkdownText>> rows;
    bool hasHead = false; // the first row is the head
    std::vector<MarkdownText> widest; // the longest text of each column, in the whole table

    bool looksLike(const MarkdownTable &other) const;
};

// One thing that is laid out by itself. The tree of a document is kept flat: each block knows the lists and quotes it
// stands in, so that no depth of nesting costs recursion or memory.
struct MarkdownBlock
{
    enum class Kind : quint8 { Text, Heading, Code, Table, Rule };
    enum class Level : quint8 { Bullets, Numbers, Quote };
    static constexpr int MostLevels = 8; // deeper nesting is shown at this level

    Kind kind = Kind::Text;
    quint8 heading = 0;
    quint8 depth = 0;
    bool tight = false; // an item of a list without air between its items
    bool continued = false; // the rest of a paragraph or table that was too long for one block
    bool goesOn = false; // the next block is the rest of this one
    std::array<Level, MostLevels> levels{};
    QString marker; // of the list item that begins here: a bullet, "3.", a box
    QString language; // of code
    MarkdownText text;
    MarkdownTable table;
    qsizetype sourceBegin = 0; // UTF-8 offsets in the message
    qsizetype sourceEnd = 0;

    bool inList() const;
    // True if both are painted alike; where they come from may differ.
    bool looksLike(const MarkdownBlock &other) const;
};

using MarkdownBlocks = std::vector<MarkdownBlock>;

} // namespace fermata
