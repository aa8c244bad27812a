// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/markdownsplit.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fermata {

namespace {

constexpr int MostMeasured = 200; // characters of a cell

MarkdownText part(const MarkdownText &whole, int from, int to)
{
    MarkdownText text;
    text.text = whole.text.mid(from, to - from);
    text.links = whole.links;
    for (MarkdownRun run : whole.runs) {
        const int begin = std::max(run.start, from);
        run.length = std::min(run.start + run.length, to) - begin;
        run.start = begin - from;
        if (run.length > 0)
            text.runs.push_back(run);
    }
    for (MarkdownText::Source source : whole.sources) {
        const int begin = std::max(source.position, from);
        const int length = std::min(source.position + source.length, to) - begin;
        if (length <= 0)
            continue;
        source.offset = whole.sourceOf(begin);
        source.position = begin - from;
        source.length = length;
        text.sources.push_back(source);
    }
    return text;
}

// Where a paragraph is split depends only on what stands before, so that it stays when the text grows.
void splitParagraph(MarkdownBlock block, MarkdownBlocks &into)
{
    const QString &text = block.text.text;
    int from = 0;
    while (from < text.size()) {
        int to = int(text.size());
        if (to - from > MostParagraph / 2) {
            to = from + MostParagraph / 2;
            const qsizetype space = text.lastIndexOf(u' ', to);
            if (space > from + MostParagraph / 4)
                to = int(space) + 1;
            while (to < text.size() && text[to].isLowSurrogate())
                ++to;
        }
        MarkdownBlock piece = block;
        piece.text = part(block.text, from, to);
        piece.continued = from > 0;
        piece.goesOn = to < text.size();
        if (from > 0) {
            piece.marker.clear();
            piece.sourceBegin = block.text.sourceOf(from);
        }
        if (piece.goesOn)
            piece.sourceEnd = block.text.sourceOf(to);
        into.push_back(std::move(piece));
        from = to;
    }
}

// About in characters of prose: those of code are wider.
qsizetype widthOf(const MarkdownText &text)
{
    qsizetype width = text.text.size();
    for (const MarkdownRun &run : text.runs) {
        if (run.flags & MarkdownRun::Code)
            width += run.length / 3;
    }
    return width;
}

std::vector<MarkdownText> widestTexts(const MarkdownTable &table)
{
    std::vector<MarkdownText> widest(table.columns.size());
    std::vector<qsizetype> widths(table.columns.size());
    for (const auto &row : table.rows) {
        for (size_t i = 0; i < std::min(row.size(), table.columns.size()); ++i) {
            const qsizetype width = widthOf(row[i]);
            if (width > widths[i]) {
                widths[i] = width;
                widest[i] = part(row[i], 0, MostMeasured);
                widest[i].sources.clear();
                widest[i].links.clear();
            }
        }
    }
    return widest;
}

void splitTable(MarkdownBlock block, MarkdownBlocks &into)
{
    auto rows = std::exchange(block.table.rows, {});
    const qsizetype end = block.sourceEnd;
    for (size_t from = 0; from == 0 || from < rows.size(); from += MostTableRows) {
        const size_t to = std::min(rows.size(), from + MostTableRows);
        MarkdownBlock piece = block;
        piece.table.rows.assign(std::make_move_iterator(rows.begin() + qsizetype(from)),
                                std::make_move_iterator(rows.begin() + qsizetype(to)));
        piece.table.hasHead = from == 0;
        piece.continued = from > 0;
        piece.goesOn = to < rows.size();
        if (piece.continued) {
            piece.marker.clear();
            for (const MarkdownText &cell : piece.table.rows.front()) {
                if (!cell.sources.empty()) {
                    piece.sourceBegin = cell.sources.front().offset;
                    break;
                }
            }
            into.back().sourceEnd = piece.sourceBegin;
        }
        piece.sourceEnd = end;
        into.push_back(std::move(piece));
    }
}

} // namespace

MarkdownBlocks splitLong(MarkdownBlocks blocks)
{
    MarkdownBlocks split;
    split.reserve(blocks.size());
    for (MarkdownBlock &block : blocks) {
        if (block.kind == MarkdownBlock::Kind::Table) {
            block.table.widest = widestTexts(block.table);
            splitTable(std::move(block), split);
        } else if (block.kind != MarkdownBlock::Kind::Code
                   && block.text.text.size() > MostParagraph) {
            splitParagraph(std::move(block), split);
        } else {
            split.push_back(std::move(block));
        }
    }
    return split;
}

} // namespace fermata
