// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sidebar/conversationrows.h"

#include "ui/text/durations.h"

#include <QCoreApplication>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("fermata::Sidebar", text);
}

constexpr int Week = 7;

} // namespace

QString dateGroup(const QDate &day, const QDate &today, const QLocale &locale)
{
    const qint64 age = day.daysTo(today);
    if (age <= 0)
        return tr("Today");
    if (age == 1)
        return tr("Yesterday");
    if (age <= Week)
        return tr("Previous 7 days");
    const QString month = locale.standaloneMonthName(day.month());
    return day.year() == today.year() ? month : u"%1 %2"_s.arg(month, QString::number(day.year()));
}

QString rowTime(const QDateTime &local, const QDate &today, const QLocale &locale)
{
    const qint64 age = local.date().daysTo(today);
    if (age <= 1)
        return local.time().toString(u"HH:mm"_s);
    if (age <= Week)
        return locale.dayName(local.date().dayOfWeek(), QLocale::ShortFormat);
    return QString::number(local.date().day());
}

void showRunning(ConversationRow &row, const RunningConversation &running)
{
    using Mark = ConversationSummary::Mark;
    row.runningFor = running.elapsed;
    row.summary.mark = running.asks ? Mark::Asking : Mark::Running;
    row.when = running.asks ? tr("asks") : clockText(running.elapsed);
}

std::vector<ConversationRow> conversationRows(const std::vector<ConversationSummary> &summaries,
                                              const std::vector<RunningConversation> &running,
                                              const QDate &today, const QLocale &locale)
{
    std::vector<ConversationRow> rows;
    rows.reserve(summaries.size() + 16);
    QString group;
    for (const ConversationSummary &summary : summaries) {
        const QDateTime local = summary.updatedAt.toLocalTime();
        const QString own = dateGroup(local.date(), today, locale);
        if (own != group) {
            group = own;
            rows.push_back({group, {}, {}, {}});
        }
        ConversationRow row;
        row.summary = summary;
        row.when = rowTime(local, today, locale);
        const auto run = std::find_if(running.begin(), running.end(),
                                      [&](const auto &r) { return r.id == summary.id; });
        if (run != running.end())
            showRunning(row, *run);
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace fermata
