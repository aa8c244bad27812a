// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/linediff.h"

#include <algorithm>
#include <vector>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int Context = 3;
constexpr int MostEdits = 2000; // beyond that the search would take too much memory

using Lines = std::vector<QByteArrayView>;

// With their line breaks, so that a last line without one differs.
Lines linesOf(const QByteArray &text)
{
    Lines lines;
    const QByteArrayView view(text);
    for (qsizetype start = 0; start < view.size();) {
        const qsizetype end = view.indexOf('\n', start);
        const qsizetype next = end < 0 ? view.size() : end + 1;
        lines.push_back(view.sliced(start, next - start));
        start = next;
    }
    return lines;
}

struct Step
{
    char kind; // ' ', '-' or '+'
    int line; // of the old text, or of the new one for '+'
};

// Of the lines [from, oldEnd) and [from, newEnd), by the algorithm of Myers; all out and all in where that takes too long.
std::vector<Step> middleSteps(const Lines &before, const Lines &after, int from, int oldEnd,
                              int newEnd)
{
    const int n = oldEnd - from;
    const int m = newEnd - from;
    const int most = std::min(n + m, MostEdits);
    std::vector<std::vector<int>> history;
    std::vector<int> reach(size_t(2 * most + 3), 0);
    const auto at = [most](int diagonal) { return size_t(diagonal + most + 1); };
    int found = -1;
    for (int d = 0; d <= most && found < 0; ++d) {
        history.emplace_back(reach.begin() + std::ptrdiff_t(at(-d)) - 1,
                             reach.begin() + std::ptrdiff_t(at(d)) + 2);
        for (int k = -d; k <= d; k += 2) {
            const bool down = k == -d || (k != d && reach[at(k - 1)] < reach[at(k + 1)]);
            int x = down ? reach[at(k + 1)] : reach[at(k - 1)] + 1;
            while (x < n && x - k < m && before[size_t(from + x)] == after[size_t(from + x - k)])
                ++x;
            reach[at(k)] = x;
            if (x >= n && x - k >= m) {
                found = d;
                break;
            }
        }
    }
    std::vector<Step> steps;
    if (found < 0) {
        for (int i = from; i < oldEnd; ++i)
            steps.push_back({'-', i});
        for (int i = from; i < newEnd; ++i)
            steps.push_back({'+', i});
        return steps;
    }
    int x = n;
    int y = m;
    for (int d = found; d >= 0; --d) {
        const std::vector<int> &was = history[size_t(d)];
        const auto reached = [&](int diagonal) { return was[size_t(diagonal + d + 1)]; };
        const int k = x - y;
        const bool down = k == -d || (k != d && reached(k - 1) < reached(k + 1));
        const int fromK = down ? k + 1 : k - 1;
        const int fromX = d == 0 ? 0 : reached(fromK);
        const int fromY = d == 0 ? 0 : fromX - fromK;
        while (x > fromX && y > fromY) {
            --x;
            --y;
            steps.push_back({' ', from + x});
        }
        if (d == 0)
            break;
        if (down)
            steps.push_back({'+', from + --y});
        else
            steps.push_back({'-', from + --x});
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

std::vector<Step> allSteps(const Lines &before, const Lines &after)
{
    const int oldSize = int(before.size());
    const int newSize = int(after.size());
    int same = 0;
    while (same < std::min(oldSize, newSize) && before[size_t(same)] == after[size_t(same)])
        ++same;
    int sameEnd = 0;
    while (sameEnd < std::min(oldSize, newSize) - same
           && before[size_t(oldSize - 1 - sameEnd)] == after[size_t(newSize - 1 - sameEnd)])
        ++sameEnd;
    std::vector<Step> steps;
    for (int i = 0; i < same; ++i)
        steps.push_back({' ', i});
    const auto middle = middleSteps(before, after, same, oldSize - sameEnd, newSize - sameEnd);
    steps.insert(steps.end(), middle.begin(), middle.end());
    for (int i = oldSize - sameEnd; i < oldSize; ++i)
        steps.push_back({' ', i});
    return steps;
}

QString rangeText(int start, int count)
{
    return count == 1 ? QString::number(start + 1)
                      : u"%1,%2"_s.arg(count == 0 ? start : start + 1).arg(count);
}

} // namespace

QString unifiedDiff(const QByteArray &before, const QByteArray &after, const QString &oldName,
                    const QString &newName)
{
    const Lines oldLines = linesOf(before);
    const Lines newLines = linesOf(after);
    const std::vector<Step> steps = allSteps(oldLines, newLines);

    QString diff = u"--- %1\n+++ %2\n"_s.arg(oldName.isEmpty() ? u"/dev/null"_s : oldName, newName);
    const int size = int(steps.size());
    int oldLine = 0; // of steps[done]
    int newLine = 0;
    int done = 0;
    const auto isChange = [&](int i) { return steps[size_t(i)].kind != ' '; };
    for (int i = 0; i < size;) {
        if (!isChange(i)) {
            ++i;
            continue;
        }
        // A hunk reaches to where the next change is further away than two contexts.
        const int begin = std::max(done, i - Context);
        int lastChange = i;
        for (int j = i; j < size && j - lastChange <= 2 * Context; ++j)
            lastChange = isChange(j) ? j : lastChange;
        const int end = std::min(size, lastChange + Context + 1);

        for (; done < begin; ++done) {
            ++oldLine;
            ++newLine;
        }
        QString body;
        int oldCount = 0;
        int newCount = 0;
        for (; done < end; ++done) {
            const Step &step = steps[size_t(done)];
            const QByteArrayView line =
                step.kind == '+' ? newLines[size_t(step.line)] : oldLines[size_t(step.line)];
            oldCount += step.kind != '+';
            newCount += step.kind != '-';
            body += QLatin1Char(step.kind) + QString::fromUtf8(line);
            if (!line.endsWith('\n'))
                body += u"\n\\ No newline at end of file\n"_s;
        }
        diff += u"@@ -%1 +%2 @@\n"_s.arg(rangeText(oldLine, oldCount), rangeText(newLine, newCount))
            + body;
        oldLine += oldCount;
        newLine += newCount;
        i = end;
    }
    return diff;
}

} // namespace fermata
