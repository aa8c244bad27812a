// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/durations.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

QString tr(const char *text, int n = -1)
{
    return QCoreApplication::translate("fermata::Durations", text, nullptr, n);
}

// From a minute on, where tenths say nothing any more.
QString longText(qint64 seconds)
{
    if (seconds >= 3600)
        return tr("%1 h %2 min").arg(seconds / 3600).arg(seconds % 3600 / 60);
    return tr("%1 min %2 s").arg(seconds / 60).arg(seconds % 60);
}

QString clock(qint64 seconds)
{
    const QLatin1Char zero('0');
    if (seconds >= 3600)
        return u"%1:%2:%3"_s.arg(seconds / 3600)
            .arg(seconds % 3600 / 60, 2, 10, zero)
            .arg(seconds % 60, 2, 10, zero);
    return u"%1:%2"_s.arg(seconds / 60).arg(seconds % 60, 2, 10, zero);
}

} // namespace

QString elapsedText(std::chrono::milliseconds time)
{
    const qint64 tenths = std::max<qint64>(0, time.count() + 50) / 100;
    if (tenths >= 600)
        return longText(tenths / 10);
    return tr("%1 s").arg(QLocale().toString(double(tenths) / 10.0, 'f', 1));
}

QString spentText(std::chrono::milliseconds time)
{
    constexpr auto shownAsTenth = 50ms;
    return time < shownAsTenth ? tr("%1 ms").arg(std::max<qint64>(0, time.count()))
                               : elapsedText(time);
}

QString roundedText(std::chrono::milliseconds time)
{
    const qint64 seconds = std::max<qint64>(0, time.count() + 500) / 1000;
    return seconds >= 60 ? longText(seconds) : tr("%1 s").arg(seconds);
}

QString limitValueText(std::chrono::milliseconds value)
{
    const qint64 ms = value.count();
    if (ms % 1000 != 0)
        return tr("%1 s").arg(QLocale().toString(double(ms) / 1000.0, 'g', 6));
    const qint64 seconds = ms / 1000;
    if (seconds >= 7200 && seconds % 3600 == 0)
        return tr("%1 h").arg(seconds / 3600);
    if (seconds >= 60 && seconds % 60 == 0)
        return tr("%1 min").arg(seconds / 60);
    return tr("%1 s").arg(seconds);
}

QString countdownText(std::chrono::milliseconds remaining)
{
    return clock(std::max<qint64>(0, remaining.count() + 999) / 1000);
}

QString clockText(std::chrono::milliseconds elapsed)
{
    return clock(std::max<qint64>(0, elapsed.count()) / 1000);
}

QString tokensText(qint64 tokens)
{
    // Without a translation there is no plural by number: the two English forms are written out.
    return tokens == 1 ? tr("1 token") : tr("%1 tokens").arg(QLocale().toString(tokens));
}

QString bytesText(qint64 bytes)
{
    if (bytes < 1024)
        return bytes == 1 ? tr("1 byte") : tr("%1 bytes").arg(bytes);
    if (bytes < 1024 * 1024)
        return tr("%1 KB").arg((bytes + 512) / 1024);
    return tr("%1 MB").arg(QLocale().toString(double(bytes) / (1024.0 * 1024.0), 'f', 1));
}

} // namespace fermata
