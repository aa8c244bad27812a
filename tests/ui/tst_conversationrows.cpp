// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sidebar/conversationlistmodel.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const QDate Today(2026, 11, 20); // a Friday

ConversationSummary summary(const QString &id, const QDate &day, const QTime &time = QTime(11, 5))
{
    ConversationSummary s;
    s.id = ConversationId(id);
    s.title = id;
    s.updatedAt = QDateTime(day, time).toUTC();
    return s;
}

QStringList lines(const std::vector<ConversationRow> &rows)
{
    QStringList result;
    for (const ConversationRow &row : rows)
        result << (row.isGroup() ? u"# "_s + row.group : row.summary.title + u" | "_s + row.when);
    return result;
}

} // namespace

class ConversationRowsTest final : public QObject
{
    Q_OBJECT

private slots:
    void daysFallIntoGroups_data();
    void daysFallIntoGroups();
    void groupsHeadTheirRows();
    void runningConversationShowsItsTimeAndMark();
    void clockAheadIsToday();
    void headOfAGroupCannotBeSelected();
    void runningTimeDoesNotRebuildTheList();
    void hostileTitleIsOneLineOfText();
};

void ConversationRowsTest::daysFallIntoGroups_data()
{
    QTest::addColumn<QDate>("day");
    QTest::addColumn<QString>("group");
    QTest::newRow("today") << Today << u"Today"_s;
    QTest::newRow("yesterday") << Today.addDays(-1) << u"Yesterday"_s;
    QTest::newRow("two days") << Today.addDays(-2) << u"Previous 7 days"_s;
    QTest::newRow("a week") << Today.addDays(-7) << u"Previous 7 days"_s;
    QTest::newRow("this month") << Today.addDays(-8) << u"November"_s;
    QTest::newRow("last month") << QDate(2026, 10, 29) << u"October"_s;
    QTest::newRow("last year") << QDate(2025, 11, 20) << u"November 2025"_s;
}

void ConversationRowsTest::daysFallIntoGroups()
{
    QFETCH(QDate, day);
    QTEST(dateGroup(day, Today, QLocale::c()), "group");
}

void ConversationRowsTest::groupsHeadTheirRows()
{
    const std::vector<ConversationSummary> summaries{
        summary(u"a"_s, Today), summary(u"b"_s, Today, QTime(9, 40)),
        summary(u"c"_s, Today.addDays(-1), QTime(17, 22)), summary(u"d"_s, Today.addDays(-2)),
        summary(u"e"_s, QDate(2026, 10, 29))};
    const QStringList expected{u"# Today"_s,     u"a | 11:05"_s, u"b | 09:40"_s,
                               u"# Yesterday"_s, u"c | 17:22"_s, u"# Previous 7 days"_s,
                               u"d | Wed"_s,     u"# October"_s, u"e | 29"_s};
    QCOMPARE(lines(conversationRows(summaries, {}, Today, QLocale::c())), expected);
}

void ConversationRowsTest::runningConversationShowsItsTimeAndMark()
{
    using Mark = ConversationSummary::Mark;
    const std::vector<ConversationSummary> summaries{summary(u"a"_s, Today),
                                                     summary(u"b"_s, Today)};
    const std::vector<RunningConversation> running{{ConversationId(u"a"_s), 11'900ms, false},
                                                   {ConversationId(u"b"_s), 90s, true}};
    const auto rows = conversationRows(summaries, running, Today, QLocale::c());
    QCOMPARE(rows[1].when, u"0:11"_s);
    QCOMPARE(rows[1].summary.mark, Mark::Running);
    QCOMPARE(rows[2].when, u"asks"_s);
    QCOMPARE(rows[2].summary.mark, Mark::Asking);
}

void ConversationRowsTest::clockAheadIsToday()
{
    QCOMPARE(dateGroup(Today.addDays(3), Today, QLocale::c()), u"Today"_s);
}

void ConversationRowsTest::headOfAGroupCannotBeSelected()
{
    ConversationListModel model;
    const QAbstractItemModelTester tester(&model);
    model.setRows(conversationRows({summary(u"a"_s, Today)}, {}, Today, QLocale::c()));
    QVERIFY(!(model.flags(model.index(0)) & Qt::ItemIsSelectable));
    QVERIFY(model.flags(model.index(1)) & Qt::ItemIsSelectable);
    QCOMPARE(model.indexOf(ConversationId(u"a"_s)).row(), 1);
    QVERIFY(!model.indexOf(ConversationId(u"x"_s)).isValid());
}

void ConversationRowsTest::runningTimeDoesNotRebuildTheList()
{
    ConversationListModel model;
    const std::vector<ConversationSummary> summaries{summary(u"a"_s, Today),
                                                     summary(u"b"_s, Today)};
    model.setRows(conversationRows(summaries, {}, Today, QLocale::c()));
    const QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    const QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
    model.setRows(
        conversationRows(summaries, {{ConversationId(u"b"_s), 3s, false}}, Today, QLocale::c()));
    QCOMPARE(resets.size(), 0);
    QCOMPARE(changes.size(), 1);
    QCOMPARE(changes.at(0).at(0).toModelIndex().row(), 2);
}

void ConversationRowsTest::hostileTitleIsOneLineOfText()
{
    // behaviours: 216
    ConversationListModel model;
    ConversationSummary hostile = summary(u"a"_s, Today);
    hostile.title = u"<img src=\"file:///dev/zero\">\nsecond line"_s;
    model.setRows(conversationRows({hostile}, {}, Today, QLocale::c()));
    QCOMPARE(model.data(model.index(1), Qt::DisplayRole).toString(),
             u"<img src=\"file:///dev/zero\"> second line"_s);
    QVERIFY(!model.data(model.index(1), Qt::ToolTipRole).isValid());
}

QTEST_GUILESS_MAIN(ConversationRowsTest)
#include "tst_conversationrows.moc"
