// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace fermata {

// The heights of the rows of a transcript, with sums in logarithmic time: ten thousand rows change and are searched
// without a walk over them.
class RowHeights final
{
public:
    void reset(const std::vector<int> &heights);
    void append(int height);
    void set(int row, int height);

    int count() const { return int(m_heights.size()); }
    int height(int row) const { return m_heights[std::size_t(row)]; }
    int top(int row) const; // the sum of all rows before
    int total() const { return top(count()); }
    // The row that holds `y`; the first or the last for what lies outside. -1 if there is none.
    int rowAt(int y) const;

private:
    std::vector<int> m_heights;
    std::vector<int> m_sums; // a Fenwick tree, from 1
};

} // namespace fermata
