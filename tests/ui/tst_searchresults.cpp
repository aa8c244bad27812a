// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sidebar/searchresults.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class SearchResultsTest final : public QObject
{
    Q_OBJECT

private slots:
    void whatWasFoundStandsNearTheBeginning_data();
    void whatWasFoundStandsNearTheBeginning();
};

void SearchResultsTest::whatWasFoundStandsNearTheBeginning_data()
{
    QTest::addColumn<QString>("snippet");
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("shown");
    QTest::newRow("already") << u"the lock file is old"_s << u"lock"_s << u"the lock file is old"_s;
    QTest::newRow("behind") << u"the job ended because the disk was full"_s << u"disk"_s
                            << u"…because the disk was full"_s;
    QTest::newRow("other case") << u"the job ended because the Disk was full"_s << u"DISK fu"_s
                                << u"…because the Disk was full"_s;
    QTest::newRow("without spaces") << u"abcdefghijklmnopqrstuvwxyz"_s << u"xyz"_s << u"…xyz"_s;
    QTest::newRow("in the title alone")
        << u"the job ended because"_s << u"backup"_s << u"the job ended because"_s;
    QTest::newRow("quoted") << u"the job ended because the disk was full"_s << u"\"disk was\""_s
                            << u"…because the disk was full"_s;
    QTest::newRow("nothing") << QString() << u"disk"_s << QString();
}

void SearchResultsTest::whatWasFoundStandsNearTheBeginning()
{
    QFETCH(QString, snippet);
    QFETCH(QString, words);
    QFETCH(QString, shown);
    SearchResultsModel model;
    LibraryHit hit;
    hit.title = u"Title"_s;
    hit.snippet = snippet;
    model.setHits({hit}, words);
    QCOMPARE(model.hit(model.index(0, 0))->snippet, shown);
}

QTEST_GUILESS_MAIN(SearchResultsTest)
#include "tst_searchresults.moc"
