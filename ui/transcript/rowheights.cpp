// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/rowheights.h"

#include <algorithm>

namespace fermata {

void RowHeights::reset(const std::vector<int> &heights)
{
    m_heights = heights;
    m_sums.assign(heights.size() + 1, 0);
    for (std::size_t i = 1; i < m_sums.size(); ++i) {
        m_sums[i] += heights[i - 1];
        const std::size_t parent = i + (i & (~i + 1));
        if (parent < m_sums.size())
            m_sums[parent] += m_sums[i];
    }
}

void RowHeights::append(int height)
{
    if (m_sums.empty())
        m_sums.push_back(0);
    m_heights.push_back(height);
    const std::size_t i = m_heights.size();
    const std::size_t first = i - (i & (~i + 1));
    m_sums.push_back(top(int(i) - 1) - top(int(first)) + height);
}

void RowHeights::set(int row, int height)
{
    const int change = height - m_heights[std::size_t(row)];
    if (change == 0)
        return;
    m_heights[std::size_t(row)] = height;
    for (std::size_t i = std::size_t(row) + 1; i < m_sums.size(); i += i & (~i + 1))
        m_sums[i] += change;
}

int RowHeights::top(int row) const
{
    int sum = 0;
    for (std::size_t i = std::size_t(row); i > 0; i -= i & (~i + 1))
        sum += m_sums[i];
    return sum;
}

int RowHeights::rowAt(int y) const
{
    if (m_heights.empty())
        return -1;
    std::size_t at = 0;
    std::size_t step = 1;
    while (step * 2 < m_sums.size())
        step *= 2;
    for (int rest = std::max(0, y); step > 0; step /= 2) {
        if (at + step < m_sums.size() && m_sums[at + step] <= rest) {
            at += step;
            rest -= m_sums[at];
        }
    }
    return std::min(int(at), count() - 1);
}

} // namespace fermata
