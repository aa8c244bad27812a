// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/markdownblock.h"

#include <algorithm>

namespace fermata {

QString MarkdownText::plain(int from, int to) const
{
    QString shown;
    int at = from;
    for (const MarkdownRun &run : runs) {
        if (!(run.flags & MarkdownRun::Pad) || run.start + run.length <= at)
            continue;
        if (run.start >= to)
            break;
        shown += QStringView(text).mid(at, std::max(0, run.start - at));
        at = run.start + run.length;
    }
    if (at < to)
        shown += QStringView(text).mid(at, to - at);
    return shown;
}

int MarkdownText::sourceOf(int position) const
{
    const auto after =
        std::upper_bound(sources.begin(), sources.end(), position,
                         [](int wanted, const Source &source) { return wanted < source.position; });
    if (after == sources.begin())
        return sources.empty() ? 0 : sources.front().offset;
    const Source &source = *(after - 1);
    const int inside = std::min(position - source.position, source.length);
    return source.offset + int(QStringView(text).mid(source.position, inside).toUtf8().size());
}

bool MarkdownTable::looksLike(const MarkdownTable &other) const
{
    const auto sameCell = [](const MarkdownText &a, const MarkdownText &b) {
        return a.looksLike(b);
    };
    const auto sameRow = [&](const std::vector<MarkdownText> &a,
                             const std::vector<MarkdownText> &b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), sameCell);
    };
    return columns == other.columns && hasHead == other.hasHead && sameRow(widest, other.widest)
        && std::equal(rows.begin(), rows.end(), other.rows.begin(), other.rows.end(), sameRow);
}

bool MarkdownBlock::inList() const
{
    return std::any_of(levels.begin(), levels.begin() + depth,
                       [](Level level) { return level != Level::Quote; });
}

bool MarkdownBlock::looksLike(const MarkdownBlock &other) const
{
    return kind == other.kind && heading == other.heading && depth == other.depth
        && tight == other.tight && continued == other.continued && goesOn == other.goesOn
        && std::equal(levels.begin(), levels.begin() + depth, other.levels.begin())
        && marker == other.marker && language == other.language && text.looksLike(other.text)
        && table.looksLike(other.table);
}

} // namespace fermata
