// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/rowheights.h"

#include <QTest>

#include <numeric>
#include <random>

using namespace fermata;

class TestRowHeights : public QObject
{
    Q_OBJECT

private slots:
    void sumsAndSearchesAgreeWithAWalk()
    {
        std::mt19937 random(7);
        std::uniform_int_distribution<int> height(0, 90);
        std::vector<int> heights(100);
        for (int &h : heights)
            h = height(random);
        RowHeights rows;
        rows.reset(heights);
        for (int step = 0; step < 400; ++step) {
            if (step % 3 == 0) {
                heights.push_back(height(random));
                rows.append(heights.back());
            } else {
                const int row = int(random() % heights.size());
                heights[size_t(row)] = height(random);
                rows.set(row, heights[size_t(row)]);
            }
            QCOMPARE(rows.total(), std::accumulate(heights.begin(), heights.end(), 0));
            const int row = int(random() % heights.size());
            QCOMPARE(rows.top(row), std::accumulate(heights.begin(), heights.begin() + row, 0));
            const int y = int(random() % unsigned(rows.total()));
            const int found = rows.rowAt(y);
            QVERIFY(rows.top(found) <= y && y < rows.top(found) + rows.height(found));
        }
    }

    void outsideIsTheFirstOrTheLastRow()
    {
        RowHeights rows;
        QCOMPARE(rows.rowAt(0), -1);
        rows.append(10);
        rows.append(20);
        QCOMPARE(rows.rowAt(-5), 0);
        QCOMPARE(rows.rowAt(9), 0);
        QCOMPARE(rows.rowAt(10), 1);
        QCOMPARE(rows.rowAt(1000), 1);
    }
};

QTEST_APPLESS_MAIN(TestRowHeights)
#include "tst_rowheights.moc"
